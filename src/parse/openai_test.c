/* openai_test.c - Chat Completions, as servers really send them. */
#include "parse/fixture.h"
#include "parse/kinds.h"

#define PAYLOAD(type) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":{"

static struct taken t;

static void read_fixture(const char *name)
{
	struct buf bytes;

	load_fixture(&bytes, name);
	taken_read_cut(&t, &parse_openai, buf_text(&bytes));
	buf_finish(&bytes);
}

/* Chunks are given as they stand between `data: ` and an empty line. */
static void read_chunks(const char *const *chunks)
{
	struct buf bytes;

	buf_init(&bytes, MIB);
	for (; *chunks; chunks++)
		buf_print(&bytes, "data: %s\n\n", *chunks);
	taken_read_cut(&t, &parse_openai, buf_text(&bytes));
	buf_finish(&bytes);
}

#define READ(...) read_chunks((const char *const[]){__VA_ARGS__, NULL})
#define CHOICE(delta) "{\"choices\":[{\"delta\":" delta "}]}"
#define STOP(reason) "{\"choices\":[{\"delta\":{},\"finish_reason\":\"" reason "\"}]}"
#define DONE(n, reason) \
	PAYLOAD("completion") \
	"\"taskId\":\"run\",\"agentId\":\"model\",\"success\":true," \
	"\"result\":\"Stream completed (" n " chunks)\"}," \
	"\"metadata\":{\"stopReason\":\"" reason "\"}}"
#define TEXT_DELTA(words, n) \
	PAYLOAD("text_delta") "\"agentId\":\"model\",\"content\":\"" words "\",\"index\":" n "}}"
#define THINKING(words) PAYLOAD("thinking") "\"agentId\":\"model\",\"content\":\"" words "\"}}"
#define TOOL_CALL(name, id, input) \
	PAYLOAD("tool_call") \
	"\"agentId\":\"model\",\"toolName\":\"" name "\",\"callId\":\"" id "\"," \
	"\"input\":" input "}}"

static void text_comes_piece_by_piece(void **state)
{
	read_fixture("openai/chat-text.sse");
	assert_int_equal(t.signals, 5);
	assert_line(&t, 0,
	            PAYLOAD("text_delta") "\"agentId\":\"gpt-4.1-mini\",\"content\":\"Grüße\","
	                                  "\"index\":0}}");
	assert_true(taken_has(&t, "\"content\":\"🚦.\",\"index\":2"));
	assert_line(&t, 3,
	            PAYLOAD("token_usage") "\"agentId\":\"gpt-4.1-mini\",\"promptTokens\":19,"
	                                   "\"completionTokens\":10,\"model\":\"gpt-4.1-mini\","
	                                   "\"inputTokens\":11,\"cacheReadTokens\":8,"
	                                   "\"reasoningTokens\":3}}");
	assert_line(&t, 4,
	            PAYLOAD("completion") "\"taskId\":\"run\",\"agentId\":\"gpt-4.1-mini\","
	                                  "\"success\":true,"
	                                  "\"result\":\"Stream completed (3 chunks)\"},"
	                                  "\"metadata\":{\"stopReason\":\"stop\"}}");
	taken_finish(&t);
}

static void calls_are_joined_by_their_index(void **state)
{
	read_fixture("openai/chat-tools.sse");
	assert_int_equal(taken_count(&t, "tool_call"), 3);
	assert_int_equal(taken_count(&t, "tool_call_delta"), 5);
	assert_true(taken_has(&t, "\"toolName\":\"get_weather\",\"callId\":\"call_a\","
	                          "\"input\":{\"city\": \"Köln\",\"days\": 2}"));
	assert_true(taken_has(&t, "\"toolName\":\"get_time\",\"callId\":\"call_b\","
	                          "\"input\":{\"zone\": \"Europe/Berlin\"}"));
	assert_true(taken_has(&t, "\"toolName\":\"now\",\"callId\":\"call_c\",\"input\":{}"));
	assert_true(taken_has(&t, "\"stopReason\":\"tool_calls\""));
	taken_finish(&t);
}

