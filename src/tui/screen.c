/* screen.c - where everything stands, and who gets a key. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "tui/crew.h"
#include "tui/settled.h"

#define ARGUMENT_MAX (4 * KIB)
#define SIDE_BY_SIDE 100 /* columns from which both panes are shown */
#define PANE_COLS_MIN 40
#define CREW_ROWS_MIN 14 /* of a body that has room for sessions above the other panes */

/* ---- opening and closing ---- */

static void open_view(struct tui *tui, struct opened_view *opened, const struct view *view)
{
	*opened = (struct opened_view){.view = view, .self = must_zero(1, view->size + 1)};
	if (view->open)
		view->open(tui, opened->self);
	tui_redraw(tui);
}

static void close_view(struct tui *tui, struct opened_view *opened)
{
	if (!opened->view)
		return;
	if (opened->view->close)
		opened->view->close(tui, opened->self);
	free(opened->self);
	*opened = (struct opened_view){0};
	tui_redraw(tui);
}

void tui_open(struct tui *tui, const struct view *view, struct text argument)
{
	if (tui->overlay_count == TUI_OVERLAYS_MAX)
		close_view(tui, &tui->overlays[--tui->overlay_count]);
	buf_clear(&tui->argument);
	buf_add(&tui->argument, argument);
	assert(tui->overlay_count < TUI_OVERLAYS_MAX);
	open_view(tui, &tui->overlays[tui->overlay_count++], view);
}

struct text tui_argument(const struct tui *tui)
{
	return buf_text(&tui->argument);
}

void tui_close(struct tui *tui)
{
	if (tui->overlay_count > 0)
		close_view(tui, &tui->overlays[--tui->overlay_count]);
	else
		close_view(tui, &tui->modal);
}

/* The modal stands as long as its view wants it. */
static void follow_modal(struct tui *tui)
{
	if (tui->modal.view && !tui->modal.view->wanted(tui))
		close_view(tui, &tui->modal);
	for (size_t i = 0; views[i] && !tui->modal.view; i++)
		if (views[i]->place == VIEW_MODAL && views[i]->wanted(tui))
			open_view(tui, &tui->modal, views[i]);
}

/* ---- small things ---- */

void tui_quit(struct tui *tui)
{
	tui->wants_quit = true;
}

void tui_redraw(struct tui *tui)
{
	tui->is_dirty = true;
}

void tui_cursor(struct tui *tui, struct pen pen)
{
	tui->has_cursor = true;
	tui->cursor_row = pen.area.top + pen.row;
	tui->cursor_col = pen.area.left + pen.col;
}

void tui_say(struct tui *tui, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(tui->said, sizeof(tui->said), format, list);
	va_end(list);
	tui->said_until_ms = tui->now_ms + TUI_SAY_MS;
	tui_redraw(tui);
}

bool tui_send(struct tui *tui, struct text frame)
{
	if (!tui->line.send) {
		tui_say(tui, "this is a recording: nobody listens");
		return false;
	}
	return tui->line.send(tui->line.self, frame);
}

/* ---- keys ---- */

static struct opened_view *keyed(struct tui *tui)
{
	if (tui->overlay_count > 0)
		return &tui->overlays[tui->overlay_count - 1];
	return tui->modal.view && !tui->is_aside ? &tui->modal : &tui->panes[tui->focus];
}

static bool screen_give(struct tui *tui, struct opened_view *to, const struct press *press)
{
	return to->view && to->view->press && to->view->press(tui, to->self, press);
}

/* In one table, by its key or by its word. */
static const struct action *find_in(const struct action *table, uint32_t code, struct text word)
{
	for (; table->run; table++)
		if (code ? table->code == code : text_is(word, table->word))
			return table;
	return NULL;
}

static const struct action *find_action(uint32_t code, struct text word)
{
	const struct action *found = NULL;

	for (size_t i = 0; actions[i] && !found; i++)
		found = find_in(actions[i], code, word);
	return found;
}

static void run_action(struct tui *tui, uint32_t code)
{
	const struct action *action = find_action(code, (struct text){0});

	if (action)
		action->run(tui, (struct text){0});
}

