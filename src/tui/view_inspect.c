/* view_inspect.c - the inspector: the run from four sides, and the help.
 *
 * Opened with the name of a page.  Chart and artifacts are made of the events that the
 * model keeps and of those that come; the others are drawn from what is there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tui/crew.h"
#include "tui/groups.h"
#include "tui/inspect.h"
#include "tui/look.h"
#include "tui/paper.h"
#include "tui/rows.h"

#define NAME_COLS 24
#define NAME_BYTES_MAX (2 * KIB)

enum tab { TAB_INVOCATIONS, TAB_CHART, TAB_STATUS, TAB_ARTIFACTS, TAB_HELP, TABS };

static const struct {
	const char *name;
	uint32_t key;
} tabs[TABS] = {
	{"invocations", '1'}, {"chart", '2'}, {"status", '3'}, {"artifacts", '4'}, {"help", '?'},
};

struct inspect_view {
	enum tab tab;
	struct paper papers[TABS];
	struct json_reader reader;
	struct groups groups;
	struct rows rows;
};

/* ---- events ---- */

static void inspect_hear(struct tui *tui, void *self, const struct text raw)
{
	struct inspect_view *view = self;
	struct frame frame;

	if (!frame_read(&frame, &view->reader, raw, NULL) || frame.kind != FRAME_EVENT)
		return;
	if (!model_is_state(&tui->model, &frame))
		inspect_chart_event(&view->papers[TAB_CHART], tui, &frame);
	inspect_artifact_event(&view->papers[TAB_ARTIFACTS], tui, &frame);
}

static void inspect_open(struct tui *tui, void *self)
{
	struct inspect_view *view = self;

	json_reader_init(&view->reader, FRAME_MAX);
	for (size_t i = 0; i < TABS; i++) {
		paper_init(&view->papers[i]);
		view->papers[i].is_begun = i == TAB_STATUS || i == TAB_HELP;
		if (text_is(tui_argument(tui), tabs[i].name))
			view->tab = (enum tab)i;
	}
	for (size_t i = 0; i < tui->model.event_count; i++)
		inspect_hear(tui, self, model_event(&tui->model, i));
}

static void inspect_close(struct tui *tui, void *self)
{
	struct inspect_view *view = self;

	json_reader_finish(&view->reader);
	for (size_t i = 0; i < TABS; i++)
		paper_finish(&view->papers[i]);
}

/* ---- invocations ---- */

struct inspected {
	const struct group *group;
	const struct invocation *one; /* NULL: there is none */
};

/* In the order of the groups, as LIVE has them. */
static struct inspected one_at(const struct inspect_view *view, size_t at)
{
	for (size_t i = 0; i < view->groups.count; i++) {
		const struct group *group = &view->groups.at[i];

		if (at < group->count)
			return (struct inspected){group, view->groups.all[group->first + at]};
		at -= group->count;
	}
	return (struct inspected){0};
}

static void put_who(struct tui *tui, const struct inspected *it, struct pen *pen)
{
	struct invoked of = {text_of(it->group->run), text_of(it->one->invoke),
	                     text_of(it->one->session)};
	struct named who = named_find(&tui->board.sessions, &of);
	enum crew_state plain = look_state_of(it->one);
	uint8_t chosen = pen->style & STYLE_CHOSEN;
	struct buf name;

	buf_init(&name, NAME_BYTES_MAX);
	if (who.member)
		named_add(&name, &who);
	else
		buf_add(&name, of.invoke);
	pen->style =
		model_hue(&tui->model, who.member ? json_text_at(who.member, "id") : of.invoke) |
		chosen;
	look_put_name(pen, buf_text(&name), NAME_COLS);
	pen_put(pen, TEXT(" "));
	pen->style = look_of_group(state_group(plain)).style | chosen;
	if (who.member)
		look_put_state(pen, named_state(&who), tui->now_ms, 14);
	else
		pen_fit(pen, text_of(state_name(plain)), 14);
	buf_finish(&name);
}

static void draw_invocation(struct tui *tui, const struct inspected *it, struct pen pen)
{
	const struct invocation *one = it->one;
	uint8_t chosen = pen.style & STYLE_CHOSEN;
	struct text session = text_of(one->session);

	pen_put(&pen, TEXT(" "));
	put_who(tui, it, &pen);
	pen.style = STYLE_METRIC | chosen;
	if (one->tokens)
		pen_print(&pen, "%6llu tok ", (unsigned long long)one->tokens);
	else
		pen_print(&pen, "%6s tok ", "-");
	if (invocation_tps(one) > 0)
		pen_print(&pen, "%6.1f t/s ", invocation_tps(one));
	else
		pen_print(&pen, "%6s t/s ", "-");
	pen.style = STYLE_DIM | chosen;
	pen_fit(&pen, text_of(one->model ? one->model : ""), 16);
	pen_put(&pen, TEXT(" "));
	if (!text_is(session, it->group->run)) /* that is the session, which has a name */
		pen_put(&pen, session);
	pen_rest(&pen);
}

