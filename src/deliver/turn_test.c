/* turn_test.c - what a run says of itself. */
#include "deliver/turn.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "signal/signal.h"

static struct chat_turn turn;
static struct buf out;

static int set_up(void **state)
{
	turn = (struct chat_turn){0};
	buf_init(&out, 4 * KIB);
	return 0;
}

static int tear_down(void **state)
{
	turn_finish(&turn);
	buf_finish(&out);
	return 0;
}

static void hear(const char *type, const char *payload, const char *metadata)
{
	struct signal_reader *reader = signal_reader_create();
	char line[2048];
	struct signal s;

	snprintf(line, sizeof(line),
	         "{\"seq\":1,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":1,\"source\":\"s\","
	         "\"payload\":%s,\"metadata\":%s}",
	         type, payload, metadata);
	assert_true(signal_read(reader, text_of(line), &s, NULL));
	turn_hear(&turn, &s);
	signal_reader_destroy(reader);
}

static void assert_usage(const char *want)
{
	buf_clear(&out);
	turn_put_usage(&turn, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, want);
}

static void test_usage(void **state)
{
	assert_usage("");
	hear("token_usage",
	     "{\"promptTokens\":7,\"completionTokens\":1,\"model\":\"m\","
	     "\"responseId\":\"r1\"}",
	     "{}");
	hear("token_usage",
	     "{\"promptTokens\":7,\"completionTokens\":3,\"model\":\"m\","
	     "\"responseId\":\"r1\"}",
	     "{}");
	assert_usage("{\"input_tokens\":7,\"output_tokens\":3,\"total_tokens\":10}");
	hear("token_usage",
	     "{\"inputTokens\":1,\"cacheReadTokens\":4,\"completionTokens\":2,"
	     "\"responseId\":\"r2\"}",
	     "{}");
	hear("token_usage", "{\"promptTokens\":99,\"completionTokens\":99}", "{}"); /* the sum */
	assert_usage("{\"input_tokens\":12,\"output_tokens\":5,\"cache_read_tokens\":4,"
	             "\"total_tokens\":17}");
}

static void test_model(void **state)
{
	hear("token_usage", "{\"model\":\"unknown\"}", "{}");
	assert_null(turn.model);
	hear("token_usage",
	     "{\"model\":\"acme/big-1\",\"contextWindow\":1000,"
	     "\"contextTokens\":10}",
	     "{}");
	hear("token_usage", "{\"model\":\"small\"}", "{\"agent_id\":\"a\"}");
	assert_string_equal(turn.model, "big-1");
	assert_string_equal(turn.provider, "acme");
	turn_put_budget(&turn, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, "{\"context_window\":1000,\"context_used\":10}");
}

static void test_ends(void **state)
{
	hear("completion", "{\"success\":true}", "{\"stopReason\":\"end_turn\"}");
	assert_false(turn.ran_out || turn.timed_out || turn.is_heartbeat);
	hear("completion", "{\"success\":true}",
	     "{\"stopReason\":\"length\",\"_meta\":{\"heartbeat\":true}}");
	assert_true(turn.ran_out && turn.is_heartbeat);
	hear("error", "{\"message\":\"m\",\"code\":\"timeout\"}", "{}");
	assert_true(turn.timed_out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_usage, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_model, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ends, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
