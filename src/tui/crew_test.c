/* crew_test.c - the sessions on the screen: their order, their words, the keys and the bell. */
#include "tui/test_views.h"

#define NOW 1780798860000

/* As a box tells it: who is it, in which group and state. */
static void tell(const char *how, const char *members)
{
	char *message = must_print("{\"op\":\"crew\",\"%s\":[%s],\"at\":1}", how, members);

	assert_int_equal(board_hear(&tui->board, text_of(message)), BOARD_CHANGED);
	free(message);
}

#define SHOP \
	"{\"id\":\"s\",\"run\":\"s-run\",\"handle\":\"shop-1\",\"title\":\"Sell\"," \
	"\"group\":\"work\"," \
	"\"state\":{\"name\":\"tool\",\"since\":1780798816000,\"tool\":\"Bash\"," \
	"\"target\":\"npm test\"}," \
	"\"plan\":{\"done\":2,\"total\":5},\"agents\":[" \
	"{\"id\":\"e\",\"name\":\"Explore\",\"task\":\"look around\"," \
	"\"state\":{\"name\":\"thinking\",\"since\":1780798850000}}," \
	"{\"id\":\"d\",\"name\":\"Done\",\"state\":{\"name\":\"finished\"}}]}"
#define DOCS \
	"{\"id\":\"d\",\"run\":\"d\",\"handle\":\"docs-1\",\"group\":\"idle\"," \
	"\"state\":{\"name\":\"idle\",\"since\":1780798860000}}"
#define ASKS(prompt) \
	"{\"id\":\"d\",\"run\":\"d\",\"handle\":\"docs-1\",\"group\":\"waits\"," \
	"\"state\":{\"name\":\"asks\",\"since\":1780798860000,\"prompt\":\"" prompt "\"}}"
#define OVER \
	"{\"id\":\"o\",\"handle\":\"old-1\",\"group\":\"over\",\"state\":{\"name\":\"finished\"}}"

static int share(void **state)
{
	make(state);
	tui->line.is_shared = tui->begins_with_crew = true;
	return 0;
}
#define shared(f) cmocka_unit_test_setup_teardown(f, share, drop)

static void those_that_wait_stand_above_and_subagents_below(void **state)
{
	const char *all, *docs, *shop, *agent;

	tell("all", SHOP "," DOCS "," OVER);
	assert_shows("CREW");
	all = strstr(drawn(30, 120), "CREW"); /* below the head, which has the chosen one */
	shop = strstr(all, "shop-1");
	agent = strstr(all, "└ Explore");
	docs = strstr(all, "docs-1");
	assert_true(shop && agent && docs && shop < agent && agent < docs);
	assert_non_null(strstr(all, "Bash npm test"));
	assert_non_null(strstr(all, "2/5"));
	assert_non_null(strstr(all, "Sell"));
	assert_non_null(strstr(all, "look around"));
	assert_null(strstr(all, "Done"));
	assert_non_null(strstr(all, "1 at work, 1 idle"));
	tell("changed", ASKS("p"));
	all = strstr(drawn(30, 120), "CREW");
	assert_true(strstr(all, "docs-1") < strstr(all, "shop-1"));
	assert_non_null(strstr(all, "waits for you"));
	tell("changed\":[],\"removed", "\"s\"");
	assert_null(strstr(drawn(30, 120), "shop-1"));
}

static void the_clock_of_a_state_runs(void **state)
{
	tell("all", SHOP);
	tui->now_ms = NOW;
	assert_shows(" 44s");
	tui->now_ms = NOW + 60000;
	assert_shows(" 1m");
}

static void what_is_over_is_counted_and_shown_on_demand(void **state)
{
	tell("all", DOCS "," OVER);
	assert_shows("1 finished: f shows it");
	assert_lacks("old-1");
	press('f');
	assert_shows("old-1");
	press('f');
	assert_lacks("old-1");
}

static void enter_watches_one_and_escape_all_again(void **state)
{
	tell("all", SHOP "," DOCS);
	drawn(30, 120);
	press(PRESS_ENTER);
	assert_string_equal(watched, "s-run");
	assert_false(tui->line.is_shared);
	assert_shows("shop-1");
	assert_lacks("docs-1");
	press(PRESS_ESCAPE);
	assert_string_equal(watched, "");
	assert_shows("docs-1");
	press('G'); /* it has the keys again */
	press(PRESS_ENTER);
	assert_string_equal(watched, "d");
}

static void the_chosen_one_stays_chosen_when_others_move(void **state)
{
	tell("all", SHOP "," DOCS);
	drawn(30, 120);
	press('g');
	tell("changed", ASKS("p")); /* now it stands above */
	drawn(30, 120);
	press(PRESS_ENTER);
	assert_string_equal(watched, "s-run");
}

