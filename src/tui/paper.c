/* paper.c - lines, and the rows they make. */
#include "tui/paper.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

#define PRINT_MAX 2048
#define GUTTER 2 /* cells of the rule */

void paper_init(struct paper *paper)
{
	*paper = (struct paper){0};
	buf_init(&paper->text, PAPER_MAX);
}

void paper_finish(struct paper *paper)
{
	buf_finish(&paper->text);
	free(paper->lines);
	free(paper->rows);
	*paper = (struct paper){0};
}

void paper_clear(struct paper *paper)
{
	buf_clear(&paper->text);
	paper->count = paper->row_count = 0;
}

/* ---- rows ---- */

static void paper_add_row(struct paper *paper, size_t at, size_t len, size_t line)
{
	if (paper->row_count == paper->row_room) {
		paper->row_room = paper->row_room ? 2 * paper->row_room : 256;
		paper->rows = must_grow(paper->rows, paper->row_room * sizeof(*paper->rows));
	}
	assert(paper->row_count < paper->row_room);
	paper->rows[paper->row_count++] = (struct paper_row){at, len, (uint32_t)line};
}

size_t paper_row_len(struct text rest, int cols)
{
	size_t fits = wide_fit(rest, cols);

	if (fits == 0) {
		struct text left = rest;
		struct glyph glyph;

		wide_next(&left, &glyph);
		return rest.len - left.len;
	}
	if (fits >= rest.len)
		return rest.len;
	for (size_t at = fits; at > fits / 2; at--)
		if (rest.at[at - 1] == ' ')
			return at;
	return fits;
}

static void wrap(struct paper *paper, size_t line)
{
	const struct paper_line *l = &paper->lines[line];
	struct text rest = {paper->text.at + l->at, l->len};
	int cols = paper->cols - (l->is_head ? 0 : GUTTER);

	do {
		size_t len = paper_row_len(rest, cols > 1 ? cols : 1);

		paper_add_row(paper, (size_t)(rest.at - paper->text.at), len, line);
		rest = (struct text){rest.at + len, rest.len - len};
	} while (rest.len > 0);
}

static void wrap_all(struct paper *paper, int cols)
{
	/* What is at the top stays about there. */
	size_t line = paper->top < paper->row_count ? paper->rows[paper->top].line : 0;

	paper->cols = cols;
	paper->row_count = 0;
	for (size_t i = 0; i < paper->count; i++)
		wrap(paper, i);
	for (paper->top = 0; paper->top < paper->row_count && paper->rows[paper->top].line < line;)
		paper->top++;
}

/* ---- lines ---- */

static void forget_half(struct paper *paper)
{
	size_t gone = paper->count / 2;
	size_t bytes = paper->lines[gone].at;

	buf_drop(&paper->text, bytes);
	paper->count -= gone;
	paper->gone += gone;
	memmove(paper->lines, paper->lines + gone, paper->count * sizeof(*paper->lines));
	for (size_t i = 0; i < paper->count; i++)
		paper->lines[i].at -= bytes;
	if (paper->cols)
		wrap_all(paper, paper->cols);
}

static void paper_add_line(struct paper *paper, struct text text, uint8_t style, bool is_head)
{
	if (text.len > PAPER_MAX / 4)
		text.len = PAPER_MAX / 4;
	while (paper->count > 1 &&
	       (paper->count == PAPER_LINES_MAX || paper->text.len + text.len > PAPER_MAX))
		forget_half(paper);
	if (paper->count == paper->room) {
		paper->room = paper->room ? 2 * paper->room : 256;
		paper->lines = must_grow(paper->lines, paper->room * sizeof(*paper->lines));
	}
	assert(paper->count < paper->room && paper->count < PAPER_LINES_MAX);
	paper->lines[paper->count++] =
		(struct paper_line){paper->text.len, text.len, style, is_head};
	buf_add(&paper->text, text);
	if (paper->cols)
		wrap(paper, paper->count - 1);
}

void paper_add(struct paper *paper, uint8_t style, struct text text)
{
	struct text rest = text;

	do
		paper_add_line(paper, text_cut(rest, '\n', &rest), style, false);
	while (rest.at);
}

