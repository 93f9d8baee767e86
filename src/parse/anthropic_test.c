/* anthropic_test.c - the Messages API, event by event. */
#include "parse/fixture.h"
#include "parse/kinds.h"

#define PAYLOAD(type) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":{"
#define FROM "\"agentId\":\"claude-fixture-1\""
#define STARTED \
	PAYLOAD("agent_state_change") \
	FROM ",\"from\":\"idle\",\"to\":\"acting\",\"reason\":\"message started\"}}"
#define WORDS(words) PAYLOAD("text_delta") FROM ",\"content\":\"" words "\"}}"
#define THOUGHT(words) PAYLOAD("thinking") FROM ",\"content\":\"" words "\"}"
#define CALL(type, name, id) PAYLOAD(type) FROM ",\"toolName\":\"" name "\",\"callId\":\"" id "\","
#define USAGE(in, out, id) \
	PAYLOAD("token_usage") \
	FROM ",\"promptTokens\":" in ",\"completionTokens\":" out \
	     ",\"model\":\"claude-fixture-1\",\"responseId\":\"" id "\""
#define DONE(success, why) \
	PAYLOAD("completion") \
	"\"taskId\":\"run\"," FROM ",\"success\":" success ",\"result\":\"" why "\"}," \
	"\"metadata\":{\"stopReason\":\"" why "\"}}"

static struct taken t;

static void read_fixture(const char *name)
{
	struct buf bytes;

	load_fixture(&bytes, name);
	taken_read_cut(&t, &parse_anthropic, buf_text(&bytes));
	taken_break_off(&parse_anthropic, buf_text(&bytes));
	assert_int_equal(t.bads, 0);
	buf_finish(&bytes);
}

static void read_text(const char *bytes)
{
	taken_read_cut(&t, &parse_anthropic, text_of(bytes));
}

static void words_come_piece_by_piece(void **state)
{
	read_fixture("anthropic/words.sse");
	assert_line(&t, 0, STARTED);
	assert_line(&t, 1, WORDS("Grüezi, "));
	assert_line(&t, 2, WORDS("😀 world"));
	assert_line(&t, 3, WORDS(".\\n"));
	assert_line(&t, 4, USAGE("25", "15", "msg_w") "}}");
	assert_line(&t, 5, DONE("true", "end_turn"));
	assert_int_equal(t.signals, 6);
	taken_finish(&t);
}

static void blocks_are_told_apart_by_their_index(void **state)
{
	read_fixture("anthropic/tools.sse");
	assert_line(&t, 1, THOUGHT("Weather ") "}");
	assert_line(&t, 2, THOUGHT("first.") "}");
	assert_line(&t, 3, THOUGHT("") ",\"metadata\":{\"redacted\":true}}");
	assert_line(&t, 4, WORDS("I look."));
	assert_line(&t, 5,
	            CALL("tool_call_delta", "weather", "toolu_1") "\"content\":"
	                                                          "\"{\\\"city\\\": \\\"Z\"}}");
	assert_line(&t, 7, CALL("tool_call", "clock", "toolu_2") "\"input\":{}}}");
	assert_line(&t, 9,
	            CALL("tool_call", "weather", "toolu_1") "\"input\":{\"city\": \"Zürich\", "
	                                                    "\"days\": [1, 2]}}}");
	assert_line(&t, 10, USAGE("25", "89", "msg_t") ",\"cacheReadTokens\":7}}");
	assert_line(&t, 11, DONE("true", "tool_use"));
	assert_int_equal(t.signals, 12);
	taken_finish(&t);
}

static void tools_of_the_server_have_results(void **state)
{
	read_fixture("anthropic/server.sse");
	assert_int_equal(taken_count(&t, "tool_call"), 3);
	assert_int_equal(taken_count(&t, "tool_result"), 3);
	assert_true(taken_has(&t, CALL("tool_result", "web_search",
	                               "srvtoolu_1") "\"success\":true,\"output\":{\"value\":[{"));
	assert_true(taken_has(&t, CALL("tool_result", "web_fetch",
	                               "srvtoolu_2") "\"success\":false,\"output\":{\"type\":"));
	assert_true(taken_has(&t, CALL("tool_result", "echo", "mcptoolu_1") "\"success\":true,"));
	assert_true(taken_has(&t, "]}},\"metadata\":{\"server\":\"local\"}}"));
	assert_true(taken_has(&t, WORDS("Found.")));
	assert_true(taken_has(&t, "\"promptTokens\":1200,\"completionTokens\":60,"));
	taken_finish(&t);
}

