/* responses_test.c - OpenAI's Responses: items that are added, grow and are done. */
#include <stdio.h>

#include "parse/fixture.h"
#include "parse/kinds.h"

#define PAYLOAD(type) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":{" \
	"\"agentId\":\"gpt-5-mini\","

static struct taken t;

static void read_fixture(const char *name)
{
	struct buf bytes;

	load_fixture(&bytes, name);
	taken_read_cut(&t, &parse_responses, buf_text(&bytes));
	assert_int_equal(t.bads, 0);
	buf_finish(&bytes);
}

static void check_end(const char *success, const char *stop)
{
	char expected[200];

	snprintf(expected, sizeof(expected),
	         "\"success\":%s,\"result\":\"%s\"},\"metadata\":{\"stopReason\":\"%s\"}", success,
	         stop, stop);
	assert_true(taken_has(&t, expected));
}

static void text_comes_piece_by_piece(void **state)
{
	read_fixture("openai/responses-text.sse");
	assert_int_equal(t.signals, 5);
	assert_line(&t, 0, PAYLOAD("text_delta") "\"content\":\"Signals \",\"index\":0}}");
	assert_line(&t, 2, PAYLOAD("text_delta") "\"content\":\"🚦\",\"index\":2}}");
	assert_line(&t, 3,
	            PAYLOAD("token_usage") "\"promptTokens\":36,\"completionTokens\":87,"
	                                   "\"model\":\"gpt-5-mini\","
	                                   "\"responseId\":\"resp_1\","
	                                   "\"inputTokens\":24,\"cacheReadTokens\":12,"
	                                   "\"reasoningTokens\":5}}");
	check_end("true", "completed");
	taken_finish(&t);
}

static void calls_have_their_own_ids(void **state)
{
	read_fixture("openai/responses-tools.sse");
	assert_int_equal(taken_count(&t, "tool_call"), 3);
	assert_int_equal(taken_count(&t, "tool_call_delta"), 7);
	assert_line(&t, 0,
	            PAYLOAD("tool_call_delta") "\"toolName\":\"get_weather\",\"callId\":\"call_x\","
	                                       "\"content\":\"{\\\"city\\\"\"}}");
	assert_true(taken_has(&t, PAYLOAD("tool_call") "\"toolName\":\"get_weather\","
	                                               "\"callId\":\"call_x\","
	                                               "\"input\":{\"city\":\"Köln\"}}}"));
	assert_true(taken_has(&t, "\"toolName\":\"now\",\"callId\":\"call_y\",\"input\":{}"));
	assert_true(taken_has(&t, "\"toolName\":\"sql\",\"callId\":\"call_z\","
	                          "\"input\":{\"value\":\"select 1\"}"));
	taken_finish(&t);
}

static void the_back_end_has_tools_too(void **state)
{
	read_fixture("openai/responses-served.sse");
	assert_int_equal(taken_count(&t, "tool_call"), 4);
	assert_int_equal(taken_count(&t, "tool_result"), 4);
	assert_true(taken_has(&t, "\"toolName\":\"web_search\",\"callId\":\"ws_1\",\"input\":"
	                          "{\"action\":{\"type\":\"search\",\"query\":\"signal box\"}}"));
	assert_true(taken_has(&t, "\"toolName\":\"code_interpreter\",\"callId\":\"ci_1\",\"input\":"
	                          "{\"code\":\"print(7)\",\"container_id\":\"cntr_1\"}"));
	assert_true(taken_has(&t, "\"success\":true,\"output\":{\"value\":[{\"type\":\"logs\","
	                          "\"logs\":\"7\\n\"}]}"));
	assert_true(taken_has(&t, "\"toolName\":\"search\",\"callId\":\"mcp_1\","
	                          "\"input\":{\"q\":1}},\"metadata\":{\"server\":\"deepwiki\"}"));
	assert_true(taken_has(&t, "\"success\":false,\"output\":{\"value\":"
	                          "\"no such repository\"}"));
	assert_false(taken_has(&t, "aGk="));
	taken_finish(&t);
}

static void summaries_are_thoughts_in_paragraphs(void **state)
{
	read_fixture("openai/responses-reasoning.sse");
	assert_int_equal(taken_count(&t, "thinking"), 5);
	assert_line(&t, 2, PAYLOAD("thinking") "\"content\":\"\\n\\n\"}}");
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	taken_finish(&t);
}