static void growth_of_a_call_is_seen(void **state)
{
	READ(CHOICE("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	            "\"arguments\":\"{\"}}]}"),
	     STOP("tool_calls"));
	assert_line(&t, 0,
	            PAYLOAD("tool_call_delta") "\"agentId\":\"model\",\"toolName\":\"f\","
	                                       "\"callId\":\"a\",\"content\":\"{\"}}");
	assert_line(&t, 1, TOOL_CALL("f", "a", "{\"value\":\"{\"}"));
	taken_finish(&t);
}

static void another_id_on_an_index_is_another_call(void **state)
{
	READ(CHOICE("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	            "\"arguments\":\"{}\"}}]}"),
	     CHOICE("{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\","
	            "\"arguments\":\"[1]\"}}]}"),
	     CHOICE("{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"\","
	            "\"arguments\":\"\"}}]}"),
	     STOP("tool_calls"));
	assert_line(&t, 1, TOOL_CALL("f", "a", "{}"));
	assert_line(&t, 3, TOOL_CALL("g", "b", "{\"value\":[1]}"));
	assert_int_equal(taken_count(&t, "tool_call"), 2);
	taken_finish(&t);
}

static void calls_without_an_index_are_told_apart(void **state)
{
	READ(CHOICE("{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\","
	            "\"arguments\":\"{\\\"x\\\"\"}},"
	            "{\"id\":\"b\",\"function\":{\"name\":\"g\"}}]}"),
	     CHOICE("{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"arguments\":\":1}\"}}]}"),
	     CHOICE("{\"tool_calls\":[{\"function\":{\"name\":\"h\"}},"
	            "{\"function\":{\"arguments\":\"{}\"}}]}"),
	     STOP("stop"));
	assert_true(taken_has(&t, TOOL_CALL("f", "a", "{\"x\":1}")));
	assert_true(taken_has(&t, TOOL_CALL("g", "b", "{}")));
	assert_true(taken_has(&t, TOOL_CALL("h", "run-0", "{}")));
	assert_int_equal(taken_count(&t, "tool_call"), 3);
	taken_finish(&t);
}

static void arguments_may_be_an_object(void **state)
{
	READ(CHOICE("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	            "\"arguments\":{\"x\":[1,2]}}}]}"),
	     STOP("tool_calls"));
	assert_line(&t, 0, TOOL_CALL("f", "a", "{\"x\":[1,2]}"));
	taken_finish(&t);
}

static void a_custom_tool_has_free_input(void **state)
{
	READ(CHOICE("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"custom\","
	            "\"custom\":{\"name\":\"sql\",\"input\":\"select \"}}]}"),
	     CHOICE("{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"1\"}}]}"),
	     STOP("tool_calls"));
	assert_true(taken_has(&t, TOOL_CALL("sql", "a", "{\"value\":\"select 1\"}")));
	taken_finish(&t);
}

static void the_old_function_call_is_a_call(void **state)
{
	READ(CHOICE("{\"function_call\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\"\"}}"),
	     CHOICE("{\"function_call\":{\"arguments\":\":1}\"}}"), STOP("function_call"));
	assert_true(taken_has(&t, TOOL_CALL("f", "run-0", "{\"a\":1}")));
	taken_finish(&t);
}

static void a_call_is_not_given_when_the_answer_breaks_off(void **state)
{
	READ(CHOICE("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
	            "\"arguments\":\"{}\"}}]}"));
	assert_int_equal(taken_count(&t, "tool_call"), 0);
	assert_int_equal(taken_count(&t, "error"), 1);
	taken_finish(&t);
}

static void reasoning_has_four_spellings(void **state)
{
	READ(CHOICE("{\"reasoning_content\":\"a\",\"content\":\"\"}"),
	     CHOICE("{\"reasoning\":\"b\",\"reasoning_details\":[{\"text\":\"b\"}]}"),
	     CHOICE("{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"text\":\"c\"},"
	            "{\"type\":\"reasoning.summary\",\"summary\":\"d\"},"
	            "{\"type\":\"reasoning.encrypted\",\"data\":\"xx\"}]}"),
	     CHOICE("{\"content\":\"<think>e</think>f\"}"), STOP("stop"));
	assert_line(&t, 0, THINKING("a"));
	assert_line(&t, 1, THINKING("b"));
	assert_line(&t, 2, THINKING("c"));
	assert_line(&t, 3, THINKING("d"));
	assert_line(&t, 4, THINKING("e"));
	assert_line(&t, 5, TEXT_DELTA("f", "0"));
	assert_line(&t, 6, DONE("1", "stop"));
	taken_finish(&t);
	read_fixture("openai/chat-reasoning.sse");
	assert_int_equal(taken_count(&t, "thinking"), 2);
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	assert_int_equal(taken_count(&t, "token_usage"), 1);
	taken_finish(&t);
}

