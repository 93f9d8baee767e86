/* position.h - where in time a reader stands: SEQ or EPOCH-SEQ; pure.
 *
 * Epochs are timelines.  Each begins at some seq; a position (E, s) is valid if
 * s is below the first seq of E's successor.
 */
#ifndef JOURNAL_POSITION_H
#define JOURNAL_POSITION_H

#include "base/text.h"

#define EPOCH_LEN 12                /* lower-case hexadecimal */
#define SEQ_MAX (UINT64_C(1) << 62) /* no seq of ours gets there; a garbled one may */

struct position {
	char epoch[EPOCH_LEN + 1]; /* empty: any */
	uint64_t seq;
};

struct gap {
	uint64_t from, to; /* the seqs that are missing, both included */
	const char *why;   /* "lost", "expired", "damaged", "forgotten", "skipped" */
	bool is_fork;      /* of another timeline: in this one `from` is still to come */
};

bool epoch_is_valid(struct text t);
bool position_parse(struct text t, struct position *out);

#endif
