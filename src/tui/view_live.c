/* view_live.c - the LIVE pane: what is being said, and by whom.
 *
 * A row for each session and subagent that says something, with the state that the crew has for
 * it, and as many lines of its words as there is room for.
 */
#include <stdio.h>

#include "tui/live_rows.h"
#include "tui/look.h"

#define LABEL_COLS 9
#define WIDE_COLS 52 /* of a pane in which names have more room */
#define SAID_COLS 5  /* before the words: a rule */

struct live_view {
	struct live_rows rows;
	size_t top;
	int room, cols; /* that it had last */
	struct live_key chosen;
};

/* ---- choosing ---- */

static bool is_chosen(const struct live_view *view, const struct live_row *row)
{
	struct live_key key;

	if (!live_row_can_be_chosen(row))
		return false;
	live_row_key(row, &key);
	return strcmp(key.run, view->chosen.run) == 0 &&
	       strcmp(key.invoke, view->chosen.invoke) == 0 &&
	       strcmp(key.session, view->chosen.session) == 0;
}

/* The row that is chosen; the first when that is gone.  Count: there is none. */
static size_t chosen_row(struct live_view *view)
{
	for (size_t i = 0; i < view->rows.count; i++)
		if (is_chosen(view, &view->rows.at[i]))
			return i;
	if (view->rows.count > 0)
		live_row_key(&view->rows.at[0], &view->chosen);
	return 0;
}

static void view_live_move(struct live_view *view, int by)
{
	size_t at = chosen_row(view), count = view->rows.count;

	while (by != 0 && count > 0) {
		size_t next = by > 0 ? at + 1 : at - 1; /* wraps below 0, past the end */

		while (next < count && !live_row_can_be_chosen(&view->rows.at[next]))
			next += by > 0 ? 1 : (size_t)-1;
		if (next >= count)
			return;
		at = next;
		live_row_key(&view->rows.at[at], &view->chosen);
		by += by > 0 ? -1 : 1;
	}
}

static bool open_chosen(struct tui *tui, struct live_view *view)
{
	struct buf name;
	bool opened;

	if (view->rows.count == 0)
		return tui_action(tui, TEXT("transcript"), (struct text){0});
	chosen_row(view);
	buf_init(&name, 3 * FOLD_NAME_MAX + 2);
	buf_add(&name, text_of(view->chosen.run));
	buf_add_char(&name, '\0');
	buf_add(&name, text_of(view->chosen.invoke));
	buf_add_char(&name, '\0');
	buf_add(&name, text_of(view->chosen.session));
	opened = tui_action(tui, TEXT("transcript"), buf_text(&name));
	buf_finish(&name);
	return opened;
}

static void point_at(struct tui *tui, struct live_view *view, const struct press *press)
{
	size_t at = view->top + (size_t)(press->row - tui->panes[PANE_LIVE].at.top);

	while (at > 0 && at < view->rows.count && view->rows.at[at].kind == LIVE_SAID)
		at--;
	if (at < view->rows.count && live_row_can_be_chosen(&view->rows.at[at]))
		live_row_key(&view->rows.at[at], &view->chosen);
}

static bool live_press(struct tui *tui, void *self, const struct press *press)
{
	struct live_view *view = self;

	/* Some may be gone since they were drawn. */
	live_rows_make(&view->rows, tui, view->room, view->cols);
	switch (press->code) {
	case 'j':
	case PRESS_DOWN:
	case PRESS_WHEEL_DOWN:
		view_live_move(view, 1);
		return true;
	case 'k':
	case PRESS_UP:
	case PRESS_WHEEL_UP:
		view_live_move(view, -1);
		return true;
	case 'g':
	case PRESS_HOME:
		view_live_move(view, -LIVE_ROWS_MAX);
		return true;
	case 'G':
	case PRESS_END:
		view_live_move(view, LIVE_ROWS_MAX);
		return true;
	case PRESS_CLICK:
		point_at(tui, view, press);
		return true;
	case PRESS_DOUBLE:
		point_at(tui, view, press);
		return open_chosen(tui, view);
	case PRESS_ENTER:
		return open_chosen(tui, view);
	default:
		return false;
	}
}

/* ---- what both have ---- */

static int name_cols(int cols)
{
	return cols >= WIDE_COLS ? 15 : 12;
}

