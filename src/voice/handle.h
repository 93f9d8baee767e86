/* handle.h - agents for whoever speaks Wyoming: Home Assistant has one as a conversation agent.
 *
 * The protocol knows no credential, so a listener that is for it names one source and whom it
 * lets in.  All that a peer can do is ask that source, some times a minute; its ask is cancelled
 * when it goes away.  A peer on this machine is our own user, or nobody.
 *
 * A connection has one ask at a time.  A line that is no JSON object ends it without a word:
 * what a browser can be made to send to any port begins with one.
 */
#ifndef VOICE_HANDLE_H
#define VOICE_HANDLE_H

#include "bus/back.h"

#define HANDLE_DIALECT "wyoming" /* as a listener names it */

#define HANDLE_GUESTS_MAX 32             /* connections; more are closed */
#define HANDLE_IDLE_MS (60 * 1000)       /* without an event of the peer */
#define HANDLE_ANSWER_MS (5 * 60 * 1000) /* from an ask to its end */
#define HANDLE_OUT_MAX (1 * MIB)         /* that a peer has not taken; it is lost then */
#define HANDLE_SPOKEN_MAX (64 * KIB)     /* bytes of an answer; the rest is not said */

struct bus;
struct conn;
struct handle;
struct loop;

/* Of the listener that a connection came by. */
struct handle_place {
	struct text source;
	const char *const *allow; /* addresses of other machines */
	size_t allow_count;
};

/* All of it outlives the handle. */
struct handle_options {
	struct loop *loop;
	struct bus *bus;
	struct back back;
	void *self;
	/* As it is configured now.  False: that listener is gone, or for something else. */
	bool (*place)(void *self, const struct conn *conn, struct handle_place *out);
};

struct handle *handle_create(const struct handle_options *options);
void handle_destroy(struct handle *handle); /* NULL is fine; before the bus and the loop */

/* Takes conn, and closes it if its peer may not come in. */
void handle_take(struct handle *handle, struct conn *conn);

#endif
