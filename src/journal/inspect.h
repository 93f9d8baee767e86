/* inspect.h - every batch of one segment, read and judged.
 *
 * For a start, which does it to the newest segment, and for `journal verify`,
 * which does it to all of them.
 */
#ifndef JOURNAL_INSPECT_H
#define JOURNAL_INSPECT_H

#include "base/error.h"
#include "journal/segment.h"

/* The files of a segment, open. */
struct segment_files {
	uint64_t first;
	int fd;    /* its lines */
	int index; /* of the old form; < 0: there is none */
};

/* how: O_RDONLY or O_RDWR.  On a failure nothing is open, and errno says why. */
bool segment_files_open(struct segment_files *files, int dir, uint64_t first, int how);
void segment_files_close(struct segment_files *files);

enum batch_state {
	BATCH_NONE, /* an entry of zeros */
	BATCH_GOOD,
	BATCH_BROKEN, /* the entry itself is no good, or contradicts one before it */
	BATCH_BAD,    /* the entry is good, the lines are not what it says */
	BATCH_BARE,   /* lines that were found without head or index; inspect() gives none */
};

struct inspection {
	/* May be set before: a further question about the lines of a batch. */
	bool (*judge)(void *self, const struct index_entry *entry, struct text lines);
	void *self;

	bool is_old; /* of the old form: the entries are those of the index */
	/* In the new form, of what stands where heads should be and is none: offset and
	 * length, in an entry that is broken. */
	struct index_entry *entries;
	unsigned char *states; /* enum batch_state */
	size_t count;
	size_t used;    /* entries up to the last that is not of zeros */
	bool is_odd;    /* the index ends in the middle of an entry */
	uint64_t title; /* bytes of the line that the segment begins with; 0 without one */
	bool is_title_bad;
	uint64_t bytes; /* in the file of lines, without what was filled ahead */
};

/* False only when a file cannot be read, or is of a newer format. */
bool inspect(struct inspection *inspection, const struct segment_files *files, struct error *why);

/* The first entry of the commit that was written last.  One is written at a time, and none
 * before the one before it is on the disk: so only the last can be torn, and all before it
 * were acknowledged. */
size_t inspection_last_commit(const struct inspection *inspection);

/* Can its lines be had? */
bool inspection_is_good(const struct inspection *inspection, size_t i);

/* Is what the entry says known, whatever became of its lines? */
bool inspection_is_sound(const struct inspection *inspection, size_t i);

/* Where the batch begins, with its head if it has one. */
uint64_t inspection_start(const struct inspection *inspection, size_t i);

void inspection_finish(struct inspection *inspection);

#endif
