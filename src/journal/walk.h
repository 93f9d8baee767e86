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

#endif
