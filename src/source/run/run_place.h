/* run_place.h - where we are in what a hub of the run dialect tells; pure.
 *
 * The number of the newest event and a mark of its bytes, by which it is known again; how
 * many of its signals were given; and marks of what has no number and is shown to each who
 * comes.  As a text it rides in the signals, and is where the next life of the box goes on.
 */
#ifndef SOURCE_RUN_PLACE_H
#define SOURCE_RUN_PLACE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/text.h"

#define RUN_PLACE_OTHERS 4

struct run_place {
	bool is_known; /* an event came */
	bool has_seq;  /* and had a number */
	uint64_t seq;
	uint64_t told;                     /* signals of it that were given */
	uint32_t event, phase, debug;      /* marks; 0: none */
	uint32_t others[RUN_PLACE_OTHERS]; /* of the newest frames of other kinds */
};

/* The same in every life of the box; never 0. */
uint32_t run_place_mark(struct text frame);

/* What came, an event or a frame of another kind. */
void run_place_event(struct run_place *place, const uint64_t *seq, struct text frame);
void run_place_other(struct run_place *place, struct text kind, struct text frame);
/* Is that what was shown last? */
bool run_place_has(const struct run_place *place, struct text kind, struct text frame);

/* With the run it is of. */
void run_place_write(const struct run_place *place, struct text run, struct buf *out);
/* False: it is none, and place is empty. */
bool run_place_read(struct run_place *place, struct text at, struct text *run);

#endif
