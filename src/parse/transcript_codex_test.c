/* transcript_codex_test.c - what is told of a rollout, and what is not. */
#include "base/must.h"
#include "parse/fixture.h"
#include "parse/kinds.h"
#include "parse/patch.h"

#include <stdlib.h>

static struct taken t;

static void read_rollout(const char *name)
{
	struct buf bytes;

	load_fixture(&bytes, name);
	taken_read_cut(&t, &parse_codex_rollout, buf_text(&bytes));
	buf_finish(&bytes);
	assert_int_equal(t.bads, 0);
	assert_false(taken_has(&t, "SECRET"));
}

static void a_thread_is_told_without_its_words(void **state)
{
	read_rollout("codex/rollout.jsonl");
	assert_line(
		&t, 0,
		"{\"type\":\"session.facts\",\"source\":\"src\",\"correlationId\":\"th-1\","
		"\"payload\":{\"agentId\":\"codex\",\"harness\":\"codex\",\"version\":\"0.166.0\","
		"\"cwd\":\"/home/a/shop\",\"branch\":\"main\"},"
		"\"metadata\":{\"from\":\"transcript\"}}");
	assert_int_equal(taken_count(&t, "token_usage"), 2);
	assert_true(taken_has(&t,
	                      "\"promptTokens\":100,\"completionTokens\":20,\"model\":\"gpt-5.6\","
	                      "\"responseId\":\"th-1/120/resp_1\",\"inputTokens\":60,"
	                      "\"cacheReadTokens\":40,\"reasoningTokens\":5,"
	                      "\"contextTokens\":120,\"contextWindow\":258400"));
	assert_int_equal(taken_count(&t, "tool_call"), 3);
	assert_int_equal(taken_count(&t, "tool_result"), 3);
	assert_true(taken_has(&t, "\"toolName\":\"exec_command\",\"success\":false"));
	assert_true(taken_has(&t, "\"items\":[{\"text\":\"look\",\"status\":\"completed\"},"
	                          "{\"text\":\"mend\",\"status\":\"in_progress\"}]"));
	assert_true(taken_has(
		&t, "\"path\":\"src/a.c\",\"kind\":\"update\",\"added\":2,\"removed\":1"));
	assert_int_equal(taken_count(&t, "session.turn"), 3);
	assert_true(taken_has(&t, "\"state\":\"interrupted\""));
	assert_int_equal(taken_count(&t, "agent.limits"), 1);
	assert_true(taken_has(&t, "\"windows\":[{\"minutes\":300,\"used\":12.5,"
	                          "\"resetsAt\":1794930000000},{\"minutes\":10080,\"used\":40}]"));
	taken_finish(&t);
}

/* A line of its limits, so many minutes after one o'clock. */
#define LIMITS(minute, used) \
	"{\"timestamp\":\"2026-11-17T13:" minute ":00.000Z\",\"type\":\"event_msg\"," \
	"\"payload\":{\"type\":\"token_count\",\"info\":null," \
	"\"rate_limits\":{\"primary\":{\"used_percent\":" used \
	",\"window_minutes\":300,\"resets_at\":1794930000},\"plan_type\":\"plus\"}}}\n"

static void limits_are_told_when_they_change_and_each_five_minutes(void **state)
{
	(void)state;
	taken_read_cut(&t, &parse_codex_rollout,
	               TEXT("{\"timestamp\":\"2026-11-17T13:00:00.000Z\",\"type\":\"session_meta\","
	                    "\"payload\":{\"id\":\"th-9\"}}\n" LIMITS("01", "5") LIMITS("02", "5")
	                            LIMITS("03", "6") LIMITS("07", "6") LIMITS("08", "6")));
	assert_int_equal(taken_count(&t, "agent.limits"), 3);
	assert_true(taken_has(&t, "\"harness\":\"codex\",\"windows\":[{\"minutes\":300,\"used\":6,"
	                          "\"resetsAt\":1794930000000}],\"plan\":\"plus\""));
	taken_finish(&t);
}

static void limits_of_some_models_have_their_name(void **state)
{
	static const char *const ids[] = {
		"\"limit_id\":\"codex\",\"limit_name\":null",
		"\"limit_id\":\"codex_x\",\"limit_name\":null",
		"\"limit_id\":\"codex_y\",\"limit_name\":\"Small model\""};
	static const char *const named[] = {"[{\"minutes\":300,",
	                                    "[{\"name\":\"codex_x\",\"minutes\":300,",
	                                    "[{\"name\":\"Small model\",\"minutes\":300,"};

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		char *lines = must_print(
			"{\"timestamp\":\"2026-11-17T13:00:00.000Z\",\"type\":\"session_meta\","
			"\"payload\":{\"id\":\"th-9\"}}\n"
			"{\"timestamp\":\"2026-11-17T13:01:00.000Z\",\"type\":\"event_msg\","
			"\"payload\":{\"type\":\"token_count\",\"rate_limits\":{%s,\"primary\":"
			"{\"used_percent\":5,\"window_minutes\":300}}}}\n",
			ids[i]);

		taken_read_cut(&t, &parse_codex_rollout, text_of(lines));
		assert_true(taken_has(&t, named[i]));
		taken_finish(&t);
		free(lines);
	}
}

