/* scan.h - walking through the files of the journal, batch by batch.
 *
 * A scan holds one segment open and remembers where in it the next line begins.
 * It gives only lines whose batch has the checksum that its entry says.
 */
#ifndef JOURNAL_SCAN_H
#define JOURNAL_SCAN_H

#include "base/text.h"
#include "journal/cold.h"

struct journal;

struct scan {
	struct journal *journal;
	struct open_file *file;
	struct warm *warm; /* what it waits for */
	uint64_t entry;    /* near which entry the next line is */
	uint64_t offset;   /* of the next line, if is_placed */
	bool is_placed;
};

enum scan_news {
	SCAN_LINES,
	SCAN_COLD,
	SCAN_LOST,    /* up to *to, by a journal.gap line */
	SCAN_EXPIRED, /* up to *to, removed while we looked */
	SCAN_DAMAGED, /* up to *to */
};

void scan_init(struct scan *scan, struct journal *journal);
void scan_finish(struct scan *scan);

/* Whole lines from `next` on, which is older than what is in memory. */
enum scan_news scan_read(struct scan *scan, uint64_t next, size_t max, struct text *lines,
                         uint64_t *to);
void scan_take(struct scan *scan, size_t bytes);

void scan_leave_place(struct scan *scan); /* the next line is somewhere else */
void scan_leave_file(struct scan *scan);

#endif