static void a_tag_may_be_cut_anywhere(void **state)
{
	read_fixture("openai/chat-think.sse");
	assert_true(taken_has(&t, "\"thinking\""));
	assert_int_equal(taken_count(&t, "thinking"), 4);
	assert_true(taken_has(&t, "\"content\":\"One and\"}"));
	assert_true(taken_has(&t, "\"content\":\" two \"}"));
	assert_true(taken_has(&t, "\"content\":\"<\"}"));
	assert_true(taken_has(&t, "\"content\":\"/b> make\"}"));
	assert_true(taken_has(&t, "\"content\":\"Three\",\"index\":0"));
	assert_true(taken_has(&t, "\"content\":\", not <think>.\",\"index\":1"));
	taken_finish(&t);
}

static void a_refusal_is_words_without_success(void **state)
{
	read_fixture("openai/chat-refusal.sse");
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	assert_true(taken_has(&t, "\"metadata\":{\"refusal\":true}"));
	assert_true(taken_has(&t, "\"success\":false"));
	taken_finish(&t);
}

static void content_may_come_in_parts(void **state)
{
	READ(CHOICE("{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\","
	            "\"text\":\"hm\"}]},{\"type\":\"text\",\"text\":\"yes\"}]}"),
	     STOP("stop"));
	assert_line(&t, 0, THINKING("hm"));
	assert_line(&t, 1, TEXT_DELTA("yes", "0"));
	taken_finish(&t);
}

static void the_last_usage_counts_once(void **state)
{
	read_fixture("openai/chat-usage-everywhere.sse");
	assert_int_equal(taken_count(&t, "token_usage"), 1);
	assert_true(taken_has(&t, "\"promptTokens\":7,\"completionTokens\":3,"));
	assert_true(taken_has(&t, "\"stopReason\":\"length\""));
	taken_finish(&t);
}

static void counters_of_a_local_server_are_usage(void **state)
{
	read_fixture("openai/chat-quirks.sse");
	assert_int_equal(t.bads, 0);
	assert_true(taken_has(&t, "\"agentId\":\"local\",\"content\":\"B\",\"index\":1"));
	assert_true(taken_has(&t, "\"promptTokens\":4,\"completionTokens\":2,"));
	taken_finish(&t);
}

static void an_error_ends_the_answer(void **state)
{
	read_fixture("openai/chat-error.sse");
	assert_int_equal(t.signals, 2);
	assert_line(&t, 1,
	            PAYLOAD("error") "\"agentId\":\"gpt-4.1-mini\","
	                             "\"message\":\"The server had an error\","
	                             "\"code\":\"overloaded\",\"severity\":\"error\"}}");
	taken_finish(&t);
}

static void check_error(const char *chunk, const char *message_and_code)
{
	READ(chunk);
	if (!taken_has(&t, message_and_code))
		fail_msg("%s: %.*s", chunk, TEXT_ARG(taken_line(&t, 0)));
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
}

static void errors_have_many_shapes(void **state)
{
	check_error("{\"error\":{}}",
	            "\"message\":\"Unknown OpenAI error\",\"code\":\"OPENAI_ERROR\"");
	check_error("{\"error\":\"down\"}", "\"message\":\"down\",\"code\":\"OPENAI_ERROR\"");
	check_error("{\"error\":{\"message\":\"m\",\"code\":502}}",
	            "\"message\":\"m\",\"code\":\"502\"");
	check_error("{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":null}}",
	            "\"message\":\"m\",\"code\":\"t\"");
	check_error("{\"object\":\"error\",\"message\":\"m\",\"code\":400}",
	            "\"message\":\"m\",\"code\":\"400\"");
	taken_read_cut(&t, &parse_openai, TEXT("event: error\ndata: {\"message\":\"m\"}\n\n"));
	assert_true(taken_has(&t, "\"message\":\"m\""));
	taken_finish(&t);
}

