/* page.c - see page.h. */
#include "cli/page.h"

#include "tui/paper.h"
#include "tui/wide.h"

#define COLS_MIN 10 /* a terminal that is narrower breaks rows itself */
#define LINE_MAX_BYTES (8 * MIB)
#define STATUS_MAX 1024
#define OUT_MAX (64 * MIB)

void page_init(struct page *page, int cols)
{
	*page = (struct page){.cols = cols < COLS_MIN ? COLS_MIN : cols};
	buf_init(&page->out, OUT_MAX);
	buf_init(&page->line, LINE_MAX_BYTES);
	buf_init(&page->status, STATUS_MAX);
}

void page_finish(struct page *page)
{
	buf_finish(&page->out);
	buf_finish(&page->line);
	buf_finish(&page->status);
}

/* The last column stays free: terminals do not agree what follows a character there. */
static int room_of(const struct page *page)
{
	return page->cols - 1;
}

/* In cells; what has no room is left out. */
static int put_row(struct page *page, struct text text)
{
	struct glyph glyph;
	int cells = 0;

	while (wide_next(&text, &glyph) && cells + glyph.width <= room_of(page)) {
		buf_add(&page->out, (struct text){glyph.at, glyph.len});
		cells += glyph.width;
	}
	return cells;
}

/* A terminal that became narrower has broken them into more. */
static int rows_above(const struct page *page)
{
	int rows = -1;

	for (int i = 0; i < page->rows; i++)
		rows += page->shown[i] > page->cols ? (page->shown[i] + page->cols - 1) / page->cols
		                                    : 1;
	return rows;
}

void page_hide(struct page *page)
{
	if (page->rows == 0)
		return;
	buf_add_char(&page->out, '\r');
	for (int i = rows_above(page); i > 0; i--)
		buf_add(&page->out, TEXT("\033[A"));
	buf_add(&page->out, TEXT("\033[J"));
	page->rows = 0;
}

/* Of the line that grows its end is seen. */
void page_show(struct page *page)
{
	page_hide(page);
	if (page->line.len) {
		page->shown[page->rows++] =
			put_row(page, wide_end(buf_text(&page->line), room_of(page)));
		buf_add_char(&page->out, '\n');
	}
	page->shown[page->rows++] = put_row(page, buf_text(&page->status));
}

static void put_rows(struct page *page, struct text text)
{
	do {
		size_t len = paper_row_len(text, room_of(page));

		put_row(page, (struct text){text.at, len});
		buf_add_char(&page->out, '\n');
		text = (struct text){text.at + len, text.len - len};
	} while (text.len);
}

void page_add_line(struct page *page, struct text text)
{
	page_hide(page);
	put_rows(page, text);
	page_show(page);
}

void page_set_line(struct page *page, struct text text)
{
	buf_clear(&page->line);
	buf_add(&page->line, text);
	page_show(page);
}

/* Its first row, if another has begun behind it. */
static bool put_full_row(struct page *page)
{
	size_t len = paper_row_len(buf_text(&page->line), room_of(page));

	if (len == page->line.len)
		return false;
	put_row(page, (struct text){page->line.at, len});
	buf_add_char(&page->out, '\n');
	buf_drop(&page->line, len);
	return true;
}

void page_grow_line(struct page *page, struct text text)
{
	struct text rest = text, part;

	page_hide(page);
	while (rest.at) {
		part = text_cut(rest, '\n', &rest);
		buf_add(&page->line, part);
		if (!rest.at)
			break;
		put_rows(page, buf_text(&page->line));
		buf_clear(&page->line);
	}
	while (page->line.len && put_full_row(page))
		;
	page_show(page);
}

void page_end_line(struct page *page)
{
	page_hide(page);
	if (page->line.len)
		put_rows(page, buf_text(&page->line));
	buf_clear(&page->line);
	page_show(page);
}

void page_set_status(struct page *page, struct text text)
{
	if (page->rows && text_equal(buf_text(&page->status), text))
		return;
	buf_clear(&page->status);
	buf_add(&page->status, text);
	page_show(page);
}

void page_resize(struct page *page, int cols)
{
	page->cols = cols < COLS_MIN ? COLS_MIN : cols;
	page_show(page);
}
