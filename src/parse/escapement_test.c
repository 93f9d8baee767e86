/* escapement_test.c - what frames of the run dialect mean, and that each is kept. */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "parse/fixture.h"
#include "parse/kinds.h"

static struct taken t;
static unsigned looked_at;

static int begin(void **state)
{
	taken_init(&t, &parse_escapement);
	looked_at = 0;
	return 0;
}

static int finish(void **state)
{
	taken_finish(&t);
	return 0;
}

static void feed(const char *frame)
{
	parse_message(t.parse, text_of(frame));
}

/* The next signal; frame: what its origin has, NULL: nothing. */
static void expect(const char *type, const char *payload, const char *session, const char *frame)
{
	char *about = session ? must_print("\"sessionId\":\"%s\",", session) : must_dup("");
	char *origin = frame ? must_print(",\"frame\":%s", frame) : must_dup("");
	char *json =
		must_print("{\"type\":\"%s\",\"source\":\"src\",\"correlationId\":\"run\","
	                   "\"payload\":%s,\"metadata\":{%s\"origin\":{\"dialect\":\"run\"%s}}}",
	                   type, payload, about, origin);

	assert_line(&t, looked_at++, json);
	free(about);
	free(origin);
	free(json);
}

static void expect_end(void)
{
	assert_int_equal(t.signals, looked_at);
}

#define EVENT(name, data) \
	"{\"kind\":\"event\",\"seq\":4,\"ts\":7,\"event\":\"" name "\",\"data\":" data "}"
#define DELTA(type, words) \
	EVENT("llm/delta", "{\"type\":\"" type "\",\"text\":\"" words \
	                   "\",\"model\":\"m\",\"invokeid\":\"poet\",\"session-id\":\"s/1\"}")

static void a_delta_is_words_or_a_thought(void **state)
{
	feed(DELTA("text-delta", "snow"));
	expect("text_delta", "{\"agentId\":\"poet\",\"content\":\"snow\"}", "s/1",
	       DELTA("text-delta", "snow"));
	feed(DELTA("thinking-delta", "hm"));
	expect("thinking", "{\"agentId\":\"poet\",\"content\":\"hm\"}", "s/1",
	       DELTA("thinking-delta", "hm"));
	expect_end();
}

#define RESPONSE \
	EVENT("llm/response", \
	      "{\"invokeid\":\"poet\",\"session-id\":\"s/1\",\"model\":\"m\",\"content\":[" \
	      "{\"type\":\"thinking\",\"thinking\":\"hm\"},{\"type\":\"text\",\"text\":\"snow\"}," \
	      "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"save\",\"input\":{\"a\":1}}]," \
	      "\"usage\":{\"input-tokens\":3,\"output-tokens\":2},\"stop-reason\":\"tool_use\"}")

static void a_response_gives_words_that_did_not_stream(void **state)
{
	feed(RESPONSE);
	expect("thinking", "{\"agentId\":\"poet\",\"content\":\"hm\"}", "s/1", RESPONSE);
	expect("text_delta", "{\"agentId\":\"poet\",\"content\":\"snow\"}", "s/1", NULL);
	expect("tool_call",
	       "{\"toolName\":\"save\",\"agentId\":\"poet\",\"callId\":\"c1\",\"input\":{\"a\":1}}",
	       "s/1", NULL);
	expect("token_usage",
	       "{\"agentId\":\"poet\",\"promptTokens\":3,\"completionTokens\":2,\"model\":\"m\"}",
	       "s/1", NULL);
	expect_end();
}

static void words_that_streamed_are_not_said_again(void **state)
{
	feed(DELTA("text-delta", "snow"));
	looked_at++;
	feed(RESPONSE);
	expect("tool_call",
	       "{\"toolName\":\"save\",\"agentId\":\"poet\",\"callId\":\"c1\",\"input\":{\"a\":1}}",
	       "s/1", RESPONSE);
	looked_at++;
	expect_end();
	/* The next turn begins anew. */
	feed(RESPONSE);
	assert_int_equal(t.signals, looked_at + 4);
}

static void a_response_that_says_nothing_is_kept(void **state)
{
	feed(EVENT("llm/response", "{\"invokeid\":\"poet\",\"n-blocks\":0}"));
	expect("llm/response", "{\"invokeid\":\"poet\",\"n-blocks\":0}", NULL,
	       EVENT("llm/response", "{\"invokeid\":\"poet\",\"n-blocks\":0}"));
	expect_end();
}

