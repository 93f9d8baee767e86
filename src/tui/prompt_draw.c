/* prompt_draw.c - a question on the screen: its words, which are scrolled when they are
 * many, and below them what answers it.
 *
 * It is remembered how much of the words was shown, row after row: what was jumped over
 * was not seen.
 */
#include "base/visible.h"
#include "tui/prompt_view.h"

#define WORDS_ROWS_MIN 6 /* of a question that is long; more where there is room */
#define OPTION_ROWS_MAX 8
#define OPTION_HEIGHT_MAX 4 /* rows of one; what is cut cannot be chosen */
#define OPTION_MARGIN 3
#define OPTION_CUT_COLS 22 /* " … 12345 bytes more" */

/* ---- what was seen ---- */

size_t prompt_unread(const struct prompt_view *view)
{
	return view->is_read || view->words.row_count <= view->seen
	               ? 0
	               : view->words.row_count - view->seen;
}

/* Row after row: what was jumped over was not seen. */
static void see(struct prompt_view *view)
{
	size_t first = paper_first(&view->words), page = (size_t)view->words.page;

	if (view->seen_cols != view->words.cols)
		view->seen = 0;
	view->seen_cols = view->words.cols;
	if (first <= view->seen && first + page > view->seen)
		view->seen = first + page;
	view->is_read |= view->seen >= view->words.row_count;
}

/* ---- options, and the rows they take ---- */

/* Its words from one row on; rest is what follows that row.  The last one leaves room for
 * what says that there is more. */
static struct text row_of_option(struct text *rest, int cols, int row)
{
	int room = cols - OPTION_MARGIN;
	struct text shown;

	if (!rest->len)
		return TEXT("");
	if (row == OPTION_HEIGHT_MAX - 1 && wide_fit(*rest, room) < rest->len)
		room -= OPTION_CUT_COLS;
	shown = (struct text){rest->at, paper_row_len(*rest, room > 1 ? room : 1)};
	*rest = (struct text){rest->at + shown.len, rest->len - shown.len};
	return shown;
}

static void option_words(yyjson_val *frame, const struct prompt_view *view, size_t at,
                         struct buf *out)
{
	buf_init(out, VISIBLE_GROWTH * 64 * KIB);
	if (question_way(frame) == WAY_MULTI)
		buf_add(out, view->picked[at] ? TEXT("[x] ") : TEXT("[ ] "));
	question_option_words(frame, question_option(frame, at), out);
}

/* How many rows it takes; cut gets how many bytes do not fit into them. */
int prompt_option_height(yyjson_val *frame, const struct prompt_view *view, size_t at, size_t *cut)
{
	struct buf words;
	struct text rest;
	int rows = 0;

	option_words(frame, view, at, &words);
	rest = buf_text(&words);
	do {
		row_of_option(&rest, view->cols, rows++);
	} while (rest.len > 0 && rows < OPTION_HEIGHT_MAX);
	*cut = rest.len;
	buf_finish(&words);
	return rows;
}

static int options_height(yyjson_val *frame, const struct prompt_view *view)
{
	int rows = 0;
	size_t cut;

	for (size_t i = 0; i < question_option_count(frame) && rows < OPTION_ROWS_MAX; i++)
		rows += prompt_option_height(frame, view, i, &cut);
	return rows < OPTION_ROWS_MAX ? rows : OPTION_ROWS_MAX;
}

/* ---- drawing ---- */

static void wrap_words(struct prompt_view *view, int cols)
{
	if (view->words.cols != cols) {
		struct canvas none = {0};

		paper_draw(&view->words, (struct area){&none, 0, 0, 0, cols});
	}
}

/* Below the words. */
static int rows_below(struct prompt_view *view, yyjson_val *frame)
{
	enum way way = question_way(frame);

	return way == WAY_SELECT || way == WAY_MULTI ? options_height(frame, view) : 1;
}

int prompt_height(struct tui *tui, struct prompt_view *view, yyjson_val *frame, int cols)
{
	int most = tui->canvas.rows / 2 > WORDS_ROWS_MIN ? tui->canvas.rows / 2 : WORDS_ROWS_MIN;
	int words;

	view->cols = cols;
	wrap_words(view, cols);
	words = view->words.row_count < (size_t)most ? (int)view->words.row_count : most;
	return words + rows_below(view, frame);
}

