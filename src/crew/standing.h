/* standing.h - where an agent stands, whatever the order in which it is heard of it; pure.
 *
 * Hooks, a registry and a transcript tell of one session, each in its own order and with its own
 * delay.  So the newest time of each moment is kept, and the state is what the table (state.h)
 * makes of them in the order of their times: the same reports give the same state, however they
 * are interleaved.  Calls of tools are a set besides that: one that returned does not open again
 * when it is told of late, and one of an earlier turn is not open.
 */
#ifndef CREW_STANDING_H
#define CREW_STANDING_H

#include <stdint.h>

#include "base/buf.h"
#include "crew/state.h"
#include "signal/json.h"

#define STANDING_CALLS_MAX 32    /* open at once; the oldest is forgotten */
#define STANDING_RETURNED_MAX 64 /* calls that are known to have returned */
#define STANDING_WORDS_MAX 300   /* bytes of a reason, a tool or its target */

struct standing_call {
	uint64_t id; /* a hash of its id; 0: it has none */
	char *call, *tool, *target;
	double at_ms;
	double asked_ms; /* a person was asked about it; 0: not */
};

struct standing {
	double at_ms[MOMENTS]; /* the newest of each; 0: never */
	char *why[MOMENTS];    /* and what was said with it, or NULL */
	int64_t exit;          /* of the newest that failed or ended; -1: not told */
	struct standing_call *calls;
	unsigned call_count;
	uint64_t *returned; /* a ring of STANDING_RETURNED_MAX, or NULL */
	unsigned returned_next;
	/* Made of these by every change: */
	enum crew_state state;
	double since_ms;
	int call; /* the open call that it is about, or -1 */
};

/* One thing that was heard of it. */
struct standing_news {
	enum crew_moment moment;
	double at_ms;
	struct text why;
	int64_t exit;                   /* -1: none */
	struct text call, tool, target; /* of a call, a return, a question about one */
};

void standing_init(struct standing *s);
void standing_finish(struct standing *s);
void standing_hear(struct standing *s, const struct standing_news *news);

/* What was said with the moment that made this state, or NULL. */
const char *standing_why(const struct standing *s);

/* `{"name","since","tool"?,"target"?,"call"?,"why"?,"exit"?}`, an object of this name. */
void standing_json(const struct standing *s, const char *name, struct buf *out);
/* For the checkpoint, and back, into one that is empty. */
void standing_save(const struct standing *s, const char *name, struct buf *out);
bool standing_load(struct standing *s, yyjson_val *saved);

#endif
