/* recover.h - the newest segment after a stop of any kind: what is to be done, and doing it.
 *
 * A batch that is whole is kept.  Of one that the file ends in, and of what no entry speaks
 * of, the whole lines with the seqs that are due are kept, without a checksum to hold them
 * against.  One that has all its bytes but not its checksum is damaged: nobody knows which
 * of its lines, so none is believed.  It stays where it is if it was acknowledged for
 * certain; in the last commit, it is cut off.  Nothing is cut off without a copy, and no
 * seq that an entry, an epoch or a clean stop knows is given out again: a journal.gap line
 * stands for those that are gone.
 *
 * Lines without a checksum, and that gap, go into a segment of their own that follows, whole
 * before the end of the old one is cut.
 */
#ifndef JOURNAL_RECOVER_H
#define JOURNAL_RECOVER_H

#include "journal/inspect.h"
#include "journal/salvage.h"

struct recovery {
	struct inspection in; /* its `judge` may be set before */
	size_t kept;          /* entries that stay as they are */
	struct salvage more;  /* whole lines behind those */
	bool is_cut_short;    /* some of them are of a batch that the file ends in */
	uint64_t torn;        /* bytes behind those, which go */
	uint64_t acked;       /* up to here everything was acknowledged for certain */
	uint64_t known;       /* up to here seqs were given out; what `more` lacks is lost */
};

/* Changes nothing.  `promised` was acknowledged once. */
bool recovery_plan(struct recovery *recovery, const struct segment_files *files, uint64_t promised,
                   struct error *why);
void recovery_finish(struct recovery *recovery);

/* Is entry i of a commit that may never have been acknowledged?  A crash leaves such. */
bool recovery_is_torn(const struct recovery *recovery, size_t i);

/* For those who only read: inspects a segment and makes of its entries what a start would, but
 * for the gap up to *known behind them.  `known` may be NULL. */
bool recovery_inspect(struct inspection *in, const struct segment_files *files, uint64_t promised,
                      uint64_t *known, struct error *why);

/* Does it to the segment of that name, and leaves the one that is newest then ready for more,
 * or none open: then another must follow.  *last: what was acknowledged once, and what the
 * journal goes up to then.  *fork: from here on the seqs are not those that anybody saw
 * before.  If no copy can be made, the files stay as they are. */
bool segment_recover(struct segment *segment, int dir, uint64_t *last, uint64_t *fork,
                     struct error *why);

#endif
