/* position.h - where in time a reader stands: SEQ or EPOCH-SEQ; pure.
 *
 * Epochs are timelines.  Each begins at some seq; a position (E, s) is valid if
 * s is below the first seq of E's successor.
 */
#ifndef SIGNAL_POSITION_H
#define SIGNAL_POSITION_H

#include "base/text.h"

#define EPOCH_LEN 12                /* lower-case hexadecimal */
#define SEQ_MAX (UINT64_C(1) << 62) /* no seq of ours gets there; a garbled one may */

struct position {
	char epoch[EPOCH_LEN + 1]; /* empty: any */
	uint64_t seq;
};

/* Where somebody stands, and where he stood before that in older epochs: newest first.  So
 * whoever comes with an epoch that we do not know is met where our timelines parted. */
#define POSITIONS_MAX 16

struct positions {
	struct position all[POSITIONS_MAX];
	size_t count; /* at least one */
};

#define POSITIONS_WORDS "a position is SEQ or EPOCH-SEQ; older ones may follow, with commas"

struct gap {
	uint64_t from, to; /* the seqs that are missing, both included */
	const char *why;   /* "lost", "expired", "damaged", "forgotten", "skipped" */
	bool is_fork;      /* of another timeline: in this one `from` is still to come */
};

bool position_is_epoch(struct text t);
bool position_parse(struct text t, struct position *out);
bool positions_parse(struct text t, struct positions *out); /* P1,P2,... */

/* For whoever reads a journal: he stands at `now`, and what he had of older epochs beyond
 * it is not of this timeline.  A bare seq of before tells nothing any more. */
void positions_step(struct positions *positions, struct position now);

#define POSITIONS_ROOM (POSITIONS_MAX * (EPOCH_LEN + 22))
struct text positions_print(const struct positions *positions, char out[POSITIONS_ROOM]);

#endif
