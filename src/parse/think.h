/* think.h - thoughts that a server left in the text, between <think> and </think>.
 *
 * Only a text that begins with the tag has them: one that speaks of the tag later
 * on is about tags.  The tags may be cut anywhere, and are nobody's words.
 */
#ifndef PARSE_THINK_H
#define PARSE_THINK_H

#include "base/text.h"

#define THINK_HELD_MAX 24

/* Zeroed memory is one before its first words. */
struct think {
	enum { THINK_BEFORE, THINK_INSIDE, THINK_AFTER } where;
	char held[THINK_HELD_MAX]; /* what may become a tag, with the white space before it */
	size_t held_len;
};

typedef void think_fn(void *self, bool is_thought, struct text words);

void think_feed(struct think *think, struct text piece, think_fn *give, void *self);
/* The text is over: what was held back is words after all. */
void think_end(struct think *think, think_fn *give, void *self);

#endif
