/* view_live.c - the LIVE pane: who works, who waits, and how fast.
 *
 * A row for each invocation; several of one name are gathered under a row of their own
 * with a bar.  Where there is room, below a row that streams stands the end of what it
 * says.
 */
#include <assert.h>
#include <stdio.h>

#include "tui/groups.h"
#include "tui/inside.h"

#define CHILDREN_MAX 6 /* rows of one group; the rest is counted */
#define LABEL_COLS 9
#define WIDE_COLS 52 /* of a pane in which names have more room */

enum row_kind { ROW_SINGLE, ROW_GROUP, ROW_CHILD, ROW_LAST_CHILD, ROW_MORE, ROW_SAID };

struct live_row {
	enum row_kind kind;
	const struct group *group;
	const struct invocation *one; /* NULL: a group's own row */
};

#define ROWS_MAX (4 * FOLD_INVOCATIONS_MAX)

struct live_view {
	struct groups groups;
	struct live_row rows[ROWS_MAX];
	size_t count, top;
	int room;                       /* rows that it had last */
	char invoke[FOLD_NAME_MAX + 1]; /* which row is chosen, by what it is */
	char session[FOLD_NAME_MAX + 1];
};

/* ---- rows ---- */

static void view_live_add_row(struct live_view *view, enum row_kind kind, const struct group *group,
                              const struct invocation *one)
{
	if (view->count < ROWS_MAX)
		view->rows[view->count++] = (struct live_row){kind, group, one};
	assert(view->count <= ROWS_MAX);
}

static void add_invocation(struct live_view *view, enum row_kind kind, const struct group *group,
                           const struct invocation *one)
{
	view_live_add_row(view, kind, group, one);
	if (invocation_tail(one).len > 0)
		view_live_add_row(view, ROW_SAID, group, one);
}

static void add_group(struct live_view *view, const struct group *group)
{
	const struct invocation *const *all = view->groups.all + group->first;
	size_t shown = group->count > CHILDREN_MAX ? CHILDREN_MAX : group->count;
	bool has_more = group->count > shown;

	if (group->count == 1) {
		add_invocation(view, ROW_SINGLE, group, all[0]);
		return;
	}
	view_live_add_row(view, ROW_GROUP, group, NULL);
	for (size_t i = 0; i < shown; i++)
		add_invocation(view, i + 1 < shown || has_more ? ROW_CHILD : ROW_LAST_CHILD, group,
		               all[i]);
	if (has_more)
		view_live_add_row(view, ROW_MORE, group, NULL);
}

static void drop_said(struct live_view *view)
{
	size_t kept = 0;

	for (size_t i = 0; i < view->count; i++)
		if (view->rows[i].kind != ROW_SAID)
			view->rows[kept++] = view->rows[i];
	view->count = kept;
}

static void make_rows(struct tui *tui, struct live_view *view, int room)
{
	view->room = room;
	groups_make(&view->groups, &tui->model.fold);
	view->count = 0;
	for (size_t i = 0; i < view->groups.count; i++)
		add_group(view, &view->groups.at[i]);
	if (view->count > (size_t)room)
		drop_said(view);
}

/* ---- choosing ---- */

static bool is_choosable(const struct live_row *row)
{
	return row->kind != ROW_MORE && row->kind != ROW_SAID;
}

static bool is_chosen(const struct live_view *view, const struct live_row *row)
{
	return is_choosable(row) && strcmp(view->invoke, row->group->invoke) == 0 &&
	       strcmp(view->session, row->one ? row->one->session : "") == 0;
}

static void view_live_choose(struct live_view *view, const struct live_row *row)
{
	snprintf(view->invoke, sizeof(view->invoke), "%s", row->group->invoke);
	snprintf(view->session, sizeof(view->session), "%s", row->one ? row->one->session : "");
}

/* The row that is chosen; the first when that is gone.  Count: there is none. */
static size_t chosen_row(struct live_view *view)
{
	for (size_t i = 0; i < view->count; i++)
		if (is_chosen(view, &view->rows[i]))
			return i;
	if (view->count > 0)
		view_live_choose(view, &view->rows[0]);
	return 0;
}

