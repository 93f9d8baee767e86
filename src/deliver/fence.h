/* fence.h - the code fences of Markdown, line by line.
 *
 * A fence is up to three spaces and three or more ` or ~; it is closed by as many of the same,
 * whatever follows them.  A line that opens with ` has no other `: ```this``` is code within a
 * line.  Longer runs than `most` are no fences: a message could not hold them twice.
 */
#ifndef DELIVER_FENCE_H
#define DELIVER_FENCE_H

#include "base/buf.h"
#include "base/text.h"

struct fence {
	char mark; /* 0: none is open */
	unsigned indent, marks;
	bool is_carried; /* it was opened by a piece before */
	size_t line;     /* where its opening line begins and ends; else 0 */
	size_t end;
};

/* The lines come without their end. */
bool fence_opens(struct fence *fence, struct text line, unsigned most);
bool fence_closes(const struct fence *fence, struct text line);

/* It begins as one; whether it opens one depends on what follows. */
bool fence_is_like(struct text line);
bool fence_is_bare(struct text line); /* nothing follows the marks */

/* What is open at the end of t, whose last line may have no end yet. */
struct fence fence_after(struct text t, const struct fence *begin, unsigned most);

/* One line of t from *at on, without its end; *at goes behind it.  False at the end. */
bool fence_next_line(struct text t, size_t *at, struct text *line);

void fence_add(const struct fence *fence, struct buf *out); /* its indent and marks */

#endif
