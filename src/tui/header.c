/* header.c - the session that is chosen or watched: where it stands, what it cost; and the footer.
 *
 * A recording has no session: there it is the run, as its frames tell it.
 */
#include <stdio.h>

#include "crew/words.h"
#include "tui/crew.h"
#include "tui/look.h"

#define FIGURES_MAX (4 * KIB)

/* ---- the clock ---- */

static double elapsed_ms(const struct tui *tui, const struct fold *fold)
{
	double end = fold->last_ts;

	if (!tui->is_recording && !fold->finished && (double)tui->now_ms > end)
		end = (double)tui->now_ms;
	return fold->first_ts > 0 && end > fold->first_ts ? end - fold->first_ts : 0;
}

static void print_clock(char words[40], double ms)
{
	unsigned long long seconds = (unsigned long long)(ms / 1000);

	if (seconds < 3600)
		snprintf(words, 40, "◷ %llu:%02llu", seconds / 60, seconds % 60);
	else
		snprintf(words, 40, "◷ %llu:%02llu:%02llu", seconds / 3600, seconds / 60 % 60,
		         seconds % 60);
}

/* Words at the right edge; what is left of the row for others. */
static struct area put_right(struct area area, int row, enum style style, const char *words)
{
	int cols = wide_width(text_of(words));
	struct pen pen = pen_at(area, row, area.cols > cols ? area.cols - cols : 0, style);

	pen_put(&pen, text_of(words));
	return area_part(area, 0, 0, area.rows, area.cols - cols - 2);
}

/* ---- the strip of siblings ---- */

static size_t current_sibling(const struct fold *fold)
{
	for (size_t c = fold->config.count; c > 0; c--)
		for (size_t i = 0; i < fold->siblings.count; i++)
			if (strcmp(fold->siblings.at[i], fold->config.at[c - 1]) == 0)
				return i;
	return fold->siblings.count;
}

/* A window around the current one, grown to the left first, as far as there is room. */
static void window(const struct states *states, size_t current, int room, size_t bounds[2])
{
	size_t from = current, to = current + 1;

	room -= wide_width(text_of(states->at[current])) + 2 + 4; /* its mark, two edges */
	for (;;) {
		int left = from > 0 ? wide_width(text_of(states->at[from - 1])) + 3 : 0;
		int right = to < states->count ? wide_width(text_of(states->at[to])) + 3 : 0;

		if (left && left <= room) {
			room -= left;
			from--;
		} else if (right && right <= room) {
			room -= right;
			to++;
		} else {
			break;
		}
	}
	bounds[0] = from;
	bounds[1] = to;
}

static void draw_siblings(const struct fold *fold, struct pen *pen)
{
	const struct states *states = &fold->siblings;
	size_t current = current_sibling(fold), bounds[2];

	window(states, current < states->count ? current : 0, pen_left(pen), bounds);
	if (bounds[0] > 0)
		pen_styled(pen, STYLE_PHASE_NEXT, TEXT("… "));
	for (size_t i = bounds[0]; i < bounds[1]; i++) {
		if (i > bounds[0])
			pen_styled(pen, STYLE_PHASE_NEXT, TEXT(" · "));
		pen->style = i == current  ? STYLE_PHASE
		             : i < current ? STYLE_PHASE_DONE
		                           : STYLE_PHASE_NEXT;
		if (i == current)
			pen_put(pen, TEXT("◉ "));
		pen_put(pen, text_of(states->at[i]));
	}
	if (bounds[1] < states->count)
		pen_styled(pen, STYLE_PHASE_NEXT, TEXT(" …"));
}

/* ---- a run that no session has ---- */

static void draw_title(struct tui *tui, const struct fold *fold, struct area area)
{
	char clock[40];
	struct pen pen;

	print_clock(clock, elapsed_ms(tui, fold));
	pen = pen_at(put_right(area, 0, STYLE_METRIC, clock), 0, 0, STYLE_TITLE);
	pen_put(&pen, text_of(fold->chart ? fold->chart : "session"));
	if (!fold->session)
		return;
	pen.style = STYLE_DIM;
	pen_put(&pen, TEXT("  "));
	pen_put(&pen, text_of(fold->session));
}

