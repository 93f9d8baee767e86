/* order_test.c - whatever comes first, what happened first is heard first. */
#include "source/claude/order.h"

#include "base/must.h"
#include "source/fixture.h"

static struct order *order;
static struct buf heard; /* the tags, a letter each */

static void pass(void *self, const struct hook_payload *payload, int tag)
{
	assert_true(payload->bytes.len > 0);
	buf_add_char(&heard, (char)tag);
}

static void make(unsigned wait_ms)
{
	order_destroy(order);
	order = order_create(
		&(struct order_options){.loop = fixture.loop, .wait_ms = wait_ms, .pass = pass});
}

static int begin(void **state)
{
	fixture_set_up(state);
	buf_init(&heard, 64 * KIB);
	order = NULL;
	make(3600 * 1000);
	return 0;
}

static int end(void **state)
{
	order_destroy(order);
	buf_finish(&heard);
	return fixture_tear_down(state);
}

static void take(char tag, const char *event, const char *more)
{
	char *json = must_print("{\"session_id\":\"s\",\"hook_event_name\":\"%s\"%s}", event, more);
	struct hook_payload payload = {.bytes = text_of(json)};

	order_take(order, &payload, tag);
	free(json);
}

static void expect(const char *tags)
{
	if (!text_is(buf_text(&heard), tags))
		fail_msg("heard %.*s and not %s", TEXT_ARG(buf_text(&heard)), tags);
	buf_clear(&heard);
}

#define TOOL(id) ",\"tool_use_id\":\"" id "\",\"prompt_id\":\"p1\""
#define PIECE(id, n) ",\"message_id\":\"" id "\",\"index\":" n ",\"final\":false"
#define LAST(id, n) ",\"message_id\":\"" id "\",\"index\":" n ",\"final\":true"

static void a_result_waits_for_its_call(void **state)
{
	take('b', "PostToolUse", TOOL("1"));
	take('d', "PostToolUseFailure", TOOL("2"));
	take('c', "PreToolUse", TOOL("2"));
	expect("cd");
	take('a', "PreToolUse", TOOL("1"));
	expect("ab");
	take('x', "PostToolUse", ""); /* without an id there is nothing to wait for */
	expect("x");
}

static void twenty_tools_come_in_any_order(void **state)
{
	char more[64], want[64] = "";

	for (int i = 0; i < 20; i++) {
		snprintf(more, sizeof(more), ",\"tool_use_id\":\"%d\"", i);
		take((char)('a' + i), "PostToolUse", more);
	}
	take('z', "Stop", "");
	expect("");
	for (int i = 19; i >= 0; i--) {
		snprintf(more, sizeof(more), ",\"tool_use_id\":\"%d\"", i);
		take((char)('A' + i), "PreToolUse", more);
	}
	for (int i = 0; i < 20; i++) {
		want[2 * i] = (char)('A' + 19 - i);
		want[2 * i + 1] = (char)('a' + 19 - i);
	}
	want[40] = 'z';
	expect(want);
}

static void pieces_of_a_message_are_in_their_order(void **state)
{
	take('c', "MessageDisplay", LAST("m", "2"));
	take('b', "MessageDisplay", PIECE("m", "1"));
	take('x', "MessageDisplay", LAST("other", "0"));
	expect("x");
	take('a', "MessageDisplay", PIECE("m", "0"));
	expect("abc");
}

static void the_end_of_a_turn_waits_for_its_tools_and_its_message(void **state)
{
	take('a', "PreToolUse", TOOL("1"));
	take('b', "MessageDisplay", PIECE("m", "0"));
	take('e', "Stop", ",\"prompt_id\":\"p1\"");
	take('f', "UserPromptSubmit", ",\"prompt_id\":\"p2\"");
	take('g', "PreToolUse", ",\"tool_use_id\":\"2\",\"prompt_id\":\"p2\"");
	expect("ab");
	take('c', "PostToolUse", TOOL("1"));
	take('d', "MessageDisplay", LAST("m", "1"));
	expect("cdefg");
}

static void who_was_interrupted_holds_nothing_up(void **state)
{
	take('a', "PreToolUse", TOOL("1"));
	take('b', "UserPromptSubmit", ",\"prompt_id\":\"p2\"");
	take('c', "Stop", ",\"prompt_id\":\"p2\"");
	expect("abc");
}

static void a_subagent_ends_with_its_own_tools(void **state)
{
	take('a', "PreToolUse", TOOL("1"));
	take('b', "SubagentStop", ",\"agent_id\":\"x\"");
	expect("ab");
	take('c', "PreToolUse", ",\"agent_id\":\"x\",\"tool_use_id\":\"2\"");
	take('e', "SubagentStop", ",\"agent_id\":\"x\"");
	expect("c");
	take('d', "PostToolUse", ",\"agent_id\":\"x\",\"tool_use_id\":\"2\"");
	expect("de");
}

static void what_is_of_no_session_or_no_json_passes(void **state)
{
	struct hook_payload payload = {.bytes = TEXT("nonsense")};

	order_take(order, &payload, 'a');
	take('b', "Notification", "");
	expect("ab");
}

static bool has_passed(void)
{
	return heard.len == 3;
}

static void nothing_waits_for_ever(void **state)
{
	make(1);
	take('a', "PostToolUse", TOOL("1"));
	take('b', "Stop", "");
	take('c', "SessionEnd", "");
	expect("");
	fixture_wait(has_passed);
	expect("abc");
}

static void what_waits_can_be_had(void **state)
{
	take('a', "PostToolUse", TOOL("1"));
	order_flush(order);
	expect("a");
	for (unsigned i = 0; i < 5000; i++)
		take('b', "PostToolUse", TOOL("1"));
	assert_true(heard.len > 4000 && heard.len < 5000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(a_result_waits_for_its_call),
		TEST(twenty_tools_come_in_any_order),
		TEST(pieces_of_a_message_are_in_their_order),
		TEST(the_end_of_a_turn_waits_for_its_tools_and_its_message),
		TEST(who_was_interrupted_holds_nothing_up),
		TEST(a_subagent_ends_with_its_own_tools),
		TEST(what_is_of_no_session_or_no_json_passes),
		TEST(nothing_waits_for_ever),
		TEST(what_waits_can_be_had),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