static void view_live_move(struct live_view *view, int by)
{
	size_t at = chosen_row(view);

	while (by != 0 && view->count > 0) {
		size_t next = by > 0 ? at + 1 : at - 1; /* wraps below 0, past the end */

		while (next < view->count && !is_choosable(&view->rows[next]))
			next += by > 0 ? 1 : (size_t)-1;
		if (next >= view->count)
			return;
		at = next;
		view_live_choose(view, &view->rows[at]);
		by += by > 0 ? -1 : 1;
	}
}

static bool open_chosen(struct tui *tui, struct live_view *view)
{
	struct buf name;
	bool opened;

	if (view->count == 0)
		return true;
	chosen_row(view);
	buf_init(&name, 2 * FOLD_NAME_MAX + 1);
	buf_add(&name, text_of(view->invoke));
	buf_add_char(&name, '\0');
	buf_add(&name, text_of(view->session));
	opened = tui_action(tui, TEXT("transcript"), buf_text(&name));
	buf_finish(&name);
	return opened;
}

static void point_at(struct tui *tui, struct live_view *view, const struct press *press)
{
	size_t at = view->top + (size_t)(press->row - tui->panes[PANE_LIVE].at.top);

	if (at < view->count && view->rows[at].kind == ROW_SAID)
		at--;
	if (at < view->count && is_choosable(&view->rows[at]))
		view_live_choose(view, &view->rows[at]);
}

