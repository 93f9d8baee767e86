/* inside.h - the clients of the gateway dialect and what they share; for this room alone.
 *
 * Clients that see the same things share one stream: its frames are made once, with one
 * counter (streams.c).  Answers to requests are a client's own.
 */
#ifndef GATEWAY_INSIDE_H
#define GATEWAY_INSIDE_H

#include <yyjson.h>

#include "base/list.h"
#include "base/map.h"
#include "gateway/call.h"
#include "gateway/desk.h"
#include "gateway/gateway.h"
#include "gateway/streams.h"
#include "hub/dialogue.h"
#include "hub/person.h"
#include "net/pace.h"
#include "parse/operator.h"
#include "run/runs.h"
#include "signal/json.h"

#define GATEWAY_OLDEST OPENCLAW_OLDEST
#define GATEWAY_NEWEST OPENCLAW_NEWEST
#define GATEWAY_ID 37              /* bytes of a UUID */
#define GATEWAY_SAY_MAX (16 * MIB) /* of an answer */

enum gateway_cap {
	GATEWAY_TOOLS = 1,
	GATEWAY_TERMINAL = 2, /* it shows what fits there */
	GATEWAY_POSITIONS = 4,
	GATEWAY_SCOPED = 8, /* of runs, it wants those of the sessions that it follows */
};

struct gateway {
	struct gateway_options options; /* its config is this one: */
	struct gateway_config config;
	struct ws_limits unknown, known; /* what clients may say */
	struct runs_listener listener;
	struct gateway_haste *haste;
	struct link hall;         /* gateway_view.in_room: those that were not greeted yet */
	struct deadline patience; /* with them */
	struct link views;        /* gateway_view.in_room: those that were greeted */
	size_t view_count;
	size_t watchers;   /* of these, those who see runs */
	bool is_open;      /* there are some, or were in this turn */
	uint64_t past_seq; /* of the journal when the first of them came */
	struct link streams;
	struct link tokens; /* gateway_token.in_all */
	struct gateway_positions *positions;
	uint64_t place, seq;    /* of the next frame; the number, of protocol 3 */
	struct map runs;        /* id -> struct told_run */
	struct link dirty;      /* told_run.in_dirty: they have text to be told */
	struct map sent;        /* idempotency key -> struct gateway_sent */
	struct link sent_order; /* gateway_sent.in_order, oldest first */
	struct gateway_pairing *pairing;
	struct pace *pace;    /* when */
	struct pending *asks; /* prompts: pending.h */
	struct heartbeat *heartbeat;
	struct deadline tick;   /* and health, now and then */
	unsigned ticks;         /* since health was told */
	struct deadline gather; /* presence is told once it is over */
	bool presence_changed;
	uint64_t presence_version, health_version;
	struct map cards; /* their text -> struct gateway_card */
	char boot_id[GATEWAY_ID];
	double began_ms;
	struct json_reader reader;
	struct buf scratch;
	struct gateway_desk desk;
};

struct gateway_view {
	struct client *client;
	struct link in_room, in_stream;
	struct gateway_stream *stream; /* NULL: it was not greeted yet */
	uint64_t at;                   /* the place of its next frame */
	struct gateway_token *token;   /* that it came in with; NULL: none of the box's */
	struct gateway_card *card;     /* its entry among those who are present */
	int64_t came_ms;
	union {
		char *nonce;   /* until it is greeted */
		char *waiting; /* then: a request that waits for the journal, or NULL */
	};
	struct gateway_follow *follows; /* sessions, besides */
	struct gateway_exact *exact;    /* positions.c; NULL: it counts none */
	uint8_t protocol, scopes, caps; /* scopes: enum operator_scope */
	bool follows_sessions;
	uint32_t waits_ms; /* since when, by the loop's clock, cut; in the hall, too */
	uint32_t device;   /* its number, or 0 */
	uint8_t wait_count, ended_count; /* of wait.c; those of them that are over */
	bool has_lost;                   /* frames: it gets the texts anew */
	bool by_device;                  /* it was let in as a device */
};

/* Three lines of the processor's cache, with who it is: an idle client costs little else. */
_Static_assert(sizeof(struct person) + sizeof(struct gateway_view) <= 192,
               "a view fits its place in the pool");

static inline struct gateway *gateway_of(const struct gateway_view *view)
{
	return client_of_dialect(view->client);
}

bool gateway_is_up(const struct gateway *g);   /* what a history has no events tell again */
void gateway_enter(struct gateway_view *view); /* it was greeted; its protocol and rights stand */
void gateway_connect(const struct gateway_call *call);  /* connect.c */
void gateway_dispatch(const struct gateway_call *call); /* methods.c */
void gateway_method_names(struct buf *out);             /* a list's items */

#endif