static void n_goes_to_who_waits_and_a_to_its_question(void **state)
{
	tell("all", SHOP "," DOCS);
	drawn(30, 120);
	press('n');
	assert_shows("nobody waits for you");
	tell("changed", ASKS("second"));
	hear("{\"kind\":\"prompt\",\"prompt-id\":\"first\",\"type\":\"confirm\","
	     "\"opts\":{\"prompt\":\"First?\"}}");
	hear("{\"kind\":\"prompt\",\"prompt-id\":\"second\",\"type\":\"confirm\","
	     "\"opts\":{\"prompt\":\"Second?\"}}");
	assert_shows("First?");
	tui->now_ms += 1000;
	press(PRESS_ESCAPE);
	tui->focus = PANE_CREW;
	press('n');
	press('a');
	assert_shows("Second?");
	assert_lacks("First?");
	assert_false(tui->is_aside);
}

static void a_key_means_the_session_that_is_chosen(void **state)
{
	tell("all", SHOP "," DOCS);
	drawn(30, 120);
	press('j');
	press('j');
	press('x');
	assert_string_equal(sent, "{\"kind\":\"control\",\"op\":\"which\",\"run\":\"d\"}");
	press('k');
	press('k');
	press('p');
	assert_string_equal(sent, "{\"kind\":\"control\",\"op\":\"which\",\"run\":\"s-run\"}");
	press('x');
	which("\"run\":\"s-run\",\"can\":[\"ui-interrupt\"]");
	assert_shows("Interrupt shop-1?");
	press('n');
	press(PRESS_TAB);
	press('x');
	assert_string_equal(sent, "{\"kind\":\"control\",\"op\":\"which\"}");
}

static void matters(const char *members)
{
	char *op = must_print("{\"op\":\"matters\",%s}", members);

	board_hear(&tui->board, text_of(op));
	free(op);
}

static void the_bell_rings_once_for_each_matter(void **state)
{
	struct bells *b = &tui->board.bells;

	matters("\"all\":[{\"id\":\"a\",\"kind\":\"asks\"}]"); /* it stood before we came */
	assert_int_equal(b->due, 0);
	tell("changed", ASKS("b")); /* which is not a matter yet */
	assert_int_equal(b->due, 0);
	matters("\"raised\":[{\"id\":\"b\",\"kind\":\"failed\"}],\"settled\":[\"a\"]");
	assert_int_equal(b->due, 1);
	matters("\"raised\":[{\"id\":\"b\",\"kind\":\"failed\"}],\"settled\":[]");
	matters("\"all\":[{\"id\":\"b\"}]"); /* the box says all again */
	assert_int_equal(b->due, 1);
	matters("\"all\":[{\"id\":\"b\"},{\"id\":\"c\"}],\"desktop\":false");
	assert_int_equal(b->due, 2);
	matters("\"raised\":[{\"id\":\"a\",\"kind\":\"asks\"},7,{\"id\":\"\"}]");
	assert_int_equal(b->due, 3);
	matters("\"raised\":7,\"settled\":[7,null]");
	assert_int_equal(b->due, 3);
	assert_true(tui_action(tui, TEXT("bell"), (struct text){0}));
	assert_true(tui->is_silent);
}

static void the_first_key_keeps_the_focus_where_it_is(void **state)
{
	press('m');
	press('m');
	tell("all", SHOP);
	assert_shows("CREW");
	assert_int_equal(tui->focus, PANE_LOG);
	press(PRESS_TAB);
	assert_int_equal(tui->focus, PANE_CREW);
	tell("all", "");
	assert_lacks("CREW");
	assert_int_equal(tui->focus, PANE_LOG);
}

static void a_narrow_screen_shows_them_alone(void **state)
{
	tell("all", SHOP);
	assert_non_null(strstr(drawn(24, 80), "shop-1"));
	assert_non_null(strstr(drawn(24, 80), "Bash npm test"));
	assert_null(strstr(drawn(24, 80), "LOG"));
	drawn(3, 3);
	drawn(1, 1);
}

static void a_filter_finds_handles_and_titles(void **state)
{
	tell("all", SHOP "," DOCS);
	drawn(30, 120);
	typing_filter(tui, TEXT("SELL"));
	assert_shows("shop-1");
	assert_lacks("docs-1");
}

/* ---- one name and one state ---- */

/* Frames as a box sends them among all runs: an agent's own name, its own states, an id. */
static void speak(const char *run, const char *invoke, const char *subagent, const char *words)
{
	char *raw = must_print("{\"run\":\"%s\",\"kind\":\"event\",\"ts\":1780798849139,"
	                       "\"event\":\"llm/delta\",\"data\":{\"invokeid\":\"%s\","
	                       "\"session-id\":\"%s\",\"subagent\":\"%s\",\"text\":\"%s\"}}",
	                       run, invoke, run, subagent, words);

	hear(raw);
	free(raw);
}

#define AGENTS_STATE \
	"{\"run\":\"s-run\",\"kind\":\"event\",\"ts\":1780798849139," \
	"\"event\":\"runner/event-processed\",\"data\":{\"event-name\":\"agent_state_change\"," \
	"\"config-before\":[\"claude\",\"idle\"],\"config-after\":[\"claude\",\"acting\"]}}"
