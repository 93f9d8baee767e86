/* anew.h - one segment of a journal that nobody has open, judged, and written anew without
 * what is to go.
 *
 * Lines that have lost their head or index, at its end or between batches, count as those of a
 * start do; of a segment that is not the newest all was acknowledged.
 */
#ifndef JOURNAL_ANEW_H
#define JOURNAL_ANEW_H

#include "base/buf.h"
#include "journal/inspect.h"
#include "journal/shelf.h"

/* What is to be forgotten. */
struct anew_wish {
	bool (*is_meant)(void *self, uint64_t seq, struct text line);
	bool (*has_any)(void *self, uint64_t from, uint64_t to); /* where lines cannot be read */
	void *self;
};

struct anew {
	int dir;
	struct segment_files files;
	uint64_t until; /* the first seq of the next segment, 0 for the newest */
	uint64_t known; /* up to here seqs were given out */
	struct inspection in;
	struct buf batch;
	bool has_bare; /* lines without a checksum */
	uint64_t bare; /* signals in them, all of which are kept */
	uint64_t gone; /* signals that the new file has a new gap for */
	bool failed;   /* see anew_failed() */
	struct error why;
};

/* Number i of the shelf. */
bool anew_open(struct anew *anew, int dir, const struct shelf *shelf, size_t i, struct error *why);
void anew_close(struct anew *anew);

/* The lines of a batch that is good, until the next call. */
bool anew_load(struct anew *anew, const struct index_entry *entry, struct text *lines);

/* Could anything that was good not be read again?  Then nobody may act on what was found. */
bool anew_failed(const struct anew *anew, struct error *why);

/* Is entry i something that the next segment has, too?  It is believed there. */
bool anew_is_spare(const struct anew *anew, size_t i);

/* Has it anything that is meant, or bytes of which nobody can say that? */
bool anew_is_needed(struct anew *anew, const struct anew_wish *wish);

/* Makes FIRST.ndjson.new; rewrite_put_in_place makes it the segment. */
bool anew_write(struct anew *anew, const struct anew_wish *wish, struct error *why);

#endif
