/* forget.h - taking signals out of the journal for good: a secret that leaked into it.
 *
 * Only while no box has it open.  The segments that hold them are written anew without
 * them; a gap with why "forgotten" stands in their place, and every other seq is what it
 * was.  What may hold their text in another form goes too: checkpoints from behind the
 * first of them, and damaged bytes, which cannot be searched.
 *
 * Either all of it happens or nothing: once the new segments are whole, the file
 * `forgetting` says that they are to take the places of the old ones, and a start that
 * finds it does what is left to do.
 */
#ifndef JOURNAL_FORGET_H
#define JOURNAL_FORGET_H

#include "base/error.h"
#include "base/text.h"

struct seq_range {
	uint64_t from, to; /* both included */
};

struct journal_forget {
	const struct seq_range *ranges;
	size_t range_count;
	const struct text *correlations;
	size_t correlation_count;

	/* What there is to forget, or was: */
	uint64_t signals, first, last; /* of those that are there */
	uint64_t segments;             /* that hold them */
	uint64_t damaged;              /* batches that cannot be searched */
};

/* Counts, and changes nothing; the box may be running.  dir is DATA. */
bool journal_forget_count(const char *dir, struct journal_forget *forget, struct error *why);

/* Takes DATA/lock, counts and forgets; fails when a box has it. */
bool journal_forget(const char *dir, struct journal_forget *forget, struct error *why);

/* For a start, which holds the lock: ends what was begun.  dir is DATA/journal, open. */
bool forget_complete(int dir, struct error *why);

#endif