/* Each is one frame and one signal. */
static const struct {
	const char *frame, *type, *payload, *session;
} singles[] = {
	{EVENT("llm/start", "{\"invokeid\":\"p\",\"session-id\":\"s\"}"), "agent_state_change",
         "{\"agentId\":\"p\",\"from\":\"idle\",\"to\":\"thinking\"}", "s"},
	{EVENT("llm/user-message", "{\"text\":\"go\",\"invokeid\":\"p\"}"), "task_dispatch",
         "{\"taskId\":\"run\",\"from\":\"user\",\"to\":\"p\",\"description\":\"go\"}", NULL},
	{EVENT("llm/tool-result", "{\"tool\":\"save\",\"is-error\":true,\"content-preview\":\"no\","
                                  "\"invokeid\":\"p\"}"),
         "tool_result",
         "{\"toolName\":\"save\",\"agentId\":\"p\",\"success\":false,"
         "\"output\":{\"value\":\"no\"}}",
         NULL},
	{EVENT("llm/error", "{\"message\":\"reset\",\"invokeid\":\"p\"}"), "error",
         "{\"agentId\":\"p\",\"message\":\"reset\",\"severity\":\"error\"}", NULL},
	{EVENT("llm/model-down", "{\"message\":\"slow\",\"invokeid\":\"p\"}"), "error",
         "{\"agentId\":\"p\",\"message\":\"slow\",\"severity\":\"warning\",\"code\":\"model\"}",
         NULL},
	{EVENT("llm/worker-exit", "{\"reason\":\"error\",\"invokeid\":\"p\",\"session-id\":\"s\"}"),
         "completion",
         "{\"taskId\":\"s\",\"agentId\":\"p\",\"success\":false,\"result\":\"error\"}", "s"},
	{EVENT("runner/started", "{\"session-id\":\":session/1\",\"chart-id\":\":c\"}"),
         "agent_state_change",
         "{\"agentId\":\"model\",\"from\":\"idle\",\"to\":\"acting\",\"reason\":\":c\"}",
         ":session/1"},
	{EVENT("runner/start-config", "{\"config\":[\"run\",\"plan\"]}"), "agent_state_change",
         "{\"agentId\":\"model\",\"from\":\"acting\",\"to\":\"acting\",\"reason\":\"plan\"}", NULL},
	{EVENT("runner/done", "{\"final-config\":[\"run\",\"done\"]}"), "completion",
         "{\"taskId\":\"run\",\"agentId\":\"model\",\"success\":true,\"result\":\"done\"}", NULL},
	{EVENT("runner/aborted", "{\"reason\":\"quit\"}"), "completion",
         "{\"taskId\":\"run\",\"agentId\":\"model\",\"success\":false,\"result\":\"quit\"}", NULL},
	{EVENT("human-input/start", "{\"kind\":\"text\",\"invokeid\":null,\"prompt\":\"name?\"}"),
         "agent_state_change",
         "{\"agentId\":\"model\",\"from\":\"acting\",\"to\":\"waiting\",\"reason\":\"name?\"}",
         NULL},
	{EVENT("checkpoint/written", "{\"a\":[1,{\"b\":null}]}"), "checkpoint/written",
         "{\"a\":[1,{\"b\":null}]}", NULL},
	{"{\"event\":\"transcript/serialize-error\",\"ts\":3,\"seq\":1,\"reason\":\"x\"}",
         "transcript/serialize-error", "{\"reason\":\"x\"}", NULL},
	{"{\"kind\":\"phase\",\"ts\":5,\"config\":[\"run\"],\"siblings\":[]}", "phase",
         "{\"config\":[\"run\"],\"siblings\":[]}", NULL},
	{"{\"kind\":\"debug\",\"paused\":true,\"step-budget\":0}", "debug",
         "{\"paused\":true,\"step-budget\":0}", NULL},
	{"{\"kind\":\"control\",\"op\":\"run-finished\",\"final-config\":\"[:done]\"}",
         "run-finished", "{\"op\":\"run-finished\",\"final-config\":\"[:done]\"}", NULL},
	{"{\"kind\":\"model-catalog\",\"aliases\":[]}", "model-catalog", "{\"aliases\":[]}", NULL},
	{EVENT("prompt", "{\"id\":1}"), "event", "{\"id\":1}", NULL},
	{EVENT("user.click", "{}"), "event", "{}", NULL},
	{EVENT("text_delta", "{}"), "event", "{}", NULL},
};

static void every_frame_is_a_signal_and_keeps_itself(void **state)
{
	for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
		feed(singles[i].frame);
		expect(singles[i].type, singles[i].payload, singles[i].session, singles[i].frame);
	}
	expect_end();
	assert_int_equal(t.bads, 0);
}

#define PROMPT(type, opts) \
	"{\"kind\":\"prompt\",\"prompt-id\":\"w#1\",\"invokeid\":\"w\",\"type\":\"" type \
	"\",\"opts\":" opts "}"

