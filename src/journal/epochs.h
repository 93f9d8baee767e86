/* epochs.h - the timelines of a journal: `journal/epochs`, one `EPOCH FIRSTSEQ` a
 * line, and the mark of a clean stop, `journal/clean`.
 *
 * Every start begins one.  A backup that is restored goes on under another name than
 * what came after it was made, so no position has two meanings. */
#ifndef JOURNAL_EPOCHS_H
#define JOURNAL_EPOCHS_H

#include "base/error.h"
#include "signal/position.h"

#define EPOCHS_MAX 16384 /* half a megabyte to write at a start; then the oldest go */

struct epoch {
	char name[EPOCH_LEN + 1];
	uint64_t first;
};

struct epochs {
	struct epoch *all; /* oldest first */
	size_t count;
};

/* What cannot be understood is left out, with a warning. */
bool epochs_load(struct epochs *epochs, int dir, struct error *why);
void epochs_finish(struct epochs *epochs);

/* Those in which no position stands at or behind `oldest`, the first seq that is kept, go
 * with the next epochs_add. */
void epochs_drop_before(struct epochs *epochs, uint64_t oldest);

/* A new one, on disk before it is used. */
bool epochs_add(struct epochs *epochs, int dir, uint64_t first, struct error *why);

const struct epoch *epochs_current(const struct epochs *epochs); /* NULL: none yet */

/* Where do we go on with somebody who stands at `after`, while `last` is the
 * newest seq?  At the first of his positions whose epoch we know, or, when we know none, at
 * the beginning.  Returns the next seq; *lost is set when what he saw is not, or is
 * no longer, ours. */
uint64_t epochs_resume(const struct epochs *epochs, const struct positions *after, uint64_t last,
                       struct gap *lost);

/* Up to where everything was acknowledged once: a start of before has seen it on the disk, or
 * a clean stop left it there.  Seqs never go back behind it, even if somebody took segments
 * away. */
uint64_t epochs_promised(const struct epochs *epochs, int dir);
uint64_t epochs_promised_in(int dir); /* the same, of the epochs that are there */

bool epochs_mark_write(int dir, const char *epoch, uint64_t last, struct error *why);
bool epochs_mark_read(int dir, struct position *out);
bool epochs_mark_remove(int dir, struct error *why);

#endif
