/* claude_hook_test.c - every hook event of Claude Code. */
#include <stdio.h>

#include "parse/fixture.h"
#include "parse/kinds.h"

static struct taken t;

static void read_hook(const char *json)
{
	taken_init(&t, &parse_claude_hook);
	parse_message(t.parse, text_of(json));
}

#define HOOK(type, payload, metadata) \
	"{\"type\":\"" type "\",\"source\":\"adapter:tap\",\"correlationId\":\"S\"," \
	"\"payload\":" payload ",\"metadata\":" metadata "}"

static void a_tool_call_has_its_input_and_its_ids(void **state)
{
	read_hook("{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"S\",\"prompt_id\":\"P\","
	          "\"tool_name\":\"Bash\",\"tool_use_id\":\"T\",\"tool_input\":{\"c\":1}}");
	assert_line(&t, 0,
	            HOOK("tool_call",
	                 "{\"toolName\":\"Bash\",\"agentId\":\"claude\",\"callId\":\"T\","
	                 "\"input\":{\"c\":1}}",
	                 "{\"hook\":\"PreToolUse\",\"prompt_id\":\"P\",\"tool_use_id\":\"T\"}"));
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
}

static void inside_a_subagent_it_is_that_ones_doing(void **state)
{
	read_hook("{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"S\",\"agent_id\":\"A\","
	          "\"agent_type\":\"Explore\",\"tool_name\":\"Read\"}");
	assert_line(&t, 0,
	            HOOK("tool_call", "{\"toolName\":\"Read\",\"agentId\":\"Explore\"}",
	                 "{\"hook\":\"PreToolUse\",\"agent_id\":\"A\"}"));
	taken_finish(&t);
	/* The main agent may have a type of its own: it is still claude. */
	read_hook(
		"{\"hook_event_name\":\"SessionStart\",\"session_id\":\"S\",\"agent_type\":\"x\"}");
	assert_line(&t, 0,
	            HOOK("agent_state_change",
	                 "{\"agentId\":\"claude\",\"from\":\"idle\",\"to\":\"thinking\"}",
	                 "{\"hook\":\"SessionStart\"}"));
	taken_finish(&t);
}

#define STATUS(limits) \
	"{\"hook_event_name\":\"StatusLine\",\"session_id\":\"S\",\"rate_limits\":" limits "}"
#define HOURS(used) "{\"five_hour\":{\"used_percentage\":" used ",\"resets_at\":1794930000}}"

static void a_status_line_tells_limits_that_are_news(void **state)
{
	static const char *const nothing[] = {STATUS("{}"),        STATUS("null"),
	                                      STATUS("7"),         STATUS("{\"five_hour\":null}"),
	                                      STATUS(HOURS("-1")), STATUS(HOURS("\"x\"")),
	                                      STATUS(HOURS("1e9"))};

	read_hook(STATUS("{\"five_hour\":{\"used_percentage\":12.5,\"resets_at\":1794930000},"
	                 "\"seven_day\":{\"used_percentage\":40,\"resets_at\":\"x\"},"
	                 "\"spend_limit\":{\"used_percentage\":101}}"));
	assert_line(&t, 0,
	            HOOK("agent.limits",
	                 "{\"agentId\":\"claude\",\"harness\":\"claude-code\",\"windows\":["
	                 "{\"minutes\":300,\"used\":12.5,\"resetsAt\":1794930000000},"
	                 "{\"minutes\":10080,\"used\":40},{\"name\":\"spend\",\"used\":101}]}",
	                 "{\"hook\":\"StatusLine\"}"));
	for (size_t i = 0; i < sizeof(nothing) / sizeof(*nothing); i++)
		parse_message(t.parse, text_of(nothing[i]));
	assert_int_equal(t.signals, 1);
	for (int i = 0; i < 10; i++) {
		parse_set_moment(t.parse, 1794900000000 + i * 60000, false);
		parse_message(t.parse, text_of(STATUS(HOURS("13"))));
	}
	assert_int_equal(t.signals, 3); /* at first, and five minutes later */
	parse_message(t.parse, text_of(STATUS(HOURS("14"))));
	assert_int_equal(t.signals, 4);
	assert_int_equal(t.bads, 0);
	taken_finish(&t);
}

