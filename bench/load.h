/* The load client: one thread, one epoll, as many connections as asked for.
 *
 * It must be cheaper than the server it measures, so it reads into one big buffer that
 * all links share, walks the frames where they lie, and allocates nothing per frame.
 * A link is one connection in the server's own protocol: a WebSocket in the native dialect
 * of /ws or to the two paths of the bare server, or what another server speaks. Everything
 * that goes wrong ends the program with words and exit code 1: a figure from a run that
 * lost something is worth nothing. */
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

struct protocol;

/* The server under load. */
struct target {
	const struct protocol *protocol;
	uint16_t port;
	pid_t pid;
	unsigned keys;     /* the i-th subscriber hears key i % keys; 0: everybody all */
	bool stored;       /* of a server that can: keep what is published, deliver what was kept */
	bool secure;       /* over TLS */
	const char *token; /* for who connects with one, or NULL */
	unsigned version;  /* of the gateway's protocol */
};

enum role { SUBSCRIBER, PUBLISHER, EMITTER }; /* an emitter waits for acknowledgements */

struct link {
	int fd;
	enum role role;
	unsigned key;             /* of a filtered subscriber */
	uint64_t received;        /* signals, or acknowledgements */
	uint64_t seq;             /* of the newest signal; native only */
	unsigned have;            /* bytes in carry: the beginning of a frame */
	unsigned due;             /* redis: parts of a reply that are still to come */
	char newest[32];          /* redis: the id of the newest entry of a stream */
	bool ponged;              /* what was sent before the last ping was heard */
	bool filtered;            /* seq may jump */
	bool challenged, greeted; /* gateway: by the server */
	uint64_t skip;            /* gateway: bytes of a frame that nobody looks at */
	uint64_t chats, finals;   /* gateway: events `chat`, and those that end a run */
	uint64_t bytes;           /* that were read */
	char *carry;
	struct ssl_st *ssl; /* NULL: bytes go as they are */
};

/* How a server is spoken to. `open` connects and asks, `ask` goes on when the server has
 * answered, `ready` waits until it has heard all of it: each is done for many links before
 * the next, so that they need not wait for one another. */
struct protocol {
	const char *name;
	void (*open)(struct link *link, const struct target *target);
	void (*ask)(struct link *link, const struct target *target);
	void (*ready)(struct link *link);
	void (*prepare)(const struct target *target, enum role role); /* load_signal.c */
	bool (*read)(struct link *link, int flags); /* true if there may be more */
};

extern const struct protocol load_native, load_run, load_bare, load_nats, load_redis, load_nchan;
extern const struct protocol load_signals, load_gateway;

/* load_link.c */

/* One link, or `count` subscribers, that are ready when this returns. */
void link_join(struct link *link, const struct target *target, enum role role);
void links_subscribe(struct link *links, unsigned count, const struct target *target);
void link_close(struct link *link);

void link_dial(struct link *link, const struct target *target); /* connects, and no more */

/* As send and recv; without MSG_DONTWAIT they wait at most LOAD_WAIT_S. */
ssize_t link_put(struct link *link, const void *bytes, size_t length, int flags);
ssize_t link_get(struct link *link, void *bytes, size_t length, int flags);
void link_say(struct link *link, const char *text); /* all of it, while setting up */

/* load_tls.c: the same for links that have `ssl`. */
void link_secure(struct link *link);
ssize_t link_put_secure(struct link *link, const void *bytes, size_t length, int flags);
ssize_t link_get_secure(struct link *link, void *bytes, size_t length, int flags);

/* load_signal.c: frames that differ in number and key only. signal_mask makes a masked
 * WebSocket frame, signal_wrap what stands between head and tail; the first c00000 in head
 * becomes the key. */
enum signal_form { SIGNAL_BARE, SIGNAL_EMIT }; /* the envelope alone, or in an emit */

/* Of this type and length, before any frame is made. */
void signal_shape(const char *type, size_t bytes);
void signal_mask(enum signal_form form);
void signal_wrap(const char *head, const char *tail);

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
void load_stream(const struct target *target, char **argv);
void load_arrive(const struct target *target, char **argv);
void load_relay(const struct target *target, char **argv);

#endif