static void an_end_without_done_is_an_end(void **state)
{
	read_fixture("openai/chat-no-done.sse");
	assert_int_equal(taken_count(&t, "completion"), 1);
	taken_finish(&t);
}

static void an_answer_that_breaks_off_is_an_error(void **state)
{
	read_fixture("openai/chat-cut.sse");
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	assert_int_equal(taken_count(&t, "error"), 1);
	taken_finish(&t);
}

static void words_held_back_are_not_lost(void **state)
{
	READ(CHOICE("{\"content\":\" <thin\"}"), "{\"error\":{\"message\":\"m\"}}");
	assert_line(&t, 0, TEXT_DELTA(" <thin", "0"));
	assert_int_equal(t.signals, 2);
	taken_finish(&t);
	READ(CHOICE("{\"content\":\"<think>a</th\"}"));
	assert_line(&t, 0, THINKING("a"));
	assert_line(&t, 1, THINKING("</th"));
	assert_int_equal(t.signals, 3);
	taken_finish(&t);
}

static void keep_end(void *self, struct text envelope)
{
	struct buf *out = self;

	buf_clear(out);
	buf_add(out, envelope);
}

static void a_long_name_has_its_choice_behind_it(void **state)
{
	static char name[3000];
	struct buf out;
	struct parse_options options = {.self = &out, .signal = keep_end};
	struct parse *p;

	memset(name, 'm', sizeof(name));
	options.agent = (struct text){name, sizeof(name)};
	buf_init(&out, 64 * KIB);
	p = parse_create(&parse_openai, &options);
	parse_message(p, TEXT("{\"choices\":[{\"index\":127,\"delta\":{\"content\":\"a\"}}]}"));
	assert_non_null(memmem(out.at, out.len, "mmm#127\"", 8));
	parse_destroy(p);
	buf_finish(&out);
}

static void choices_are_not_mixed(void **state)
{
	read_fixture("openai/chat-choices.sse");
	assert_true(taken_has(&t, "\"agentId\":\"gpt-4.1-mini\",\"content\":\"hand\""));
	assert_true(taken_has(&t, "\"agentId\":\"gpt-4.1-mini#1\",\"content\":\"side\""));
	assert_true(taken_has(&t, "\"stopReason\":\"stop\""));
	taken_finish(&t);
}

static void a_whole_answer_is_read_like_a_stream(void **state)
{
	taken_init(&t, &parse_openai);
	parse_set_framing(t.parse, FRAMING_WHOLE);
	taken_read(&t,
	           TEXT("{\n \"object\": \"chat.completion\", \"model\": \"model\",\n"
	                " \"choices\": [{\"index\": 0, \"message\": {\"role\": \"assistant\",\n"
	                "  \"content\": \"Hi\", \"tool_calls\": [{\"id\": \"a\", \"type\": "
	                "\"function\", \"function\": {\"name\": \"f\", \"arguments\": \"{}\"}}]},\n"
	                "  \"finish_reason\": \"tool_calls\"}],\n"
	                " \"usage\": {\"prompt_tokens\": 1, \"completion_tokens\": 2}}\n"));
	assert_line(&t, 0, TEXT_DELTA("Hi", "0"));
	assert_true(taken_has(&t, TOOL_CALL("f", "a", "{}")));
	assert_true(taken_has(&t, "\"promptTokens\":1,\"completionTokens\":2,"));
	assert_true(taken_has(&t, DONE("1", "tool_calls")));
	taken_finish(&t);
}

static void a_bad_chunk_is_lost_alone(void **state)
{
	const char *good = CHOICE("{\"content\":\"a\"}");
	const char *beyond = "{\"choices\":[{\"index\":4000,\"delta\":{\"content\":\"b\"}}]}";
	const char *odd = "{\"choices\":[null,7,{\"delta\":[],\"finish_reason\":9}]}";
	const char *stop = STOP("stop");

	READ("{\"choices\":", "7", good, beyond, "{\"choices\":7}", odd, stop, "[DONE]", "rubbish");
	assert_int_equal(t.bads, 3);
	assert_line(&t, 0, TEXT_DELTA("a", "0"));
	assert_line(&t, 1, DONE("1", "stop"));
	taken_finish(&t);
}

