/* screen_test.c - what stands where, and what keys do, without a terminal. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "tui/inside.h"
#include "tui/transcript.h"

#define HAIKU "../shared/vectors/runs/haiku-sample.jsonl"
#define DEBUGGER "../shared/vectors/runs/debugger.jsonl"

static struct tui *tui;
static char sent[512];

static bool keep_sent(void *self, struct text frame)
{
	snprintf(sent, sizeof(sent), "%.*s", TEXT_ARG(frame));
	return true;
}

static int make(void **state)
{
	tui = must_alloc(sizeof(*tui));
	tui_init(tui);
	tui->is_recording = true;
	tui->now_ms = 1780798860000;
	sent[0] = '\0';
	return 0;
}

static int drop(void **state)
{
	tui_finish(tui);
	free(tui);
	return 0;
}

static void hear(const char *raw)
{
	struct error why;

	assert_true(tui_hear(tui, text_of(raw), &why));
}

static void hear_file(const char *path, int count)
{
	struct transcript transcript;
	struct error why;
	struct text line;

	if (access(path, R_OK) != 0) {
		print_message("# skipped: %s is not there\n", path);
		skip();
	}
	assert_true(transcript_open(&transcript, path, &why));
	while (count-- > 0 && transcript_next(&transcript, &line))
		assert_true(tui_hear(tui, line, &why));
	transcript_close(&transcript);
}

static void press(uint32_t code)
{
	const struct press one = {.code = code};

	tui_press(tui, &one);
}

static void point(uint32_t code, int row, int col)
{
	const struct press one = {code, row, col};

	tui_press(tui, &one);
}

/* All of the screen, with line ends. */
static const char *drawn(int rows, int cols)
{
	static char all[256 * 1024];
	struct buf out;

	tui_draw(tui, rows, cols);
	buf_init(&out, sizeof(all));
	for (int row = 0; row < tui->canvas.rows; row++) {
		canvas_row(&tui->canvas, row, &out);
		buf_add_char(&out, '\n');
	}
	snprintf(all, sizeof(all), "%.*s", TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
	return all;
}

#define assert_has(screen, words) assert_non_null(strstr(screen, words))
#define assert_lacks(screen, words) assert_null(strstr(screen, words))

/* ---- what stands where ---- */

static void a_narrow_screen_has_one_pane_and_a_wide_one_both(void **state)
{
	const char *screen;

	hear_file(HAIKU, 1000);
	screen = drawn(24, 80);
	assert_has(screen, "━ LOG ━");
	assert_lacks(screen, " LIVE ");
	screen = drawn(30, 100);
	assert_has(screen, "╭─ LIVE ─");
	assert_has(screen, "┏━ LOG ━");
	press('m');
	screen = drawn(30, 100);
	assert_lacks(screen, " LIVE ");
	press(PRESS_ESCAPE);
	press(PRESS_TAB);
	screen = drawn(30, 100);
	assert_has(screen, "┏━ LIVE ━");
	assert_has(screen, "╭─ LOG ─");
	assert_string_equal(tui->said, "");
}

static void the_header_tells_where_the_run_stands(void **state)
{
	const char *screen;

	hear_file(HAIKU, 47);
	screen = drawn(24, 80);
	assert_has(screen, "│ :escapement.runner/chart  :session/889d14f8");
	assert_has(screen, "▶ run › route-planner");
	assert_has(screen, "3 LLMs · 2 act · 67 t/s");
	assert_has(screen, "│ planning · ◉ route-planner · aborted");
	assert_has(screen, "◷ 0:00");
	assert_lacks(screen, "Run finished");
	hear_file(HAIKU, 1000);
	screen = drawn(24, 80);
	assert_has(screen, "states: [run done]");
	assert_has(screen, "◷ 0:05");
	assert_has(screen, " ✓ Run finished — press Ctrl-C to quit");
}

static void a_long_strip_is_a_window_around_the_current(void **state)
{
	const char *screen;

	hear("{\"kind\":\"phase\",\"config\":[\"run\",\"state-six\"],\"siblings\":[\"state-one\","
	     "\"state-two\",\"state-three\",\"state-four\",\"state-five\",\"state-six\","
	     "\"state-seven\","
	     "\"state-eight\",\"state-nine\"]}");
	screen = drawn(24, 60);
	assert_has(screen, "… state-three · state-four · state-five · ◉ state-six …");
	assert_has(drawn(24, 200), "state-one · state-two");
}

static void a_paused_run_says_so(void **state)
{
	const char *screen;

	hear_file(DEBUGGER, 1000);
	screen = drawn(24, 80);
	assert_has(screen,
	           "  ⏸  PAUSED  —  s step · c continue · p pause · P arm · v states\n");
	hear("{\"kind\":\"debug\",\"paused\":true,\"step-budget\":3}");
	assert_has(drawn(24, 80), "PAUSED  (step-budget 3)  —");
	hear("{\"kind\":\"debug\",\"paused\":false,\"step-budget\":1}");
	assert_lacks(drawn(24, 80), "PAUSED");
}

static void the_clock_of_a_live_run_goes_on(void **state)
{
	hear("{\"event\":\"llm/start\",\"ts\":1780798800000,\"data\":{}}");
	assert_has(drawn(24, 80), "◷ 0:00");
	tui->is_recording = false;
	assert_has(drawn(24, 80), "◷ 1:00");
	tui->now_ms += 3600 * 1000;
	assert_has(drawn(24, 80), "◷ 1:01:00");
	hear("{\"event\":\"runner/done\",\"ts\":1780798801000,\"data\":{}}");
	assert_has(drawn(24, 80), "◷ 0:01");
}

/* ---- LIVE ---- */

static void a_rate_that_nobody_knows_is_a_dash(void **state)
{
	hear("{\"event\":\"llm/delta\",\"ts\":1780798801000,\"data\":"
	     "{\"invokeid\":\"poet\",\"text\":\"x\"}}");
	press(PRESS_TAB);
	assert_has(drawn(24, 80), "- tok      - t/s");
	assert_has(drawn(24, 80), "1 LLMs · 1 act · - t/s");
	hear("{\"event\":\"llm/delta\",\"ts\":1780798801500,\"data\":"
	     "{\"invokeid\":\"poet\",\"text\":\"y\",\"usage\":{\"output-tokens\":2}}}");
	assert_has(drawn(24, 80), "2 tok    4.0 t/s");
}

static void who_streams_is_quoted(void **state)
{
	const char *screen;

	hear_file(HAIKU, 47);
	press(PRESS_TAB);
	screen = drawn(24, 80);
	assert_has(screen, "poet1           ▸ answering ");
	assert_has(screen, "┊ First falls");
	assert_has(screen, "poet2           ▸ thinking ");
	assert_has(screen, "2 tok   66.7 t/s");
	assert_has(screen, "planner         ✓ finished   gemma3:1b          29 tok   68.1 t/s");
}

static void many_of_one_name_are_a_group(void **state)
{
	const char *screen;
	char raw[128];

	for (int i = 0; i < 9; i++) {
		snprintf(raw, sizeof(raw),
		         "{\"event\":\"llm/start\",\"ts\":%d,\"data\":{\"invokeid\":\"judge\","
		         "\"session-id\":\"s%d\"}}",
		         i, i);
		hear(raw);
	}
	hear("{\"event\":\"llm/response\",\"ts\":9,\"data\":{\"invokeid\":\"judge\","
	     "\"session-id\":\"s0\"}}");
	press(PRESS_TAB);
	screen = drawn(24, 80);
	assert_has(screen, "judge           ◇ 1/9 done [█░░░░░░░░░] ");
	assert_has(screen, " ├ s0            ✓ finished");
	assert_has(screen, " ├ s5            ▸ thinking");
	assert_has(screen, " └ …+3 more sessions");
	assert_lacks(screen, "s6");
}

static int chosen_row(void)
{
	for (int row = 0; row < tui->canvas.rows; row++)
		if (tui->canvas.cells[row * tui->canvas.cols + 2].style & STYLE_CHOSEN)
			return row;
	return -1;
}

static void what_is_chosen_stays_chosen_when_rows_move(void **state)
{
	hear_file(HAIKU, 47);
	press(PRESS_TAB);
	drawn(24, 80);
	assert_int_equal(chosen_row(), 6);
	press('j');
	drawn(24, 80);
	assert_int_equal(chosen_row(), 8); /* the quote between them is passed over */
	press('k');
	press('k');
	drawn(24, 80);
	assert_int_equal(chosen_row(), 6);
	press('G');
	drawn(24, 80);
	assert_int_equal(chosen_row(), 10);
	hear_file(HAIKU, 1000); /* planner begins anew, and ends again */
	drawn(24, 80);
	assert_true(chosen_row() > 0);
	point(PRESS_CLICK, 6, 10);
	drawn(24, 80);
	assert_int_equal(chosen_row(), 6);
}

/* ---- LOG ---- */

static void log_numbers(int count)
{
	char raw[96];

	for (int i = 0; i < count; i++) {
		snprintf(raw, sizeof(raw),
		         "{\"event\":\"n%s\",\"ts\":%d,\"data\":{\"is\":\"<%d>\"}}",
		         i % 2 ? "odd" : "even", i, i);
		hear(raw);
	}
}

static void the_log_follows_until_somebody_scrolls_up(void **state)
{
	const char *screen;

	log_numbers(100);
	screen = drawn(24, 80);
	assert_has(screen, "<99>");
	assert_lacks(screen, "<83>"); /* sixteen rows */
	press('k');
	screen = drawn(24, 80);
	assert_lacks(screen, "<99>");
	assert_has(screen, "<83>");
	assert_has(screen, " 1 below ");
	hear("{\"event\":\"new\",\"ts\":1}");
	screen = drawn(24, 80);
	assert_lacks(screen, "new");
	assert_has(screen, " 2 below ");
	press('g');
	screen = drawn(24, 80);
	assert_has(screen, "<0>");
	press('k');
	assert_has(drawn(24, 80), "<0>");
	press(PRESS_PAGE_DOWN);
	screen = drawn(24, 80);
	assert_has(screen, "<15>");
	assert_lacks(screen, "<14>");
	press('G');
	assert_has(drawn(24, 80), "new");
	point(PRESS_WHEEL_UP, 10, 10);
	assert_has(drawn(24, 80), " 3 below ");
	press(PRESS_END);
	assert_lacks(drawn(24, 80), " below ");
}

static void a_filter_shows_only_what_has_it(void **state)
{
	const char *screen;

	log_numbers(100);
	snprintf(tui->filter, sizeof(tui->filter), "NODD");
	screen = drawn(24, 80);
	assert_has(screen, "/NODD");
	assert_has(screen, "<99>");
	assert_has(screen, "<69>");
	assert_lacks(screen, "<98>");
	press(PRESS_PAGE_UP);
	screen = drawn(24, 80);
	assert_lacks(screen, "<71>");
	assert_has(screen, "<69>");
	press('g');
	screen = drawn(24, 80);
	assert_has(screen, "<1>");
	assert_has(screen, "<31>");
	assert_lacks(screen, "<33>");
}

static void lines_that_are_gone_leave_a_held_log_at_its_oldest(void **state)
{
	log_numbers(100);
	drawn(24, 80);
	press('g');
	log_numbers(2 * MODEL_LINES_MAX);
	assert_lacks(drawn(24, 80), "<99>");
	press('j');
	drawn(24, 80);
	press('G');
	assert_has(drawn(24, 80), "<3999>");
}

static void a_nul_hides_nothing(void **state)
{
	hear("{\"kind\":\"event\",\"seq\":1,\"ts\":1,\"event\":\"llm/user-message\",\"data\":{"
	     "\"invokeid\":\"poet\",\"text\":\"ls\\u0000; rm -rf ~\"}}");
	assert_has(drawn(24, 80), "; rm -rf ~");
}

/* ---- keys ---- */

static void a_recording_has_nobody_to_hear_it(void **state)
{
	press('s');
	assert_has(drawn(24, 80), "this is a recording: nobody listens");
	tui->now_ms += TUI_SAY_MS + 1;
	assert_lacks(drawn(24, 80), "nobody listens");
	press('q');
	assert_true(tui->wants_quit);
}

static void what_is_pasted_does_nothing(void **state)
{
	tui->line.send = keep_sent;
	press(PRESS_PASTE_BEGIN);
	press('s');
	press('q');
	press(PRESS_CTRL('c'));
	press(PRESS_PASTE_END);
	assert_string_equal(sent, "");
	assert_false(tui->wants_quit);
	press('s');
	assert_has(sent, "which");
}

static void a_click_gives_a_pane_the_keys(void **state)
{
	hear_file(HAIKU, 1000);
	drawn(30, 120);
	point(PRESS_CLICK, 10, 10);
	assert_int_equal(tui->focus, PANE_LIVE);
	point(PRESS_CLICK, 10, 100);
	assert_int_equal(tui->focus, PANE_LOG);
	point(PRESS_CLICK, 0, 0);
	point(PRESS_CLICK, -1, 5000);
	assert_int_equal(tui->focus, PANE_LOG);
}

/* ---- sizes ---- */

static void every_size_can_be_drawn(void **state)
{
	hear_file(HAIKU, 47);
	hear("{\"kind\":\"debug\",\"paused\":true,\"step-budget\":0}");
	for (int focus = 0; focus < PANES; focus++) {
		for (int rows = 0; rows < 30; rows++)
			for (int cols = 0; cols < 130; cols += 3)
				tui_draw(tui, rows, cols);
		press(PRESS_TAB);
	}
	tui_draw(tui, 100000, 100000);
	assert_int_equal(tui->canvas.rows, CANVAS_ROWS_MAX);
	assert_int_equal(tui->canvas.cols, CANVAS_COLS_MAX);
}

static void every_view_is_listed_with_a_name_and_hints(void **state)
{
	for (size_t i = 0; views[i]; i++) {
		assert_non_null(views[i]->name);
		assert_non_null(views[i]->title);
		assert_non_null(views[i]->hints);
		assert_non_null(views[i]->draw);
		assert_true(views[i]->place != VIEW_MODAL || (views[i]->wanted && views[i]->rows));
	}
}

#define each(test) cmocka_unit_test_setup_teardown(test, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(a_narrow_screen_has_one_pane_and_a_wide_one_both),
		each(the_header_tells_where_the_run_stands),
		each(a_long_strip_is_a_window_around_the_current),
		each(a_paused_run_says_so),
		each(the_clock_of_a_live_run_goes_on),
		each(a_rate_that_nobody_knows_is_a_dash),
		each(who_streams_is_quoted),
		each(many_of_one_name_are_a_group),
		each(what_is_chosen_stays_chosen_when_rows_move),
		each(the_log_follows_until_somebody_scrolls_up),
		each(a_filter_shows_only_what_has_it),
		each(lines_that_are_gone_leave_a_held_log_at_its_oldest),
		each(a_nul_hides_nothing),
		each(a_recording_has_nobody_to_hear_it),
		each(what_is_pasted_does_nothing),
		each(a_click_gives_a_pane_the_keys),
		each(every_size_can_be_drawn),
		each(every_view_is_listed_with_a_name_and_hints),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
