/* ollama_test.c - lines of Ollama's own API. */
#include "parse/fixture.h"
#include "parse/kinds.h"

#define PAYLOAD(type) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":{"
#define FROM "\"agentId\":\"llama-fixture\""
#define WORDS(type, words) PAYLOAD(type) FROM ",\"content\":\"" words "\"}}"
#define CALL(name, id, input) \
	PAYLOAD("tool_call") \
	FROM ",\"toolName\":\"" name "\",\"callId\":\"" id "\",\"input\":" input "}}"
#define USAGE(in, out) \
	PAYLOAD("token_usage") \
	FROM ",\"promptTokens\":" in ",\"completionTokens\":" out ",\"model\":\"llama-fixture\"}}"
#define DONE(why) \
	PAYLOAD("completion") \
	"\"taskId\":\"run\"," FROM ",\"success\":true,\"result\":\"" why "\"}," \
	"\"metadata\":{\"stopReason\":\"" why "\"}}"

static struct taken t;

static void read_fixture(const char *name)
{
	struct buf bytes;

	load_fixture(&bytes, name);
	taken_read_cut(&t, &parse_ollama, buf_text(&bytes));
	taken_break_off(&parse_ollama, buf_text(&bytes));
	buf_finish(&bytes);
}

static void a_chat_has_thoughts_and_words(void **state)
{
	read_fixture("ollama/chat.ndjson");
	assert_line(&t, 0, WORDS("thinking", "Hm. "));
	assert_line(&t, 1, WORDS("thinking", "So."));
	assert_line(&t, 2, WORDS("text_delta", "Grüe"));
	assert_line(&t, 4, WORDS("text_delta", "!"));
	assert_line(&t, 5, USAGE("26", "8"));
	assert_line(&t, 6, DONE("stop"));
	assert_int_equal(t.signals, 7);
	taken_finish(&t);
}

static void a_call_without_an_id_gets_one(void **state)
{
	read_fixture("ollama/tools.ndjson");
	assert_line(&t, 0, CALL("weather", "run-call-1", "{\"city\":\"Zürich\"}"));
	assert_line(&t, 1, CALL("clock", "run-call-2", "{}"));
	assert_line(&t, 2, CALL("clock", "call_abc", "{\"zone\":\"UTC\"}"));
	taken_finish(&t);
}

static void a_generated_answer_is_read_too(void **state)
{
	read_fixture("ollama/generate.ndjson");
	assert_line(&t, 0, WORDS("thinking", "Hm."));
	assert_line(&t, 1, WORDS("text_delta", "Yes"));
	assert_line(&t, 2, USAGE("3", "4"));
	assert_line(&t, 3, DONE("length"));
	taken_finish(&t);
}

static void a_bare_error_ends_the_answer(void **state)
{
	read_fixture("ollama/error.ndjson");
	assert_line(&t, 1,
	            PAYLOAD("error") FROM ",\"message\":\"an error was encountered while running "
	                                  "the model\",\"code\":\"OLLAMA_ERROR\","
	                                  "\"severity\":\"error\"}}");
	assert_int_equal(t.signals, 2);
	taken_finish(&t);
}

static void an_answer_may_come_whole(void **state)
{
	taken_init(&t, &parse_ollama);
	parse_set_framing(t.parse, FRAMING_WHOLE);
	taken_read(
		&t,
		TEXT("{\n \"model\": \"llama-fixture\",\n \"message\": {\"content\": \"All.\"},\n"
	             " \"done\": true\n}\n"));
	assert_line(&t, 0, WORDS("text_delta", "All."));
	assert_line(&t, 1, DONE("stop"));
	assert_int_equal(t.signals, 2);
	taken_finish(&t);
}

static void what_is_no_object_is_lost_alone(void **state)
{
	taken_read_cut(&t, &parse_ollama, TEXT("nonsense\n[]\n{\"done\":true}\n"));
	assert_int_equal(t.bads, 2);
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chat_has_thoughts_and_words),
		cmocka_unit_test(a_call_without_an_id_gets_one),
		cmocka_unit_test(a_generated_answer_is_read_too),
		cmocka_unit_test(a_bare_error_ends_the_answer),
		cmocka_unit_test(an_answer_may_come_whole),
		cmocka_unit_test(what_is_no_object_is_lost_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
