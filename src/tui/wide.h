/* wide.h - text as the cells of a terminal; pure.
 *
 * Text of agents is hostile: what comes out of here can be drawn anywhere and moves
 * nothing.  Controls, marks that reorder, and bytes that are no UTF-8 become U+FFFD; line
 * ends and tabs a space; what has no shape (joiners, variation selectors, tags) is left
 * out, because terminals do not agree how wide it makes its neighbours.
 *
 * Widths are those of the C library in a UTF-8 locale: see term.h.
 */
#ifndef TUI_WIDE_H
#define TUI_WIDE_H

#include "base/text.h"

/* One character with the marks on it; of more marks than these the rest is left out. */
#define GLYPH_MARKS 3
#define GLYPH_MAX (4 * (1 + GLYPH_MARKS))

struct glyph {
	char at[GLYPH_MAX];
	uint8_t len;
	uint8_t width; /* 1 or 2 */
};

/* Takes the next one from the text; false at its end. */
bool wide_next(struct text *rest, struct glyph *glyph);

int wide_width(struct text t); /* cells of all of it */

/* How many bytes of it fit into so many cells. */
size_t wide_fit(struct text t, int cells);

/* The end of it that fits into so many cells. */
struct text wide_end(struct text t, int cells);

#endif
