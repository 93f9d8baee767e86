/* view_inspect.c - the inspector: the run from four sides, and the help.
 *
 * Opened with the name of a page.  Chart and artifacts are made of the events that the
 * model keeps and of those that come; the others are drawn from what is there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tui/groups.h"
#include "tui/inspect.h"
#include "tui/paper.h"
#include "tui/rows.h"

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
	inspect_chart_event(&view->papers[TAB_CHART], &frame);
	inspect_artifact_event(&view->papers[TAB_ARTIFACTS], &frame);
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

static const struct invocation *one_at(const struct inspect_view *view, size_t at)
{
	return at < view->rows.count ? view->groups.all[at] : NULL;
}

static size_t count_all(const struct groups *groups)
{
	size_t count = 0;

	for (size_t i = 0; i < groups->count; i++)
		count += groups->at[i].count;
	return count;
}

static void draw_invocation(struct tui *tui, const struct invocation *one, struct pen pen)
{
	uint8_t chosen = pen.style & STYLE_CHOSEN;

	pen_put(&pen, TEXT(" "));
	pen.style = model_hue(&tui->model, text_of(one->invoke)) | chosen;
	pen_fit(&pen, text_of(one->invoke), 16);
	pen.style = STYLE_PLAIN | chosen;
	pen_put(&pen, TEXT(" "));
	pen_fit(&pen, text_of(invocation_status_name(one->status)), 10);
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
	pen_put(&pen, text_of(one->session));
	pen_rest(&pen);
}

static void draw_invocations(struct tui *tui, struct inspect_view *view, struct area area)
{
	groups_make(&view->groups, &tui->model.fold);
	rows_fit(&view->rows, count_all(&view->groups), area);
	for (int i = 0; i < area.rows; i++) {
		const struct invocation *one = one_at(view, view->rows.top + (size_t)i);

		if (one)
			draw_invocation(tui, one, pen_at(area, i, 0, rows_style(&view->rows, i)));
	}
}

/* The groups may be older than the fold: they are made again first. */
static void drill(struct tui *tui, struct inspect_view *view)
{
	const struct invocation *one;
	struct buf name;

	groups_make(&view->groups, &tui->model.fold);
	view->rows.count = count_all(&view->groups);
	one = one_at(view, view->rows.chosen);
	if (!one)
		return;
	buf_init(&name, 2 * FOLD_NAME_MAX + 1);
	buf_add(&name, text_of(one->invoke));
	buf_add_char(&name, '\0');
	buf_add(&name, text_of(one->session));
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
		int rows = inspect_states(body, &tui->model.fold);

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