bool tui_action(struct tui *tui, struct text word, struct text argument)
{
	const struct action *action = find_action(0, word);

	if (action) {
		action->run(tui, argument);
		return true;
	}
	for (size_t i = 0; views[i]; i++) {
		if (views[i]->place == VIEW_OVERLAY && text_is(word, views[i]->name)) {
			tui_open(tui, views[i], argument);
			return true;
		}
	}
	return false;
}

/* The mouse speaks to what it points at; a pane gets the keys with that. */
static void press_mouse(struct tui *tui, const struct press *press)
{
	struct opened_view *top = keyed(tui);

	if (tui->modal.view && tui->overlay_count == 0)
		top = &tui->modal;
	if (top != &tui->panes[tui->focus] && area_has(top->at, press->row, press->col)) {
		screen_give(tui, top, press);
		return;
	}
	for (enum tui_pane i = 0; tui->overlay_count == 0 && i < PANES; i++) {
		if (!area_has(tui->panes[i].at, press->row, press->col))
			continue;
		if (press->code == PRESS_CLICK) {
			tui->focus = i;
			tui->is_aside = true;
		}
		screen_give(tui, &tui->panes[i], press);
	}
}

/* What the view with the keys does not take: a question leaves all else as it is. */
static void press_rest(struct tui *tui, const struct press *press)
{
	struct opened_view *pane = &tui->panes[tui->focus];

	if (tui->overlay_count > 0) {
		if (press->code == PRESS_ESCAPE)
			tui_close(tui);
	} else if (!tui->is_pasting && (keyed(tui) == pane || !screen_give(tui, pane, press))) {
		run_action(tui, press->code);
	}
}

void tui_press(struct tui *tui, const struct press *press)
{
	tui_redraw(tui);
	tui->begins_with_crew = false;
	if (press->code == PRESS_PASTE_BEGIN || press->code == PRESS_PASTE_END)
		tui->is_pasting = press->code == PRESS_PASTE_BEGIN;
	else if (press->code == PRESS_CTRL('c') && !tui->is_pasting)
		run_action(tui, press->code);
	else if (press_is_mouse(press))
		press_mouse(tui, press);
	else if (!typing_press(tui, press) && !steer_press(tui, press) &&
	         !screen_give(tui, keyed(tui), press))
		press_rest(tui, press);
}

/* ---- frames ---- */

static void screen_tell(struct tui *tui, struct opened_view *opened, struct text raw)
{
	if (opened->view && opened->view->hear)
		opened->view->hear(tui, opened->self, raw);
}

bool tui_hear(struct tui *tui, struct text raw, struct error *why)
{
	if (!model_hear(&tui->model, raw, why))
		return false;
	for (size_t i = 0; i < PANES; i++)
		screen_tell(tui, &tui->panes[i], raw);
	for (size_t i = 0; i < tui->overlay_count; i++)
		screen_tell(tui, &tui->overlays[i], raw);
	screen_tell(tui, &tui->modal, raw);
	settled_hear(tui, raw);
	tui_redraw(tui);
	return true;
}

bool tui_moves(const struct tui *tui)
{
	return tui->said_until_ms > tui->now_ms;
}

/* ---- drawing ---- */

static void draw_view(struct tui *tui, struct opened_view *opened, struct area area, bool has_keys)
{
	struct buf note;
	struct border box = {
		.heavy = has_keys,
		.style = has_keys ? STYLE_FOCUS : STYLE_BORDER,
		.title = text_of(opened->view->title),
	};

	buf_init(&note, ARGUMENT_MAX);
	if (opened->view->note)
		opened->view->note(tui, opened->self, &note);
	box.note = buf_text(&note);
	opened->at = area_box(area, &box);
	buf_finish(&note);
	opened->view->draw(tui, opened->self, opened->at);
}

