/* transcript_gemini_test.c - what is told of a chat, in lines or whole. */
#include "parse/fixture.h"
#include "parse/kinds.h"

static struct taken t;

static void check_chat(void)
{
	assert_int_equal(t.bads, 0);
	assert_false(taken_has(&t, "SECRET"));
	assert_int_equal(taken_count(&t, "token_usage"), 2);
	assert_true(taken_has(&t,
	                      "\"correlationId\":\"ge-1\",\"payload\":{\"agentId\":\"gemini\","
	                      "\"promptTokens\":100,\"completionTokens\":25,"
	                      "\"model\":\"gemini-3.1-pro-preview\",\"responseId\":\"ge-1/m2\","
	                      "\"inputTokens\":70,\"cacheReadTokens\":30,\"reasoningTokens\":5"));
	assert_int_equal(taken_count(&t, "tool_call"), 2);
	assert_int_equal(taken_count(&t, "tool_result"), 2);
	assert_true(taken_has(&t, "\"toolName\":\"read_file\",\"callId\":\"c1\","
	                          "\"input\":{\"path\":\"/home/a/shop/a.c\"}"));
	assert_true(taken_has(&t, "\"items\":[{\"text\":\"look\",\"status\":\"completed\"}]"));
	assert_true(taken_has(&t, "\"state\":\"began\""));
	assert_true(taken_has(&t, "\"state\":\"over\""));
	assert_true(taken_has(&t, "\"title\":\"Mend the cart\""));
}

static void a_chat_of_lines_is_told_without_its_words(void **state)
{
	struct buf bytes;

	load_fixture(&bytes, "agents/gemini-chat.jsonl");
	taken_read_cut(&t, &parse_gemini_chat, buf_text(&bytes));
	buf_finish(&bytes);
	check_chat();
	taken_finish(&t);
}

static void a_chat_that_is_one_object_is_told_likewise(void **state)
{
	struct buf bytes;

	load_fixture(&bytes, "agents/gemini-chat.json");
	taken_init(&t, &parse_gemini_chat);
	parse_set_framing(t.parse, FRAMING_WHOLE);
	taken_read(&t, buf_text(&bytes));
	buf_finish(&bytes);
	check_chat();
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chat_of_lines_is_told_without_its_words),
		cmocka_unit_test(a_chat_that_is_one_object_is_told_likewise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
