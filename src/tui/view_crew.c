/* view_crew.c - the CREW pane: every session, who waits for a person first, and its subagents.
 *
 * The rows, their order and their words are those of `signalbox run list` and of the page.  Those
 * that are over are counted in the last row, until somebody wants to see them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "crew/words.h"
#include "tui/crew.h"
#include "tui/look.h"
#include "tui/rows.h"

#define HANDLE_MAX 160
#define WIDE_COLS 100
#define NARROW_COLS 70
#define DEPTH_SHOWN_MAX 3

struct crew_row {
	yyjson_val *member, *agent; /* agent: NULL is the session itself */
	int depth;                  /* below others; not of an agent */
};

struct crew_view {
	struct rows rows;
	struct crew_row *all; /* valid until the box tells more */
	size_t count, over;
	bool shows_over;
	char chosen[HANDLE_MAX]; /* by its handle, so that it stays when others move */
};

/* ---- rows ---- */

static bool is_done(yyjson_val *state)
{
	enum crew_state known;

	return state_of_name(json_text_at(state, "name"), &known) && state_is_over(known);
}

static void add_agents(struct crew_view *view, yyjson_val *member)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(member, "agents"));
	yyjson_val *agent;

	while ((agent = yyjson_arr_iter_next(&it)))
		if (!is_done(yyjson_obj_get(agent, "state")))
			view->all[view->count++] = (struct crew_row){member, agent, 0};
}

static size_t most_rows(const struct roll *roll)
{
	size_t n = 1;

	for (size_t i = 0; i < roll->count; i++)
		n += 1 + yyjson_arr_size(yyjson_obj_get(roll->members[i], "agents"));
	return n;
}

static bool is_listed(const struct tui *tui, const struct crew_view *view, yyjson_val *member)
{
	if (roll_group(member) == GROUP_OVER && !view->shows_over)
		return false;
	return !tui->filter[0] ||
	       text_has_nocase(json_text_at(member, "handle"), text_of(tui->filter)) ||
	       text_has_nocase(json_text_at(member, "title"), text_of(tui->filter));
}

static void list_session(struct crew_view *view, yyjson_val *member, int depth)
{
	view->all[view->count++] = (struct crew_row){member, NULL, depth};
	add_agents(view, member);
}

static void list_sessions(const struct tui *tui, struct crew_view *view)
{
	const struct roll *roll = &tui->board.sessions.roll;
	yyjson_val *alone = tui->line.is_shared
	                            ? NULL
	                            : sessions_find(&tui->board.sessions, text_of(tui->watched));

	free(view->all);
	view->all = must_zero(most_rows(roll), sizeof(*view->all));
	view->count = view->over = 0;
	if (alone)
		list_session(view, alone, 0);
	if (!tui->line.is_shared)
		return;
	view->over = view->shows_over ? 0 : roll_count(roll, GROUP_OVER);
	for (size_t i = 0; i < roll->count; i++)
		if (is_listed(tui, view, roll->members[i]))
			list_session(view, roll->members[i], tui->filter[0] ? 0 : roll->depths[i]);
}

int view_crew_rows(struct tui *tui)
{
	struct crew_view *view = tui->panes[PANE_CREW].self;

	list_sessions(tui, view);
	return (int)view->count + (view->over > 0);
}

/* ---- choosing ---- */

static void keep_chosen(struct crew_view *view)
{
	if (view->rows.chosen < view->count)
		snprintf(view->chosen, sizeof(view->chosen), "%.*s",
		         TEXT_ARG(json_text_at(view->all[view->rows.chosen].member, "handle")));
}

static void find_chosen(struct crew_view *view)
{
	size_t at = view->rows.chosen;

	if (at < view->count && text_is(json_text_at(view->all[at].member, "handle"), view->chosen))
		return;
	for (size_t i = 0; i < view->count; i++)
		if (!view->all[i].agent &&
		    text_is(json_text_at(view->all[i].member, "handle"), view->chosen)) {
			view->rows.chosen = i;
			return;
		}
}