#define LIMITS_OF(second, id) \
	"{\"timestamp\":\"2026-11-17T13:01:" second ".000Z\",\"type\":\"event_msg\"," \
	"\"payload\":{\"type\":\"token_count\",\"rate_limits\":{\"limit_id\":\"" id "\"," \
	"\"primary\":{\"used_percent\":5,\"window_minutes\":300}}}}\n"

static void limits_that_alternate_are_told_once_each(void **state)
{
	(void)state;
	taken_read_cut(&t, &parse_codex_rollout,
	               TEXT("{\"timestamp\":\"2026-11-17T13:00:00.000Z\",\"type\":\"session_meta\","
	                    "\"payload\":{\"id\":\"th-9\"}}\n" LIMITS_OF("01", "codex")
	                            LIMITS_OF("02", "x") LIMITS_OF("03", "codex")
	                                    LIMITS_OF("04", "x") LIMITS_OF("05", "codex")));
	assert_int_equal(taken_count(&t, "agent.limits"), 2);
	taken_finish(&t);
	taken_read_cut(&t, &parse_codex_rollout,
	               TEXT("{\"timestamp\":\"2026-11-17T13:00:00.000Z\",\"type\":\"session_meta\","
	                    "\"payload\":{\"id\":\"th-9\"}}\n" LIMITS_OF("01", "a")
	                            LIMITS_OF("02", "b") LIMITS_OF("03", "c") LIMITS_OF("04", "d")
	                                    LIMITS_OF("05", "e") LIMITS_OF("06", "e")
	                                            LIMITS_OF("07", "d") LIMITS_OF("08", "a")));
	assert_int_equal(taken_count(&t, "agent.limits"), 6); /* the oldest was forgotten */
	taken_finish(&t);
}

static void sums_of_older_versions_are_counted_once(void **state)
{
	read_rollout("codex/rollout-sums.jsonl");
	/* One that was forked: the lines of the other are no calls of its own. */
	assert_int_equal(taken_count(&t, "token_usage"), 2);
	assert_true(taken_has(&t, "\"responseId\":\"th-2/300\""));
	assert_true(taken_has(&t, "\"responseId\":\"th-2/450\""));
	assert_true(taken_has(&t, "\"parent\":\"th-1\""));
	taken_finish(&t);
}

#define META \
	"{\"timestamp\":\"2026-11-17T13:00:00Z\",\"type\":\"session_meta\"," \
	"\"payload\":{\"id\":\"th\"}}\n"
#define RECORD(members) \
	"{\"timestamp\":\"2026-11-17T13:01:00Z\",\"type\":\"token_usage_record\"," \
	"\"payload\":{" members "}}\n"
#define USAGE "\"usage\":{\"input_tokens\":5,\"output_tokens\":2,\"total_tokens\":7}"
#define SUMS \
	"{\"timestamp\":\"2026-11-17T13:02:00Z\",\"type\":\"event_msg\",\"payload\":{" \
	"\"type\":\"token_count\",\"info\":{\"total_token_usage\":{\"total_tokens\":7}," \
	"\"last_token_usage\":{\"input_tokens\":5,\"output_tokens\":2,\"total_tokens\":7}}}}\n"

static void a_record_without_usage_does_not_hide_the_sums(void **state)
{
	taken_read_cut(&t, &parse_codex_rollout, TEXT(META RECORD("\"response_id\":\"r\"") SUMS));
	assert_int_equal(taken_count(&t, "token_usage"), 1);
	assert_true(taken_has(&t, "\"responseId\":\"th/7\""));
	taken_finish(&t);
}

static void a_record_without_a_thread_is_of_its_file(void **state)
{
	taken_read_cut(&t, &parse_codex_rollout,
	               TEXT(META RECORD("\"response_id\":\"r\"," USAGE) SUMS));
	assert_int_equal(taken_count(&t, "token_usage"), 1);
	assert_true(taken_has(&t, "\"responseId\":\"th/0/r\""));
	taken_finish(&t);
}

static void a_patch_tells_its_files(void **state)
{
	char *changes = patch_changes(TEXT("*** Begin Patch\n*** Add File: a b.c\n+x\n+y\n"
	                                   "*** Delete File: old.c\n*** End Patch"));

	assert_string_equal(changes,
	                    "[{\"path\":\"a b.c\",\"kind\":\"create\",\"added\":2,\"removed\":0},"
	                    "{\"path\":\"old.c\",\"kind\":\"delete\",\"added\":0,\"removed\":0}]");
	free(changes);
	assert_null(patch_changes(TEXT("+nothing\n")));
	assert_null(patch_changes(TEXT("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_is_told_without_its_words),
		cmocka_unit_test(limits_are_told_when_they_change_and_each_five_minutes),
		cmocka_unit_test(limits_of_some_models_have_their_name),
		cmocka_unit_test(limits_that_alternate_are_told_once_each),
		cmocka_unit_test(sums_of_older_versions_are_counted_once),
		cmocka_unit_test(a_record_without_usage_does_not_hide_the_sums),
		cmocka_unit_test(a_record_without_a_thread_is_of_its_file),
		cmocka_unit_test(a_patch_tells_its_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
