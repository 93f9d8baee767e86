/* inspect_test.c - inspector, transcripts, sources and signals, the filter and commands. */
#include "tui/test_views.h"

static void begin(void)
{
	hear("{\"kind\":\"event\",\"ts\":1780798849139,\"event\":\"llm/user-message\",\"data\":"
	     "{\"invokeid\":\"poet\",\"session-id\":\"p1\",\"text\":\"Write.\\nOf snow.\"}}");
	hear("{\"kind\":\"event\",\"ts\":1780798849140,\"event\":\"llm/delta\",\"data\":"
	     "{\"invokeid\":\"poet\",\"session-id\":\"p1\",\"text\":\"White\"}}");
	hear("{\"kind\":\"event\",\"ts\":1780798849140,\"event\":\"llm/user-message\",\"data\":"
	     "{\"invokeid\":\"judge\",\"session-id\":\"j1\",\"text\":\"Judge.\"}}");
}

static void respond(void)
{
	hear("{\"kind\":\"event\",\"ts\":1780798849149,\"event\":\"llm/response\",\"data\":"
	     "{\"invokeid\":\"poet\",\"session-id\":\"p1\",\"stop-reason\":\"end_turn\","
	     "\"usage\":{\"input-tokens\":7,\"output-tokens\":9},\"output-tps\":12.5,"
	     "\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text\","
	     "\"text\":\"White, whiter\"},{\"type\":\"tool_use\",\"name\":\"save\","
	     "\"input\":{\"a\":1}}]}}");
}

static void a_transcript_has_what_was_sent_replied_and_streams(void **state)
{
	begin();
	tui_action(tui, TEXT("transcript"), (struct text){"\0poet\0p1", 8});
	assert_shows("SENT  user");
	assert_shows("┊ Of snow.");
	assert_shows("┊ White▏");
	assert_lacks("Judge.");
	respond();
	assert_shows("REPLY assistant · end_turn · in:7 out:9 · 12.5 t/s");
	assert_shows("┊ thinking: hm");
	assert_shows("┊ ⚙ save {:a 1}");
	assert_lacks("▏");
	press('y');
	assert_string_equal(copied, "thinking: hm\nWhite, whiter\n⚙ save {:a 1}\n");
	press('Y');
	assert_non_null(strstr(copied, "SENT  user\nWrite.\nOf snow.\n"));
	press('h');
	assert_lacks("TRANSCRIPT");
	assert_string_equal(sent, "");
}

static void without_a_name_it_has_all_with_theirs(void **state)
{
	begin();
	press(PRESS_ENTER); /* in the log */
	assert_shows("SENT  user  poet");
	assert_shows("SENT  user  judge");
	respond();
	assert_shows("t/s  poet");
}

static void what_was_sent_twice_is_told_once(void **state)
{
	begin();
	hear("{\"kind\":\"event\",\"event\":\"llm/request\",\"data\":{\"invokeid\":\"judge\","
	     "\"system-preview\":\"Be fair.\",\"user-blocks\":[{\"type\":\"text\","
	     "\"text\":\"Judge.\"}]}}");
	tui_action(tui, TEXT("transcript"), TEXT("\0judge"));
	assert_shows("SENT  system (8 chars)");
	assert_null(strstr(strstr(drawn(30, 100), "Judge.") + 1, "Judge."));
}

static void the_inspector_drills_in(void **state)
{
	begin();
	press('1');
	assert_shows("INSPECTOR");
	assert_shows("poet");
	press('G');
	press(PRESS_ENTER);
	assert_shows("TRANSCRIPT");
	press(PRESS_BACKSPACE);
	assert_shows("INSPECTOR");
	press('2');
	press(PRESS_TAB);
	assert_shows("prompts       0 open");
	press(PRESS_ESCAPE);
	assert_shows("LOG");
	assert_string_equal(sent, "");
}

static void every_action_has_its_line_in_the_help(void **state)
{
	press('?');
	for (size_t t = 0; actions[t]; t++)
		for (const struct action *action = actions[t]; action->run; action++)
			if (action->help)
				assert_non_null(strstr(drawn(70, 100), action->help));
	press('y');
	assert_non_null(strstr(copied, ":continue"));
}

static void no_key_and_no_word_has_two_meanings(void **state)
{
	for (size_t t = 0; actions[t]; t++) {
		for (const struct action *a = actions[t]; a->run; a++) {
			unsigned keys = 0, words = 0;

			for (size_t u = 0; actions[u]; u++) {
				for (const struct action *b = actions[u]; b->run; b++) {
					keys += a->code && a->code == b->code;
					words += strcmp(a->word, b->word) == 0;
				}
			}
			assert_int_equal(words, 1);
			assert_true(keys <= 1);
		}
	}
}