/* Those that are at work now, and the log of what happens. */
static void draw_pair(struct tui *tui, struct area body)
{
	bool has_keys = keyed(tui) != &tui->modal;
	int live = body.cols / 2 > PANE_COLS_MIN ? body.cols / 2 : PANE_COLS_MIN;

	if (live > body.cols - PANE_COLS_MIN)
		live = body.cols - PANE_COLS_MIN;
	draw_view(tui, &tui->panes[PANE_LIVE], area_part(body, 0, 0, body.rows, live),
	          has_keys && tui->focus == PANE_LIVE);
	draw_view(tui, &tui->panes[PANE_LOG], area_part(body, 0, live, body.rows, body.cols - live),
	          has_keys && tui->focus == PANE_LOG);
}

/* All sessions stand above, in as many rows as they need, but at most in three of five. */
static struct area draw_crew(struct tui *tui, struct area body)
{
	int rows = view_crew_rows(tui) + 2;

	if (rows > body.rows * 3 / 5)
		rows = body.rows * 3 / 5;
	draw_view(tui, &tui->panes[PANE_CREW], area_rows(body, 0, rows),
	          keyed(tui) != &tui->modal && tui->focus == PANE_CREW);
	return area_rows(body, rows, body.rows);
}

static bool run_streams(const struct fold *fold)
{
	list_each(&fold->invocations, l)
		if (list_of(l, struct invocation, in_fold)->status == INVOCATION_STREAMING)
			return true;
	return false;
}

static bool has_stream(const struct tui *tui)
{
	list_each(&tui->model.runs, l)
		if (run_streams(&list_of(l, struct model_run, in_model)->fold))
			return true;
	return false;
}

/* Who streams stands beside the log from its first words on. */
static void draw_panes(struct tui *tui, struct area body)
{
	bool has_room = body.cols >= SIDE_BY_SIDE && !tui->is_maximised;
	bool is_low = body.rows < CREW_ROWS_MIN;

	for (size_t i = 0; i < PANES; i++)
		tui->panes[i].at = (struct area){0};
	if (!has_room || (is_low && tui->focus == PANE_CREW)) {
		draw_view(tui, &tui->panes[tui->focus], body, keyed(tui) != &tui->modal);
		return;
	}
	if (!tui_has_crew(tui) || is_low) {
		draw_pair(tui, body);
		return;
	}
	body = draw_crew(tui, body);
	tui->has_streamed = tui->has_streamed || has_stream(tui);
	if (tui->focus == PANE_LIVE || tui->has_streamed)
		draw_pair(tui, body);
	else
		draw_view(tui, &tui->panes[PANE_LOG], body,
		          keyed(tui) != &tui->modal && tui->focus == PANE_LOG);
}

static void screen_draw_row(struct area area, int row, enum style style, const char *words)
{
	struct pen pen = pen_at(area, row, 0, style);

	pen_put(&pen, text_of(words));
	pen_rest(&pen);
}

static void draw_paused(struct tui *tui, struct area area)
{
	char words[160], budget[40] = "";
	uint64_t steps = tui_fold(tui)->debug.step_budget;

	if (steps > 0)
		snprintf(budget, sizeof(budget), "  (step-budget %llu)", (unsigned long long)steps);
	snprintf(words, sizeof(words),
	         "  ⏸  PAUSED%s  —  s step · c continue · p pause · P arm · v states",
	         budget);
	screen_draw_row(area, 0, STYLE_PAUSED, words);
}

/* Of one run alone; what its session says of it counts. */
static bool is_finished(struct tui *tui)
{
	yyjson_val *member = tui_subject(tui);

	return !tui->line.is_shared && tui_fold(tui)->finished &&
	       (!member || roll_group(member) == GROUP_OVER);
}

/* What stands below the body takes its rows from the end. */
static struct area draw_below(struct tui *tui, struct area area)
{
	int rows = area.rows - 1;

	header_draw_footer(tui, area_rows(area, rows, 1));
	if (is_finished(tui))
		screen_draw_row(area, --rows, STYLE_FINISHED,
		                " ✓ Run finished — press Ctrl-C to quit");
	if (tui->modal.view && tui->overlay_count == 0) {
		int wanted = tui->modal.view->rows(tui, tui->modal.self, area.cols - 2) + 2;

		if (wanted > rows)
			wanted = rows;
		rows -= wanted;
		draw_view(tui, &tui->modal, area_rows(area, rows, wanted), !tui->is_aside);
	}
	return area_rows(area, 0, rows);
}