#define AGENTS_PHASE \
	"{\"run\":\"s-run\",\"kind\":\"phase\",\"config\":[\"claude\",\"acting\"]," \
	"\"breadcrumb\":[\"claude\",\"acting\"],\"siblings\":[\"idle\",\"thinking\"," \
	"\"acting\",\"waiting\",\"done\",\"error\"]}"

static void a_session_has_the_name_and_the_state_of_the_crew_in_every_pane(void **state)
{
	const char *all, *live;

	tui->model.alone = tui->watched;
	tell("all", SHOP "," DOCS);
	hear(AGENTS_PHASE);
	hear(AGENTS_STATE);
	speak("s-run", "Explore", "e", "I look.");
	speak("s-run", "claude", "", "I sell.");
	all = drawn(40, 120);
	live = strstr(all, "LIVE");
	assert_non_null(live);
	assert_non_null(strstr(live, " shop-1          Bash npm test"));
	assert_non_null(strstr(live, " └ Explore       thinking"));
	assert_non_null(strstr(live, "┊ I look."));
	assert_null(strstr(live, "docs-1")); /* it says nothing */
	assert_null(strstr(all, "claude"));
	assert_null(strstr(all, "acting"));
	assert_null(strstr(all, "s-run"));
	press('1');
	all = drawn(40, 120);
	assert_non_null(strstr(all, "shop-1                   Bash npm test"));
	assert_non_null(strstr(all, "shop-1 › Explore         thinking"));
	assert_null(strstr(all, "answering"));
	press(PRESS_ENTER);
	assert_shows("TRANSCRIPT ━");
	assert_lacks("claude");
}

static void the_head_tells_of_the_chosen_session(void **state)
{
	tell("all", SHOP "," DOCS);
	assert_shows("│ shop-1  Sell");
	assert_shows("│ ▸ Bash npm test  4");
	press('G');
	assert_shows("│ docs-1");
	assert_shows("│ · idle");
	hear("{\"run\":\"d\",\"kind\":\"phase\",\"config\":[\"run\",\"writing\"]}");
	tui->model.alone = tui->watched;
	hear("{\"run\":\"d\",\"kind\":\"phase\",\"config\":[\"run\",\"writing\"]}");
	assert_shows("▶ run › writing");
	press('g');
	assert_lacks("run › writing"); /* that is the chart of another */
}

static void a_line_of_the_log_has_the_name_of_its_session(void **state)
{
	const char *log;

	tui->model.alone = tui->watched;
	hear(AGENTS_STATE);
	hear("{\"run\":\"s-run\",\"kind\":\"event\",\"ts\":1,\"event\":\"llm/error\",\"data\":"
	     "{\"invokeid\":\"claude\",\"message\":\"broken\"}}");
	hear("{\"run\":\"old-run\",\"kind\":\"event\",\"ts\":1,\"event\":\"odd/thing\"}");
	hear("{\"run\":\"nobody\",\"kind\":\"event\",\"ts\":1,\"event\":\"odd/other\"}");
	log = strstr(drawn(30, 120), "LOG");
	assert_non_null(strstr(log, "agent_state_change")); /* nobody's, so far */
	tell("all", SHOP ",{\"id\":\"o\",\"run\":\"new-run\",\"runs\":[\"old-run\",\"new-run\"],"
	                 "\"handle\":\"long-1\",\"group\":\"idle\",\"state\":{\"name\":\"idle\"}}");
	log = strstr(drawn(30, 120), "LOG");
	assert_non_null(strstr(log, "shop-1                 ⚠ broken"));
	assert_non_null(strstr(log, "long-1                 · odd/thing"));
	assert_non_null(strstr(log, "debug                  · odd/other"));
	assert_null(strstr(log, "agent_state_change"));
	press('/');
	type("long-1");
	log = strstr(drawn(30, 120), "LOG");
	assert_non_null(strstr(log, "odd/thing"));
	assert_null(strstr(log, "broken"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		shared(those_that_wait_stand_above_and_subagents_below),
		shared(the_clock_of_a_state_runs),
		shared(what_is_over_is_counted_and_shown_on_demand),
		shared(enter_watches_one_and_escape_all_again),
		shared(the_chosen_one_stays_chosen_when_others_move),
		shared(n_goes_to_who_waits_and_a_to_its_question),
		shared(a_key_means_the_session_that_is_chosen),
		shared(the_bell_rings_once_for_each_matter),
		shared(the_first_key_keeps_the_focus_where_it_is),
		shared(a_narrow_screen_shows_them_alone),
		shared(a_filter_finds_handles_and_titles),
		shared(a_session_has_the_name_and_the_state_of_the_crew_in_every_pane),
		shared(the_head_tells_of_the_chosen_session),
		shared(a_line_of_the_log_has_the_name_of_its_session),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
