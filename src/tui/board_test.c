/* board_test.c - sources, signals and who asks, from messages of the native dialect. */
#include "tui/board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"

static struct board *board;

static int make(void **state)
{
	board = must_alloc(sizeof(*board));
	board_init(board);
	return 0;
}

static int drop(void **state)
{
	board_finish(board);
	free(board);
	return 0;
}

static enum board_news hear(const char *message)
{
	return board_hear(board, text_of(message));
}

static void a_hello_says_where_the_box_is(void **state)
{
	assert_int_equal(hear("{\"op\":\"hello\",\"epoch\":\"e\",\"seq\":77}"), BOARD_HELLO);
	assert_int_equal(board->head_seq, 77);
}

static void signals_are_kept_once_and_the_newest_of_them(void **state)
{
	char message[64];

	for (unsigned i = 1; i <= BOARD_SIGNALS_MAX + 5; i++) {
		snprintf(message, sizeof(message), "{\"seq\":%u,\"type\":\"t\"}", i);
		assert_int_equal(hear(message), BOARD_CHANGED);
		assert_int_equal(hear(message), BOARD_NOTHING);
	}
	assert_int_equal(board->signal_count, BOARD_SIGNALS_MAX);
	assert_int_equal(board_signal(board, 0)->seq, 6);
	assert_string_equal(board_signal(board, 0)->raw, "{\"seq\":6,\"type\":\"t\"}");
}

static void sources_come_change_and_go(void **state)
{
	hear("{\"op\":\"sources\",\"all\":[{\"id\":\"a\",\"state\":\"x\"},{\"id\":\"b\"},"
	     "{\"no\":1}]}");
	assert_int_equal(board->source_count, 2);
	hear("{\"op\":\"sources\",\"changed\":[{\"id\":\"a\",\"state\":\"y\"},{\"id\":\"c\"}],"
	     "\"removed\":[\"b\",\"unknown\"]}");
	assert_int_equal(board->source_count, 2);
	assert_string_equal(board->sources[0].raw, "{\"id\":\"a\",\"state\":\"y\"}");
	assert_string_equal(board->sources[1].id, "c");
	hear("{\"op\":\"sources\",\"all\":[]}");
	assert_int_equal(board->source_count, 0);
}

static void who_asks_is_known_while_it_is_asked(void **state)
{
	hear("{\"op\":\"prompt\",\"id\":\"p\",\"run\":\"r\",\"source\":\"s\",\"state\":\"open\","
	     "\"deadline\":1780798849139}");
	assert_string_equal(board_asker(board, TEXT("p"))->run, "r");
	assert_int_equal(board_asker(board, TEXT("p"))->deadline_ms, 1780798849139);
	hear("{\"op\":\"prompt\",\"id\":\"p\",\"run\":\"r\",\"state\":\"answered\"}");
	assert_null(board_asker(board, TEXT("p")));
	hear("{\"op\":\"prompt\",\"id\":\"q\",\"state\":\"open\"}");
	hear("{\"op\":\"prompts\",\"forget\":true}");
	assert_null(board_asker(board, TEXT("q")));
}

static void what_is_left_out_is_counted(void **state)
{
	hear("{\"op\":\"gap\",\"from\":3,\"to\":12,\"why\":\"slow\"}");
	hear("{\"op\":\"gap\",\"from\":30,\"to\":12,\"why\":\"slow\"}");
	assert_int_equal(board->missed, 10);
}

static void nonsense_changes_nothing(void **state)
{
	static const char *const messages[] = {
		"",
		"[]",
		"{",
		"{\"op\":7}",
		"{\"seq\":-1}",
		"{\"seq\":1e300}",
		"{\"seq\":\"1\"}",
		"{\"op\":\"sources\",\"all\":7}",
		"{\"op\":\"sources\",\"removed\":[{}]}",
		"{\"op\":\"prompt\"}",
		"{\"op\":\"gap\"}",
		"{\"op\":\"unheard-of\"}",
	};

	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		hear(messages[i]);
	assert_int_equal(board->signal_count, 0);
	assert_int_equal(board->source_count, 0);
	assert_int_equal(hear("{\"seq\":1,\"type\":\"t\"}"), BOARD_CHANGED);
}

#define one(f) cmocka_unit_test_setup_teardown(f, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		one(a_hello_says_where_the_box_is),
		one(signals_are_kept_once_and_the_newest_of_them),
		one(sources_come_change_and_go),
		one(who_asks_is_known_while_it_is_asked),
		one(what_is_left_out_is_counted),
		one(nonsense_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