static void put_path(struct pen *pen, const struct states *states)
{
	pen_styled(pen, STYLE_PHASE, TEXT("▶ "));
	for (size_t i = 0; i < states->count; i++) {
		if (i)
			pen_styled(pen, STYLE_PHASE_NEXT, TEXT(" › "));
		pen_styled(pen, i + 1 < states->count ? STYLE_PHASE_DONE : STYLE_PHASE,
		           text_of(states->at[i]));
	}
}

static const struct states *path_of(const struct fold *fold)
{
	return fold->breadcrumb.count ? &fold->breadcrumb : &fold->config;
}

static void draw_breadcrumb(const struct fold *fold, struct area area)
{
	struct fold_totals totals = fold_totals(fold);
	char words[80];
	struct pen pen;

	if (totals.live && totals.tps <= 0)
		snprintf(words, sizeof(words), "%zu LLMs · %zu act · - t/s", totals.invocations,
		         totals.live);
	else
		snprintf(words, sizeof(words), "%zu LLMs · %zu act · %.0f t/s", totals.invocations,
		         totals.live, totals.tps);
	pen = pen_at(put_right(area, 1, STYLE_METRIC, words), 1, 0, STYLE_PHASE);
	put_path(&pen, path_of(fold));
}

static void draw_states(const struct fold *fold, struct area area)
{
	struct pen pen = pen_at(area, 2, 0, STYLE_DIM);

	if (fold->siblings.count > 0) {
		draw_siblings(fold, &pen);
		return;
	}
	pen_put(&pen, TEXT("states: ["));
	for (size_t i = 0; i < fold->config.count; i++) {
		if (i)
			pen_put(&pen, TEXT(" "));
		pen_put(&pen, text_of(fold->config.at[i]));
	}
	pen_put(&pen, TEXT("]"));
}

static void draw_run(struct tui *tui, struct area area)
{
	const struct fold *fold = tui_fold(tui);

	draw_title(tui, fold, area);
	draw_breadcrumb(fold, area);
	draw_states(fold, area);
}

/* ---- a session ---- */

/* Its name and title; how long it has been there. */
static void draw_identity(struct tui *tui, yyjson_val *member, struct area area)
{
	double first = 0, end = (double)tui->now_ms;
	char clock[40];
	struct pen pen;

	json_number(yyjson_obj_get(member, "first"), &first);
	if (roll_group(member) == GROUP_OVER)
		json_number(yyjson_obj_get(member, "last"), &end);
	print_clock(clock, first > 0 && end > first ? end - first : 0);
	pen = pen_at(put_right(area, 0, STYLE_METRIC, clock), 0, 0, STYLE_TITLE);
	pen_put(&pen, json_text_at(member, "handle"));
	pen.style = STYLE_DIM;
	pen_put(&pen, TEXT("  "));
	pen_put(&pen, json_text_at(member, "title"));
}

static void add_figure(struct buf *out, const char *unit,
                       void (*say)(struct buf *out, yyjson_val *member), yyjson_val *member)
{
	size_t before = out->len;

	if (before)
		buf_add(out, TEXT(" · "));
	say(out, member);
	if (out->len == before + (before ? strlen(" · ") : 0))
		out->len = before;
	else
		buf_add(out, text_of(unit));
}

