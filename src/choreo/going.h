/* going.h - what bindings began and takes its time; inside this room.
 *
 * A transition is known by entity and property: a new one takes the place of the old,
 * and the stage lets it begin where that one was.  A movement is kept likewise, until
 * it arrives.  There are never more than entities times properties of them: what a
 * stand-in had begun in a part that it plays no more is forgotten.
 */
#ifndef CHOREO_GOING_H
#define CHOREO_GOING_H

#include "base/list.h"
#include "choreo/tell.h"
#include "stage/show.h"

struct binding {
	yyjson_val *value; /* in the document */
	size_t index;      /* there */
	struct text target, property, field;
};

struct goings {
	const struct show *show;
	const struct stage *stage;
	struct teller *teller;
	struct link all; /* going.in_goings, in the order in which they began */
};

/* All three must live longer. */
void goings_init(struct goings *g, const struct show *show, const struct stage *stage,
                 struct teller *teller);
void goings_finish(struct goings *g); /* it is empty and usable after */

/* The property goes to the value of the transition, and perhaps back. */
void goings_turn(struct goings *g, const struct binding *binding, struct text actor, double now_ms);
/* The entity goes where the action says. */
void goings_walk(struct goings *g, const struct binding *binding, struct text actor, double now_ms);

void goings_tick(struct goings *g, double now_ms);
double goings_next(const struct goings *g); /* INFINITY: never */

/* Tells what is under way as starts with their progress. */
void goings_running(const struct goings *g, double now_ms, struct teller *teller);

/* As a JSON list; and one of it back, for this binding.  False: it is not that. */
void goings_save(const struct goings *g, struct buf *out);
bool goings_load(struct goings *g, const struct binding *binding, yyjson_val *saved);

#endif