static bool live_press(struct tui *tui, void *self, const struct press *press)
{
	struct live_view *view = self;

	make_rows(tui, view, view->room); /* some may be gone since they were drawn */
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
		view_live_move(view, -ROWS_MAX);
		return true;
	case 'G':
	case PRESS_END:
		view_live_move(view, ROWS_MAX);
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

/* ---- drawing ---- */

struct manner {
	const char *glyph, *label;
	enum style style;
};

static struct manner manner_of(const struct invocation *one)
{
	static const struct manner manners[] = {
		[INVOCATION_STREAMING] = {"◂", "streaming", STYLE_STREAMING},
		[INVOCATION_WAITING] = {"◷", "waiting", STYLE_WAITING},
		[INVOCATION_ERROR] = {"✗", "error", STYLE_ERROR},
		[INVOCATION_DONE] = {"✓", "done", STYLE_DONE},
	};

	if (one->status == INVOCATION_STREAMING && one->thinking)
		return (struct manner){"…", "thinking", STYLE_STREAMING};
	return manners[one->status];
}

/* One bright cell that runs along while something streams. */
static void draw_shimmer(struct pen *pen, const struct tui *tui, const struct invocation *one)
{
	uint64_t bright = (tui->tick + (uint64_t)(one->last_ts / 100)) % LABEL_COLS;

	for (uint64_t i = 0; i < LABEL_COLS; i++)
		pen_styled(pen, i == bright ? STYLE_STREAMING : STYLE_BAR_REST,
		           i == bright ? TEXT("▰") : TEXT("▱"));
}

static void draw_label(struct pen *pen, const struct tui *tui, const struct invocation *one)
{
	struct manner manner = manner_of(one);

	pen_styled(pen, manner.style, text_of(manner.glyph));
	pen_put(pen, TEXT(" "));
	if (one->status == INVOCATION_STREAMING && !one->thinking) {
		draw_shimmer(pen, tui, one);
	} else {
		uint8_t before = pen->style;

		pen->style = manner.style | (before & STYLE_CHOSEN);
		pen_fit(pen, text_of(manner.label), LABEL_COLS);
		pen->style = before;
	}
}

static int model_cols(int cols)
{
	return cols >= 100 ? 24 : cols >= 88 ? 18 : cols >= 64 ? 14 : 0;
}

static void draw_numbers(struct pen *pen, const char *model, uint64_t tokens, double tps)
{
	int cols = pen->area.cols;

	if (model_cols(cols)) {
		pen_put(pen, TEXT("  "));
		pen_fit(pen, text_of(model ? model : ""), model_cols(cols));
	}
	pen->style = STYLE_METRIC | (pen->style & STYLE_CHOSEN);
	if (tokens)
		pen_print(pen, "  %5llu tok", (unsigned long long)tokens);
	else
		pen_print(pen, "  %5s tok", "-");
	if (cols < 48)
		return;
	if (tps > 0)
		pen_print(pen, "  %5.1f t/s", tps);
	else
		pen_print(pen, "  %5s t/s", "-");
}

/* A session stands two cells to the right of a name; what is behind both is aligned. */
static int name_cols(const struct pen *pen)
{
	return pen->area.cols >= WIDE_COLS ? 15 : 12;
}

static void draw_single(struct pen *pen, struct tui *tui, const struct live_row *row)
{
	uint8_t before = pen->style;

	pen_put(pen, TEXT(" "));
	pen->style = model_hue(&tui->model, text_of(row->one->invoke)) | (before & STYLE_CHOSEN);
	pen_fit(pen, text_of(row->one->invoke), name_cols(pen));
	pen->style = before;
	pen_put(pen, TEXT(" "));
	draw_label(pen, tui, row->one);
	draw_numbers(pen, row->one->model, row->one->tokens, invocation_tps(row->one));
}

/* Sessions of one group often begin alike: their ends tell them apart. */
static void draw_session(struct pen *pen, struct text session)
{
	int cols = name_cols(pen) - 2;

	if (wide_width(session) > cols) {
		pen_put(pen, TEXT("…"));
		cols--;
		session = wide_end(session, cols);
	}
	pen_fit(pen, session, cols);
}

static void draw_child(struct pen *pen, struct tui *tui, const struct live_row *row)
{
	pen_styled(pen, STYLE_BORDER, row->kind == ROW_CHILD ? TEXT(" ├ ") : TEXT(" └ "));
	draw_session(pen, text_of(row->one->session));
	pen_put(pen, TEXT(" "));
	draw_label(pen, tui, row->one);
	draw_numbers(pen, row->one->model, row->one->tokens, invocation_tps(row->one));
}

static void draw_group(struct pen *pen, struct tui *tui, const struct group *group)
{
	int cols = pen->area.cols;
	int bar = cols >= 50 ? 10 : cols >= 36 ? 8 : cols >= 28 ? 6 : 4;
	int full = (int)(group->done * (size_t)bar / group->count);
	uint8_t chosen = pen->style & STYLE_CHOSEN;

	pen_put(pen, TEXT(" "));
	pen->style = model_hue(&tui->model, text_of(group->invoke)) | chosen;
	pen_fit(pen, text_of(group->invoke), name_cols(pen));
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

static void draw_said(struct pen *pen, const struct invocation *one)
{
	struct text said = invocation_tail(one);

	pen_styled(pen, STYLE_BORDER, TEXT("   ┊ "));
	while (said.len > 0 && (said.at[said.len - 1] == '\n' || said.at[said.len - 1] == ' '))
		said.len--;
	said = wide_end(said, pen_left(pen));
	for (size_t i = said.len; i > 0; i--) {
		if (said.at[i - 1] == '\n') {
			said = (struct text){said.at + i, said.len - i};
			break;
		}
	}
	pen_styled(pen, STYLE_DIM, said);
}

static void view_live_draw_row(struct tui *tui, const struct live_row *row, struct pen pen)
{
	switch (row->kind) {
	case ROW_SINGLE:
		draw_single(&pen, tui, row);
		break;
	case ROW_GROUP:
		draw_group(&pen, tui, row->group);
		break;
	case ROW_CHILD:
	case ROW_LAST_CHILD:
		draw_child(&pen, tui, row);
		break;
	case ROW_MORE:
		pen.style = STYLE_DIM;
		pen_print(&pen, " └ …+%zu more sessions", row->group->count - CHILDREN_MAX);
		break;
	case ROW_SAID:
		draw_said(&pen, row->one);
		break;
	}
	if (pen.style & STYLE_CHOSEN)
		pen_rest(&pen);
}

static void live_draw(struct tui *tui, void *self, struct area area)
{
	struct live_view *view = self;
	size_t chosen, rows = (size_t)area.rows;
	bool has_keys = tui->focus == PANE_LIVE;

	make_rows(tui, view, area.rows);
	chosen = chosen_row(view);
	if (view->top > chosen)
		view->top = chosen;
	if (rows > 0 && chosen >= view->top + rows)
		view->top = chosen - rows + 1;
	if (view->top + rows > view->count)
		view->top = view->count > rows ? view->count - rows : 0;
	for (size_t i = view->top; i < view->count && i < view->top + rows; i++)
		view_live_draw_row(tui, &view->rows[i],
		                   pen_at(area, (int)(i - view->top), 0,
		                          has_keys && i == chosen ? STYLE_CHOSEN : STYLE_PLAIN));
	if (view->count == 0) {
		struct pen pen = pen_at(area, 0, 1, STYLE_DIM);

		pen_put(&pen, TEXT("nobody is at work"));
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
