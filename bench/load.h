/* The load client: one thread, one epoll, as many WebSockets as asked for.
 *
 * It must be cheaper than the server it measures, so it reads into one big buffer that
 * all links share, walks the frames where they lie, and allocates nothing per frame.
 * A link is one WebSocket of ours, in the native dialect of /ws or in the two paths
 * of the bare server. Everything that goes wrong ends the program with words and
 * exit code 1: a figure from a run that lost something is worth nothing. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include "bench.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum {
	LOAD_BUFFER = 256 * 1024, /* one recv; fits the second level cache */
	LOAD_CARRY = 8 * 1024,    /* the longest frame we expect; longer ones are fatal */
	LOAD_WAIT_S = 20,         /* the longest wait while setting up */
	SIGNAL_BYTES = 300,
	FRAME_MAX = 512, /* a signal's frame on its way to the server */
};

/* The server under load. */
struct target {
	uint16_t port;
	pid_t pid;
	bool bare;
};

struct link {
	int fd;
	unsigned number;   /* key of a filtered subscriber */
	uint64_t received; /* signals */
	uint64_t seq;      /* of the newest signal; native only */
	unsigned have;     /* bytes in carry: the beginning of a frame */
	bool ponged;       /* what was sent before the last ping was heard */
	bool filtered;     /* seq may jump */
	char *carry;
};

/* load_link.c */

/* Open a WebSocket to `path`. link_answered waits for the upgrade's answer, so that
 * many can be asked for at once. */
void link_open(struct link *link, const struct target *target, const char *path);
void link_answered(struct link *link);
void link_close(struct link *link);

/* Send one masked frame; for the few frames of the set-up only. */
void link_send(struct link *link, int opcode, const char *text, size_t length);

/* Open `count` subscribers; with keys > 0, the i-th hears correlationId i % keys only.
 * All are known to be subscribed when this returns. */
void links_subscribe(struct link *links, unsigned count, const struct target *target,
                     unsigned keys);

/* A frame that is no signal: hello, pong, ping. Gaps, errors and closes are fatal. */
void link_heard(struct link *link, int opcode, const char *text, size_t length);

/* load_signal.c: masked frames that differ in number and key only. */

enum signal_form { SIGNAL_BARE, SIGNAL_EMIT }; /* the envelope alone, or in an emit */

void signal_prepare(enum signal_form form);

/* Write the frame of signal `number` with correlationId cKEY; answers its length. */
size_t signal_frame(char *at, uint64_t number, unsigned key);

/* load_server.c: what the server uses. */

uint64_t server_cpu_ns(pid_t pid);      /* of all its threads */
uint64_t server_loop_cpu_ns(pid_t pid); /* without its threads for the disk */

/* Resident bytes of the server's own, without its program and libraries. */
uint64_t server_memory(pid_t pid);

/* The modes, one file each. They print one JSON object. */
void load_crowd(const struct target *target, char **argv);
void load_durable(const struct target *target, char **argv);
void load_replay(const struct target *target, char **argv);
void load_idle(const struct target *target, char **argv);

#endif