static void a_status_line_of_another_folder_tells_which(void **state)
{
	(void)state;
	read_hook("{\"hook_event_name\":\"StatusLine\",\"session_id\":\"S\",\"account\":\"~/.two\","
	          "\"rate_limits\":" HOURS("3") "}");
	assert_true(taken_has(&t, "],\"account\":\"~/.two\"}"));
	taken_finish(&t);
}

/* In the order of their status lines. */
static void say_limits(int session, const char *used)
{
	char line[300];

	snprintf(line, sizeof(line),
	         "{\"hook_event_name\":\"StatusLine\",\"session_id\":\"S%d\",\"rate_limits\":"
	         "{\"five_hour\":{\"used_percentage\":%s}}}",
	         session, used);
	parse_message(t.parse, text_of(line));
}

static void sessions_that_know_of_other_limits_tell_them_once_each(void **state)
{
	taken_init(&t, &parse_claude_hook);
	for (int i = 0; i < 20; i++) {
		parse_set_moment(t.parse, 1794900000000 + i * 1000, false);
		say_limits(1, "40");
		say_limits(2, "41");
	}
	assert_int_equal(t.signals, 2);
	for (int i = 3; i < 200; i++) { /* more than are remembered */
		parse_set_moment(t.parse, 1794900020000 + i, false);
		say_limits(i, "42");
		say_limits(i, "42");
	}
	assert_int_equal(t.signals, 199);
	say_limits(199, "42");
	assert_int_equal(t.signals, 199);
	say_limits(1, "40"); /* forgotten */
	assert_int_equal(t.signals, 200);
	taken_finish(&t);
}

static void a_failed_tool_gives_its_result_and_then_the_error(void **state)
{
	read_hook("{\"hook_event_name\":\"PostToolUseFailure\",\"session_id\":\"S\","
	          "\"tool_name\":\"Bash\",\"error\":\"Exit code 3\",\"duration_ms\":11}");
	assert_line(&t, 0,
	            HOOK("tool_result",
	                 "{\"toolName\":\"Bash\",\"agentId\":\"claude\",\"success\":false,"
	                 "\"output\":{\"error\":\"Exit code 3\"}}",
	                 "{\"hook\":\"PostToolUseFailure\",\"duration_ms\":11}"));
	assert_line(&t, 1,
	            HOOK("error",
	                 "{\"agentId\":\"claude\",\"message\":\"Exit code 3\","
	                 "\"severity\":\"error\",\"code\":\"Bash\"}",
	                 "{\"hook\":\"PostToolUseFailure\"}"));
	assert_int_equal(t.signals, 2);
	taken_finish(&t);
}

static void what_a_tool_says_is_its_response(void **state)
{
	static const struct {
		const char *response, *output;
	} cases[] = {
		{"{\"stdout\":\"x\"}", ",\"output\":{\"response\":{\"stdout\":\"x\"}}"},
		{"[1]", ",\"output\":{\"response\":[1]}"},
		{"\"\"", ""},
		{"null", ""},
	};
	char json[200], wanted[300];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(json, sizeof(json),
		         "{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"S\","
		         "\"tool_response\":%s}",
		         cases[i].response);
		snprintf(
			wanted, sizeof(wanted),
			HOOK("tool_result",
		             "{\"toolName\":\"unknown\",\"agentId\":\"claude\",\"success\":true%s}",
		             "{\"hook\":\"PostToolUse\"}"),
			cases[i].output);
		read_hook(json);
		assert_line(&t, 0, wanted);
		taken_finish(&t);
	}
}

static void a_prompt_is_a_task_for_claude(void **state)
{
	read_hook("{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"S\","
	          "\"prompt_id\":\"P\",\"prompt\":\"Do it\",\"source\":\"user\"}");
	assert_line(&t, 0,
	            HOOK("task_dispatch",
	                 "{\"taskId\":\"P\",\"from\":\"user\",\"to\":\"claude\","
	                 "\"description\":\"Do it\"}",
	                 "{\"hook\":\"UserPromptSubmit\",\"prompt_id\":\"P\"}"));
	taken_finish(&t);
}

