/* codex_test.c - a thread of codex. */
#include "parse/fixture.h"
#include "parse/kinds.h"

#define THREAD "0199a213-81c0-7800-8aa1-bbab2a035a53"
#define PAYLOAD(type) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"" THREAD "\",\"payload\":{"
#define CALL(type, name, id) \
	PAYLOAD(type) "\"agentId\":\"model\",\"toolName\":\"" name "\",\"callId\":\"" id "\","
#define PATCH "\"input\":{\"changes\":[{\"path\":\"a.c\",\"kind\":\"update\"}]}}}"
#define WORDS(type, words) PAYLOAD(type) "\"agentId\":\"model\",\"content\":\"" words "\"}}"

static struct taken t;

static void read_fixture(const char *name)
{
	struct buf bytes;

	load_fixture(&bytes, name);
	taken_init(&t, &parse_codex);
	taken_read(&t, buf_text(&bytes));
	assert_int_equal(t.bads, 0);
	assert_int_equal(t.ends, 1);
	buf_finish(&bytes);
}

static void items_become_signals(void **state)
{
	read_fixture("codex/turn.jsonl");
	assert_line(
		&t, 0,
		PAYLOAD("agent_state_change") "\"agentId\":\"model\",\"from\":\"idle\","
					      "\"to\":\"acting\",\"reason\":\"turn started\"}}");
	assert_line(&t, 1, WORDS("thinking", "**Looking**"));
	assert_line(
		&t, 2,
		CALL("tool_call", "shell", "item_1") "\"input\":{\"command\":\"bash -lc ls\"}}}");
	assert_line(&t, 3,
	            CALL("tool_result", "shell", "item_1") "\"success\":true,\"output\":{"
	                                                   "\"aggregated_output\":\"a.c\\nb.c\\n\","
	                                                   "\"exit_code\":0,"
	                                                   "\"status\":\"completed\"}}}");
	assert_true(taken_has(&t, CALL("tool_result", "shell", "item_2") "\"success\":false,"));
	assert_int_equal(taken_count(&t, "tool_call"), 5);
	assert_int_equal(taken_count(&t, "tool_result"), 5);
	taken_finish(&t);
}

static void a_call_may_be_told_when_it_is_over(void **state)
{
	read_fixture("codex/turn.jsonl");
	assert_true(taken_has(&t, CALL("tool_call", "apply_patch", "item_3") PATCH
	                      "\n" CALL("tool_result", "apply_patch", "item_3")));
	assert_true(taken_has(
		&t, CALL("tool_call", "search",
	                 "item_4") "\"input\":{\"q\":\"x\"}},\"metadata\":{\"server\":\"docs\"}}"));
	taken_finish(&t);
}

static void words_are_told_once(void **state)
{
	read_fixture("codex/turn.jsonl");
	assert_true(taken_has(&t, WORDS("text_delta", "Two fi") "\n" WORDS("text_delta", "les.")));
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	taken_finish(&t);
}

static void a_turn_ends_in_usage_and_completion(void **state)
{
	read_fixture("codex/turn.jsonl");
	assert_true(taken_has(
		&t, PAYLOAD("token_usage") "\"agentId\":\"model\","
					   "\"promptTokens\":24763,\"completionTokens\":122,"
					   "\"inputTokens\":315,\"cacheReadTokens\":24448}}"));
	assert_line(&t, t.signals - 1,
	            PAYLOAD("completion") "\"taskId\":\"" THREAD "\",\"agentId\":\"model\","
	                                  "\"success\":true,\"result\":\"Two files.\"}}");
	taken_finish(&t);
}

static void a_failed_turn_is_an_error(void **state)
{
	read_fixture("codex/failed.jsonl");
	assert_true(taken_has(&t, "\"message\":\"usage limit\",\"code\":\"turn_failed\""));
	assert_int_equal(taken_count(&t, "event"), 2);
	assert_int_equal(taken_count(&t, "error"), 1);
	taken_finish(&t);
}

static void trouble_that_passes_is_no_error(void **state)
{
	read_fixture("codex/retry.jsonl");
	assert_int_equal(taken_count(&t, "error"), 0);
	assert_int_equal(taken_count(&t, "completion"), 1);
	taken_finish(&t);
}

static void trouble_that_was_the_last_word_is_an_error(void **state)
{
	taken_read_cut(&t, &parse_codex, TEXT("{\"type\":\"error\",\"message\":\"no login\"}\n"));
	assert_true(taken_has(&t, "\"message\":\"no login\",\"code\":\"error\""));
	taken_finish(&t);
}

static void a_plan_is_told_as_it_grows(void **state)
{
	taken_read_cut(&t, &parse_codex,
	               TEXT("{\"type\":\"item.plan.delta\",\"item_id\":\"i\",\"delta\":\"One\"}\n"
	                    "{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"plan\","
	                    "\"text\":\"One, two\"}}\n"));
	assert_true(taken_has(&t, "\"content\":\"One\""));
	assert_true(taken_has(&t, "\"content\":\", two\""));
	taken_finish(&t);
}

static void items_without_an_id_are_not_confused(void **state)
{
	taken_read_cut(&t, &parse_codex,
	               TEXT("{\"type\":\"item.started\",\"item\":{\"type\":\"web_search\"}}\n"
	                    "{\"type\":\"item.started\",\"item\":{\"type\":\"web_search\"}}\n"));
	assert_int_equal(taken_count(&t, "tool_call"), 2);
	taken_finish(&t);
}

static void more_items_than_are_remembered(void **state)
{
	struct buf bytes;

	buf_init(&bytes, MIB);
	for (int i = 0; i < 300; i++)
		buf_print(&bytes,
		          "{\"type\":\"item.started\",\"item\":{\"id\":\"%d\","
		          "\"type\":\"web_search\"}}\n",
		          i);
	taken_init(&t, &parse_codex);
	taken_read(&t, buf_text(&bytes));
	assert_int_equal(taken_count(&t, "tool_call"), 300);
	taken_finish(&t);
	buf_finish(&bytes);
}

static void no_cut_changes_anything(void **state)
{
	static const char *const names[] = {"codex/turn.jsonl", "codex/failed.jsonl",
	                                    "codex/retry.jsonl", NULL};

	for (unsigned i = 0; names[i]; i++) {
		struct buf bytes;

		load_fixture(&bytes, names[i]);
		taken_read_cut(&t, &parse_codex, buf_text(&bytes));
		taken_finish(&t);
		buf_finish(&bytes);
	}
}

static void every_break_leaves_one_end(void **state)
{
	struct buf bytes;

	load_fixture(&bytes, "codex/turn.jsonl");
	taken_break_off(&parse_codex, buf_text(&bytes));
	buf_finish(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_become_signals),
		cmocka_unit_test(a_call_may_be_told_when_it_is_over),
		cmocka_unit_test(words_are_told_once),
		cmocka_unit_test(a_turn_ends_in_usage_and_completion),
		cmocka_unit_test(a_failed_turn_is_an_error),
		cmocka_unit_test(trouble_that_passes_is_no_error),
		cmocka_unit_test(trouble_that_was_the_last_word_is_an_error),
		cmocka_unit_test(a_plan_is_told_as_it_grows),
		cmocka_unit_test(items_without_an_id_are_not_confused),
		cmocka_unit_test(more_items_than_are_remembered),
		cmocka_unit_test(no_cut_changes_anything),
		cmocka_unit_test(every_break_leaves_one_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