static void a_refusal_is_words_without_success(void **state)
{
	read_fixture("openai/responses-refusal.sse");
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	assert_true(taken_has(&t, "\"metadata\":{\"refusal\":true}"));
	check_end("false", "completed");
	taken_finish(&t);
}

static void a_failed_answer_is_an_error(void **state)
{
	read_fixture("openai/responses-failed.sse");
	assert_true(taken_has(&t, PAYLOAD("error") "\"message\":\"The model broke\","
	                                           "\"code\":\"server_error\","
	                                           "\"severity\":\"error\"}}"));
	taken_finish(&t);
	read_fixture("openai/responses-error.sse");
	assert_true(taken_has(&t, "\"message\":\"Slow down\",\"code\":\"rate_limit_exceeded\""));
	taken_finish(&t);
}

static void an_incomplete_answer_says_why(void **state)
{
	read_fixture("openai/responses-incomplete.sse");
	check_end("true", "max_output_tokens");
	assert_int_equal(taken_count(&t, "token_usage"), 1);
	taken_finish(&t);
}

static void reads(struct text bytes)
{
	taken_read_cut(&t, &parse_responses, bytes);
}

static void a_name_stands_for_a_missing_type(void **state)
{
	reads(TEXT("event: response.output_text.delta\ndata: {\"delta\":\"a\"}\n\n"
	           "event: response.completed\ndata: {\"response\":{}}\n\n"));
	assert_int_equal(t.signals, 2);
	check_end("true", "completed");
	taken_finish(&t);
}

static void what_came_whole_is_given_whole(void **state)
{
	reads(TEXT("data: {\"type\":\"response.output_text.done\",\"text\":\"all\"}\n\n"
	           "data: {\"type\":\"response.reasoning_text.done\",\"text\":\"hm\"}\n\n"
	           "data: {\"type\":\"response.refusal.done\",\"refusal\":\"no\"}\n\n"
	           "data: {\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":"
	           "{\"reason\":\"content_filter\"}}}\n\n"));
	assert_int_equal(t.signals, 4);
	assert_true(taken_has(&t, "\"content\":\"all\""));
	check_end("false", "content_filter");
	taken_finish(&t);
}

static void fragments_may_come_before_their_item(void **state)
{
	reads(TEXT("data: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"i\","
	           "\"delta\":\"{}\"}\n\n"
	           "data: {\"type\":\"response.output_item.done\",\"item\":{\"id\":\"i\","
	           "\"type\":\"function_call\",\"name\":\"f\",\"call_id\":\"c\"}}\n\n"
	           "data: {\"type\":\"response.completed\",\"response\":{}}\n\n"));
	assert_int_equal(taken_count(&t, "tool_call"), 1);
	assert_true(taken_has(&t, "\"toolName\":\"f\",\"callId\":\"c\",\"input\":{}"));
	taken_finish(&t);
}

static void a_call_that_was_never_done_is_given_at_the_end(void **state)
{
	reads(TEXT("data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{"
	           "\"id\":\"i\",\"type\":\"function_call\",\"name\":\"f\",\"call_id\":\"c\"}}\n\n"
	           "data: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"j\","
	           "\"output_index\":0,\"delta\":\"{\\\"a\\\":1}\"}\n\n"
	           "data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}"
	           "\n\n"));
	assert_true(taken_has(&t, "\"toolName\":\"f\",\"callId\":\"c\",\"input\":{\"a\":1}"));
	taken_finish(&t);
}

static void results_may_be_items(void **state)
{
	reads(TEXT(
		"data: {\"type\":\"response.output_item.done\",\"item\":{\"id\":\"i\","
		"\"type\":\"shell_call_output\",\"call_id\":\"c\",\"output\":[{\"stdout\":\"7\"}]"
		"}}\n\n"
		"data: {\"type\":\"response.output_item.done\",\"item\":{\"id\":\"i\","
		"\"type\":\"mcp_approval_request\",\"name\":\"f\"}}\n\n"
		"data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}"
		"\n\n"));
	assert_true(taken_has(&t, "\"toolName\":\"shell\",\"callId\":\"c\",\"success\":true,"
	                          "\"output\":{\"value\":[{\"stdout\":\"7\"}]}"));
	assert_true(taken_has(&t, "\"to\":\"waiting\",\"reason\":\"approval\""));
	taken_finish(&t);
}

