/* prompt_test.c - what agents ask, and which keys answer it. */
#include "tui/test_views.h"

static void ask(const char *id, const char *type, const char *opts)
{
	char frame[4096];

	snprintf(frame, sizeof(frame),
	         "{\"kind\":\"prompt\",\"prompt-id\":\"%s\",\"invokeid\":null,\"type\":\"%s\","
	         "\"opts\":%s}",
	         id, type, opts);
	hear(frame);
}

#define assert_answer(id, rest) \
	assert_string_equal(sent, "{\"kind\":\"answer\",\"prompt-id\":\"" id "\"," rest "}")

static void a_question_stands_below_until_it_is_answered(void **state)
{
	ask("p", "text", "{\"prompt\":\"Which season?\"}");
	assert_shows(" QUESTION ");
	assert_shows("Which season?");
	type("winter");
	assert_shows("> winter");
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":\"winter\"");
	assert_lacks("QUESTION");
}

static void keys_of_the_moment_it_appears_in_are_not_answers(void **state)
{
	ask("p", "confirm", "{\"prompt\":\"Delete it all?\"}");
	tui_draw(tui, 30, 100);
	press('y');
	press(PRESS_ENTER);
	press(PRESS_ESCAPE);
	assert_string_equal(sent, "");
	tui->now_ms += 300;
	press('y');
	assert_answer("p", "\"value\":true");
}

static void text_has_a_default_and_may_be_pasted(void **state)
{
	ask("p", "text", "{\"default\":\"as before\"}");
	assert_shows("> as before");
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":\"as before\"");
	ask("q", "text", "{}");
	assert_shows("?");
	press(PRESS_PASTE_BEGIN);
	type("one\ntwo");
	press(PRESS_PASTE_END);
	assert_answer("p", "\"value\":\"as before\"");
	press(PRESS_ENTER);
	assert_answer("q", "\"value\":\"one\\ntwo\"");
}

static void escape_leaves_it_open_and_the_other_keys_work(void **state)
{
	ask("p", "text", "{\"prompt\":\"Which season?\"}");
	assert_shows("┏━ QUESTION");
	press(PRESS_ESCAPE);
	assert_shows("╭─ QUESTION");
	assert_shows("Which season?");
	press('m');
	assert_true(tui->is_maximised);
	press('i');
	assert_shows("INSPECTOR");
	press(PRESS_ESCAPE);
	press('q');
	assert_true(tui->wants_quit);
	assert_string_equal(sent, "");
	press(PRESS_TAB);
	assert_shows("┏━ QUESTION");
	press(PRESS_TAB);
	assert_shows("┏━ LIVE");
	press(PRESS_TAB);
	press(PRESS_TAB);
	assert_shows("┏━ QUESTION");
	type("winter");
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":\"winter\"");
}

static void keys_that_mean_nothing_to_it_do_what_they_always_do(void **state)
{
	ask("p", "select", "{\"options\":[\"a\",\"b\"]}");
	assert_shows("┏━ QUESTION");
	press('p');
	assert_string_equal(sent, "{\"kind\":\"control\",\"op\":\"which\"}");
	press('S');
	assert_shows("SOURCES");
	press(PRESS_ESCAPE);
	press('/');
	type("snow");
	press(PRESS_ENTER);
	assert_string_equal(tui->filter, "snow");
	assert_shows("┏━ QUESTION");
}

static void only_who_means_it_cancels(void **state)
{
	ask("p", "text", "{}");
	assert_shows("QUESTION");
	press(PRESS_CTRL('x'));
	assert_string_equal(sent, "");
	assert_shows("Ctrl-X again tells the agent");
	press(PRESS_CTRL('x'));
	assert_answer("p", "\"cancelled\":true");
}

static void one_of_several_is_chosen_around_the_ends(void **state)
{
	ask("p", "select",
	    "{\"options\":[{\"label\":\"A\",\"value\":1.50},\"b\",{\"value\":null}]}");
	assert_shows("   A");
	assert_lacks(" ▸ ");
	press('k');
	assert_shows(" ▸ null");
	press(PRESS_DOWN);
	assert_shows(" ▸ A");
	press(PRESS_ENTER);
	assert_non_null(strstr(sent, "\"value\":1.5"));
}

