/* canvas.h - a screen in memory, which views draw on; pure.
 *
 * The terminal is made to look like it (term.h), and tests read it.  An area is a
 * rectangle of it; nothing that is drawn leaves its area.  A pen goes along one row.
 */
#ifndef TUI_CANVAS_H
#define TUI_CANVAS_H

#include "base/buf.h"
#include "tui/style.h"
#include "tui/wide.h"

struct cell {
	struct glyph glyph; /* of width 0: the right half of the one before it */
	uint8_t style;
};

struct canvas {
	int rows, cols;
	struct cell *cells;
};

#define CANVAS_ROWS_MAX 500
#define CANVAS_COLS_MAX 1000

void canvas_init(struct canvas *canvas);
void canvas_finish(struct canvas *canvas);
void canvas_size(struct canvas *canvas, int rows, int cols); /* clears it */
void canvas_clear(struct canvas *canvas);
/* One row as text, without the spaces at its end. */
void canvas_row(const struct canvas *canvas, int row, struct buf *out);

struct area {
	struct canvas *canvas;
	int top, left, rows, cols;
};

struct area canvas_all(struct canvas *canvas);
/* A part, clipped to the whole. */
struct area area_part(struct area area, int top, int left, int rows, int cols);
static inline struct area area_rows(struct area area, int top, int rows)
{
	return area_part(area, top, 0, rows, area.cols);
}
bool area_has(struct area area, int row, int col); /* of the screen */

/* Draws a frame, with a title in its upper edge, and answers with what is inside. */
struct border {
	bool heavy;
	enum style style;
	struct text title;
	struct text note; /* at the right of the upper edge */
};
struct area area_box(struct area area, const struct border *box);

struct pen {
	struct area area;
	int row, col;
	uint8_t style; /* may hold STYLE_CHOSEN */
};

static inline struct pen pen_at(struct area area, int row, int col, uint8_t style)
{
	return (struct pen){area, row, col, style};
}
int pen_left(const struct pen *pen); /* cells up to the edge */

/* As much as there is room for; when it does not fit, its last cell is "…". */
void pen_put(struct pen *pen, struct text t);
void pen_print(struct pen *pen, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In exactly so many cells. */
void pen_fit(struct pen *pen, struct text t, int cells);
void pen_repeat(struct pen *pen, struct text glyph, int times);
void pen_rest(struct pen *pen); /* spaces up to the edge */

/* A piece in another style, and back. */
void pen_styled(struct pen *pen, uint8_t style, struct text t);

#endif