static void what_claude_says_to_itself_is_no_persons_word(void **state)
{
	read_hook("{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"S\","
	          "\"prompt\":\"\\n<task-notification>\\n<task-id>a</task-id>\"}");
	assert_int_equal(taken_count(&t, "event"), 1);
	assert_int_equal(taken_count(&t, "task_dispatch"), 0);
	assert_true(taken_has(&t, "\"synthetic\":true"));
	taken_finish(&t);
	read_hook("{\"hook_event_name\":\"UserPromptSubmit\",\"session_id\":\"S\","
	          "\"prompt\":\"go on\",\"source\":\"loop_wakeup\"}");
	assert_int_equal(taken_count(&t, "event"), 1);
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
}

static void whoever_waits_for_a_person_waits(void **state)
{
	read_hook("{\"hook_event_name\":\"PermissionRequest\",\"session_id\":\"S\","
	          "\"tool_name\":\"Write\",\"tool_input\":{\"f\":1}}");
	assert_line(&t, 0,
	            HOOK("agent_state_change",
	                 "{\"agentId\":\"claude\",\"from\":\"acting\",\"to\":\"waiting\","
	                 "\"reason\":\"permission\"}",
	                 "{\"hook\":\"PermissionRequest\",\"tool_name\":\"Write\","
	                 "\"tool_input\":{\"f\":1}}"));
	taken_finish(&t);
	read_hook("{\"hook_event_name\":\"Notification\",\"session_id\":\"S\",\"message\":\"look\","
	          "\"notification_type\":\"idle_prompt\"}");
	assert_true(taken_has(&t, "\"to\":\"waiting\",\"reason\":\"look\""));
	taken_finish(&t);
	read_hook("{\"hook_event_name\":\"Notification\",\"session_id\":\"S\",\"message\":\"in\","
	          "\"notification_type\":\"auth_success\"}");
	assert_int_equal(taken_count(&t, "Notification"), 1);
	taken_finish(&t);
}

static void where_it_is_and_how_is_in_every_signal(void **state)
{
	read_hook("{\"hook_event_name\":\"Stop\",\"session_id\":\"S\",\"cwd\":\"/c\","
	          "\"permission_mode\":\"plan\",\"transcript_path\":\"/t.jsonl\",\"model\":\"m\","
	          "\"session_title\":\"W\",\"effort\":{\"level\":\"high\"}}");
	assert_line(&t, 0,
	            HOOK("agent_state_change",
	                 "{\"agentId\":\"claude\",\"from\":\"acting\",\"to\":\"done\"}",
	                 "{\"hook\":\"Stop\",\"cwd\":\"/c\",\"permission_mode\":\"plan\","
	                 "\"transcript_path\":\"/t.jsonl\",\"model\":\"m\",\"session_title\":\"W\","
	                 "\"effort\":{\"level\":\"high\"}}"));
	taken_finish(&t);
}

static void a_plan_and_a_change_follow_the_result(void **state)
{
	read_hook("{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"S\","
	          "\"tool_name\":\"Edit\",\"tool_use_id\":\"T\",\"tool_input\":{},"
	          "\"tool_response\":{\"filePath\":\"/a\",\"structuredPatch\":"
	          "[{\"lines\":[\"+x\"]}]}}");
	assert_int_equal(t.signals, 2);
	assert_int_equal(taken_count(&t, "tool_result"), 1);
	assert_line(&t, 1,
	            HOOK("agent.change",
	                 "{\"agentId\":\"claude\",\"path\":\"/a\",\"kind\":\"update\","
	                 "\"added\":1,\"removed\":0,\"callId\":\"T\"}",
	                 "{\"hook\":\"PostToolUse\",\"tool_use_id\":\"T\"}"));
	taken_finish(&t);
	read_hook("{\"hook_event_name\":\"PostToolUse\",\"session_id\":\"S\","
	          "\"agent_id\":\"A\",\"agent_type\":\"Explore\",\"tool_name\":\"TodoWrite\","
	          "\"tool_input\":{\"todos\":[{\"content\":\"a\",\"status\":\"pending\"}]}}");
	assert_line(&t, 1,
	            HOOK("agent.plan",
	                 "{\"agentId\":\"Explore\",\"whole\":true,\"items\":[{\"text\":\"a\","
	                 "\"status\":\"pending\"}]}",
	                 "{\"hook\":\"PostToolUse\",\"agent_id\":\"A\"}"));
	taken_finish(&t);
}