static void sources_are_listed_filtered_and_opened(void **state)
{
	board_hear(&tui->board,
	           TEXT("{\"op\":\"sources\",\"all\":[{\"id\":\"a\",\"name\":\"Alpha\","
	                "\"state\":\"connected\",\"signals\":7,\"protocol\":\"openai\"},"
	                "{\"id\":\"b\",\"name\":\"Beta\",\"state\":\"error\","
	                "\"error\":\"refused\"}]}"));
	press('S');
	assert_shows("Alpha");
	assert_shows("refused");
	press('/');
	type("beta");
	assert_lacks("Alpha");
	press(PRESS_ENTER);
	press(PRESS_ENTER);
	assert_shows("\"error\": \"refused\"");
	press(PRESS_ESCAPE);
	press('/');
	press(PRESS_BACKSPACE);
	type("x");
	assert_lacks("Beta");
	press(PRESS_ESCAPE); /* the filter that was */
	assert_shows("Beta");
	assert_lacks("Alpha");
}

static void signals_follow_until_one_is_chosen(void **state)
{
	char message[100];

	press('L');
	assert_true(follows);
	for (unsigned i = 1; i <= 100; i++) {
		snprintf(message, sizeof(message),
		         "{\"seq\":%u,\"type\":\"odd\",\"source\":\"s\","
		         "\"payload\":{\"n\":\"n%u.\"}}",
		         i, i);
		board_hear(&tui->board, text_of(message));
	}
	assert_shows("n100.");
	press('k');
	assert_shows("G follows");
	board_hear(&tui->board,
	           TEXT("{\"seq\":101,\"type\":\"odd\",\"payload\":{\"n\":\"new.\"}}"));
	assert_lacks("new.");
	press(PRESS_ENTER);
	assert_shows("\"n\": \"n99.\"");
	press('h');
	press('g');
	assert_shows("n1.");
	press('G');
	assert_shows("new.");
	press(PRESS_ESCAPE);
	assert_lacks("SIGNALS");
	assert_false(follows);
}

static void commands_are_words_with_what_they_take(void **state)
{
	press(':');
	type("step 3");
	assert_shows(":step 3");
	press(PRESS_ENTER);
	assert_string_equal(sent, "{\"kind\":\"control\",\"op\":\"which\"}");
	press(':');
	type("  watch  r1 \n");
	assert_string_equal(watched, "r1");
	press(':');
	type("filter snow\n");
	assert_string_equal(tui->filter, "snow");
	press(':');
	type("sources\n");
	assert_shows("SOURCES");
	press(PRESS_ESCAPE);
	press(':');
	type("nonsense\n");
	assert_shows("there is no command nonsense");
	press(':');
	press(PRESS_BACKSPACE);
	press('m');
	assert_true(tui->is_maximised);
}

static void what_is_pasted_runs_no_command(void **state)
{
	press(':');
	press(PRESS_PASTE_BEGIN);
	type("quit\nq");
	press(PRESS_PASTE_END);
	assert_shows(":quit q");
	assert_false(tui->wants_quit);
	press(PRESS_ESCAPE);
	press(PRESS_PASTE_BEGIN);
	type("pq:/");
	press(PRESS_PASTE_END);
	assert_false(tui->wants_quit);
	assert_string_equal(sent, "");
}

static void everything_is_drawn_in_the_smallest_place(void **state)
{
	begin();
	respond();
	for (const char *key = "i1234?SL"; *key; key++) {
		press((unsigned char)*key);
		for (int size = 1; size < 30; size += 4)
			drawn(size, size);
		press(PRESS_ESCAPE);
	}
	assert_int_equal(tui->overlay_count, 0);
	assert_string_equal(sent, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		one(a_transcript_has_what_was_sent_replied_and_streams),
		one(without_a_name_it_has_all_with_theirs),
		one(what_was_sent_twice_is_told_once),
		one(the_inspector_drills_in),
		one(every_action_has_its_line_in_the_help),
		one(no_key_and_no_word_has_two_meanings),
		one(sources_are_listed_filtered_and_opened),
		one(signals_follow_until_one_is_chosen),
		one(commands_are_words_with_what_they_take),
		one(what_is_pasted_runs_no_command),
		one(everything_is_drawn_in_the_smallest_place),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