static void done_alone_completes(void **state)
{
	READ("[DONE]");
	assert_line(&t, 0,
	            PAYLOAD("completion") "\"taskId\":\"run\",\"agentId\":\"model\","
	                                  "\"success\":true,"
	                                  "\"result\":\"Stream completed (0 chunks)\"}}");
	taken_finish(&t);
}

static void too_many_calls_are_told(void **state)
{
	struct buf bytes;

	buf_init(&bytes, MIB);
	for (unsigned i = 0; i < 200; i++)
		buf_print(&bytes,
		          "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%u,"
		          "\"function\":{\"name\":\"f\"}}]}}]}\n\n",
		          i);
	buf_add(&bytes, TEXT("data: [DONE]\n"));
	taken_init(&t, &parse_openai);
	taken_read(&t, buf_text(&bytes));
	assert_int_equal(t.bads, 1);
	assert_int_equal(taken_count(&t, "tool_call"), 128);
	assert_int_equal(t.ends, 1);
	taken_finish(&t);
	buf_finish(&bytes);
}

static void too_much_input_of_calls_is_told(void **state)
{
	static char half[512 * KIB];
	struct buf bytes;

	memset(half, 'x', sizeof(half));
	buf_init(&bytes, MIB);
	buf_add(&bytes, TEXT("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\","
	                     "\"function\":{\"name\":\"f\",\"arguments\":\""));
	buf_add(&bytes, (struct text){half, sizeof(half)});
	buf_add(&bytes, TEXT("\"}}]}}]}"));
	taken_init(&t, &parse_openai);
	for (unsigned i = 0; i < 12; i++)
		parse_message(t.parse, buf_text(&bytes));
	assert_int_equal(taken_count(&t, "tool_call_delta"), 8);
	assert_int_equal(t.bads, 1);
	parse_message(t.parse, TEXT("[DONE]"));
	assert_int_equal(t.bads, 2); /* no signal has room for 4 MiB: it goes without */
	assert_true(taken_has(&t, PAYLOAD("tool_call") "\"agentId\":\"model\",\"toolName\":\"f\","
	                                               "\"callId\":\"a\"}}"));
	assert_int_equal(t.ends, 1);
	taken_finish(&t);
	buf_finish(&bytes);
}

static void a_closing_tag_alone_ends_thoughts(void **state)
{
	READ(CHOICE("{\"content\":\"Let me \"}"), CHOICE("{\"content\":\"see.</thi\"}"),
	     CHOICE("{\"content\":\"nk>42\"}"), CHOICE("{\"content\":\" </think>\"}"),
	     STOP("stop"));
	assert_line(&t, 0, TEXT_DELTA("Let me ", "0"));
	assert_line(&t, 1, TEXT_DELTA("see.", "1"));
	assert_line(&t, 2,
	            PAYLOAD("agent_state_change") "\"agentId\":\"model\",\"from\":\"thinking\","
	                                          "\"to\":\"acting\",\"reason\":"
	                                          "\"what it said so far was thought\"}}");
	assert_line(&t, 3, TEXT_DELTA("42", "2"));
	assert_line(&t, 4, TEXT_DELTA(" </think>", "3"));
	taken_finish(&t);
	READ("{\"choices\":[{\"message\":{\"content\":\"Hm.\\n</think>\\nYes\"},"
	     "\"finish_reason\":\"stop\"}]}");
	assert_line(&t, 0, THINKING("Hm.\\n"));
	assert_line(&t, 1, TEXT_DELTA("\\nYes", "0"));
	assert_int_equal(taken_count(&t, "agent_state_change"), 0);
	taken_finish(&t);
	READ(CHOICE("{\"content\":\"Write `</think>` at the end, <\"}"), STOP("stop"));
	assert_line(&t, 0, TEXT_DELTA("Write `</think>` at the end, ", "0"));
	assert_line(&t, 1, TEXT_DELTA("<", "1"));
	taken_finish(&t);
}