static void an_event_needs_no_name(void **state)
{
	read_fixture("anthropic/nameless.sse");
	assert_line(&t, 1, WORDS("cut sho"));
	assert_line(&t, 2, USAGE("25", "9", "msg_n") "}}");
	assert_line(&t, 3, DONE("true", "max_tokens"));
	assert_int_equal(t.signals, 4);
	taken_finish(&t);
	read_fixture("anthropic/crlf.sse");
	assert_int_equal(t.signals, 4);
	assert_line(&t, 3, DONE("true", "max_tokens"));
	taken_finish(&t);
}

static void an_event_needs_no_type(void **state)
{
	read_text("event: content_block_delta\ndata: {\"delta\":{\"type\":\"text_delta\"}}\n\n"
	          "event: message_delta\ndata: {\"usage\":{\"output_tokens\":5}}\n\n"
	          "event: message_stop\ndata: {}\n\n");
	assert_line(&t, 0, PAYLOAD("text_delta") "\"agentId\":\"model\",\"content\":\"\"}}");
	assert_line(&t, 1,
	            PAYLOAD("token_usage") "\"agentId\":\"model\",\"promptTokens\":0,"
	                                   "\"completionTokens\":5,\"model\":\"model\"}}");
	assert_line(&t, 2,
	            PAYLOAD("completion") "\"taskId\":\"run\",\"agentId\":\"model\","
	                                  "\"success\":true,"
	                                  "\"result\":\"Anthropic stream completed\"}}");
	taken_finish(&t);
}

static void counts_that_are_told_add_up(void **state)
{
	read_text("data: {\"type\":\"message_start\",\"message\":"
	          "{\"usage\":{\"input_tokens\":9}}}\n\n"
	          "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":5}}\n\n"
	          "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":12}}\n\n"
	          "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":12}}\n\n"
	          "data: {\"type\":\"message_stop\"}\n\n");
	assert_int_equal(taken_count(&t, "token_usage"), 2);
	assert_true(taken_has(&t, "\"promptTokens\":9,\"completionTokens\":5,"));
	assert_true(taken_has(&t, "\"promptTokens\":0,\"completionTokens\":7,"));
	taken_finish(&t);
}

static void counts_are_never_nonsense(void **state)
{
	read_text("data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":-5,"
	          "\"input_tokens\":1e300}}\n\n"
	          "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":2.5,"
	          "\"input_tokens\":\"7\"}}\n\n");
	assert_true(taken_has(&t, "\"promptTokens\":9007199254740991,\"completionTokens\":0,"));
	assert_true(taken_has(&t, "\"promptTokens\":0,\"completionTokens\":2,"));
	taken_finish(&t);
}

static void caches_and_thoughts_are_counted_apart(void **state)
{
	read_text(
		"data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_c\",\"model\":\"m\","
		"\"usage\":{\"input_tokens\":3,\"output_tokens\":1,\"cache_read_input_tokens\":100,"
		"\"cache_creation_input_tokens\":50,\"cache_creation\":{"
		"\"ephemeral_5m_input_tokens\":20,\"ephemeral_1h_input_tokens\":30}}}}\n\n"
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
		"\"usage\":{\"output_tokens\":9,\"speed\":\"fast\","
		"\"output_tokens_details\":{\"thinking_tokens\":4}}}\n\n"
		"data: {\"type\":\"message_stop\"}\n\n");
	assert_true(taken_has(&t, "\"promptTokens\":3,\"completionTokens\":9,\"model\":\"m\","
	                          "\"responseId\":\"msg_c\",\"cacheReadTokens\":100,"
	                          "\"cacheWriteTokens\":20,\"cacheWrite1hTokens\":30,"
	                          "\"reasoningTokens\":4,\"fast\":true}"));
	taken_finish(&t);
}

static void a_refusal_is_no_success(void **state)
{
	read_fixture("anthropic/refusal.sse");
	assert_line(&t, 3, DONE("false", "refusal"));
	taken_finish(&t);
}