bool tui_has_crew(const struct tui *tui)
{
	const struct roll *roll = &tui->board.sessions.roll;

	return tui->line.is_shared
	               ? roll->count > 0
	               : sessions_find(&tui->board.sessions, text_of(tui->watched)) != NULL;
}

/* Of the newest of its runs that anything was heard of. */
static const struct fold *fold_of_session(const struct tui *tui, yyjson_val *member)
{
	yyjson_val *runs = yyjson_obj_get(member, "runs");
	const struct fold *fold = model_fold(&tui->model, json_text_at(member, "run"));

	for (size_t i = yyjson_arr_size(runs); i > 0 && fold == &tui->model.none; i--)
		fold = model_fold(&tui->model, json_text(yyjson_arr_get(runs, i - 1)));
	return fold;
}

const struct fold *tui_fold(struct tui *tui)
{
	yyjson_val *member = tui_subject(tui);

	return member ? fold_of_session(tui, member) : model_newest(&tui->model);
}

void tui_watch_run(struct tui *tui, struct text run)
{
	snprintf(tui->watched, sizeof(tui->watched), "%.*s", TEXT_ARG(run));
	tui->line.is_shared = !tui->watched[0];
	tui->line.watch(tui->line.self, text_of(tui->watched));
}

/* The keys are where something is. */
static void follow_crew(struct tui *tui)
{
	if (tui->focus == PANE_CREW && !tui_has_crew(tui))
		tui->focus = PANE_LOG;
	if (!tui->begins_with_crew || !tui_has_crew(tui))
		return;
	tui->begins_with_crew = false;
	tui->focus = PANE_CREW;
}

void tui_draw(struct tui *tui, int rows, int cols)
{
	struct area all, body;
	bool is_paused = tui_fold(tui)->debug.paused;

	follow_crew(tui);
	follow_modal(tui);
	tui->is_dirty = tui->has_cursor = false;
	canvas_size(&tui->canvas, rows, cols);
	all = canvas_all(&tui->canvas);
	header_draw(tui, area_rows(all, 0, HEADER_ROWS));
	body = area_rows(all, HEADER_ROWS, all.rows);
	if (is_paused) {
		draw_paused(tui, body);
		body = area_rows(body, 1, body.rows);
	}
	body = draw_below(tui, body);
	if (tui->overlay_count > 0)
		draw_view(tui, keyed(tui), body, true);
	else
		draw_panes(tui, body);
}

/* ---- the whole ---- */

void tui_init(struct tui *tui)
{
	static const struct view *const panes[PANES] = {&view_crew, &view_live, &view_log};

	memset(tui, 0, sizeof(*tui));
	model_init(&tui->model);
	board_init(&tui->board);
	typed_init(&tui->typing.field);
	canvas_init(&tui->canvas);
	buf_init(&tui->argument, ARGUMENT_MAX);
	tui->focus = PANE_LOG;
	for (size_t i = 0; i < PANES; i++)
		open_view(tui, &tui->panes[i], panes[i]);
}

void tui_forget(struct tui *tui)
{
	const char *alone = tui->model.alone;

	while (tui->overlay_count > 0)
		tui_close(tui);
	close_view(tui, &tui->modal);
	tui->has_streamed = false;
	model_finish(&tui->model);
	model_init(&tui->model);
	tui->model.alone = alone;
	tui_redraw(tui);
}

void tui_finish(struct tui *tui)
{
	while (tui->overlay_count > 0)
		tui_close(tui);
	close_view(tui, &tui->modal);
	for (size_t i = 0; i < PANES; i++)
		close_view(tui, &tui->panes[i]);
	model_finish(&tui->model);
	board_finish(&tui->board);
	typed_finish(&tui->typing.field);
	canvas_finish(&tui->canvas);
	buf_finish(&tui->argument);
}