static yyjson_val *chosen_member(const struct crew_view *view)
{
	return view->rows.chosen < view->count ? view->all[view->rows.chosen].member : NULL;
}

struct text view_crew_chosen(struct tui *tui)
{
	struct crew_view *view = tui->panes[PANE_CREW].self;

	if (tui->focus != PANE_CREW || !tui->line.is_shared)
		return TEXT("");
	list_sessions(tui, view);
	find_chosen(view);
	return json_text_at(chosen_member(view), "run");
}

yyjson_val *tui_subject(struct tui *tui)
{
	struct crew_view *view = tui->panes[PANE_CREW].self;

	list_sessions(tui, view);
	find_chosen(view);
	return chosen_member(view);
}

/* ---- what is done with it ---- */

static void visit(struct tui *tui, yyjson_val *member)
{
	struct text run = json_text_at(member, "run");
	struct text handle = json_text_at(member, "handle");
	char name[HANDLE_MAX];

	if (!tui->line.watch || !run.len)
		return;
	snprintf(name, sizeof(name), "%.*s", TEXT_ARG(handle)); /* run may go with what is heard */
	tui->is_visiting = true;
	tui->focus = PANE_LOG;
	tui_watch_run(tui, run);
	tui_say(tui, "only %s; Esc goes back to all", name);
}

/* Its question is the next that stands there. */
static void go_to_question(struct tui *tui, yyjson_val *member)
{
	struct text id = json_text_at(yyjson_obj_get(member, "state"), "prompt");
	struct asked *asked = id.len ? model_asked(&tui->model, id) : NULL;

	if (!asked) {
		tui_say(tui, "it asks nothing");
		return;
	}
	list_remove(&asked->in_model);
	list_add(tui->model.prompts.next, &asked->in_model);
	tui->is_aside = false;
}

static void go_to_next_waiting(struct tui *tui, struct crew_view *view)
{
	for (size_t i = 1; i <= view->count; i++) {
		size_t at = (view->rows.chosen + i) % view->count;

		if (!view->all[at].agent && roll_group(view->all[at].member) == GROUP_WAITS) {
			view->rows.chosen = at;
			return;
		}
	}
	tui_say(tui, "nobody waits for you");
}

static bool crew_press(struct tui *tui, void *self, const struct press *press)
{
	struct crew_view *view = self;
	yyjson_val *member;
	bool taken = true;

	list_sessions(tui, view); /* the box may have told more since they were drawn */
	find_chosen(view);
	view->rows.count = view->count;
	taken = rows_press(&view->rows, press);
	member = chosen_member(view);
	if (!taken && (press->code == PRESS_ENTER || press->code == PRESS_DOUBLE)) {
		visit(tui, member);
		taken = true;
	} else if (press->code == 'a' || press->code == 'n' || press->code == 'f') {
		if (press->code == 'a')
			go_to_question(tui, member);
		else if (press->code == 'n')
			go_to_next_waiting(tui, view);
		else
			view->shows_over = !view->shows_over;
		taken = true;
	}
	keep_chosen(view);
	return taken;
}

/* ---- drawing ---- */

static int state_cols(const struct pen *pen)
{
	return pen->area.cols >= WIDE_COLS ? 34 : pen->area.cols >= NARROW_COLS ? 28 : 20;
}

/* One that another session began stands below it. */
static void put_handle(struct pen *pen, yyjson_val *member, int depth)
{
	int indent = 2 * (depth < DEPTH_SHOWN_MAX ? depth : DEPTH_SHOWN_MAX);
	uint8_t chosen = pen->style & STYLE_CHOSEN;

	if (indent) {
		pen_print(pen, "%*s", indent - 2, "");
		pen_styled(pen, STYLE_BORDER | chosen, TEXT("└ "));
	}
	look_put_name(pen, json_text_at(member, "handle"),
	              (pen->area.cols >= WIDE_COLS ? 18 : 14) - indent);
	pen_put(pen, TEXT(" "));
}

