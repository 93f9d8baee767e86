/* cut.h - where the beginning of a text is parted from the rest.
 *
 * Everything is decided by the view: what fits, and the one character behind it.  So it does not
 * matter how much more is there already.
 */
#ifndef DELIVER_CUT_H
#define DELIVER_CUT_H

#include "deliver/chunk.h"
#include "deliver/fence.h"

struct cut_question {
	struct text view;
	size_t window; /* bytes of the view that fit when no fence is open at the end */
	bool is_end;   /* nothing follows the view; the window may be all of it */
	size_t least;  /* a good place is not before this byte */
	enum chunk_break preference;
	struct fence begin; /* open where the view begins */
	unsigned marks_max;

	/* What there is room for, in the unit and in lines (0: any number). */
	enum chunk_unit unit;
	size_t length, lines;
};

struct cut {
	size_t at;         /* a byte of the view, at least 1 */
	struct fence open; /* must be closed there */
	bool is_paragraph;
};

struct cut cut_choose(const struct cut_question *q);

/* Room for the line that closes a fence: an end of the line before, indent, marks, its end. */
static inline size_t cut_closing(const struct fence *fence)
{
	return fence->mark ? 1 + fence->indent + fence->marks + 1 : 0;
}

/* Is there room for the first `at` bytes, and for what closes this fence behind them? */
bool cut_fits(const struct cut_question *q, size_t at, const struct fence *open);

static inline bool cut_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
