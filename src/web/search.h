/* search.h - walks a stretch of the journal, a slice at a time, and gathers the
 * lines that a query means.  Those in files are read and judged on the journal's thread. */
#ifndef WEB_SEARCH_H
#define WEB_SEARCH_H

#include "base/buf.h"
#include "journal/reader.h"
#include "web/query.h"

#define SEARCH_GAPS 100 /* that one answer tells of */

enum search_answer {
	SEARCH_DONE,   /* the end of the stretch */
	SEARCH_ENOUGH, /* hits_max or bytes_max is reached */
	SEARCH_MORE,   /* the budget is used up */
	SEARCH_COLD,   /* the disk is asked; try again in a later turn */
};

struct search_hit {
	uint64_t seq;
	size_t at, len; /* in found, without the newline */
};

struct search {
	struct journal_reader *reader;
	uint64_t until;   /* the first seq that is not wanted */
	size_t bytes_max; /* of found; one line more is always taken */
	size_t hits_max;
	bool only_seqs;     /* what is found is not kept, only where it is */
	bool gaps_as_lines; /* among what is found, as {"op":"gap",...} */
	bool begun;         /* a gap before the stretch was told */
	bool ended;         /* a line at or behind until was seen */

	struct buf found; /* lines, each with its newline */
	struct search_hit *hits;
	size_t hit_count, hit_room;
	struct gap gaps[SEARCH_GAPS];
	size_t gap_count;
};

/* From where the query says. */
void search_init(struct search *search, struct journal *journal, const struct query *query);
void search_finish(struct search *search);

/* Reads at most about *budget bytes and takes them off it. */
enum search_answer search_run(struct search *search, size_t *budget);

/* The first seq that was not looked at. */
uint64_t search_at(const struct search *search);

/* Forgets what was found behind these counts, and goes on at seq. */
void search_rewind(struct search *search, size_t hits, size_t gaps, uint64_t seq);

void search_add_gap(struct buf *out, const char *op, const struct gap *gap); /* NULL: none */

#endif
