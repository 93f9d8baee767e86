/* transcript_claude_test.c - what is told of a session's file, and what is not. */
#include "parse/fixture.h"
#include "parse/kinds.h"

static struct taken t;

#define LINE(type, payload) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"s1\",\"payload\":{" payload \
	"},\"metadata\":{\"from\":\"transcript\"}}"

static void read_session(void)
{
	struct buf bytes;

	load_fixture(&bytes, "claude/transcript.jsonl");
	taken_read_cut(&t, &parse_claude_transcript, buf_text(&bytes));
	buf_finish(&bytes);
}

static void feed(const char *line)
{
	parse_message(t.parse, text_of(line));
}

static void a_session_is_told_without_its_words(void **state)
{
	static const struct {
		const char *type;
		unsigned count;
	} wanted[] = {
		{"token_usage", 6}, {"tool_call", 6},    {"tool_result", 5},
		{"agent.plan", 2},  {"agent.change", 1}, {"session.turn", 2},
	};

	read_session();
	assert_int_equal(t.bads, 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (taken_count(&t, wanted[i].type) != wanted[i].count)
			fail_msg("%s: %u", wanted[i].type, taken_count(&t, wanted[i].type));
	assert_false(taken_has(&t, "SECRET"));
	taken_finish(&t);
}

static void facts_are_told_when_they_change(void **state)
{
	read_session();
	assert_line(
		&t, 0,
		LINE("session.facts",
	             "\"agentId\":\"claude\",\"harness\":\"claude-code\",\"version\":\"2.1.325\","
	             "\"cwd\":\"/home/a/shop\",\"branch\":\"main\",\"mode\":\"acceptEdits\""));
	assert_true(taken_has(&t, "\"title\":\"Fix the cart\",\"titleFrom\":\"agent\""));
	assert_true(taken_has(&t, "\"contextUsed\":300,\"compacted\":true"));
	assert_true(taken_has(&t, "\"title\":\"Cart\""));
	assert_false(taken_has(&t, "Another")); /* a person's word stays */
	assert_true(taken_has(&t, "\"cost\":0.25"));
	assert_false(taken_has(&t, "synthetic"));
	taken_finish(&t);
}

static void a_response_is_told_again_when_it_has_more(void **state)
{
	read_session();
	assert_true(taken_has(
		&t, "\"promptTokens\":10,\"completionTokens\":1,\"model\":\"claude-opus-5-5\","
		    "\"responseId\":\"m1\",\"cacheReadTokens\":100,\"cacheWriteTokens\":30,"
		    "\"cacheWrite1hTokens\":20,\"contextTokens\":160"));
	assert_true(taken_has(&t, "\"completionTokens\":44"));
	taken_finish(&t);
}

static void a_subagent_speaks_for_itself(void **state)
{
	read_session();
	assert_true(taken_has(&t, "\"toolName\":\"Grep\",\"agentId\":\"model\",\"callId\":\"t6\","
	                          "\"input\":{\"path\":\"/home/a\"}}"));
	assert_true(taken_has(&t, "\"from\":\"transcript\",\"agent_id\":\"a77\""));
	taken_finish(&t);
}

#define AT ",\"timestamp\":\"2026-11-16T08:00:00.000Z\""

static void subagents_are_dispatched_and_end(void **state)
{
	taken_init(&t, &parse_claude_transcript);
	feed("{\"type\":\"user\",\"isSidechain\":true,\"agentId\":\"a1\",\"message\":"
	     "{\"content\":\"SECRET\"}" AT "}");
	feed("{\"type\":\"user\",\"isSidechain\":true,\"agentId\":\"a1\"" AT "}");
	assert_int_equal(taken_count(&t, "task_dispatch"), 1);
	assert_true(taken_has(&t, "\"taskId\":\"a1\",\"from\":\"claude\",\"to\":\"model\"},"
	                          "\"metadata\":{\"from\":\"transcript\",\"agent_id\":\"a1\"}"));
	feed("{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":"
	     "\"c1\",\"name\":\"Task\"},{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":"
	     "\"Task\"}]}" AT "}");
	feed("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
	     "\"tool_use_id\":\"c1\"}]},\"toolUseResult\":{\"agentId\":\"a1\","
	     "\"status\":\"completed\"}" AT "}");
	assert_int_equal(taken_count(&t, "completion"), 1);
	feed("{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\","
	     "\"tool_use_id\":\"c2\"}]},\"toolUseResult\":{\"isAsync\":true,"
	     "\"agentId\":\"a2\",\"status\":\"async_launched\"}" AT "}");
	assert_int_equal(taken_count(&t, "completion"), 1);
	feed("{\"type\":\"user\",\"origin\":{\"kind\":\"task-notification\"},\"message\":{"
	     "\"content\":\"<task-id>other</task-id><status>completed</status>\"}" AT "}");
	assert_int_equal(taken_count(&t, "completion"), 1);
	feed("{\"type\":\"user\",\"origin\":{\"kind\":\"task-notification\"},\"message\":{"
	     "\"content\":\"<task-id>a2</task-id>\\n<status>failed</status>\"}" AT "}");
	assert_true(taken_has(&t, "\"taskId\":\"a2\",\"success\":false},\"metadata\":{"
	                          "\"from\":\"transcript\",\"agent_id\":\"a2\"}"));
	assert_false(taken_has(&t, "SECRET"));
	taken_finish(&t);
}

static void turns_end(void **state)
{
	read_session();
	assert_true(taken_has(
		&t, LINE("session.turn", "\"state\":\"interrupted\",\"agentId\":\"claude\"")));
	assert_true(
		taken_has(&t, LINE("session.turn", "\"state\":\"over\",\"agentId\":\"claude\"")));
	taken_finish(&t);
}

static void odd_lines_are_survived(void **state)
{
	static const char *const lines[] = {
		"7",
		"[]",
		"{}",
		"{\"type\":7}",
		"{\"type\":\"user\"}",
		"{\"type\":\"assistant\",\"message\":7}",
		("{\"type\":\"assistant\",\"message\":{\"content\":[7,{\"type\":\"tool_use\"}],"
	         "\"usage\":[]}}"),
		"{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\"}]}}",
		"{\"type\":\"system\",\"subtype\":7,\"timestamp\":\"never\"}",
		"{\"type\":\"cost-state\",\"totalCostUSD\":-1}",
		("{\"type\":\"cost-state\",\"timestamp\":\"2026-11-16T08:00:00.000Z\","
	         "\"totalCostUSD\":1,\"hasUnknownModelCost\":true}"),
		"{\"nothing\":{\"type\":\"user\"}}",
	};

	taken_init(&t, &parse_claude_transcript);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		feed(lines[i]);
	assert_int_equal(t.signals, 0);
	assert_int_equal(t.bads, 0);
	feed("{\"type\":\"user\",");
	assert_int_equal(t.bads, 1);
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_is_told_without_its_words),
		cmocka_unit_test(facts_are_told_when_they_change),
		cmocka_unit_test(a_response_is_told_again_when_it_has_more),
		cmocka_unit_test(a_subagent_speaks_for_itself),
		cmocka_unit_test(subagents_are_dispatched_and_end),
		cmocka_unit_test(turns_end),
		cmocka_unit_test(odd_lines_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
