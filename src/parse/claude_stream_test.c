/* claude_stream_test.c - Claude Code's printed stream, with and without its
 * partial messages. */
#include "parse/fixture.h"
#include "parse/kinds.h"

#define SESSION "11111111-2222-3333-4444-555555555555"
#define PAYLOAD(type) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"" SESSION "\",\"payload\":{"
#define STATE(from, to, why) \
	PAYLOAD("agent_state_change") \
	"\"agentId\":\"model\",\"from\":\"" from "\",\"to\":\"" to "\",\"reason\":\"" why "\"}}"
#define WORDS(type, words) PAYLOAD(type) "\"agentId\":\"model\",\"content\":\"" words "\"}}"
#define CALL(type, agent, name, id) \
	PAYLOAD(type) \
	"\"agentId\":\"" agent "\",\"toolName\":\"" name "\",\"callId\":\"" id "\","
#define DONE(words) \
	PAYLOAD("completion") \
	"\"taskId\":\"" SESSION "\",\"agentId\":\"model\",\"success\":true," \
	"\"result\":\"" words "\"},\"metadata\":{\"stopReason\":\"end_turn\"}}"

static struct taken t;

static void read_fixture(const char *name)
{
	struct buf bytes;

	load_fixture(&bytes, name);
	taken_init(&t, &parse_claude_stream);
	taken_read(&t, buf_text(&bytes));
	assert_int_equal(t.bads, 0);
	assert_int_equal(t.ends, 1);
	buf_finish(&bytes);
}

static void read_text(const char *bytes)
{
	taken_read_cut(&t, &parse_claude_stream, text_of(bytes));
}

static void messages_come_block_by_block(void **state)
{
	read_fixture("claude/whole.jsonl");
	assert_line(&t, 0, STATE("idle", "acting", "turn started"));
	assert_line(&t, 1, WORDS("thinking", "Look first."));
	assert_line(&t, 2, WORDS("text_delta", "I look."));
	assert_line(
		&t, 3,
		CALL("tool_call", "model", "Bash", "toolu_1") "\"input\":{\"command\":\"ls\"}}}");
	assert_line(&t, 4,
	            CALL("tool_result", "model", "Bash", "toolu_1") "\"success\":true,"
	                                                            "\"output\":{\"value\":"
	                                                            "\"a.c\\nb.c\"}}}");
	assert_true(taken_has(
		&t, CALL("tool_result", "model", "Bash", "toolu_2") "\"success\":false,"));
	assert_line(&t, 8,
	            PAYLOAD("token_usage") "\"agentId\":\"model\",\"promptTokens\":300,"
	                                   "\"completionTokens\":42,\"model\":\"claude-fixture-1\","
	                                   "\"cost\":0.0125,\"cacheReadTokens\":4,"
	                                   "\"cacheWriteTokens\":3}}");
	assert_line(&t, 9, STATE("acting", "done", "turn finished"));
	assert_line(&t, 10, DONE("Two files."));
	assert_int_equal(t.signals, 11);
	taken_finish(&t);
}

static void partial_messages_are_not_told_twice(void **state)
{
	read_fixture("claude/partial.jsonl");
	assert_line(&t, 1, WORDS("text_delta", "I lo"));
	assert_line(&t, 2, WORDS("text_delta", "ok."));
	assert_true(
		taken_has(&t, CALL("tool_call_delta", "model", "Bash", "toolu_1") "\"content\":"));
	assert_true(taken_has(&t, CALL("tool_call", "model", "Bash",
	                               "toolu_1") "\"input\":{\"command\":\"ls\"}}}"));
	assert_true(
		taken_has(&t, CALL("tool_result", "model", "Bash", "toolu_1") "\"success\":true,"));
	assert_int_equal(taken_count(&t, "text_delta"), 4);
	assert_int_equal(taken_count(&t, "tool_call"), 1);
	taken_finish(&t);
}

static void a_stream_of_two_turns_has_one_end(void **state)
{
	read_fixture("claude/partial.jsonl");
	assert_true(taken_has(&t, STATE("done", "acting", "turn started")));
	assert_true(taken_has(
		&t, "\"promptTokens\":200,\"completionTokens\":47,"
		    "\"model\":\"claude-fixture-1\",\"cost\":0.01,\"cacheReadTokens\":4,"));
	assert_true(taken_has(
		&t, "\"promptTokens\":10,\"completionTokens\":2,"
		    "\"model\":\"claude-fixture-1\",\"cost\":0.0024,\"cacheReadTokens\":4,"));
	assert_line(&t, t.signals - 1, DONE("More."));
	taken_finish(&t);
}

static void a_subagent_speaks_for_itself(void **state)
{
	const char *from_it =
		"\"metadata\":{\"agent_id\":\"a1\",\"parent_tool_use_id\":\"toolu_1\"}}";

	read_fixture("claude/subagent.jsonl");
	assert_line(
		&t, 2,
		PAYLOAD("task_dispatch") "\"taskId\":\"a1\",\"from\":\"model\",\"to\":\"Explore\","
					 "\"description\":\"Count.\"}}");
	assert_true(taken_has(&t, CALL("tool_call", "Explore", "Grep", "toolu_2") "\"input\":"));
	assert_true(taken_has(
		&t, CALL("tool_result", "Explore", "Grep", "toolu_2") "\"success\":true,"));
	assert_true(taken_has(&t, "\"agentId\":\"Explore\",\"content\":\"Three.\"},\"metadata\":"));
	assert_true(taken_has(&t, "\"agentId\":\"Explore\",\"from\":\"acting\",\"to\":\"done\","));
	assert_true(taken_has(&t, from_it));
	assert_true(
		taken_has(&t, CALL("tool_result", "model", "Task", "toolu_1") "\"success\":true,"));
	taken_finish(&t);
}