static void draw_invocations(struct tui *tui, struct inspect_view *view, struct area area)
{
	groups_make(&view->groups, &tui->model, NULL, NULL);
	rows_fit(&view->rows, view->groups.all_count, area);
	for (int i = 0; i < area.rows; i++) {
		struct inspected it = one_at(view, view->rows.top + (size_t)i);

		if (it.one)
			draw_invocation(tui, &it, pen_at(area, i, 0, rows_style(&view->rows, i)));
	}
}

/* The groups may be older than the model: they are made again first. */
static void drill(struct tui *tui, struct inspect_view *view)
{
	struct inspected it;
	struct buf name;

	groups_make(&view->groups, &tui->model, NULL, NULL);
	view->rows.count = view->groups.all_count;
	it = one_at(view, view->rows.chosen);
	if (!it.one)
		return;
	buf_init(&name, 3 * FOLD_NAME_MAX + 2);
	buf_add(&name, text_of(it.group->run));
	buf_add_char(&name, '\0');
	buf_add(&name, text_of(it.one->invoke));
	buf_add_char(&name, '\0');
	buf_add(&name, text_of(it.one->session));
	tui_open(tui, &view_transcript, buf_text(&name));
	buf_finish(&name);
}

/* ---- drawing ---- */

static void draw_tabs(const struct inspect_view *view, struct area area)
{
	struct pen pen = pen_at(area, 0, 0, STYLE_DIM);

	for (size_t i = 0; i < TABS; i++) {
		pen.style = i == view->tab ? STYLE_PHASE : STYLE_DIM;
		pen_print(&pen, " %c %s ", (char)tabs[i].key, tabs[i].name);
	}
}

static void inspect_draw(struct tui *tui, void *self, struct area area)
{
	struct inspect_view *view = self;
	struct paper *paper = &view->papers[view->tab];
	struct area body = area_rows(area, 2, area.rows);

	draw_tabs(view, area);
	if (view->tab == TAB_INVOCATIONS) {
		draw_invocations(tui, view, body);
		return;
	}
	if (view->tab == TAB_STATUS || view->tab == TAB_HELP) {
		paper_clear(paper);
		if (view->tab == TAB_STATUS)
			inspect_status(paper, tui);
		else
			inspect_help(paper);
	}
	if (view->tab == TAB_CHART) {
		int rows = inspect_states(body, tui_fold(tui));

		body = area_rows(body, rows, body.rows);
	}
	paper_draw(paper, body);
}

/* ---- keys ---- */

static bool go_to_tab(struct inspect_view *view, uint32_t code)
{
	for (size_t i = 0; i < TABS; i++) {
		if (code != tabs[i].key)
			continue;
		view->tab = (enum tab)i;
		return true;
	}
	return false;
}

static void copy_page(struct tui *tui, struct inspect_view *view)
{
	struct buf out;

	if (!tui->copy || view->tab == TAB_INVOCATIONS)
		return;
	buf_init(&out, PAPER_MAX);
	paper_copy(&view->papers[view->tab], 0, false, &out);
	tui->copy(tui->copy_self, buf_text(&out));
	tui_say(tui, "copied");
	buf_finish(&out);
}

static bool press_page(struct tui *tui, struct inspect_view *view, const struct press *press)
{
	if (view->tab != TAB_INVOCATIONS)
		return paper_press(&view->papers[view->tab], press);
	if (rows_press(&view->rows, press))
		return true;
	if (press->code != PRESS_ENTER && press->code != PRESS_DOUBLE)
		return false;
	drill(tui, view);
	return true;
}

static bool inspect_press(struct tui *tui, void *self, const struct press *press)
{
	struct inspect_view *view = self;

	if (press_page(tui, view, press) || go_to_tab(view, press->code))
		return true;
	switch (press->code) {
	case 'a':
	case 'o':
		view->tab = TAB_ARTIFACTS;
		return true;
	case 'v':
		view->tab = TAB_STATUS;
		return true;
	case PRESS_TAB:
		view->tab = (view->tab + 1) % TABS;
		return true;
	case 'y':
	case 'Y':
		copy_page(tui, view);
		return true;
	case 'h':
	case 'q':
	case PRESS_BACKSPACE:
		tui_close(tui);
		return true;
	default:
		return false;
	}
}

const struct view view_inspect = {
	.name = "inspect",
	.title = "INSPECTOR",
	.hints = "1 2 3 4 ? pages · j/k choose · Enter transcript · y copy · h back · Esc close",
	.place = VIEW_OVERLAY,
	.size = sizeof(struct inspect_view),
	.open = inspect_open,
	.close = inspect_close,
	.draw = inspect_draw,
	.press = inspect_press,
	.hear = inspect_hear,
};
