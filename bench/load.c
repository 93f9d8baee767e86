/* The load client's entry: bench-load MODE --port P --pid PID [--bare] [options of the mode].
 * It prints one line of JSON. run.py is what starts it. */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DEADLINE_S = 600 }; /* No run is longer; SIGALRM ends the process. */

static const struct {
	const char *name;
	void (*run)(const struct target *target, char **argv);
} modes[] = {
	{"crowd", load_crowd},
	{"durable", load_durable},
	{"replay", load_replay},
	{"idle", load_idle},
};

static bool has_flag(char **argv, const char *name)
{
	while (*++argv != NULL)
		if (strcmp(*argv, name) == 0)
			return true;
	return false;
}

int main(int argc, char **argv)
{
	struct target target = {0};

	if (argc < 2) {
		fprintf(stderr, "usage: bench-load crowd|durable|replay|idle "
		                "--port P --pid PID [--bare] ...\n");
		return 2;
	}
	alarm(DEADLINE_S);
	raise_file_limit();
	target.port = (uint16_t)option_number(argv, "--port", 0);
	target.pid = (pid_t)option_number(argv, "--pid", 0);
	target.bare = has_flag(argv, "--bare");
	errno = 0;
	if (target.port == 0 || target.pid == 0)
		die("--port and --pid are needed");
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		if (strcmp(argv[1], modes[i].name) == 0) {
			modes[i].run(&target, argv);
			return 0;
		}
	}
	die("%s is no mode", argv[1]);
}