static void a_prompt_keeps_its_own_id(void **state)
{
	feed(PROMPT("select", "{\"prompt\":\"Who?\",\"options\":[{\"label\":\"A\",\"value\":1}]}"));
	expect("prompt",
	       "{\"id\":\"w#1\",\"type\":\"select\",\"prompt\":\"Who?\","
	       "\"options\":[{\"label\":\"A\",\"value\":1}],\"invokeid\":\"w\"}",
	       NULL,
	       PROMPT("select",
	              "{\"prompt\":\"Who?\",\"options\":[{\"label\":\"A\",\"value\":1}]}"));
	feed(PROMPT("confirm", "{\"default\":true}"));
	expect("prompt",
	       "{\"id\":\"w#1\",\"type\":\"confirm\",\"prompt\":\"Confirm?\",\"default\":true,"
	       "\"invokeid\":\"w\"}",
	       NULL, PROMPT("confirm", "{\"default\":true}"));
	feed(PROMPT("custom", "{}"));
	expect("prompt", "{\"id\":\"w#1\",\"type\":\"text\",\"prompt\":\"?\",\"invokeid\":\"w\"}",
	       NULL, PROMPT("custom", "{}"));
}

/* Its agent would wait for ever. */
static void a_prompt_that_nobody_can_answer_is_bad(void **state)
{
	char *words = must_zero(1, 700000 + 1);
	char *frame;

	feed("{\"kind\":\"prompt\",\"type\":\"text\"}");
	feed("{\"kind\":\"prompt\",\"prompt-id\":7,\"type\":\"text\"}");
	memset(words, 'x', 700000);
	frame = must_print(PROMPT("text", "{\"prompt\":\"%s\"}"), words);
	feed(frame);
	words[600] = '\0';
	free(frame);
	frame = must_print("{\"kind\":\"prompt\",\"prompt-id\":\"%s\",\"type\":\"text\"}", words);
	feed(frame);
	assert_int_equal(t.bads, 4);
	expect_end();
	free(frame);
	free(words);
}

static void what_is_no_frame_is_bad(void **state)
{
	feed("nonsense");
	feed("[1]");
	feed("{}");
	feed("{\"kind\":\"event\"}");
	feed("{\"kind\":\"answer\",\"prompt-id\":\"x\",\"value\":1}");
	assert_int_equal(t.bads, 5);
	expect_end();
}

static void a_large_frame_is_kept_once(void **state)
{
	char *words = must_zero(1, 700000 + 1);
	char *frame;

	memset(words, 'x', 700000);
	frame = must_print(EVENT("llm/delta", "{\"text\":\"%s\"}"), words);
	feed(frame);
	expect("llm/delta", "{\"large\":true}", NULL, frame);
	expect_end();
	assert_int_equal(t.bads, 0);
	free(frame);
	free(words);
}

static void lines_may_be_cut_anywhere(void **state)
{
	struct taken cut;

	taken_read_cut(
		&cut, &parse_escapement,
		TEXT(DELTA("text-delta", "snow") "\n" RESPONSE "\n" PROMPT("text", "{}") "\n"));
	assert_int_equal(cut.signals, 4);
	taken_finish(&cut);
}

static void count_signal(void *self, struct text envelope)
{
	unsigned *named = self;

	*named += memmem(envelope.at, envelope.len, "\"correlationId\":\":session/1\"", 28) != NULL;
}

static void a_transcript_names_its_own_session(void **state)
{
	unsigned named = 0;
	struct parse *p = parse_create(&parse_escapement, &(struct parse_options){
								  .self = &named,
								  .signal = count_signal,
							  });

	parse_message(p, TEXT(EVENT("cli/config-loaded", "{}")));
	parse_message(p, TEXT(EVENT("runner/started", "{\"session-id\":\":session/1\"}")));
	parse_message(p, TEXT(DELTA("text-delta", "snow")));
	parse_end(p, NULL);
	assert_int_equal(named, 2);
	parse_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_delta_is_words_or_a_thought, begin, finish),
		cmocka_unit_test_setup_teardown(a_response_gives_words_that_did_not_stream, begin,
	                                        finish),
		cmocka_unit_test_setup_teardown(words_that_streamed_are_not_said_again, begin,
	                                        finish),
		cmocka_unit_test_setup_teardown(a_response_that_says_nothing_is_kept, begin,
	                                        finish),
		cmocka_unit_test_setup_teardown(every_frame_is_a_signal_and_keeps_itself, begin,
	                                        finish),
		cmocka_unit_test_setup_teardown(a_prompt_keeps_its_own_id, begin, finish),
		cmocka_unit_test_setup_teardown(a_prompt_that_nobody_can_answer_is_bad, begin,
	                                        finish),
		cmocka_unit_test_setup_teardown(what_is_no_frame_is_bad, begin, finish),
		cmocka_unit_test_setup_teardown(a_large_frame_is_kept_once, begin, finish),
		cmocka_unit_test(lines_may_be_cut_anywhere),
		cmocka_unit_test(a_transcript_names_its_own_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
