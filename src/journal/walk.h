/* walk.h - walking through the files of the journal, batch by batch.
 *
 * A walk holds one segment open and remembers where in it the next line begins.
 * It gives only lines whose batch has the checksum that its entry says.
 */
#ifndef JOURNAL_WALK_H
#define JOURNAL_WALK_H

#include "base/buf.h"
#include "base/text.h"
#include "journal/cold.h"

struct journal;

struct walk {
	struct journal *journal;
	struct open_file *file;
	struct warm *warm; /* what it waits for */
	uint64_t entry;    /* near which entry the next line is */
	uint64_t offset;   /* of the next line, if is_placed */
	bool is_placed;
	bool is_careful; /* reads the rest of one batch, no more and no less */
	/* On a thread that may wait for the disk it has a file and bytes of its own. */
	bool is_patient;
	uint64_t memory; /* if so: lines from here on are in memory, as far as it is concerned */
	struct buf own;  /* if so: what was read */
	/* In the new form instead, all 0 when not known: */
	uint64_t hint_seq, hint_at; /* the batch that was read last: its first seq, its head */
	uint64_t end_seq, end_at;   /* what comes behind all that was read with it */
	uint64_t size;              /* of the file, as of when its place was looked for */
};

/* What is asked of one walk_read. */
struct walk_question {
	uint64_t next;  /* the seq of the first line */
	uint64_t limit; /* lines from here on are somewhere else, */
	uint64_t until; /* because here the next segment begins, if there is one */
	size_t max;
};

enum walk_news {
	WALK_LINES,
	WALK_COLD,
	WALK_LOST,      /* up to *to, by a journal.gap line */
	WALK_FORGOTTEN, /* the same, on request */
	WALK_EXPIRED,   /* up to *to: that segment is gone */
	WALK_DAMAGED,   /* up to *to */
};

void walk_init(struct walk *walk, struct journal *journal);
/* That one says WALK_COLD only when no descriptor is to be had. */
void walk_init_patient(struct walk *walk, struct journal *journal);
void walk_finish(struct walk *walk);

/* Whole lines from `next` on, which is older than what is in memory. */
enum walk_news walk_read(struct walk *walk, uint64_t next, size_t max, struct text *lines,
                         uint64_t *to);
void walk_take(struct walk *walk, size_t bytes);

void walk_leave_place(struct walk *walk); /* the next line is somewhere else */
void walk_leave_file(struct walk *walk);

/* For the two ways of reading a segment, walk.c and heads.c: */

enum cold_answer walk_read_exactly(struct walk *walk, enum segment_file which, uint64_t offset,
                                   size_t len, void *into);
struct buf *walk_scratch(struct walk *walk); /* where what was read stays until the next read */
uint64_t walk_size(struct walk *walk); /* of the file of lines; stays until the place is left */
bool walk_skip_lines(struct text *lines, uint64_t count); /* false: so many are not there */
bool walk_cut_to(struct text *lines, size_t max); /* whole lines, at least one; false: none */

#endif
