/* canvas.c - cells, and pens that write into them. */
#include "tui/canvas.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

#define PRINT_MAX 512

static const struct cell blank = {.glyph = {.at = " ", .len = 1, .width = 1}};

/* ---- the canvas ---- */

void canvas_init(struct canvas *canvas)
{
	*canvas = (struct canvas){0};
}

void canvas_finish(struct canvas *canvas)
{
	free(canvas->cells);
	canvas_init(canvas);
}

void canvas_clear(struct canvas *canvas)
{
	for (int i = 0; i < canvas->rows * canvas->cols; i++)
		canvas->cells[i] = blank;
}

static int clamp(int n, int low, int high)
{
	return n < low ? low : n > high ? high : n;
}

void canvas_size(struct canvas *canvas, int rows, int cols)
{
	canvas->rows = clamp(rows, 1, CANVAS_ROWS_MAX);
	canvas->cols = clamp(cols, 1, CANVAS_COLS_MAX);
	canvas->cells = must_grow(canvas->cells, (size_t)canvas->rows * (size_t)canvas->cols *
	                                                 sizeof(*canvas->cells));
	canvas_clear(canvas);
}

static struct cell *cell_at(const struct canvas *canvas, int row, int col)
{
	assert(row >= 0 && row < canvas->rows && col >= 0 && col < canvas->cols);
	return &canvas->cells[row * canvas->cols + col];
}

void canvas_row(const struct canvas *canvas, int row, struct buf *out)
{
	size_t end = out->len;

	for (int col = 0; col < canvas->cols; col++) {
		const struct cell *cell = cell_at(canvas, row, col);

		buf_add(out, (struct text){cell->glyph.at, cell->glyph.len});
		if (cell->glyph.len != 1 || cell->glyph.at[0] != ' ')
			end = out->len;
	}
	out->len = end;
}

/* What a glyph is put over may be half of a wide one: the other half goes too. */
static void put_cell(struct canvas *canvas, int row, int col, const struct cell *cell)
{
	struct cell *at = cell_at(canvas, row, col);
	int end = col + cell->glyph.width;

	if (at->glyph.width == 0 && col > 0)
		*cell_at(canvas, row, col - 1) = blank;
	if (end < canvas->cols && cell_at(canvas, row, end)->glyph.width == 0)
		*cell_at(canvas, row, end) = blank;
	*at = *cell;
	if (cell->glyph.width == 2)
		at[1] = (struct cell){.style = cell->style};
}

/* ---- areas ---- */

struct area canvas_all(struct canvas *canvas)
{
	return (struct area){canvas, 0, 0, canvas->rows, canvas->cols};
}

struct area area_part(struct area area, int top, int left, int rows, int cols)
{
	top = clamp(top, 0, area.rows);
	left = clamp(left, 0, area.cols);
	return (struct area){area.canvas, area.top + top, area.left + left,
	                     clamp(rows, 0, area.rows - top), clamp(cols, 0, area.cols - left)};
}

bool area_has(struct area area, int row, int col)
{
	return row >= area.top && row < area.top + area.rows && col >= area.left &&
	       col < area.left + area.cols;
}

static void draw_edge(struct area area, int row, const struct border *box, const char *const *parts)
{
	struct pen pen = pen_at(area, row, 0, box->style);

	pen_put(&pen, text_of(parts[0]));
	pen_repeat(&pen, text_of(parts[1]), area.cols - 2);
	pen_put(&pen, text_of(parts[2]));
}

static void draw_title(struct area area, const struct border *box)
{
	struct pen pen = pen_at(area_part(area, 0, 2, 1, area.cols - 4), 0, 0, STYLE_TITLE);
	int note = wide_width(box->note);

	if (box->title.len) {
		pen_put(&pen, TEXT(" "));
		pen_put(&pen, box->title);
		pen_put(&pen, TEXT(" "));
	}
	if (box->note.len && pen_left(&pen) > note + 2) {
		pen.col = pen.area.cols - note - 2;
		pen_styled(&pen, STYLE_DIM, TEXT(" "));
		pen_styled(&pen, STYLE_DIM, box->note);
		pen_styled(&pen, STYLE_DIM, TEXT(" "));
	}
}

struct area area_box(struct area area, const struct border *box)
{
	static const char *const light[][3] = {{"╭", "─", "╮"}, {"│", "", "│"}, {"╰", "─", "╯"}};
	static const char *const heavy[][3] = {{"┏", "━", "┓"}, {"┃", "", "┃"}, {"┗", "━", "┛"}};
	const char *const(*parts)[3] = box->heavy ? heavy : light;

	if (area.rows < 2 || area.cols < 4)
		return area_part(area, 0, 0, 0, 0);
	draw_edge(area, 0, box, parts[0]);
	for (int row = 1; row < area.rows - 1; row++) {
		struct pen pen = pen_at(area, row, 0, box->style);

		pen_put(&pen, text_of(parts[1][0]));
		pen_repeat(&pen, TEXT(" "), area.cols - 2);
		pen_put(&pen, text_of(parts[1][2]));
	}
	draw_edge(area, area.rows - 1, box, parts[2]);
	draw_title(area, box);
	return area_part(area, 1, 1, area.rows - 2, area.cols - 2);
}

/* ---- pens ---- */

int pen_left(const struct pen *pen)
{
	if (pen->row < 0 || pen->row >= pen->area.rows || pen->col < 0)
		return 0;
	return pen->area.cols > pen->col ? pen->area.cols - pen->col : 0;
}

/* The caller knows that there is room. */
static void put_glyph(struct pen *pen, const struct glyph *glyph)
{
	struct cell cell = {*glyph, pen->style};

	put_cell(pen->area.canvas, pen->area.top + pen->row, pen->area.left + pen->col, &cell);
	pen->col += glyph->width;
}

/* Into at most so many cells. */
static void put_clipped(struct pen *pen, struct text t, int cells)
{
	struct text ellipsis = TEXT("…"), rest = t;
	struct glyph glyph;
	bool is_cut;

	if (cells <= 0 || t.len == 0)
		return;
	t.len = wide_fit(t, cells);
	rest.at += t.len;
	rest.len -= t.len;
	is_cut = wide_next(&rest, &glyph);
	if (is_cut)
		t.len = wide_fit(t, cells - 1);
	while (wide_next(&t, &glyph))
		put_glyph(pen, &glyph);
	if (is_cut && wide_next(&ellipsis, &glyph))
		put_glyph(pen, &glyph);
}

void pen_put(struct pen *pen, struct text t)
{
	put_clipped(pen, t, pen_left(pen));
}

void pen_print(struct pen *pen, const char *format, ...)
{
	char words[PRINT_MAX];
	va_list list;

	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	pen_put(pen, text_of(words));
}

void pen_fit(struct pen *pen, struct text t, int cells)
{
	int left = pen_left(pen);
	int end = pen->col + cells;

	put_clipped(pen, t, cells < left ? cells : left);
	pen_repeat(pen, TEXT(" "), end - pen->col);
}

void pen_repeat(struct pen *pen, struct text t, int times)
{
	struct glyph glyph;

	if (!wide_next(&t, &glyph))
		return;
	for (; times > 0 && pen_left(pen) >= glyph.width; times--)
		put_glyph(pen, &glyph);
}

void pen_rest(struct pen *pen)
{
	pen_repeat(pen, TEXT(" "), pen_left(pen));
}

void pen_styled(struct pen *pen, uint8_t style, struct text t)
{
	uint8_t before = pen->style;

	pen->style = style | (before & STYLE_CHOSEN);
	pen_put(pen, t);
	pen->style = before;
}