static int model_cols(int cols)
{
	return cols >= 100 ? 24 : cols >= 88 ? 18 : cols >= 64 ? 14 : 0;
}

static void put_model(struct pen *pen, const char *model)
{
	int cols = model_cols(pen->area.cols);

	if (!cols)
		return;
	pen_put(pen, TEXT("  "));
	pen_fit(pen, text_of(model ? model : ""), cols);
}

/* ---- a session ---- */

#define TOKENS_COLS 11
#define RATE_COLS 11
#define RATE_FROM 72 /* columns of a pane in which there is room for it */

static int state_cols(int cols)
{
	int left = cols - name_cols(cols) - 2 - LOOK_CLOCK_COLS - 2;

	if (cols >= 48)
		left -= TOKENS_COLS;
	if (cols >= RATE_FROM)
		left -= RATE_COLS;
	if (model_cols(cols))
		left -= model_cols(cols) + 2;
	return left < 8 ? 8 : left > 34 ? 34 : left;
}

/* What is not known is left out: the crew has the figures of a session. */
static void put_rate(struct pen *pen, const struct live_row *row)
{
	double tps = row->one ? invocation_tps(row->one) : 0;
	int cols = pen->area.cols;

	pen->style = STYLE_METRIC | (pen->style & STYLE_CHOSEN);
	put_model(pen, row->one ? row->one->model : NULL);
	if (row->count > 1)
		pen_print(pen, "  %zu/%zu done", row->done, row->count);
	else if (cols >= 48 && row->one && row->one->tokens)
		pen_print(pen, "  %5llu tok", (unsigned long long)row->one->tokens);
	if (cols >= RATE_FROM && tps > 0)
		pen_print(pen, "  %5.1f t/s", tps);
}

static void draw_live_session(struct pen *pen, const struct tui *tui, const struct live_row *row)
{
	struct named who = {.member = row->member, .agent = row->agent};
	struct text sub = json_text_at(row->agent, "name");
	int cols = pen->area.cols;

	if (row->agent) {
		pen_styled(pen, STYLE_BORDER | (pen->style & STYLE_CHOSEN), TEXT(" └ "));
		look_put_name(pen, sub.len ? sub : json_text_at(row->agent, "id"),
		              name_cols(cols) - 2);
	} else {
		pen_put(pen, TEXT(" "));
		look_put_name(pen, json_text_at(row->member, "handle"), name_cols(cols));
	}
	pen_put(pen, TEXT(" "));
	look_put_state(pen, named_state(&who), tui->now_ms, state_cols(cols));
	put_rate(pen, row);
}

/* ---- who is of no session ---- */

static void draw_label(struct pen *pen, const struct invocation *one)
{
	enum crew_state state = look_state_of(one);
	struct session_look look = look_of_group(state_group(state));
	uint8_t before = pen->style;

	pen_styled(pen, look.style, text_of(look.glyph));
	pen_put(pen, TEXT(" "));
	pen->style = look.style | (before & STYLE_CHOSEN);
	pen_fit(pen, text_of(state_name(state)), LABEL_COLS);
	pen->style = before;
}

static void draw_numbers(struct pen *pen, const struct invocation *one)
{
	double tps = invocation_tps(one);

	put_model(pen, one->model);
	pen->style = STYLE_METRIC | (pen->style & STYLE_CHOSEN);
	if (one->tokens)
		pen_print(pen, "  %5llu tok", (unsigned long long)one->tokens);
	else
		pen_print(pen, "  %5s tok", "-");
	if (pen->area.cols < 48)
		return;
	if (tps > 0)
		pen_print(pen, "  %5.1f t/s", tps);
	else
		pen_print(pen, "  %5s t/s", "-");
}

static void draw_single(struct pen *pen, struct tui *tui, const struct live_row *row)
{
	uint8_t before = pen->style;

	pen_put(pen, TEXT(" "));
	pen->style = model_hue(&tui->model, text_of(row->one->invoke)) | (before & STYLE_CHOSEN);
	pen_fit(pen, text_of(row->one->invoke), name_cols(pen->area.cols));
	pen->style = before;
	pen_put(pen, TEXT(" "));
	draw_label(pen, row->one);
	draw_numbers(pen, row->one);
}