static void draw_option(struct prompt_view *view, yyjson_val *frame, size_t at, struct area area)
{
	bool is_chosen = at == view->chosen;
	uint8_t style = STYLE_PLAIN | (is_chosen ? STYLE_CHOSEN : 0);
	struct buf words;
	struct text rest;

	option_words(frame, view, at, &words);
	rest = buf_text(&words);
	for (int row = 0; row < area.rows; row++) {
		struct pen pen = pen_at(area, row, 0, style);

		pen_put(&pen, is_chosen && row == 0 ? TEXT(" ▸ ") : TEXT("   "));
		pen_put(&pen, row_of_option(&rest, area.cols, row));
		if (row == OPTION_HEIGHT_MAX - 1 && rest.len > 0)
			pen_print(&pen, " … %zu bytes more", rest.len);
		pen_rest(&pen);
	}
	buf_finish(&words);
}

/* The one that is chosen is there whole, and as many around it as there is room for. */
static void follow_chosen(struct prompt_view *view, yyjson_val *frame, int rows)
{
	size_t chosen = view->chosen == PROMPT_NOTHING ? 0 : view->chosen, cut;
	int height = 0;

	if (chosen < view->top)
		view->top = chosen;
	for (size_t at = chosen + 1; at-- > view->top;) {
		height += prompt_option_height(frame, view, at, &cut);
		if (height > rows && at < chosen) {
			view->top = at + 1;
			return;
		}
	}
}

static void draw_options(struct prompt_view *view, yyjson_val *frame, struct area area)
{
	int row = 0;

	follow_chosen(view, frame, area.rows);
	for (size_t at = view->top; at < question_option_count(frame) && row < area.rows; at++) {
		size_t cut;
		int height = prompt_option_height(frame, view, at, &cut);

		draw_option(view, frame, at, area_rows(area, row, height));
		row += height;
	}
}

static void draw_text(struct tui *tui, struct prompt_view *view, yyjson_val *frame,
                      struct area area)
{
	struct text other = json_text(question_default(frame));
	struct pen pen = pen_at(area, 0, 0, STYLE_HUMAN);
	struct buf shown;

	pen_put(&pen, TEXT(" > "));
	if (tui->is_aside)
		typed_draw(&view->typed, pen);
	else
		tui_cursor(tui, typed_draw(&view->typed, pen));
	if (view->typed.text.len > 0)
		return;
	buf_init(&shown, VISIBLE_GROWTH * FRAME_MAX);
	visible_add(&shown, other, VISIBLE_MARK_LINES);
	pen_styled(&pen, STYLE_DIM, buf_text(&shown));
	buf_finish(&shown);
}

static void draw_confirm(yyjson_val *frame, struct area area)
{
	struct pen pen = pen_at(area, 0, 0, STYLE_HUMAN);

	pen_put(&pen, TEXT(" y yes · n no"));
	if (yyjson_is_false(question_default(frame)))
		pen_put(&pen, TEXT(" · Enter no"));
	else if (yyjson_is_true(question_default(frame)))
		pen_styled(&pen, STYLE_DIM, TEXT(" · its default is yes"));
}

/* What does not fit is scrolled, and how much there is stands below it. */
static void draw_words(struct prompt_view *view, struct area area)
{
	struct pen pen = pen_at(area, area.rows - 1, 0, STYLE_WAITING);
	size_t first, count = view->words.row_count;

	wrap_words(view, area.cols);
	if (count <= (size_t)area.rows) {
		paper_draw(&view->words, area);
		see(view);
		return;
	}
	paper_draw(&view->words, area_rows(area, 0, area.rows - 1));
	see(view);
	first = paper_first(&view->words);
	pen_print(&pen, " lines %zu to %zu of %zu · PgDn PgUp", first + 1,
	          first + (size_t)view->words.page, view->words.row_count);
	if (prompt_unread(view))
		pen_print(&pen, " · %zu not shown yet", prompt_unread(view));
}

void prompt_paint(struct tui *tui, struct prompt_view *view, yyjson_val *frame, struct area area)
{
	int below, words;
	struct area rest;

	view->cols = area.cols;
	wrap_words(view, area.cols);
	below = rows_below(view, frame);
	if (below > area.rows / 2 && area.rows < below + (int)view->words.row_count)
		below = (area.rows + 1) / 2;
	words = area.rows - below;
	rest = area_rows(area, words, area.rows);
	draw_words(view, area_rows(area, 0, words));
	switch (question_way(frame)) {
	case WAY_TEXT:
		draw_text(tui, view, frame, rest);
		break;
	case WAY_CONFIRM:
		draw_confirm(frame, rest);
		break;
	default:
		draw_options(view, frame, rest);
	}
}