static void only_people_are_shown_as_people(void **state)
{
	read_fixture("claude/subagent.jsonl");
	assert_int_equal(taken_count(&t, "task_dispatch"), 2);
	assert_true(taken_has(&t, PAYLOAD("task_dispatch") "\"taskId\":\"" SESSION "\","
	                                                   "\"from\":\"user\",\"to\":\"model\","
	                                                   "\"description\":\"and now?\"}}"));
	assert_true(taken_has(&t, PAYLOAD("event") "\"type\":\"user\",\"message\":"));
	taken_finish(&t);
}

static void what_is_not_known_is_shown_as_it_is(void **state)
{
	read_fixture("claude/subagent.jsonl");
	assert_int_equal(taken_count(&t, "event"), 2);
	assert_true(taken_has(&t, PAYLOAD("event") "\"type\":\"system\","
	                                           "\"subtype\":\"compact_boundary\","));
	taken_finish(&t);
}

static void a_failed_result_is_an_error(void **state)
{
	read_fixture("claude/failed.jsonl");
	assert_true(taken_has(&t, STATE("acting", "error", "turn failed")));
	assert_true(taken_has(&t, "\"message\":\"error_max_turns\",\"code\":\"error_max_turns\""));
	taken_finish(&t);
	read_text("{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,"
	          "\"result\":\"API Error: 500\"}\n");
	assert_true(taken_has(&t, "\"message\":\"API Error: 500\",\"code\":\"api_error\""));
	taken_finish(&t);
	read_text("{\"type\":\"result\",\"subtype\":\"error_during_execution\","
	          "\"errors\":[\"no tool\"]}\n");
	assert_true(taken_has(&t, "\"message\":\"no tool\",\"code\":\"error_during_execution\""));
	taken_finish(&t);
}

#define RESULT "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\"ok\"}\n"
#define SAYS(parent) \
	"{\"type\":\"assistant\",\"parent_tool_use_id\":" parent \
	",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"hm\"}]}}\n"

static void a_turn_that_breaks_off_is_an_error(void **state)
{
	read_text(RESULT SAYS("null"));
	assert_int_equal(taken_count(&t, "completion"), 0);
	taken_finish(&t);
}

static void a_subagent_may_outlive_the_turn(void **state)
{
	read_text(RESULT SAYS("\"toolu_1\""));
	assert_int_equal(taken_count(&t, "completion"), 1);
	assert_true(taken_has(&t, "\"agentId\":\"subagent\",\"content\":\"hm\""));
	taken_finish(&t);
}

static void more_subagents_than_are_remembered(void **state)
{
	struct buf bytes;

	buf_init(&bytes, MIB);
	for (int i = 0; i < 200; i++)
		buf_print(&bytes, SAYS("\"t%d\""), i);
	taken_init(&t, &parse_claude_stream);
	taken_read(&t, buf_text(&bytes));
	assert_int_equal(taken_count(&t, "text_delta"), 200);
	taken_finish(&t);
	buf_finish(&bytes);
}

static void what_is_no_object_is_lost_alone(void **state)
{
	read_text("nonsense\n[]\n" RESULT);
	assert_int_equal(t.bads, 2);
	assert_int_equal(taken_count(&t, "completion"), 1);
	taken_finish(&t);
}

static void no_cut_changes_anything(void **state)
{
	static const char *const names[] = {"claude/whole.jsonl", "claude/partial.jsonl",
	                                    "claude/subagent.jsonl", "claude/failed.jsonl", NULL};

	for (unsigned i = 0; names[i]; i++) {
		struct buf bytes;

		load_fixture(&bytes, names[i]);
		taken_read_cut(&t, &parse_claude_stream, buf_text(&bytes));
		taken_finish(&t);
		buf_finish(&bytes);
	}
}

static void every_break_leaves_one_end(void **state)
{
	struct buf bytes;

	load_fixture(&bytes, "claude/whole.jsonl");
	taken_break_off(&parse_claude_stream, buf_text(&bytes));
	buf_finish(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_block_by_block),
		cmocka_unit_test(partial_messages_are_not_told_twice),
		cmocka_unit_test(a_stream_of_two_turns_has_one_end),
		cmocka_unit_test(a_subagent_speaks_for_itself),
		cmocka_unit_test(only_people_are_shown_as_people),
		cmocka_unit_test(what_is_not_known_is_shown_as_it_is),
		cmocka_unit_test(a_failed_result_is_an_error),
		cmocka_unit_test(a_turn_that_breaks_off_is_an_error),
		cmocka_unit_test(a_subagent_may_outlive_the_turn),
		cmocka_unit_test(more_subagents_than_are_remembered),
		cmocka_unit_test(what_is_no_object_is_lost_alone),
		cmocka_unit_test(no_cut_changes_anything),
		cmocka_unit_test(every_break_leaves_one_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