static void nothing_is_chosen_from_the_start_but_what_is_safe(void **state)
{
	ask("p", "select",
	    "{\"options\":[{\"label\":\"Allow\",\"value\":\"allow\"},"
	    "{\"label\":\"Deny\",\"value\":\"deny\",\"safe\":true}],\"default\":\"allow\"}");
	assert_shows(" ▸ Deny");
	assert_shows("   Allow (default)");
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":\"deny\"");
	sent[0] = '\0';
	ask("q", "select", "{\"options\":[\"allow\",\"deny\"],\"default\":\"allow\"}");
	assert_lacks(" ▸ ");
	press(PRESS_ENTER);
	assert_string_equal(sent, "");
	assert_shows("nothing is chosen yet");
}

/* The box may refuse it before the screen is drawn again, or after. */
static void what_was_refused_is_asked_anew_with_what_is_safe_chosen(void **state)
{
	const char *opts = "{\"options\":[{\"label\":\"Deny\",\"value\":\"deny\",\"safe\":true},"
			   "{\"label\":\"Elsewhere\",\"value\":\"page\",\"answers\":false}]}";

	ask("p", "select", opts);
	for (int is_drawn = 0; is_drawn < 2; is_drawn++) {
		assert_shows(" ▸ Deny");
		press('j');
		press(PRESS_ENTER);
		assert_answer("p", "\"value\":\"page\"");
		sent[0] = '\0';
		press(PRESS_ENTER);
		assert_string_equal(sent, "");
		if (is_drawn)
			assert_lacks("QUESTION");
		model_asked(&tui->model, TEXT("p"))->is_sent = false;
		ask("p", "select", opts);
	}
	assert_shows(" ▸ Deny");
}

/* ---- all of it is seen ---- */

static void what_hides_is_written_out(void **state)
{
	ask("p", "select",
	    "{\"prompt\":\"ls\\u0000 -l\\u202e\\n\\n\\nrm\\u200b -rf ~\",\"options\":["
	    "{\"label\":\"Al\\nlow\\u0000 me\",\"value\":1,\"rule\":\"Bash(ls:*) in local\"}]}");
	assert_shows("┊ ls\\u0000 -l\\u202e");
	assert_shows("┊ rm\\u200b -rf ~");
	assert_shows("   Al↵low\\u0000 me — Bash(ls:*) in local");
}

/* A command, many line ends, and another command. */
static void ask_long(const char *id, int lines)
{
	static char frame[64 * 1024];
	struct buf out;

	buf_init(&out, sizeof(frame) - 1);
	buf_print(&out,
	          "{\"kind\":\"prompt\",\"prompt-id\":\"%s\",\"type\":\"select\",\"opts\":"
	          "{\"prompt\":\"Bash: ls",
	          id);
	for (int i = 0; i < lines; i++)
		buf_add(&out, TEXT("\\n"));
	buf_add(&out, TEXT("rm -rf ~\",\"options\":[{\"label\":\"Allow\",\"value\":\"allow\"},"
	                   "{\"label\":\"Deny\",\"value\":\"deny\",\"safe\":true}]}}"));
	snprintf(frame, sizeof(frame), "%.*s", TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
	hear(frame);
}

static void what_was_not_shown_cannot_be_allowed(void **state)
{
	ask_long("p", 40);
	assert_shows("lines 1 to 14 of 41 · PgDn PgUp · 27 not shown yet");
	assert_lacks("rm -rf ~");
	press('k');
	assert_shows(" ▸ Allow");
	press(PRESS_ENTER);
	assert_string_equal(sent, "");
	assert_shows("27 more lines of it were not shown yet: PgDn reads on");
	press(PRESS_PAGE_DOWN);
	assert_shows("lines 14 to 27 of 41");
	press(PRESS_ENTER);
	assert_string_equal(sent, "");
	press(PRESS_PAGE_DOWN);
	press(PRESS_PAGE_DOWN); /* faster than it is drawn */
	press(PRESS_PAGE_DOWN);
	assert_lacks("rm -rf ~");
	press(PRESS_PAGE_DOWN);
	assert_shows("rm -rf ~");
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":\"allow\"");
}

static void one_long_line_is_read_from_its_beginning(void **state)
{
	static char opts[4096];
	char words[3000];

	memset(words, 'x', sizeof(words));
	memcpy(words, "BEGIN", 5);
	snprintf(opts, sizeof(opts), "{\"prompt\":\"%.*s\",\"options\":[\"a\"]}",
	         (int)sizeof(words), words);
	ask("p", "select", opts);
	assert_shows("BEGINx");
	assert_shows("lines 1 to 14 of 32");
}

