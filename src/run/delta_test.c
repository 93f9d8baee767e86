/* delta_test.c - what is joined, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/delta.h"

#define DELTA(seq, name, type, text) \
	"{\"kind\":\"event\",\"seq\":" #seq ",\"ts\":" #seq ",\"event\":\"llm/delta\",\"data\":" \
	"{\"type\":\"" type "\",\"text\":\"" text "\",\"invokeid\":\"" name "\"}}"

static struct coalesce c;

static int begin(void **state)
{
	coalesce_init(&c, &coalesce_deltas, MIB);
	return 0;
}

static int end(void **state)
{
	coalesce_finish(&c);
	return 0;
}

static void assert_taken(const char *expected)
{
	struct buf out;

	buf_init(&out, 2 * COALESCE_TEXT_MAX);
	assert_true(coalesce_take(&c, &out));
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, expected);
	buf_finish(&out);
}

static void pieces_of_one_message_are_joined(void **state)
{
	assert_true(coalesce_add(&c, text_of(DELTA(1, "a", "text-delta", "Hel"))));
	assert_true(coalesce_add(&c, text_of(DELTA(2, "a", "text-delta", "lo \\u00e9"))));
	assert_true(coalesce_add(&c, text_of(DELTA(3, "a", "text-delta", "!"))));
	assert_taken("{\"kind\":\"event\",\"seq\":3,\"ts\":3,\"event\":\"llm/delta\",\"data\":"
	             "{\"type\":\"text-delta\",\"text\":\"Hello é!\",\"invokeid\":\"a\","
	             "\"coalesced\":3}}");
}

static void one_alone_is_as_it_was(void **state)
{
	assert_true(coalesce_add(&c, text_of(DELTA(1, "a", "text-delta", "\\u0041"))));
	assert_taken(DELTA(1, "a", "text-delta", "\\u0041"));
}

static void others_are_not_joined(void **state)
{
	assert_true(coalesce_add(&c, text_of(DELTA(1, "a", "text-delta", "x"))));
	assert_false(coalesce_add(&c, text_of(DELTA(2, "b", "text-delta", "y"))));
	assert_false(coalesce_add(&c, text_of(DELTA(2, "a", "thinking-delta", "y"))));
	assert_false(coalesce_add(
		&c, text_of("{\"run\":\"r\",\"event\":\"llm/delta\",\"data\":{\"type\":"
	                    "\"text-delta\",\"text\":\"y\",\"invokeid\":\"a\"}}")));
	assert_false(coalesce_add(
		&c, text_of("{\"event\":\"llm/delta\",\"data\":{\"type\":\"text-delta\","
	                    "\"text\":\"y\",\"invokeid\":\"a\",\"subagent\":\"s\"}}")));
	assert_false(coalesce_add(&c, text_of("{\"kind\":\"phase\",\"config\":[]}")));
	assert_taken(DELTA(1, "a", "text-delta", "x"));
	assert_true(coalesce_add(&c, text_of(DELTA(2, "b", "text-delta", "y"))));
	assert_taken(DELTA(2, "b", "text-delta", "y"));
}

static void what_is_no_piece_is_not_held(void **state)
{
	struct buf out;

	buf_init(&out, KIB);
	assert_false(coalesce_add(&c, text_of("{\"event\":\"llm/start\",\"data\":{}}")));
	assert_false(coalesce_add(&c, text_of("{\"event\":\"llm/delta\",\"data\":{}}")));
	assert_false(coalesce_add(&c, text_of("nonsense")));
	assert_false(coalesce_take(&c, &out));
	buf_finish(&out);
}

static void those_that_were_joined_before_count(void **state)
{
	assert_true(coalesce_add(&c, text_of("{\"event\":\"llm/delta\",\"data\":{\"text\":\"ab\","
	                                     "\"coalesced\":2}}")));
	assert_true(
		coalesce_add(&c, text_of("{\"event\":\"llm/delta\",\"data\":{\"text\":\"c\"}}")));
	assert_taken("{\"event\":\"llm/delta\",\"data\":{\"text\":\"abc\",\"coalesced\":3}}");
}

static void there_is_an_end_to_joining(void **state)
{
	char *text = malloc(COALESCE_TEXT_MAX), *frame = malloc(COALESCE_TEXT_MAX + KIB);

	memset(text, 'x', COALESCE_TEXT_MAX);
	text[COALESCE_TEXT_MAX - 1] = '\0';
	snprintf(frame, COALESCE_TEXT_MAX + KIB,
	         "{\"event\":\"llm/delta\",\"data\":{\"text\":\"%s\"}}", text);
	assert_true(coalesce_add(&c, text_of(frame)));
	assert_false(
		coalesce_add(&c, text_of("{\"event\":\"llm/delta\",\"data\":{\"text\":\"yz\"}}")));
	assert_taken(frame);
	free(text);
	free(frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pieces_of_one_message_are_joined, begin, end),
		cmocka_unit_test_setup_teardown(one_alone_is_as_it_was, begin, end),
		cmocka_unit_test_setup_teardown(others_are_not_joined, begin, end),
		cmocka_unit_test_setup_teardown(what_is_no_piece_is_not_held, begin, end),
		cmocka_unit_test_setup_teardown(those_that_were_joined_before_count, begin, end),
		cmocka_unit_test_setup_teardown(there_is_an_end_to_joining, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