static void draw_member(struct tui *tui, struct pen *pen, const struct crew_row *row)
{
	yyjson_val *member = row->member;
	struct session_look look = look_of_group(roll_group(member));
	uint8_t chosen = pen->style & STYLE_CHOSEN;
	struct text title = json_text_at(member, "title");

	pen_put(pen, TEXT(" "));
	pen_styled(pen, look.style | chosen, text_of(look.glyph));
	pen_put(pen, TEXT(" "));
	put_handle(pen, member, row->depth);
	look_put_state(pen, yyjson_obj_get(member, "state"), tui->now_ms, state_cols(pen));
	if (pen->area.cols >= NARROW_COLS)
		look_put_words(pen, words_plan, member, 5);
	pen->style = STYLE_METRIC | chosen;
	if (pen->area.cols >= WIDE_COLS) {
		look_put_words(pen, words_tokens, member, 7);
		look_put_words(pen, words_cost, member, 10);
	}
	pen->style = STYLE_DIM | chosen;
	pen_put(pen, title.len ? title : json_text_at(member, "agent"));
}

static void draw_agent(struct tui *tui, struct pen *pen, yyjson_val *agent)
{
	struct text task = json_text_at(agent, "task");
	uint8_t chosen = pen->style & STYLE_CHOSEN;

	pen_styled(pen, STYLE_BORDER | chosen, TEXT("   └ "));
	pen_fit(pen, json_text_at(agent, "name"), pen->area.cols >= WIDE_COLS ? 16 : 12);
	pen_put(pen, TEXT(" "));
	look_put_state(pen, yyjson_obj_get(agent, "state"), tui->now_ms, state_cols(pen));
	pen->style = STYLE_DIM | chosen;
	pen_put(pen, task);
}

static void draw_crew_row(struct tui *tui, struct crew_view *view, struct pen pen, size_t at)
{
	if (at == view->count) {
		pen.style = STYLE_DIM;
		if (view->over > 0)
			pen_print(&pen, "   %zu finished: f shows %s", view->over,
			          view->over == 1 ? "it" : "them");
		return;
	}
	if (view->all[at].agent)
		draw_agent(tui, &pen, view->all[at].agent);
	else
		draw_member(tui, &pen, &view->all[at]);
	if (pen.style & STYLE_CHOSEN)
		pen_rest(&pen);
}

static void crew_draw(struct tui *tui, void *self, struct area area)
{
	struct crew_view *view = self;
	bool has_keys = tui->focus == PANE_CREW;

	list_sessions(tui, view);
	find_chosen(view);
	rows_fit(&view->rows, view->count, area);
	keep_chosen(view);
	for (int i = 0; i < area.rows; i++) {
		size_t at = view->rows.top + (size_t)i;

		if (at <= view->count)
			draw_crew_row(tui, view,
			              pen_at(area, i, 0,
			                     has_keys ? rows_style(&view->rows, i) : STYLE_PLAIN),
			              at);
	}
}

static void crew_note(struct tui *tui, void *self, struct buf *out)
{
	const struct roll *roll = &tui->board.sessions.roll;
	size_t counts[GROUPS];

	if (!tui->line.is_shared)
		return;
	for (unsigned i = 0; i < GROUPS; i++)
		counts[i] = roll_count(roll, (enum crew_group)i);
	if (tui->filter[0])
		buf_print(out, "/%s · ", tui->filter);
	words_groups(out, counts);
}

static void crew_close(struct tui *tui, void *self)
{
	struct crew_view *view = self;

	free(view->all);
}

const struct view view_crew = {
	.name = "crew",
	.title = "CREW",
	.hints =
		"j/k choose · Enter open · a answer · x interrupt · n next that waits · f finished",
	.place = VIEW_PANE,
	.size = sizeof(struct crew_view),
	.close = crew_close,
	.draw = crew_draw,
	.note = crew_note,
	.press = crew_press,
};
