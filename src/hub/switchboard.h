/* switchboard.h - from a signal to the tapes that it belongs to.
 *
 * Tapes are indexed by one exact word of their filter: the correlationId if they
 * have one, else each source, else each type.  Only those that have nothing but
 * patterns are asked one by one.
 */
#ifndef HUB_SWITCHBOARD_H
#define HUB_SWITCHBOARD_H

#include "base/list.h"
#include "base/map.h"
#include "hub/tape.h"

struct switchboard {
	struct tape *all;  /* the tape of everything, when somebody wants it */
	struct map by_key; /* every tape, by its filter's key */
	struct map by_correlation, by_source, by_type; /* to struct switchboard_row */
	struct link tapes;
	struct switchboard_row *patterns;
};

void switchboard_init(struct switchboard *board);
void switchboard_finish(struct switchboard *board); /* destroys its tapes */

/* The tape of this filter, made when there is none yet.  Takes filter. */
struct tape *switchboard_tape(struct switchboard *board, struct reel *reel, struct filter *filter);
void switchboard_drop(struct switchboard *board, struct tape *tape); /* destroys it */

/* Calls visit for each filtered tape that the signal passes. */
void switchboard_route(const struct switchboard *board, const struct signal *s,
                       void (*visit)(void *self, struct tape *tape), void *self);

#endif
