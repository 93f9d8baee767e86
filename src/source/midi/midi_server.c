/* midi_server.c - a knock at JACK's door, without its library.
 *
 * To find out that no server runs, the library of JACK 2 starts a thread, gives it a
 * second to begin, and frees what it works on if it did not.  On a machine that stalls
 * for so long the thread comes into freed memory, and takes the program with it.  So
 * the library is left alone until somebody listens at the server's socket. */
#include "source/midi/midi_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define DIRECTORY "/dev/shm"
#define NAME_MAX_BYTES 64

/* As the library writes it into a path. */
static void write_name(char name[NAME_MAX_BYTES + 1])
{
	const char *wanted = getenv("JACK_DEFAULT_SERVER");

	snprintf(name, NAME_MAX_BYTES + 1, "%s", wanted ? wanted : "default");
	for (char *c = name; *c; c++)
		if (*c == '/' || *c == '\\')
			*c = '_';
}

bool midi_server_answers(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char name[NAME_MAX_BYTES + 1];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool answers;

	/* Without a descriptor the library would get no further. */
	if (fd < 0)
		return false;
	write_name(name);
	if (getenv("JACK_PROMISCUOUS_SERVER"))
		snprintf(at.sun_path, sizeof(at.sun_path), DIRECTORY "/jack_%s_0", name);
	else
		snprintf(at.sun_path, sizeof(at.sun_path), DIRECTORY "/jack_%s_%d_0", name,
		         (int)getuid());
	answers = connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
	close(fd);
	return answers;
}
