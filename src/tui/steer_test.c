/* steer_test.c - which run a key means, what is asked first, and what is never sent. */
#include "tui/test_views.h"

#define WHICH "{\"kind\":\"control\",\"op\":\"which\"}"
#define ALL "\"pause\",\"step\",\"continue\",\"arm\",\"ui-interrupt\",\"ui-quit\""

static void which_poems(void)
{
	which("\"run\":\"poems\",\"finished\":false,\"can\":[" ALL "]");
}

static void a_key_goes_to_the_run_that_the_box_names(void **state)
{
	static const struct {
		uint32_t code;
		const char *op;
	} cases[] = {{'s', "step"}, {'c', "continue"}, {'p', "pause"}, {'P', "arm"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char wanted[128];

		snprintf(wanted, sizeof(wanted),
		         "{\"kind\":\"control\",\"op\":\"%s\",\"run\":\"poems\"}", cases[i].op);
		press(cases[i].code);
		assert_string_equal(sent, WHICH);
		which_poems();
		assert_string_equal(sent, wanted);
	}
	press(':');
	type("step 3");
	press(PRESS_ENTER);
	which_poems();
	assert_non_null(strstr(sent, "\"op\":\"step\",\"n\":3,\"run\":\"poems\""));
}

static void what_cannot_be_done_is_said_and_not_sent(void **state)
{
	press('p');
	which("\"run\":\"poems\",\"can\":[\"cancel\"]");
	assert_string_equal(sent, WHICH);
	assert_shows("poems: its source cannot pause it now");
	press('p');
	which("\"run\":\"poems\",\"can\":[],\"why\":\"this screen may not control runs\"");
	assert_shows("poems: this screen may not control runs");
	press('p');
	which("\"run\":null");
	assert_shows("there is no run to pause");
	assert_string_equal(sent, WHICH);
}

static void an_interrupt_names_the_run_and_asks(void **state)
{
	press('x');
	which_poems();
	assert_string_equal(sent, WHICH);
	assert_shows("Interrupt poems?  y does it");
	press('y');
	assert_string_equal(sent,
	                    "{\"kind\":\"control\",\"op\":\"ui-interrupt\",\"run\":\"poems\"}");
	assert_lacks("Interrupt poems?");
}

static void any_other_key_leaves_the_run_alone(void **state)
{
	static const uint32_t keys[] = {'n', PRESS_ESCAPE, 'j', PRESS_ENTER, 'x'};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		press('x');
		which_poems();
		press(keys[i]);
		while (tui->overlay_count > 0)
			tui_close(tui);
		assert_lacks("Interrupt poems?");
		press('y');
		assert_string_equal(sent, WHICH);
		tui->now_ms += 60000;
	}
}

static void a_question_of_long_ago_is_not_meant(void **state)
{
	press('x');
	which_poems();
	tui->now_ms += 60000;
	press('y');
	assert_string_equal(sent, WHICH);
}

static void what_can_only_be_cancelled_is_cancelled(void **state)
{
	press('x');
	which("\"run\":\"poems\",\"can\":[\"cancel\"]");
	assert_shows("Cancel poems?");
	press('y');
	assert_non_null(strstr(sent, "\"op\":\"cancel\",\"run\":\"poems\""));
}

/* Whatever stands on the screen. */
static void escape_never_reaches_an_agent(void **state)
{
	press(PRESS_ESCAPE);
	press('m');
	press(PRESS_ESCAPE);
	assert_false(tui->is_maximised);
	press('/');
	type("snow");
	press(PRESS_ENTER);
	assert_string_equal(tui->filter, "snow");
	press(PRESS_ESCAPE);
	assert_string_equal(tui->filter, "");
	press('i');
	press(PRESS_ESCAPE);
	press(PRESS_ESCAPE);
	hear("{\"kind\":\"debug\",\"paused\":true,\"step-budget\":0}");
	press(PRESS_ESCAPE);
	hear("{\"kind\":\"prompt\",\"prompt-id\":\"p\",\"invokeid\":null,\"type\":\"text\","
	     "\"opts\":{}}");
	assert_shows("QUESTION");
	for (int i = 0; i < 5; i++) {
		press(PRESS_ESCAPE);
		assert_shows("QUESTION");
	}
	assert_string_equal(sent, "");
}

static void a_screen_of_one_run_ends_it_also_when_it_is_over(void **state)
{
	press(PRESS_CTRL('c'));
	assert_string_equal(sent, "{\"kind\":\"control\",\"op\":\"ui-quit\"}");
	assert_true(tui->wants_quit);
	tui->wants_quit = false;
	sent[0] = '\0';
	hear("{\"kind\":\"control\",\"op\":\"run-finished\",\"final-config\":\"[:done]\"}");
	assert_shows("Run finished");
	press(PRESS_CTRL('c'));
	assert_string_equal(sent, "{\"kind\":\"control\",\"op\":\"ui-quit\"}");
	assert_true(tui->wants_quit);
}

#define QUIT_POEMS "{\"kind\":\"control\",\"op\":\"ui-quit\",\"run\":\"poems\"}"

static void a_screen_of_all_names_the_run_that_would_end(void **state)
{
	tui->line.is_shared = true;
	press(PRESS_CTRL('c'));
	assert_string_equal(sent, WHICH);
	which_poems();
	assert_shows("Ctrl-C again ends poems");
	assert_false(tui->wants_quit);
	press(PRESS_CTRL('c'));
	assert_string_equal(sent, QUIT_POEMS);
	assert_true(tui->wants_quit);
}

static void a_finished_run_is_told_at_once(void **state)
{
	tui->line.is_shared = true;
	press(PRESS_CTRL('c'));
	which("\"run\":\"poems\",\"finished\":true,\"can\":[\"ui-quit\"]");
	assert_string_equal(sent, QUIT_POEMS);
	assert_true(tui->wants_quit);
}

static void a_second_ctrl_c_always_leaves(void **state)
{
	tui->line.is_shared = true;
	press(PRESS_CTRL('c'));
	which("\"run\":\"poems\",\"can\":[]");
	assert_shows("no run ends with it");
	assert_false(tui->wants_quit);
	press(PRESS_CTRL('c'));
	assert_true(tui->wants_quit);
	assert_string_equal(sent, WHICH);
	tui->wants_quit = false;
	tui->steering = (struct steering){0};
	press(PRESS_CTRL('c')); /* and the box does not answer */
	press(PRESS_CTRL('c'));
	assert_true(tui->wants_quit);
	assert_string_equal(sent, WHICH);
}

static void an_answer_to_nothing_does_nothing(void **state)
{
	which_poems();
	press('y');
	assert_string_equal(sent, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		one(a_key_goes_to_the_run_that_the_box_names),
		one(what_cannot_be_done_is_said_and_not_sent),
		one(an_interrupt_names_the_run_and_asks),
		one(any_other_key_leaves_the_run_alone),
		one(a_question_of_long_ago_is_not_meant),
		one(what_can_only_be_cancelled_is_cancelled),
		one(escape_never_reaches_an_agent),
		one(a_screen_of_one_run_ends_it_also_when_it_is_over),
		one(a_screen_of_all_names_the_run_that_would_end),
		one(a_finished_run_is_told_at_once),
		one(a_second_ctrl_c_always_leaves),
		one(an_answer_to_nothing_does_nothing),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