/* It stops without a start, and its type is empty. */
static void compaction_is_no_subagent(void **state)
{
	read_hook("{\"hook_event_name\":\"SubagentStop\",\"session_id\":\"S\","
	          "\"agent_id\":\"A\",\"agent_type\":\"\"}");
	assert_int_equal(taken_count(&t, "event"), 1);
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
	read_hook("{\"hook_event_name\":\"SubagentStop\",\"session_id\":\"S\"}");
	assert_int_equal(taken_count(&t, "completion"), 1);
	taken_finish(&t);
}

static void an_event_without_a_signal_of_its_own_keeps_its_name(void **state)
{
	read_hook("{\"hook_event_name\":\"PreCompact\",\"session_id\":\"S\",\"trigger\":\"auto\"}");
	assert_line(&t, 0,
	            HOOK("PreCompact",
	                 "{\"hook_event_name\":\"PreCompact\",\"session_id\":\"S\","
	                 "\"trigger\":\"auto\"}",
	                 "{\"hook\":\"PreCompact\"}"));
	taken_finish(&t);
	read_hook("{\"hook_event_name\":\"Brand\\u006eew\",\"session_id\":\"S\"}");
	assert_line(&t, 0,
	            HOOK("event", "{\"hook_event_name\":\"Brandnew\",\"session_id\":\"S\"}",
	                 "{\"hook\":\"Brandnew\"}"));
	taken_finish(&t);
}

static void what_is_no_hook_is_bad(void **state)
{
	static const char *const messages[] = {"{}", "[]", "3", "{\"hook_event_name\":4}", "{"};

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		read_hook(messages[i]);
		assert_int_equal(t.bads, 1);
		assert_int_equal(t.signals, 0);
		taken_finish(&t);
	}
}

/* The count of each type for a session with every event of the table. */
static void every_event_of_the_table_is_known(void **state)
{
	static const struct {
		const char *type;
		unsigned count;
	} wanted[] = {
		{"agent_state_change", 6},
		{"task_dispatch", 2},
		{"tool_call", 2},
		{"tool_result", 4},
		{"error", 2},
		{"completion", 1},
		{"agent.plan", 1},
		{"agent.change", 1},
		{"text_delta", 1},
		{"event", 4},
		{"Notification", 1},
		{"Setup", 1},
		{"WorktreeCreate", 1},
		{"PostToolBatch", 1},
	};
	struct buf bytes;

	load_fixture(&bytes, "claude/hooks.jsonl");
	taken_read_cut(&t, &parse_claude_hook, buf_text(&bytes));
	assert_int_equal(t.bads, 0);
	assert_int_equal(t.signals, 44);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (taken_count(&t, wanted[i].type) != wanted[i].count)
			fail_msg("%s: %u", wanted[i].type, taken_count(&t, wanted[i].type));
	taken_finish(&t);
	buf_finish(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tool_call_has_its_input_and_its_ids),
		cmocka_unit_test(inside_a_subagent_it_is_that_ones_doing),
		cmocka_unit_test(a_status_line_tells_limits_that_are_news),
		cmocka_unit_test(a_status_line_of_another_folder_tells_which),
		cmocka_unit_test(sessions_that_know_of_other_limits_tell_them_once_each),
		cmocka_unit_test(a_failed_tool_gives_its_result_and_then_the_error),
		cmocka_unit_test(what_a_tool_says_is_its_response),
		cmocka_unit_test(a_prompt_is_a_task_for_claude),
		cmocka_unit_test(what_claude_says_to_itself_is_no_persons_word),
		cmocka_unit_test(whoever_waits_for_a_person_waits),
		cmocka_unit_test(where_it_is_and_how_is_in_every_signal),
		cmocka_unit_test(a_plan_and_a_change_follow_the_result),
		cmocka_unit_test(compaction_is_no_subagent),
		cmocka_unit_test(an_event_without_a_signal_of_its_own_keeps_its_name),
		cmocka_unit_test(what_is_no_hook_is_bad),
		cmocka_unit_test(every_event_of_the_table_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
