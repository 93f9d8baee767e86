/* agents_test.c - what real agents printed when our own server was their model, and
 * that each is known by its shape alone.
 */
#include <stdio.h>

#include "parse/fixture.h"
#include "parse/kinds.h"

static struct taken t;

static void read_as(const struct parse_kind *kind, const char *name)
{
	struct buf bytes;

	load_fixture(&bytes, name);
	taken_init(&t, kind);
	taken_read(&t, buf_text(&bytes));
	assert_int_equal(t.bads, 0);
	buf_finish(&bytes);
}

static void read_both(const struct parse_kind *kind, const char *name)
{
	struct buf lines;

	read_as(kind, name);
	buf_init(&lines, MIB);
	buf_add(&lines, buf_text(&t.lines));
	taken_finish(&t);
	read_as(&parse_lines, name);
	assert_int_equal(t.lines.len, lines.len);
	assert_memory_equal(t.lines.at, lines.at, lines.len);
	buf_finish(&lines);
}

static void check_turn(const char *run, const char *tool, const char *call)
{
	char words[200];

	snprintf(words, sizeof(words), "\"correlationId\":\"%s\"", run);
	assert_true(taken_has(&t, words));
	snprintf(words, sizeof(words), "\"toolName\":\"%s\",\"callId\":\"%s\"", tool, call);
	assert_true(taken_has(&t, words));
	assert_true(taken_has(&t, "echo hi-from-tool"));
	assert_int_equal(taken_count(&t, "tool_call"), 1);
	assert_int_equal(taken_count(&t, "tool_result"), 1);
	assert_true(taken_has(&t, "\"success\":true,\"output\":{"));
	assert_true(taken_has(&t, "é🙂."));
	assert_true(taken_count(&t, "token_usage") >= 1);
	assert_int_equal(taken_count(&t, "completion"), 1);
	assert_true(taken_has(&t, "\"success\":true,\"result\":\"All done é🙂.\""));
	assert_int_equal(t.ends, 1);
}

static void gemini_is_read(void **state)
{
	read_both(&parse_gemini, "agents/gemini.jsonl");
	check_turn("dbd988e9-fa14-4e75-8a68-5ba6beea500b", "run_shell_command",
	           "run_shell_command__run_shell_command_1794818991064_0");
	assert_true(taken_has(&t, "\"description\":\"Say hi with the shell\""));
	assert_true(taken_has(&t, "\"promptTokens\":20,\"completionTokens\":10"));
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	taken_finish(&t);
}

static void opencode_is_read(void **state)
{
	read_both(&parse_opencode, "agents/opencode.jsonl");
	check_turn("ses_e1c723920ffeu5UXgFYSXBf3tC", "bash", "call_1");
	assert_int_equal(taken_count(&t, "token_usage"), 2);
	assert_int_equal(taken_count(&t, "agent_state_change"), 2);
	taken_finish(&t);
}

static void pi_is_read(void **state)
{
	read_both(&parse_pi, "agents/pi.jsonl");
	check_turn("01a1e38e-0cde-72ed-81b1-873c14043367", "bash", "call_1");
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	assert_int_equal(taken_count(&t, "token_usage"), 2);
	assert_int_equal(taken_count(&t, "task_dispatch"), 1);
	taken_finish(&t);
}

static void qwen_is_claude_by_its_shape(void **state)
{
	read_both(&parse_claude_stream, "agents/qwen.jsonl");
	check_turn("e1338a18-f238-4a9a-a854-53d86a53b8be", "run_shell_command", "call_1");
	taken_finish(&t);
	read_both(&parse_claude_stream, "agents/qwen-partial.jsonl");
	check_turn("07672a33-f4d3-4269-bd1e-69155d5cacc8", "run_shell_command", "call_1");
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	taken_finish(&t);
}

static void codex_is_known_by_its_shape(void **state)
{
	read_both(&parse_codex, "agents/codex.jsonl");
	check_turn("01a1e38e-1cb6-7bf0-8ac2-c31dfea92eea", "shell", "item_1");
	taken_finish(&t);
}

