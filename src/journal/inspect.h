/* inspect.h - every batch of one segment, read and judged.
 *
 * For a start, which does it to the newest segment, and for `journal verify`,
 * which does it to all of them.
 */
#ifndef JOURNAL_INSPECT_H
#define JOURNAL_INSPECT_H

#include "base/error.h"
#include "journal/segment.h"

enum batch_state {
	BATCH_NONE, /* an entry of zeros */
	BATCH_GOOD,
	BATCH_BROKEN, /* the entry itself is no good, or contradicts one before it */
	BATCH_BAD,    /* the entry is good, the lines are not what it says */
};

struct inspection {
	struct entry *entries;
	unsigned char *states; /* enum batch_state */
	size_t count;
	size_t used;    /* entries up to the last that is not of zeros */
	uint64_t bytes; /* in the file of lines */
};

/* False only when a file cannot be read. */
bool inspect(struct inspection *out, int fd, int index, uint64_t first, struct error *why);
void inspection_finish(struct inspection *inspection);

#endif