static void what_is_safe_can_be_chosen_at_once(void **state)
{
	ask_long("p", 40);
	assert_shows(" ▸ Deny");
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":\"deny\"");
}

static void another_question_is_read_anew(void **state)
{
	ask_long("p", 40);
	drawn(100, 100);
	ask_long("q", 40);
	hear("{\"kind\":\"prompt-closed\",\"prompt-id\":\"p\",\"state\":\"expired\"}");
	assert_shows("27 not shown yet");
	press('k');
	press(PRESS_ENTER);
	assert_string_equal(sent, "");
	drawn(100, 100); /* all of it, on a larger screen */
	press(PRESS_ENTER);
	assert_answer("q", "\"value\":\"allow\"");
}

static void other_words_under_the_same_id_are_another_question(void **state)
{
	ask("p", "select", "{\"prompt\":\"ls\",\"options\":[\"a\",\"b\"]}");
	assert_shows("┊ ls");
	press('j');
	ask("p", "select", "{\"prompt\":\"ls\",\"options\":[\"a\",\"b\"]}");
	assert_shows(" ▸ a");
	ask("p", "select", "{\"prompt\":\"rm\",\"options\":[\"a\",\"b\"]}");
	press(PRESS_ENTER);
	assert_string_equal(sent, "");
	assert_shows("┊ rm");
	assert_lacks(" ▸ a");
	press(PRESS_ENTER);
	assert_string_equal(sent, "");
}

static void a_screen_too_small_for_it_allows_nothing(void **state)
{
	ask_long("p", 3);
	for (int rows = 1; rows < 9; rows++) {
		drawn(rows, 40);
		press('k');
		press(PRESS_ENTER);
		if (strstr(sent, "\"allow\""))
			assert_non_null(strstr(drawn(rows, 40), "rm -rf"));
		press('j');
	}
	assert_string_equal(sent, "");
}

static void a_label_that_is_cut_says_so_and_is_not_chosen(void **state)
{
	char opts[900];
	char label[600];

	memset(label, 'x', sizeof(label));
	snprintf(opts, sizeof(opts), "{\"options\":[{\"label\":\"%.*s\",\"value\":1}]}",
	         (int)sizeof(label), label);
	ask("p", "select", opts);
	assert_shows(" bytes more");
	press('j');
	press(PRESS_ENTER);
	assert_string_equal(sent, "");
	assert_shows("bytes of this are not shown");
}

static void several_are_given_in_their_order(void **state)
{
	ask("p", "multi", "{\"options\":[\"a\",\"b\",\"c\"],\"default\":[\"b\"]}");
	assert_shows("[ ] b (default)");
	press('k');
	press(' ');
	press('j');
	press(' ');
	press('j');
	press(' ');
	press(' ');
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":[\"a\",\"c\"]");
}

static void yes_and_no_are_one_key_and_enter_is_never_a_yes(void **state)
{
	ask("p", "confirm", "{}");
	assert_shows("Confirm?");
	press(PRESS_ENTER);
	assert_string_equal(sent, "");
	press('n');
	assert_answer("p", "\"value\":false");
	ask("q", "confirm", "{\"default\":true}");
	assert_shows("its default is yes");
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":false");
	press('y');
	assert_answer("q", "\"value\":true");
	ask("r", "confirm", "{\"default\":false}");
	assert_shows("Enter no");
	press(PRESS_ENTER);
	assert_answer("r", "\"value\":false");
}

static void a_choice_of_nothing_is_asked_as_text(void **state)
{
	ask("p", "select", "{\"options\":[]}");
	assert_shows("QUESTION");
	type("x");
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":\"x\"");
}

static void the_oldest_is_asked_first_and_who_asks_is_told(void **state)
{
	ask("p", "text", "{\"prompt\":\"First?\"}");
	ask("q", "text", "{\"prompt\":\"Second?\"}");
	board_hear(&tui->board,
	           TEXT("{\"op\":\"prompt\",\"id\":\"p\",\"run\":\"r1\",\"source\":\"s1\","
	                "\"state\":\"open\",\"deadline\":1780798870000}"));
	assert_shows("s1 · r1 · 10 s left · 1 of 2");
	assert_lacks("Second?");
	hear("{\"kind\":\"prompt-closed\",\"prompt-id\":\"p\",\"state\":\"answered\","
	     "\"by\":{\"user\":\"owner\",\"process\":\"python\",\"screen\":\"run\"}}");
	assert_string_equal(tui->said, "answered by owner (python, run)");
	assert_shows("Second?");
	type("x");
	hear("{\"kind\":\"prompt-closed\",\"prompt-id\":\"unknown\",\"state\":\"expired\"}");
	assert_shows("> x");
}

