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
	assert_int_equal(hear("{\"op\":\"hello\",\"epoch\":\"0123456789ab\",\"seq\":77}"),
	                 BOARD_HELLO);
	assert_int_equal(board->head.seq, 77);
	assert_string_equal(board->head.epoch, "0123456789ab");
}

static void assert_after(const char *wanted)
{
	char out[POSITIONS_ROOM];
	struct text after = board_after(board, 10, out);

	assert_true(text_is(after, wanted));
}

static void signals_go_on_from_a_position_in_each_epoch(void **state)
{
	hear("{\"op\":\"hello\",\"epoch\":\"aaaaaaaaaaaa\",\"seq\":20}");
	assert_after("aaaaaaaaaaaa-10");
	for (int i = 11; i <= 22; i++) {
		char message[32];

		snprintf(message, sizeof(message), "{\"seq\":%d}", i);
		hear(message);
	}
	hear("{\"op\":\"hello\",\"epoch\":\"bbbbbbbbbbbb\",\"seq\":25}");
	assert_after("aaaaaaaaaaaa-22");
	hear("{\"seq\":23}");
	assert_after("bbbbbbbbbbbb-23,aaaaaaaaaaaa-22");
	/* Too long ago: only the newest are wanted. */
	hear("{\"op\":\"hello\",\"epoch\":\"cccccccccccc\",\"seq\":100}");
	assert_after("cccccccccccc-90,bbbbbbbbbbbb-23,aaaaaaaaaaaa-22");
	/* A box that is behind us is told where we stand. */
	hear("{\"op\":\"hello\",\"epoch\":\"dddddddddddd\",\"seq\":21}");
	assert_after("cccccccccccc-90,bbbbbbbbbbbb-23,aaaaaaaaaaaa-22");
}

static void what_was_lost_is_forgotten(void **state)
{
	hear("{\"op\":\"hello\",\"epoch\":\"aaaaaaaaaaaa\",\"seq\":0}");
	for (int i = 1; i <= 9; i++) {
		char message[32];

		snprintf(message, sizeof(message), "{\"seq\":%d,\"of\":\"a\"}", i);
		hear(message);
	}
	hear("{\"op\":\"hello\",\"epoch\":\"bbbbbbbbbbbb\",\"seq\":7}");
	assert_int_equal(hear("{\"op\":\"gap\",\"from\":6,\"to\":9,\"why\":\"lost\"}"), BOARD_LOST);
	assert_int_equal(board->signal_count, 5);
	assert_after("bbbbbbbbbbbb-5,aaaaaaaaaaaa-5");
	assert_int_equal(hear("{\"seq\":6,\"of\":\"b\"}"), BOARD_CHANGED);
	assert_string_equal(board_signal(board, 5)->raw, "{\"seq\":6,\"of\":\"b\"}");
	/* Lost before we saw any of it: that is a gap like any other. */
	assert_int_equal(hear("{\"op\":\"gap\",\"from\":7,\"to\":7,\"why\":\"lost\"}"),
	                 BOARD_NOTHING);
	assert_int_equal(hear("{\"op\":\"gap\",\"from\":1,\"to\":9,\"why\":\"lost\"}"), BOARD_LOST);
	assert_int_equal(board->signal_count, 0);
	assert_int_equal(board->signal_bytes, 0);
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
		"{\"op\":\"gap\",\"from\":0,\"to\":1,\"why\":\"lost\"}",
		"{\"op\":\"hello\",\"epoch\":\"no epoch\",\"seq\":-1}",
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
		one(signals_go_on_from_a_position_in_each_epoch),
		one(what_was_lost_is_forgotten),
		one(signals_are_kept_once_and_the_newest_of_them),
		one(sources_come_change_and_go),
		one(who_asks_is_known_while_it_is_asked),
		one(what_is_left_out_is_counted),
		one(nonsense_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
