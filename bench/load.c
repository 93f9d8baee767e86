/* The load client's entry: bench-load MODE --port P --pid PID [options of the mode], and
 *
 *   --as NAME      the server's protocol: native, run, signals, gateway, bare, nats,
 *                  redis, nchan
 *   --keys K       each subscriber hears one of K correlationIds (0: everything)
 *   --stored 1     of a server that can: keep what is published, and deliver what was kept
 *   --secure 1     over TLS
 *   --token T      what clients of a gateway show
 *   --version 3|4  the protocol that they speak
 *   --type T       of the signals, and how many
 *   --bytes N      bytes each has
 *
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
	{"crowd", load_crowd}, {"durable", load_durable}, {"replay", load_replay},
	{"idle", load_idle},   {"stream", load_stream},   {"arrive", load_arrive},
	{"relay", load_relay},
};

static const struct protocol *protocol_named(const char *name)
{
	static const struct protocol *const all[] = {
		&load_native, &load_run,   &load_bare,    &load_nats,
		&load_redis,  &load_nchan, &load_signals, &load_gateway,
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(name, all[i]->name) == 0)
			return all[i];
	errno = 0;
	die("%s is no protocol", name);
}

int main(int argc, char **argv)
{
	struct target target = {0};

	if (argc < 2) {
		fprintf(stderr, "usage: bench-load crowd|durable|replay|idle|stream|arrive|relay "
		                "--port P --pid PID ...\n");
		return 2;
	}
	alarm(DEADLINE_S);
	raise_file_limit();
	target.port = (uint16_t)option_number(argv, "--port", 0);
	target.pid = (pid_t)option_number(argv, "--pid", 0);
	target.protocol = protocol_named(option(argv, "--as", "native"));
	target.keys = (unsigned)option_number(argv, "--keys", 0);
	target.stored = option_number(argv, "--stored", 0) != 0;
	target.secure = option_number(argv, "--secure", 0) != 0;
	target.token = option(argv, "--token", "");
	target.version = (unsigned)option_number(argv, "--version", 4);
	signal_shape(option(argv, "--type", "text_delta"),
	             option_number(argv, "--bytes", SIGNAL_BYTES));
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