static void what_the_agent_did_is_said_whoever_answered(void **state)
{
	ask("p", "confirm", "{}");
	assert_shows("QUESTION");
	hear("{\"kind\":\"prompt-closed\",\"prompt-id\":\"p\",\"state\":\"cancelled\"}");
	assert_lacks("QUESTION");
	hear("{\"kind\":\"prompt-closed\",\"prompt-id\":\"p\",\"state\":\"cancelled\","
	     "\"settled\":{\"by\":\"agent\",\"decision\":\"allow\"}}");
	assert_string_equal(tui->said, "it was decided there: allow");
	hear("{\"kind\":\"prompt-closed\",\"prompt-id\":\"p\",\"state\":\"answered\",\"by\":"
	     "{\"user\":\"owner\"},\"settled\":{\"by\":\"agent\",\"decision\":\"allow\"}}");
	assert_string_equal(tui->said,
	                    "it was decided there: allow; the answer given here came too "
	                    "late");
	hear("{\"kind\":\"prompt-closed\",\"prompt-id\":\"p\",\"state\":\"answered\",\"settled\":"
	     "{\"by\":{\"user\":\"owner\",\"screen\":\"run\"},\"decision\":\"deny\"}}");
	assert_string_equal(tui->said, "settled: deny by owner (run)");
}

static void the_inspector_can_be_looked_at_meanwhile(void **state)
{
	ask("p", "confirm", "{}");
	assert_shows("QUESTION");
	press('i');
	assert_shows("INSPECTOR");
	press(PRESS_ESCAPE);
	assert_shows("QUESTION");
	assert_string_equal(sent, "");
}

static void a_recording_asks_nothing(void **state)
{
	tui->line = (struct tui_line){0};
	ask("p", "text", "{}");
	assert_lacks("QUESTION");
}

static void hostile_questions_are_drawn_somehow(void **state)
{
	static const char *const opts[] = {
		"null",
		"7",
		"{\"prompt\":7,\"options\":7,\"default\":{}}",
		"{\"prompt\":\"\\u001b[2J\\u202e\",\"options\":[null,[],{},{\"label\":{}}]}",
	};
	static const char *const types[] = {"text", "select", "multi", "confirm", "odd", ""};

	for (size_t i = 0; i < sizeof(opts) / sizeof(*opts); i++) {
		for (size_t j = 0; j < sizeof(types) / sizeof(*types); j++) {
			ask("p", types[j], opts[i]);
			assert_shows("QUESTION");
			drawn(5, 10);
			drawn(1, 1);
			assert_lacks("\x1b");
			press('j');
			press(' ');
			press(PRESS_ENTER);
			press('y');
			hear("{\"kind\":\"prompt-closed\",\"prompt-id\":\"p\",\"state\":7,"
			     "\"by\":[]}");
			assert_lacks("QUESTION");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		one(a_question_stands_below_until_it_is_answered),
		one(keys_of_the_moment_it_appears_in_are_not_answers),
		one(text_has_a_default_and_may_be_pasted),
		one(escape_leaves_it_open_and_the_other_keys_work),
		one(keys_that_mean_nothing_to_it_do_what_they_always_do),
		one(only_who_means_it_cancels),
		one(one_of_several_is_chosen_around_the_ends),
		one(nothing_is_chosen_from_the_start_but_what_is_safe),
		one(what_was_refused_is_asked_anew_with_what_is_safe_chosen),
		one(what_hides_is_written_out),
		one(what_was_not_shown_cannot_be_allowed),
		one(one_long_line_is_read_from_its_beginning),
		one(what_is_safe_can_be_chosen_at_once),
		one(another_question_is_read_anew),
		one(other_words_under_the_same_id_are_another_question),
		one(a_screen_too_small_for_it_allows_nothing),
		one(a_label_that_is_cut_says_so_and_is_not_chosen),
		one(several_are_given_in_their_order),
		one(yes_and_no_are_one_key_and_enter_is_never_a_yes),
		one(a_choice_of_nothing_is_asked_as_text),
		one(the_oldest_is_asked_first_and_who_asks_is_told),
		one(what_the_agent_did_is_said_whoever_answered),
		one(the_inspector_can_be_looked_at_meanwhile),
		one(a_recording_asks_nothing),
		one(hostile_questions_are_drawn_somehow),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
