/* think.h - thoughts that a server left in the text, between <think> and </think>.
 *
 * Only a text that begins with the tag has them: one that speaks of the tag later
 * on is about tags.  Where the first tag stood in the prompt, the text begins with
 * thoughts and only the second comes: the first </think> that is not quoted ends them.
 * What was given before it cannot be taken back; that it was thought is told then.
 * The tags may be cut anywhere, and are nobody's words.
 */
#ifndef PARSE_THINK_H
#define PARSE_THINK_H

#include "base/text.h"

#define THINK_HELD_MAX 24

/* Zeroed memory is one before its first words. */
struct think {
	enum { THINK_BEFORE, THINK_INSIDE, THINK_UNSURE, THINK_AFTER } where;
	bool was_thought;          /* what was given as words; it is for the caller to clear */
	bool has_given;            /* any as words */
	char last;                 /* of them */
	char held[THINK_HELD_MAX]; /* what may become a tag, with the white space before it */
	size_t held_len;
};

typedef void think_fn(void *self, bool is_thought, struct text words);

void think_feed(struct think *think, struct text piece, think_fn *give, void *self);
/* The text is over: what was held back is words after all. */
void think_end(struct think *think, think_fn *give, void *self);

#endif