static void a_whole_answer_is_read_like_a_stream(void **state)
{
	taken_init(&t, &parse_responses);
	parse_set_framing(t.parse, FRAMING_WHOLE);
	taken_read(
		&t,
		TEXT("{\"object\": \"response\", \"model\": \"gpt-5-mini\", \"status\": "
	             "\"completed\",\n \"output\": [\n"
	             "{\"type\": \"reasoning\", \"summary\": [{\"text\": \"a\"}, {\"text\": "
	             "\"b\"}]},\n"
	             "{\"type\": \"message\", \"content\": [{\"type\": \"output_text\", "
	             "\"text\": \"Hi\"}]},\n"
	             "{\"type\": \"function_call\", \"id\": \"i\", \"call_id\": \"c\", \"name\": "
	             "\"f\", \"arguments\": \"{}\"}],\n"
	             "\"usage\": {\"input_tokens\": 1, \"output_tokens\": 2}}\n"));
	assert_int_equal(taken_count(&t, "thinking"), 3);
	assert_int_equal(taken_count(&t, "text_delta"), 1);
	assert_int_equal(taken_count(&t, "tool_call"), 1);
	assert_true(taken_has(&t, "\"promptTokens\":1,\"completionTokens\":2,"));
	check_end("true", "completed");
	taken_finish(&t);
}

static void what_breaks_off_is_an_error(void **state)
{
	reads(TEXT("data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n"
	           "data: [DONE]\n\n"));
	assert_int_equal(taken_count(&t, "error"), 1);
	taken_finish(&t);
	reads(TEXT("{\"error\":{\"message\":\"no key\",\"code\":\"invalid_api_key\"}}\n"));
	assert_true(taken_has(&t, "\"message\":\"no key\",\"code\":\"invalid_api_key\""));
	taken_finish(&t);
}

static void events_that_nobody_knows_are_shown(void **state)
{
	reads(TEXT("data: {\"type\":\"response.compaction.compacting\",\"output_index\":5}\n\n"
	           "data: {\"type\":\"response.steer.accepted\"}\n\n"
	           "data: {\"type\":\"response.of.tomorrow\",\"delta\":\"x\"}\n\n"
	           "data: {\"type\":7}\n\n"
	           "data: {\"type\":\"response.output_item.done\",\"item\":"
	           "{\"type\":\"odd\",\"n\":1}}\n\n"
	           "data: {\"type\":\"response.web_search_call.searching\"}\n\n"
	           "data: {\"type\":\"response.completed\"}\n\n"));
	assert_int_equal(t.signals, 6);
	assert_int_equal(taken_count(&t, "event"), 5);
	assert_true(
		taken_has(&t, "\"payload\":{\"type\":\"response.of.tomorrow\",\"delta\":\"x\"}"));
	assert_true(taken_has(&t, "\"payload\":{\"type\":\"odd\",\"n\":1}"));
	assert_int_equal(t.bads, 0);
	taken_finish(&t);
}

static void a_bad_event_is_lost_alone(void **state)
{
	reads(TEXT(
		"data: {\n\ndata: 7\n\ndata: {\"type\":\"response.output_item.done\"}\n\n"
		"data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"_call\"}}\n\n"
		"data: {\"type\":\"response.completed\"}\n\n"));
	assert_int_equal(t.bads, 2);
	assert_true(taken_has(&t, "\"toolName\":\"unknown\",\"callId\":\"run-0\""));
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_comes_piece_by_piece),
		cmocka_unit_test(calls_have_their_own_ids),
		cmocka_unit_test(the_back_end_has_tools_too),
		cmocka_unit_test(summaries_are_thoughts_in_paragraphs),
		cmocka_unit_test(a_refusal_is_words_without_success),
		cmocka_unit_test(a_failed_answer_is_an_error),
		cmocka_unit_test(an_incomplete_answer_says_why),
		cmocka_unit_test(a_name_stands_for_a_missing_type),
		cmocka_unit_test(what_came_whole_is_given_whole),
		cmocka_unit_test(fragments_may_come_before_their_item),
		cmocka_unit_test(a_call_that_was_never_done_is_given_at_the_end),
		cmocka_unit_test(results_may_be_items),
		cmocka_unit_test(a_whole_answer_is_read_like_a_stream),
		cmocka_unit_test(what_breaks_off_is_an_error),
		cmocka_unit_test(events_that_nobody_knows_are_shown),
		cmocka_unit_test(a_bad_event_is_lost_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
