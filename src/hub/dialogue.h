/* dialogue.h - what a dialect may do with its client.
 *
 * Whatever says something may close the client: its state is CLIENT_CLOSING then, its dialect's
 * `leave` was called, and nothing that is said after goes out.
 */
#ifndef HUB_DIALOGUE_H
#define HUB_DIALOGUE_H

#include "bus/bus.h"
#include "hub/client.h"

struct hub_options;
struct subscription;

const struct hub_options *client_options(const struct client *client); /* the hub's */
void *client_of_dialect(const struct client *client);                  /* hub_dialect.of */

/* A credential that the client showed in a message.  It is looked up, throttled, limited and
 * recorded like one in a header.  Scopes, account and name are set by the first that is right.
 * Only a stranger may show one: who came in with scopes keeps them. */
enum identified {
	IDENTIFIED,
	IDENTIFIED_BEFORE,  /* by an earlier message, or it was no stranger when it came */
	IDENTIFIED_WRONG,   /* nobody is known by it */
	IDENTIFIED_WAIT,    /* likewise, and nobody is heard out before *wait_s seconds are over */
	IDENTIFIED_CROWDED, /* its account has as many connections as it may have */
};
enum identified client_identify(struct client *client, struct text secret, unsigned *wait_s);
/* The same of one that its dialect knows by means of its own. */
enum identified client_admit(struct client *client, const struct caller *caller);
bool client_is_stranger(const struct client *client); /* it may do nothing until then */

/* What its dialect remembers of it, dialect.view bytes.  The hub makes it, filled with zeros,
 * when it is first asked for, and frees it at the end of the turn in which the client is gone. */
void *client_view(struct client *client);
void *client_has_view(const struct client *client); /* or NULL */

/* Calls dialect.pump at the end of the turn. */
void client_work(struct client *client);

/* A piece of a frame or a whole one into `mine`; it goes out this turn. */
void client_say(struct client *client, struct text bytes);
void client_say_frame(struct client *client, enum ws_opcode op, struct text body);
/* Whole frames that others get too, of a client that does not subscribe: they go out at once, and
 * only what its socket does not take is copied. */
void client_pass(struct client *client, struct text frames);
/* What it may say from now on; they live as long as the hub. */
void client_limit(struct client *client, const struct ws_limits *limits);
void client_make_room(struct client *client, size_t more); /* than others may be owed */

/* Takes the filter.  Replaces what the client heard before. */
void client_subscribe(struct client *client, struct subscription *wish);

/* For the hub's counts: a dialect that does not subscribe told of a gap; its client was too
 * slow for what is kept in memory. */
void client_count_gap(struct client *client);
void client_count_behind(struct client *client);

/* An envelope from this client.  ref may be empty: then nothing is answered when
 * all is well.  durable: the answer comes when the signal is on the disk. */
struct emission {
	struct text raw, ref;
	bool durable, once;
	bool guess; /* see bus_emit */
	bool envelope_only;
};
bool client_emit(struct client *client, const struct emission *emission,
                 struct bus_verdict *verdict);

/* Milliseconds until it may emit again; 0: now. */
unsigned client_emit_wait(const struct client *client);

/* Says good-bye: what is owed goes out first, then the close (for a WebSocket
 * with its code and reason), then the end. */
void client_close(struct client *client, uint16_t code, struct text reason);

/* What every WebSocket dialect's beat and farewell are. */
void client_ping(struct client *client);
void client_go_away(struct client *client); /* close 1001 */

#endif