/* It stands two cells to the right of a name; what is behind both is aligned. */
static void draw_child(struct pen *pen, const struct live_row *row)
{
	pen_styled(pen, STYLE_BORDER, row->kind == LIVE_CHILD ? TEXT(" ├ ") : TEXT(" └ "));
	look_put_name(pen, text_of(row->one->session), name_cols(pen->area.cols) - 2);
	pen_put(pen, TEXT(" "));
	draw_label(pen, row->one);
	draw_numbers(pen, row->one);
}

static void draw_group(struct pen *pen, struct tui *tui, const struct group *group)
{
	int cols = pen->area.cols;
	int bar = cols >= 50 ? 10 : cols >= 36 ? 8 : cols >= 28 ? 6 : 4;
	int full = (int)(group->done * (size_t)bar / group->count);
	uint8_t chosen = pen->style & STYLE_CHOSEN;

	pen_put(pen, TEXT(" "));
	pen->style = model_hue(&tui->model, text_of(group->invoke)) | chosen;
	pen_fit(pen, text_of(group->invoke), name_cols(cols));
	pen->style = STYLE_PLAIN | chosen;
	pen_print(pen, " ◇ %zu/%zu done [", group->done, group->count);
	pen->style = STYLE_BAR | chosen;
	pen_repeat(pen, TEXT("█"), full);
	pen->style = STYLE_BAR_REST | chosen;
	pen_repeat(pen, TEXT("░"), bar - full);
	pen->style = STYLE_PLAIN | chosen;
	pen_put(pen, TEXT("]"));
	pen->style = STYLE_METRIC | chosen;
	if (group->tokens)
		pen_print(pen, "  %llu tok", (unsigned long long)group->tokens);
}

/* ---- drawing ---- */

static void draw_said(struct pen *pen, const struct live_row *row)
{
	pen_styled(pen, STYLE_BORDER, TEXT("   ┊ "));
	pen_styled(pen, STYLE_DIM, row->said);
}

static void view_live_draw_row(struct tui *tui, const struct live_row *row, struct pen pen)
{
	switch (row->kind) {
	case LIVE_SESSION:
	case LIVE_AGENT:
		draw_live_session(&pen, tui, row);
		break;
	case LIVE_SINGLE:
		draw_single(&pen, tui, row);
		break;
	case LIVE_GROUP:
		draw_group(&pen, tui, row->group);
		break;
	case LIVE_CHILD:
	case LIVE_LAST_CHILD:
		draw_child(&pen, row);
		break;
	case LIVE_MORE:
		pen.style = STYLE_DIM;
		pen_print(&pen, " └ …+%zu more sessions", row->group->count - LIVE_CHILDREN_MAX);
		break;
	case LIVE_SAID:
		draw_said(&pen, row);
		break;
	}
	if (pen.style & STYLE_CHOSEN)
		pen_rest(&pen);
}

static void live_draw(struct tui *tui, void *self, struct area area)
{
	struct live_view *view = self;
	size_t chosen, rows = (size_t)area.rows, count;
	bool has_keys = tui->focus == PANE_LIVE;

	view->room = area.rows;
	view->cols = area.cols - SAID_COLS;
	live_rows_make(&view->rows, tui, view->room, view->cols);
	count = view->rows.count;
	chosen = chosen_row(view);
	if (view->top > chosen)
		view->top = chosen;
	if (rows > 0 && chosen >= view->top + rows)
		view->top = chosen - rows + 1;
	if (view->top + rows > count)
		view->top = count > rows ? count - rows : 0;
	for (size_t i = view->top; i < count && i < view->top + rows; i++)
		view_live_draw_row(tui, &view->rows.at[i],
		                   pen_at(area, (int)(i - view->top), 0,
		                          has_keys && i == chosen ? STYLE_CHOSEN : STYLE_PLAIN));
	if (count == 0) {
		struct pen pen = pen_at(area, 0, 1, STYLE_DIM);

		pen_put(&pen, TEXT("nobody says anything now"));
	}
}

const struct view view_live = {
	.name = "live",
	.title = "LIVE",
	.hints = "j/k choose · Enter transcript · Tab focus · m max · q leave",
	.place = VIEW_PANE,
	.size = sizeof(struct live_view),
	.draw = live_draw,
	.press = live_press,
};