/* What it does and since when, in full; its plan, tokens and cost. */
static void draw_doing(struct tui *tui, yyjson_val *member, struct area area)
{
	struct session_look look = look_of_group(roll_group(member));
	yyjson_val *state = yyjson_obj_get(member, "state");
	struct buf figures, words;
	struct pen pen;

	buf_init(&figures, FIGURES_MAX);
	add_figure(&figures, "", words_plan, member);
	add_figure(&figures, " tokens", words_tokens, member);
	add_figure(&figures, "", words_cost, member);
	buf_add_char(&figures, '\0');
	buf_init(&words, FIGURES_MAX);
	buf_print(&words, "%s ", look.glyph);
	words_state(&words, state);
	pen = pen_at(put_right(area, 1, STYLE_METRIC, figures.at), 1, 0, look.style);
	pen_put(&pen, buf_text(&words));
	buf_clear(&words);
	words_clock(&words, state, (double)tui->now_ms);
	pen_put(&pen, TEXT("  "));
	pen_styled(&pen, STYLE_TIME, buf_text(&words));
	buf_finish(&words);
	buf_finish(&figures);
}

/* Where its chart is, if it has one. */
static void draw_chart(const struct fold *fold, struct area area)
{
	const char *chart = fold->chart ? fold->chart : "";
	struct pen pen = pen_at(put_right(area, 2, STYLE_DIM, chart), 2, 0, STYLE_PHASE);

	put_path(&pen, path_of(fold));
	if (!fold->siblings.count)
		return;
	pen_put(&pen, TEXT("   "));
	draw_siblings(fold, &pen);
}

/* Which program it is, and where it works. */
static void draw_place(yyjson_val *member, struct area area)
{
	static const char *const names[] = {"agent", "model", "mode", "branch", "folder"};
	struct pen pen = pen_at(area, 2, 0, STYLE_DIM);
	const char *between = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct text word = json_text_at(member, names[i]);

		if (!word.len)
			continue;
		pen_put(&pen, text_of(between));
		pen_put(&pen, word);
		between = " · ";
	}
}

static void draw_session(struct tui *tui, yyjson_val *member, struct area area)
{
	const struct fold *fold = tui_fold(tui);

	draw_identity(tui, member, area);
	draw_doing(tui, member, area);
	if (fold->config.count > 0)
		draw_chart(fold, area);
	else
		draw_place(member, area);
}

/* Nobody of them is listed: all are over, or a filter has none. */
static void draw_nobody(struct area area)
{
	struct pen pen = pen_at(area, 0, 0, STYLE_DIM);

	pen_put(&pen, TEXT("no session is chosen"));
}

void header_draw(struct tui *tui, struct area area)
{
	yyjson_val *member = tui_subject(tui);
	struct border box = {.style = STYLE_BORDER, .title = TEXT("signalbox")};
	struct area inside;

	if (tui_has_crew(tui))
		box.note = tui->line.is_shared ? TEXT("all sessions") : TEXT("one session");
	inside = area_box(area, &box);
	inside = area_part(inside, 0, 1, inside.rows, inside.cols - 2);
	if (member)
		draw_session(tui, member, inside);
	else if (tui_has_crew(tui))
		draw_nobody(inside);
	else
		draw_run(tui, inside);
}

/* ---- the footer ---- */

static const char *hints_of(const struct tui *tui)
{
	if (tui->overlay_count > 0)
		return tui->overlays[tui->overlay_count - 1].view->hints;
	return tui->modal.view && !tui->is_aside ? tui->modal.view->hints
	                                         : tui->panes[tui->focus].view->hints;
}

void header_draw_footer(struct tui *tui, struct area area)
{
	bool says = tui->said_until_ms > tui->now_ms;
	struct buf words;
	struct pen pen;

	if (typing_draw(tui, area) || steer_draw(tui, area))
		return;
	buf_init(&words, KIB);
	buf_add_char(&words, ' ');
	if (tui->line.name)
		buf_add(&words, text_of(tui->line.name));
	if (tui->line.state)
		tui->line.state(tui->line.self, &words);
	buf_add(&words, TEXT(" \0"));
	words.at[words.len - 1] = '\0';
	pen = pen_at(put_right(area, 0, STYLE_DIM, words.at), 0, 0,
	             says ? STYLE_WAITING : STYLE_DIM);
	pen_put(&pen, TEXT(" "));
	pen_put(&pen, text_of(says ? tui->said : hints_of(tui)));
	buf_finish(&words);
}
