/* files.h - the lines of a journal that nobody has open, read from its files.
 *
 * Changes nothing and takes no lock.  What a running box is just writing may be missed,
 * never torn.
 */
#ifndef JOURNAL_FILES_H
#define JOURNAL_FILES_H

#include "base/error.h"
#include "signal/position.h"

struct journal_files {
	struct positions after; /* seq 0: from the beginning of what there is */
	uint64_t to;            /* the last seq that is wanted; 0: all */

	/* Whole lines, each with its newline; `first` is the seq of the first.  False: enough. */
	bool (*lines)(void *self, uint64_t first, struct text lines);
	void (*gap)(void *self, const struct gap *gap);
	void *self;

	uint64_t done, total; /* bytes of the files, set before each call */
};

/* dir is DATA.  False when it cannot be read at all: what is damaged is a gap. */
bool journal_files_read(const char *dir, struct journal_files *files, struct error *why);

#endif