static void failures_are_errors(void **state)
{
	static const struct {
		const struct parse_kind *kind;
		const char *lines, *expected;
	} cases[] = {
		{&parse_gemini,
	         "{\"type\":\"init\",\"session_id\":\"s\",\"model\":\"m\"}\n"
	         "{\"type\":\"tool_result\",\"tool_id\":\"x\",\"status\":\"error\",\"error\":"
	         "{\"type\":"
	         "\"E\"}}\n{\"type\":\"odd\"}\n"
	         "{\"type\":\"result\",\"status\":\"error\",\"error\":"
	         "{\"type\":\"Fatal\",\"message\":"
	         "\"no key\"}}\n",
	         "\"message\":\"no key\",\"code\":\"Fatal\""},
		{&parse_gemini, "{\"type\":\"error\",\"message\":\"loop\"}\n",
	         "\"message\":\"loop\""},
		{&parse_opencode,
	         "{\"type\":\"tool_use\",\"sessionID\":\"s\",\"part\":{\"tool\":\"t\","
	         "\"callID\":\"c\","
	         "\"state\":{\"status\":\"error\",\"error\":\"e\"}}}\n"
	         "{\"type\":\"reasoning\",\"sessionID\":\"s\",\"part\":{\"text\":\"hm\"}}\n"
	         "{\"type\":\"error\",\"sessionID\":\"s\",\"error\":{\"name\":\"E\",\"data\":{"
	         "\"message\":\"no\"}}}\n",
	         "\"message\":\"no\",\"code\":\"error\""},
		{&parse_pi,
	         "{\"type\":\"agent_start\"}\n"
	         "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"content\":["
	         "{\"type\":\"thinking\",\"thinking\":\"hm\"}],\"stopReason\":\"error\","
	         "\"errorMessage\":\"503\"}}\n"
	         "{\"type\":\"auto_retry_start\",\"attempt\":1}\n{\"type\":\"agent_end\"}\n",
	         "\"message\":\"503\",\"code\":\"error\""},
		{&parse_pi, "{\"type\":\"agent_start\"}\n", "\"code\":\"cut\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		taken_read_cut(&t, cases[i].kind, text_of(cases[i].lines));
		assert_true(taken_has(&t, cases[i].expected));
		assert_int_equal(taken_count(&t, "error"), 1);
		taken_finish(&t);
		taken_break_off(cases[i].kind, text_of(cases[i].lines));
	}
}

static void tools_of_cursor_are_calls(void **state)
{
	taken_init(&t, &parse_lines);
	taken_read(&t,
	           TEXT("{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\n"
	                "{\"type\":\"tool_call\",\"subtype\":\"started\",\"call_id\":\"c\","
	                "\"session_id\":\"s\",\"tool_call\":{\"readToolCall\":{\"args\":{\"path\":"
	                "\"x\"}}}}\n"
	                "{\"type\":\"tool_call\",\"subtype\":\"completed\",\"call_id\":\"c\","
	                "\"session_id\":\"s\",\"tool_call\":{\"readToolCall\":{\"args\":{},"
	                "\"result\":{\"success\":{\"content\":\"y\"}}}}}\n"));
	assert_true(
		taken_has(&t, "\"toolName\":\"read\",\"callId\":\"c\",\"input\":{\"path\":\"x\"}"));
	assert_true(taken_has(&t, "\"success\":true,\"output\":{\"success\":{\"content\":\"y\"}}"));
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gemini_is_read),
		cmocka_unit_test(opencode_is_read),
		cmocka_unit_test(pi_is_read),
		cmocka_unit_test(qwen_is_claude_by_its_shape),
		cmocka_unit_test(codex_is_known_by_its_shape),
		cmocka_unit_test(failures_are_errors),
		cmocka_unit_test(tools_of_cursor_are_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