static void an_error_ends_the_answer(void **state)
{
	read_fixture("anthropic/error.sse");
	assert_line(&t, 2, USAGE("25", "1", "msg_e") "}}");
	assert_line(&t, 3,
	            PAYLOAD("error") FROM ",\"message\":\"Overloaded\","
	                                  "\"code\":\"overloaded_error\",\"severity\":\"error\"}}");
	assert_int_equal(t.signals, 4);
	taken_finish(&t);
	read_text("event: error\ndata: {}\n\n");
	assert_true(taken_has(&t, "\"message\":\"Anthropic error\",\"code\":\"ANTHROPIC_ERROR\""));
	taken_finish(&t);
}

static void a_reason_to_stop_is_enough_of_an_end(void **state)
{
	read_text("data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
	          "\"usage\":{\"output_tokens\":3}}\n\n");
	assert_int_equal(taken_count(&t, "token_usage"), 1);
	assert_true(taken_has(&t, "\"success\":true,\"result\":\"end_turn\""));
	taken_finish(&t);
}

static void an_answer_may_come_whole(void **state)
{
	struct buf bytes;

	load_fixture(&bytes, "anthropic/whole.json");
	taken_init(&t, &parse_anthropic);
	parse_set_framing(t.parse, FRAMING_WHOLE);
	taken_read(&t, buf_text(&bytes));
	assert_line(&t, 0, STARTED);
	assert_line(&t, 1, WORDS("Whole."));
	assert_line(&t, 2, CALL("tool_call", "clock", "toolu_9") "\"input\":{\"zone\":\"UTC\"}}}");
	assert_line(&t, 3, USAGE("11", "6", "msg_j") "}}");
	assert_line(&t, 4, DONE("true", "tool_use"));
	taken_finish(&t);
	buf_finish(&bytes);
}

#define START(index, rest) \
	"data: {\"type\":\"content_block_start\",\"index\":" index ",\"content_block\":{" rest \
	"}}\n\n"
#define PIECE(index, json) \
	"data: {\"type\":\"content_block_delta\",\"index\":" index \
	",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"" json "\"}}\n\n"
#define STOP(index) "data: {\"type\":\"content_block_stop\",\"index\":" index "}\n\n"

static void an_input_may_stand_in_the_start(void **state)
{
	read_text(
		START("0", "\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"x\",\"input\":{\"b\":1}")
			STOP("0"));
	assert_true(taken_has(&t, "\"toolName\":\"x\",\"callId\":\"a\",\"input\":{\"b\":1}}"));
	taken_finish(&t);
	read_text(
		START("0", "\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"x\",\"input\":{\"b\":1}")
			PIECE("0", "{\\\"c\\\":2}") STOP("0"));
	assert_true(taken_has(&t, "\"callId\":\"a\",\"input\":{\"c\":2}}"));
	taken_finish(&t);
}

static void an_input_that_is_not_json_is_kept_as_text(void **state)
{
	read_text(START("0", "\"type\":\"tool_use\",\"id\":\"a\"") PIECE("0", "{\\\"c") STOP("0"));
	assert_true(taken_has(&t, "\"toolName\":\"unknown\",\"callId\":\"a\","
	                          "\"input\":{\"value\":\"{\\\"c\"}}"));
	taken_finish(&t);
}

static void pieces_of_no_block_are_passed_over(void **state)
{
	read_text(PIECE("0", "{") STOP("0") "data: {\"type\":\"content_block_delta\"}\n\n"
	                                    "data: {\"type\":\"content_block_start\"}\n\n"
	                                    "data: {\"type\":\"ping\"}\n\n");
	assert_int_equal(t.signals, 1);
	assert_int_equal(t.bads, 0);
	taken_finish(&t);
}

static void too_many_calls_are_told(void **state)
{
	struct buf bytes;

	buf_init(&bytes, MIB);
	for (int i = 0; i < 200; i++)
		buf_print(&bytes, START("%d", "\"type\":\"tool_use\",\"id\":\"%d\""), i, i);
	taken_init(&t, &parse_anthropic);
	taken_read(&t, buf_text(&bytes));
	assert_int_equal(t.bads, 1);
	taken_finish(&t);
	buf_finish(&bytes);
}

