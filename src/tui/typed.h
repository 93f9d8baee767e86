/* typed.h - a line of text that somebody types; pure. */
#ifndef TUI_TYPED_H
#define TUI_TYPED_H

#include "tui/canvas.h"
#include "tui/press.h"

#define TYPED_MAX (64 * KIB)

struct typed {
	struct buf text; /* may hold line ends, which were pasted */
	size_t at;       /* the cursor, between two characters */
};

void typed_init(struct typed *typed);
void typed_finish(struct typed *typed);
void typed_set(struct typed *typed, struct text text); /* with the cursor at its end */

/* Everything but Enter, Tab and Escape, which are its user's.  False: not taken. */
bool typed_press(struct typed *typed, const struct press *press);
/* The same while it is pasted: all but escapes are text. */
bool typed_paste(struct typed *typed, const struct press *press);

/* From the pen to the edge of its area, the part around the cursor, and where that
 * stands. */
struct pen typed_draw(const struct typed *typed, struct pen pen);

#endif
