/* hub.h - fan-out: one signal in, ten thousand screens out.
 *
 * The hub taps the bus once.  For each encoding in use a signal is encoded once,
 * into that encoding's reel.  A client is a socket, a tape (which of the reel's
 * frames it hears) and a cursor.  At the end of a loop turn each client of a tape
 * with news gets one send of everything from its cursor to the head; nothing is
 * queued, copied or allocated per client and signal.  A client that falls behind
 * reads from the journal until it has caught up; its policy says how.
 *
 * The hub knows no dialect by name: hub/dialect.h says what one is, and whoever makes a hub
 * hands it a list.
 */
#ifndef HUB_HUB_H
#define HUB_HUB_H

#include "base/buf.h"
#include "bus/back.h"
#include "net/caller.h"
#include "net/ws.h"

struct accounts;
struct bus;
struct conn;
struct http;
struct hub;
struct hub_dialect;
struct journal;
struct loop;
struct news;

/* Who somebody is by a credential: where requests show one, the same is asked. */
struct hub_callers {
	void *self;
	/* wait_s: seconds, if the answer is CALLER_WAIT. */
	enum caller_answer (*find)(void *self, struct conn *conn, struct text secret,
	                           struct caller *out, unsigned *wait_s);
};

struct hub_options {
	struct loop *loop;
	struct bus *bus;
	struct journal *journal;
	struct accounts *accounts; /* of those who connect */
	struct ws_limits ws;
	size_t behind_max; /* bytes behind the head before the policy acts: 4 MiB */
	unsigned ping_ms, pong_ms, message_ms; /* the last for a whole message */
	struct back back;
	struct hub_callers callers;
	const struct hub_dialect *dialects; /* copied */
	size_t dialect_count;
};

struct hub *hub_create(const struct hub_options *options);
/* From now on. */
void hub_set_times(struct hub *hub, unsigned ping_ms, unsigned pong_ms, unsigned message_ms);
void hub_destroy(struct hub *hub);

/* Is http's path a dialect's?  Then it is answered (400, 403, 426) or its
 * connection taken, and true is returned.  pinned: the dialect that the listener
 * has for upgrades at dialect.pins, or NULL. */
bool hub_join(struct hub *hub, struct http *http, const struct caller *caller, const char *pinned);

/* Is http an upgrade for the dialect that its listener is for?  open: the scopes that it needs, if
 * it is harmless; else 0. */
bool hub_is_pin(const struct hub *hub, const struct http *http, const char *pinned, unsigned *open);
/* True: that dialect has a page there, and http is answered. */
bool hub_show_page(const struct hub *hub, struct http *http, const char *pinned);

/* Tells every dialect that wants to know. */
void hub_tell(struct hub *hub, const struct news *news);

unsigned long hub_clients(const struct hub *hub);
void hub_status(const struct hub *hub, struct buf *out); /* a JSON object */

struct hub_stats {
	unsigned long clients, joined, fell_behind, gaps, slow_closed, frames;
	unsigned long skipped; /* signals that the policy drop kept from a client */
};
struct hub_stats hub_stats(const struct hub *hub);

/* From the journal: cold bytes that a reader waited for may be there. */
void hub_warmed(struct hub *hub);

/* Reads nothing more from anybody: the server is about to stop. */
void hub_hush(struct hub *hub);

/* Says good-bye (close 1001, SSE retry) to everybody; true from hub_is_empty
 * once all of it went out or the grace of 2 s is over. */
void hub_drain(struct hub *hub);
bool hub_is_empty(const struct hub *hub);

#endif
