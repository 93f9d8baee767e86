/* prompt_test.c - what agents ask, and which keys answer it. */
#include "tui/test_views.h"

static void ask(const char *id, const char *type, const char *opts)
{
	char frame[1024];

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

static void escape_cancels(void **state)
{
	ask("p", "text", "{}");
	assert_shows("QUESTION");
	press(PRESS_ESCAPE);
	assert_answer("p", "\"cancelled\":true");
}

static void one_of_several_is_chosen_around_the_ends(void **state)
{
	ask("p", "select",
	    "{\"options\":[{\"label\":\"A\",\"value\":1.50},\"b\",{\"value\":null}]}");
	assert_shows(" ▸ A");
	press('k');
	assert_shows(" ▸ null");
	press(PRESS_DOWN);
	press(PRESS_ENTER);
	assert_non_null(strstr(sent, "\"value\":1.5"));
	ask("q", "select", "{\"options\":[\"a\",\"b\"],\"default\":\"b\"}");
	assert_shows(" ▸ b");
	press(PRESS_ENTER);
	assert_answer("q", "\"value\":\"b\"");
}

static void several_are_given_in_their_order(void **state)
{
	ask("p", "multi", "{\"options\":[\"a\",\"b\",\"c\"],\"default\":[\"b\"]}");
	assert_shows("[x] b");
	press('k');
	press(' ');
	press('j');
	press(' ');
	press('j');
	press(' ');
	press('j');
	press(' ');
	press(PRESS_ENTER);
	assert_answer("p", "\"value\":[\"a\"]");
}

static void yes_and_no_are_one_key_and_enter_is_the_default(void **state)
{
	ask("p", "confirm", "{}");
	assert_shows("Confirm?");
	press(PRESS_ENTER);
	press('x');
	assert_string_equal(sent, "");
	press('n');
	assert_answer("p", "\"value\":false");
	ask("q", "confirm", "{\"default\":true}");
	assert_shows("Enter yes");
	press(PRESS_ENTER);
	assert_answer("q", "\"value\":true");
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
		one(escape_cancels),
		one(one_of_several_is_chosen_around_the_ends),
		one(several_are_given_in_their_order),
		one(yes_and_no_are_one_key_and_enter_is_the_default),
		one(a_choice_of_nothing_is_asked_as_text),
		one(the_oldest_is_asked_first_and_who_asks_is_told),
		one(the_inspector_can_be_looked_at_meanwhile),
		one(a_recording_asks_nothing),
		one(hostile_questions_are_drawn_somehow),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