static void a_character_in_two_deltas_is_whole(void **state)
{
	READ(CHOICE("{\"content\":\"a\\ud83d\"}"), CHOICE("{\"content\":\"\\ude00b\"}"),
	     CHOICE("{\"content\":\"\xF0\x9F\"}"), CHOICE("{\"content\":\"\x98\"}"),
	     CHOICE("{\"content\":\"\x80\"}"), STOP("stop"));
	assert_line(&t, 0, TEXT_DELTA("a", "0"));
	assert_line(&t, 1, TEXT_DELTA("😀b", "1"));
	assert_line(&t, 2, TEXT_DELTA("😀", "2"));
	assert_int_equal(t.bads, 0);
	taken_finish(&t);
}

static void every_choice_has_its_reason_to_stop(void **state)
{
	READ("{\"choices\":[{\"index\":2,\"delta\":{\"content\":\"a\"}}]}",
	     "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"},"
	     "{\"index\":2,\"delta\":{},\"finish_reason\":\"length\"}]}",
	     "[DONE]");
	assert_true(taken_has(&t, "\"metadata\":{\"stopReason\":\"stop\",\"finishReasons\":"
	                          "[\"stop\",null,\"length\"]}"));
	taken_finish(&t);
}

static void usage_may_stand_in_a_choice(void **state)
{
	READ("{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"usage\":"
	     "{\"prompt_tokens\":3,\"completion_tokens\":4}}]}",
	     "[DONE]");
	assert_true(taken_has(&t, "\"promptTokens\":3,\"completionTokens\":4"));
	assert_int_equal(taken_count(&t, "token_usage"), 1);
	taken_finish(&t);
}

static void free_input_keeps_its_white_space(void **state)
{
	READ(CHOICE("{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"type\":\"custom\",\"custom\":"
	            "{\"name\":\"patch\",\"input\":\"  x\"}}]}"),
	     CHOICE("{\"tool_calls\":[{\"index\":0,\"custom\":{\"input\":\"\\n \"}}]}"),
	     STOP("tool_calls"));
	assert_true(taken_has(&t, TOOL_CALL("patch", "c", "{\"value\":\"  x\\n \"}")));
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_comes_piece_by_piece),
		cmocka_unit_test(calls_are_joined_by_their_index),
		cmocka_unit_test(growth_of_a_call_is_seen),
		cmocka_unit_test(another_id_on_an_index_is_another_call),
		cmocka_unit_test(calls_without_an_index_are_told_apart),
		cmocka_unit_test(arguments_may_be_an_object),
		cmocka_unit_test(a_custom_tool_has_free_input),
		cmocka_unit_test(the_old_function_call_is_a_call),
		cmocka_unit_test(a_call_is_not_given_when_the_answer_breaks_off),
		cmocka_unit_test(reasoning_has_four_spellings),
		cmocka_unit_test(a_tag_may_be_cut_anywhere),
		cmocka_unit_test(a_refusal_is_words_without_success),
		cmocka_unit_test(content_may_come_in_parts),
		cmocka_unit_test(the_last_usage_counts_once),
		cmocka_unit_test(counters_of_a_local_server_are_usage),
		cmocka_unit_test(an_error_ends_the_answer),
		cmocka_unit_test(errors_have_many_shapes),
		cmocka_unit_test(an_end_without_done_is_an_end),
		cmocka_unit_test(an_answer_that_breaks_off_is_an_error),
		cmocka_unit_test(words_held_back_are_not_lost),
		cmocka_unit_test(a_long_name_has_its_choice_behind_it),
		cmocka_unit_test(choices_are_not_mixed),
		cmocka_unit_test(a_whole_answer_is_read_like_a_stream),
		cmocka_unit_test(a_bad_chunk_is_lost_alone),
		cmocka_unit_test(done_alone_completes),
		cmocka_unit_test(a_closing_tag_alone_ends_thoughts),
		cmocka_unit_test(a_character_in_two_deltas_is_whole),
		cmocka_unit_test(every_choice_has_its_reason_to_stop),
		cmocka_unit_test(usage_may_stand_in_a_choice),
		cmocka_unit_test(free_input_keeps_its_white_space),
		cmocka_unit_test(too_many_calls_are_told),
		cmocka_unit_test(too_much_input_of_calls_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