static void an_input_has_a_ceiling(void **state)
{
	char *piece = test_malloc(100 * KIB);
	struct buf event;

	memset(piece, '1', 100 * KIB - 1);
	piece[100 * KIB - 1] = '\0';
	buf_init(&event, MIB);
	buf_print(&event, PIECE("0", "%s"), piece);
	taken_init(&t, &parse_anthropic);
	parse_feed(t.parse, text_of(START("0", "\"type\":\"tool_use\",\"id\":\"a\"")));
	for (int i = 0; i < 12; i++)
		parse_feed(t.parse, buf_text(&event));
	taken_read(&t, TEXT(STOP("0")));
	assert_int_equal(t.bads, 1);
	assert_true(taken_has(&t,
	                      PAYLOAD("tool_call") "\"agentId\":\"model\","
	                                           "\"toolName\":\"unknown\",\"callId\":\"a\"}}"));
	taken_finish(&t);
	buf_finish(&event);
	test_free(piece);
}

static void what_is_no_event_is_lost_alone(void **state)
{
	read_text("data: nonsense\n\ndata: [1]\n\ndata: \"message_stop\"\n\n"
	          "data: {\"type\":\"message_stop\"}\n\n");
	assert_int_equal(t.bads, 3);
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
}

static void what_nobody_knows_is_an_event(void **state)
{
	read_text("data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":"
	          "{\"type\":\"mcp_tool_listing\",\"tools\":[1]}}\n\n"
	          "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
	          "{\"type\":\"compaction_delta\",\"content\":\"x\"}}\n\n"
	          "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
	          "{\"type\":\"signature_delta\",\"signature\":\"x\"}}\n\n"
	          "data: {\"type\":\"ping\"}\n\n"
	          "data: {\"type\":\"weather\",\"sun\":true}\n\n");
	assert_line(&t, 0, PAYLOAD("event") "\"type\":\"mcp_tool_listing\",\"tools\":[1]}}");
	assert_line(&t, 1, PAYLOAD("event") "\"type\":\"compaction_delta\",\"content\":\"x\"}}");
	assert_line(&t, 2, PAYLOAD("event") "\"type\":\"weather\",\"sun\":true}}");
	assert_int_equal(taken_count(&t, "event"), 3);
	taken_finish(&t);
	read_text(
		"{\"type\":\"message\",\"model\":\"m\",\"content\":[{\"type\":\"container_upload\","
		"\"file_id\":\"f\"}],\"stop_reason\":\"end_turn\"}");
	assert_true(taken_has(&t, "\"payload\":{\"type\":\"container_upload\",\"file_id\":\"f\"}"));
	taken_finish(&t);
}

static void a_character_in_two_deltas_is_whole(void **state)
{
	read_text("data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
	          "{\"type\":\"text_delta\",\"text\":\"\\ud83d\"}}\n\n"
	          "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":"
	          "{\"type\":\"text_delta\",\"text\":\"b\"}}\n\n"
	          "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":"
	          "{\"type\":\"text_delta\",\"text\":\"\\ude00\"}}\n\n");
	assert_true(taken_has(&t, "\"content\":\"😀\""));
	assert_true(taken_has(&t, "\"content\":\"b\""));
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_come_piece_by_piece),
		cmocka_unit_test(blocks_are_told_apart_by_their_index),
		cmocka_unit_test(tools_of_the_server_have_results),
		cmocka_unit_test(an_event_needs_no_name),
		cmocka_unit_test(an_event_needs_no_type),
		cmocka_unit_test(counts_that_are_told_add_up),
		cmocka_unit_test(counts_are_never_nonsense),
		cmocka_unit_test(caches_and_thoughts_are_counted_apart),
		cmocka_unit_test(a_refusal_is_no_success),
		cmocka_unit_test(an_error_ends_the_answer),
		cmocka_unit_test(a_reason_to_stop_is_enough_of_an_end),
		cmocka_unit_test(an_answer_may_come_whole),
		cmocka_unit_test(an_input_may_stand_in_the_start),
		cmocka_unit_test(an_input_that_is_not_json_is_kept_as_text),
		cmocka_unit_test(pieces_of_no_block_are_passed_over),
		cmocka_unit_test(what_nobody_knows_is_an_event),
		cmocka_unit_test(a_character_in_two_deltas_is_whole),
		cmocka_unit_test(too_many_calls_are_told),
		cmocka_unit_test(an_input_has_a_ceiling),
		cmocka_unit_test(what_is_no_event_is_lost_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
