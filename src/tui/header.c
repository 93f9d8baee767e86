/* header.c - what is watched, where it stands and how much of it; and the footer. */
#include <stdio.h>

#include "tui/inside.h"

/* ---- the clock ---- */

static double elapsed_ms(const struct tui *tui)
{
	const struct fold *fold = &tui->model.fold;
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

/* ---- the rows ---- */

static void draw_title(struct tui *tui, struct area area)
{
	const struct fold *fold = &tui->model.fold;
	char clock[40];
	struct pen pen;

	print_clock(clock, elapsed_ms(tui));
	pen = pen_at(put_right(area, 0, STYLE_METRIC, clock), 0, 0, STYLE_TITLE);
	pen_put(&pen, text_of(fold->chart ? fold->chart : "session"));
	if (!fold->session)
		return;
	pen.style = STYLE_DIM;
	pen_put(&pen, TEXT("  "));
	pen_put(&pen, text_of(fold->session));
}

static void draw_breadcrumb(struct tui *tui, struct area area)
{
	const struct fold *fold = &tui->model.fold;
	const struct states *states = fold->breadcrumb.count ? &fold->breadcrumb : &fold->config;
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
	pen_put(&pen, TEXT("▶ "));
	for (size_t i = 0; i < states->count; i++) {
		if (i)
			pen_styled(&pen, STYLE_PHASE_NEXT, TEXT(" › "));
		pen_styled(&pen, i + 1 < states->count ? STYLE_PHASE_DONE : STYLE_PHASE,
		           text_of(states->at[i]));
	}
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

static void draw_states(struct tui *tui, struct area area)
{
	const struct fold *fold = &tui->model.fold;
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

void header_draw(struct tui *tui, struct area area)
{
	struct border box = {.style = STYLE_BORDER, .title = TEXT("signalbox")};
	struct area inside = area_box(area, &box);

	inside = area_part(inside, 0, 1, inside.rows, inside.cols - 2);
	draw_title(tui, inside);
	draw_breadcrumb(tui, inside);
	draw_states(tui, inside);
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