void paper_head(struct paper *paper, uint8_t style, struct text text)
{
	paper_add_line(paper, text, style, true);
}

void paper_print(struct paper *paper, uint8_t style, const char *format, ...)
{
	char words[PRINT_MAX];
	va_list list;

	va_start(list, format);
	vsnprintf(words, sizeof(words), format, list);
	va_end(list);
	paper_add_line(paper, text_of(words), style, false);
}

size_t paper_end(const struct paper *paper)
{
	return paper->gone + paper->count;
}

void paper_cut(struct paper *paper, size_t line)
{
	size_t lines = line > paper->gone ? line - paper->gone : 0;

	if (lines >= paper->count)
		return;
	paper->text.len = paper->lines[lines].at;
	paper->count = lines;
	while (paper->row_count > 0 && paper->rows[paper->row_count - 1].line >= lines)
		paper->row_count--;
}

void paper_copy(const struct paper *paper, size_t from, bool to_head, struct buf *out)
{
	size_t first = from > paper->gone ? from - paper->gone : 0;

	for (size_t i = first; i < paper->count; i++) {
		const struct paper_line *line = &paper->lines[i];

		if (to_head && i > first && line->is_head)
			break;
		if (to_head && line->is_head)
			continue;
		buf_add(out, (struct text){paper->text.at + line->at, line->len});
		buf_add_char(out, '\n');
	}
}

/* ---- showing ---- */

static size_t last_top(const struct paper *paper)
{
	size_t page = (size_t)paper->page;

	return paper->row_count > page ? paper->row_count - page : 0;
}

static size_t top_of(const struct paper *paper)
{
	size_t last = last_top(paper);
	bool follows = !paper->is_held && !paper->is_begun;

	return follows || paper->top > last ? last : paper->top;
}

size_t paper_first(const struct paper *paper)
{
	return top_of(paper);
}

static void paper_draw_row(const struct paper *paper, const struct paper_row *row, struct pen pen)
{
	const struct paper_line *line = &paper->lines[row->line];

	pen.style = line->style;
	if (!line->is_head) {
		pen_styled(&pen, STYLE_BORDER, TEXT("┊ "));
		pen.style = line->style;
	}
	pen_put(&pen, (struct text){paper->text.at + row->at, row->len});
	if (line->is_head)
		pen_rest(&pen);
}

void paper_draw(struct paper *paper, struct area area)
{
	size_t top;

	paper->page = area.rows;
	if (area.cols != paper->cols)
		wrap_all(paper, area.cols);
	top = top_of(paper);
	for (int i = 0; i < area.rows && top + (size_t)i < paper->row_count; i++)
		paper_draw_row(paper, &paper->rows[top + (size_t)i],
		               pen_at(area, i, 0, STYLE_PLAIN));
}

static void scroll(struct paper *paper, int by)
{
	size_t top = top_of(paper), last = last_top(paper);

	if (by < 0)
		top = top > (size_t)-by ? top - (size_t)-by : 0;
	else
		top = top + (size_t)by < last ? top + (size_t)by : last;
	paper->top = top;
	paper->is_held = top < last;
}

bool paper_press(struct paper *paper, const struct press *press)
{
	int page = paper->page > 1 ? paper->page - 1 : 1;

	switch (press->code) {
	case 'j':
	case PRESS_DOWN:
		scroll(paper, 1);
		return true;
	case 'k':
	case PRESS_UP:
		scroll(paper, -1);
		return true;
	case PRESS_WHEEL_DOWN:
		scroll(paper, 3);
		return true;
	case PRESS_WHEEL_UP:
		scroll(paper, -3);
		return true;
	case PRESS_PAGE_DOWN:
	case ' ':
		scroll(paper, page);
		return true;
	case PRESS_PAGE_UP:
	case 'b':
		scroll(paper, -page);
		return true;
	case 'g':
	case PRESS_HOME:
		scroll(paper, -(int)PAPER_LINES_MAX * 100);
		return true;
	case 'G':
	case PRESS_END:
		paper->is_held = false;
		paper->top = last_top(paper);
		return true;
	default:
		return false;
	}
}
