/* paper.h - much text, wrapped to the width it is shown in, that is scrolled; pure.
 *
 * It follows what is added until somebody scrolls up, and again from the end on.  Every
 * row stands behind a rule in its style, so that no text of an agent can look like a
 * frame of ours.
 */
#ifndef TUI_PAPER_H
#define TUI_PAPER_H

#include "tui/canvas.h"
#include "tui/press.h"

#define PAPER_MAX (8 * MIB) /* then the older half goes */
#define PAPER_LINES_MAX 100000

struct paper_line {
	size_t at, len; /* of paper.text */
	uint8_t style;
	bool is_head; /* begins something: drawn over the whole width, without the rule */
};

struct paper_row {
	size_t at, len;
	uint32_t line;
};

struct paper {
	struct buf text;
	struct paper_line *lines;
	struct paper_row *rows;
	size_t count, room, row_count, row_room;
	size_t gone;   /* lines that were forgotten; numbers of lines count them too */
	int cols;      /* that rows are wrapped to; 0: not yet */
	size_t top;    /* row, while it is held */
	bool is_held;  /* it does not follow */
	bool is_begun; /* it begins at its top, and never follows by itself */
	int page;      /* rows that were drawn last */
};

void paper_init(struct paper *paper);
void paper_finish(struct paper *paper);
void paper_clear(struct paper *paper); /* stays where it was scrolled to */

/* As many lines as the text has. */
void paper_add(struct paper *paper, uint8_t style, struct text text);
void paper_head(struct paper *paper, uint8_t style, struct text text);
void paper_print(struct paper *paper, uint8_t style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
size_t paper_end(const struct paper *paper);      /* the number of the next line */
void paper_cut(struct paper *paper, size_t line); /* that one and all behind it go */

/* How much of a line goes into one row of so many cells: words stay whole if they can. */
size_t paper_row_len(struct text rest, int cols);

void paper_draw(struct paper *paper, struct area area);
size_t paper_first(const struct paper *paper); /* the row that was drawn first */
bool paper_press(struct paper *paper, const struct press *press);

/* Lines from a number on, up to the end or the next head, as they were added. */
void paper_copy(const struct paper *paper, size_t from, bool to_head, struct buf *out);

#endif
