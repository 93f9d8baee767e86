/* opencode_events_test.c - sessions of a server of opencode, told once. */
#include "parse/opencode_events.h"

#include <stdio.h>

#include "parse/fixture.h"
#include "parse/kinds.h"

static struct taken t;

static void read_fixture(void)
{
	struct buf bytes;

	load_fixture(&bytes, "agents/opencode-events.sse");
	taken_init(&t, &parse_opencode_events);
	taken_read(&t, buf_text(&bytes));
	buf_finish(&bytes);
	assert_int_equal(t.bads, 0);
}

static void a_stream_may_be_cut_anywhere(void **state)
{
	struct buf bytes;

	load_fixture(&bytes, "agents/opencode-events.sse");
	taken_read_cut(&t, &parse_opencode_events, buf_text(&bytes));
	buf_finish(&bytes);
	assert_int_equal(taken_count(&t, "tool_call"), 6);
	taken_finish(&t);
}

static void feed(const char *json)
{
	parse_message(t.parse, text_of(json));
}

static unsigned times(const char *part)
{
	unsigned count = 0;
	const char *at = t.lines.at, *end = at + t.lines.len;

	while (at && at < end && (at = memmem(at, (size_t)(end - at), part, strlen(part)))) {
		count++;
		at += strlen(part);
	}
	return count;
}

static void a_session_says_who_it_is(void **state)
{
	read_fixture();
	assert_true(taken_has(&t, "\"type\":\"session.facts\",\"source\":\"src\","
	                          "\"correlationId\":\"ses_one\",\"payload\":{"
	                          "\"agentId\":\"opencode\",\"harness\":\"opencode\","
	                          "\"version\":\"1.18.18\",\"cwd\":\"/home/a/shop\","
	                          "\"sessionKey\":\"ses_one\"}"));
	assert_true(taken_has(&t, "\"model\":\"fake-1\",\"mode\":\"build\""));
	assert_true(taken_has(&t, "\"title\":\"Mend the cart\",\"titleFrom\":\"agent\""));
	assert_false(taken_has(&t, "New session"));
	assert_int_equal(taken_count(&t, "session.facts"), 3);
	assert_int_equal(times("\"description\":\"mend the cart\""), 1);
	assert_false(taken_has(&t, "what a file holds"));
	taken_finish(&t);
}

static void words_are_told_once(void **state)
{
	read_fixture();
	assert_int_equal(taken_count(&t, "thinking"), 2);
	assert_int_equal(taken_count(&t, "text_delta"), 5);
	assert_true(taken_has(&t, "\"content\":\"I plan é\""));
	assert_true(taken_has(&t, "\"content\":\"🙂 now\""));
	assert_true(taken_has(&t, "\"content\":\".\""));
	taken_finish(&t);
}

static void tools_have_results_and_changes(void **state)
{
	read_fixture();
	assert_int_equal(taken_count(&t, "tool_call"), 6);
	assert_int_equal(taken_count(&t, "tool_result"), 6);
	assert_int_equal(times("\"success\":false"), 2);
	assert_true(taken_has(&t, "\"toolName\":\"bash\",\"callId\":\"call_4\","
	                          "\"success\":false,\"output\":{\"value\":\"failed\\n\"}"));
	assert_true(taken_has(&t, "\"path\":\"/home/a/shop/a.txt\",\"kind\":\"create\","
	                          "\"added\":3,\"removed\":0,\"callId\":\"call_2\""));
	assert_true(taken_has(&t, "\"kind\":\"update\",\"added\":2,\"removed\":1"));
	assert_true(taken_has(&t, "\"items\":[{\"text\":\"look\",\"status\":\"completed\"},"
	                          "{\"text\":\"mend\",\"status\":\"in_progress\"},"
	                          "{\"text\":\"never\",\"status\":\"deleted\"}]"));
	taken_finish(&t);
}

static void a_step_is_counted_once(void **state)
{
	read_fixture();
	assert_int_equal(taken_count(&t, "token_usage"), 4);
	assert_true(taken_has(&t, "\"promptTokens\":70,\"completionTokens\":20,"
	                          "\"model\":\"fake-1\",\"cost\":0.000113,"
	                          "\"responseId\":\"prt_06\",\"cacheReadTokens\":30,"
	                          "\"reasoningTokens\":7,\"contextTokens\":120"));
	taken_finish(&t);
}

static void a_child_is_a_subagent_with_one_end(void **state)
{
	read_fixture();
	assert_int_equal(times("\"correlationId\":\"ses_two\""), 0);
	assert_true(taken_has(&t, "\"content\":\"sub answer\"},\"metadata\":{"
	                          "\"agent_id\":\"ses_two\",\"parent_tool_use_id\":\"call_6\"}"));
	assert_int_equal(taken_count(&t, "completion"), 1);
	assert_true(taken_has(&t, "\"payload\":{\"agentId\":\"general\",\"taskId\":\"ses_two\","
	                          "\"success\":true,\"result\":\"sub answer\"}"));
	taken_finish(&t);
}

static void turns_begin_wait_and_end(void **state)
{
	read_fixture();
	assert_int_equal(times("\"state\":\"began\""), 2); /* the second: it waits no more */
	assert_int_equal(times("\"state\":\"over\""), 1);
	assert_true(taken_has(&t, "\"to\":\"waiting\",\"reason\":\"Rate limited\""));
	taken_finish(&t);
}

static void what_it_wants_to_do_is_a_prompt(void **state)
{
	read_fixture();
	assert_int_equal(taken_count(&t, "prompt"), 1);
	assert_true(taken_has(&t, "\"id\":\"per_01\",\"type\":\"select\",\"prompt\":\"bash: make "
	                          "test\\npatterns"));
	assert_true(taken_has(&t, "{\"label\":\"Allow once\",\"value\":\"once\"}"));
	assert_true(taken_has(&t, "\"value\":\"always\",\"needs\":\"control\",\"rule\":\"until it "
	                          "ends, opencode does not ask again for bash: make *\""));
	assert_true(taken_has(&t, "{\"label\":\"Deny\",\"value\":\"reject\",\"safe\":true}"));
	taken_finish(&t);
}

/* ---- one that was asked, cut, recalled ---- */

#define MESSAGE(id, role, more) \
	"{\"type\":\"message.updated\",\"properties\":{\"info\":{\"id\":\"" id \
	"\",\"sessionID\":\"ses_a\",\"role\":\"" role "\"" more "}}}"
#define PART(id, text, more) \
	"{\"type\":\"message.part.updated\",\"at\":5,\"properties\":{\"part\":{\"id\":\"" id \
	"\",\"messageID\":\"msg_b\",\"sessionID\":\"ses_a\",\"type\":\"text\",\"text\":\"" text \
	"\"" more "}}}"
#define DELTA(id, words) \
	"{\"type\":\"message.part.delta\",\"properties\":{\"sessionID\":\"ses_a\",\"partID\":\"" \
	"" id "\",\"messageID\":\"msg_b\",\"field\":\"text\",\"delta\":\"" words "\"}}"
#define STATUS(type) \
	"{\"type\":\"session.status\",\"properties\":{\"sessionID\":\"ses_a\",\"status\":{" \
	"\"type\":\"" type "\"}}}"
#define FAILURE(name) \
	"{\"type\":\"session.error\",\"properties\":{\"sessionID\":\"ses_a\",\"error\":{" \
	"\"name\":\"" name "\",\"data\":{\"message\":\"broken\"}}}}"
#define TOOL \
	"{\"type\":\"message.part.updated\",\"properties\":{\"part\":{\"id\":\"prt_t\"," \
	"\"messageID\":\"msg_b\",\"sessionID\":\"ses_a\",\"type\":\"tool\",\"tool\":\"bash\"," \
	"\"callID\":\"c\",\"state\":{\"status\":\"running\",\"input\":{}}}}}"
#define ENDED ",\"time\":{\"start\":1,\"end\":2}"

static void begin_text(void)
{
	feed(STATUS("busy"));
	feed(MESSAGE("msg_b", "assistant", ""));
	feed(PART("prt_c", "", ""));
	feed(DELTA("prt_c", "one "));
	feed(DELTA("prt_c", "two "));
}

static void what_was_asked_has_one_end(void **state)
{
	struct opencode_seen seen;

	taken_init(&t, &parse_opencode_events);
	opencode_expect(t.parse, TEXT("ses_a"), TEXT("R"));
	begin_text();
	assert_true(opencode_find(t.parse, TEXT("R"), &seen));
	assert_true(seen.is_busy && text_is(seen.id, "ses_a"));
	feed(PART("prt_c", "one two three", ENDED));
	feed(STATUS("idle"));
	feed(STATUS("idle"));
	assert_int_equal(taken_count(&t, "completion"), 1);
	assert_true(taken_has(&t, "\"correlationId\":\"R\",\"payload\":{\"agentId\":\"opencode\","
	                          "\"taskId\":\"R\",\"success\":true,\"result\":\"one two three\","
	                          "\"sessionKey\":\"ses_a\"}"));
	assert_false(opencode_find(t.parse, TEXT("R"), &seen));
	taken_finish(&t);
}

static void an_abort_cancels_and_an_error_fails(void **state)
{
	taken_init(&t, &parse_opencode_events);
	opencode_expect(t.parse, TEXT("ses_a"), TEXT("R"));
	begin_text();
	feed(FAILURE("MessageAbortedError"));
	feed(STATUS("idle"));
	assert_true(taken_has(&t, "\"success\":false,\"result\":\"cancelled\""));
	assert_true(taken_has(&t, "\"state\":\"interrupted\""));
	opencode_expect(t.parse, TEXT("ses_a"), TEXT("Q"));
	feed(STATUS("busy"));
	feed(FAILURE("APIError"));
	feed(STATUS("idle"));
	assert_int_equal(taken_count(&t, "completion"), 1);
	assert_int_equal(taken_count(&t, "error"), 1);
	assert_true(taken_has(&t, "\"message\":\"broken\",\"severity\":\"error\","
	                          "\"code\":\"APIError\""));
	taken_finish(&t);
}

static void a_cut_text_is_told_when_it_is_whole(void **state)
{
	taken_init(&t, &parse_opencode_events);
	begin_text();
	opencode_cut(t.parse);
	feed(DELTA("prt_c", "four "));
	feed(DELTA("prt_d", "of one whose beginning nobody heard"));
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	feed(PART("prt_c", "one two three four five", ENDED));
	feed(PART("prt_c", "one two three four five", ENDED));
	feed(PART("prt_d", "whole", ENDED));
	assert_int_equal(taken_count(&t, "text_delta"), 4);
	assert_true(taken_has(&t, "\"content\":\"three four five\""));
	assert_int_equal(times("\"content\":\"whole\""), 1);
	taken_finish(&t);
}

/* Of another session; 1024 are remembered. */
static void feed_parts(int from, int to)
{
	char event[256];

	for (int i = from; i < to; i++) {
		snprintf(event, sizeof(event),
		         "{\"type\":\"message.part.updated\",\"properties\":{\"part\":{"
		         "\"id\":\"prt_x%d\",\"messageID\":\"msg_x\",\"sessionID\":\"ses_x\","
		         "\"type\":\"step-start\"}}}",
		         i);
		feed(event);
	}
}

static void what_others_do_makes_nothing_told_twice(void **state)
{
	taken_init(&t, &parse_opencode_events);
	begin_text();
	feed(TOOL);
	feed_parts(0, 1100);
	feed(TOOL);
	assert_int_equal(taken_count(&t, "tool_call"), 1);
	feed(DELTA("prt_c", "three"));
	feed(PART("prt_c", "one two three", ENDED));
	feed(PART("prt_c", "one two three", ENDED));
	assert_int_equal(taken_count(&t, "text_delta"), 3);
	assert_int_equal(times("\"content\":\"three\""), 1);
	taken_finish(&t);
}

static void a_part_that_is_heard_of_is_not_forgotten(void **state)
{
	taken_init(&t, &parse_opencode_events);
	begin_text();
	for (int i = 0; i < 3; i++) {
		feed_parts(600 * i, 600 * (i + 1));
		feed(DELTA("prt_c", "more "));
	}
	assert_int_equal(times("\"content\":\"more \""), 3);
	taken_finish(&t);
}

static void the_next_life_goes_on_where_it_was(void **state)
{
	struct opencode_seen seen;
	struct buf place;
	int64_t at_ms = 0;

	taken_init(&t, &parse_opencode_events);
	opencode_expect(t.parse, TEXT("ses_a"), TEXT("R"));
	feed(STATUS("busy"));
	feed(MESSAGE("msg_a", "assistant", ",\"time\":{\"completed\":3}"));
	begin_text();
	feed(TOOL);
	buf_init(&place, OPENCODE_PLACE_MAX);
	opencode_add_place(t.parse, TEXT("R"), 7, &place);
	taken_finish(&t);

	taken_init(&t, &parse_opencode_events);
	assert_true(opencode_take_place(t.parse, TEXT("R"), buf_text(&place), &at_ms));
	assert_int_equal(at_ms, 7);
	assert_true(opencode_find(t.parse, TEXT("R"), &seen));
	assert_true(text_is(seen.last, "msg_a") && seen.is_busy);
	feed(MESSAGE("msg_b", "assistant", ""));
	feed(PART("prt_b", "told before", ENDED));
	feed(TOOL);
	assert_int_equal(taken_count(&t, "tool_call"), 0);
	feed(PART("prt_c", "one two three", ENDED));
	feed(PART("prt_d", "new", ENDED));
	assert_int_equal(taken_count(&t, "text_delta"), 2);
	assert_true(taken_has(&t, "\"content\":\"three\""));
	assert_true(taken_has(&t, "\"content\":\"new\""));
	feed(STATUS("idle"));
	assert_true(taken_has(&t, "\"taskId\":\"R\",\"success\":true,\"result\":\"new\""));
	taken_finish(&t);
	buf_finish(&place);
}

static void a_place_that_is_none_is_refused(void **state)
{
	int64_t at_ms;

	taken_init(&t, &parse_opencode_events);
	assert_false(opencode_take_place(t.parse, TEXT("R"), TEXT(""), &at_ms));
	assert_false(opencode_take_place(t.parse, TEXT("R"), TEXT("{"), &at_ms));
	assert_false(opencode_take_place(t.parse, TEXT("R"), TEXT("{\"session\":7}"), &at_ms));
	taken_finish(&t);
}

static void hostile_events_are_passed_over(void **state)
{
	taken_init(&t, &parse_opencode_events);
	feed("[]");
	feed("{}");
	feed("{\"type\":\"session.status\"}");
	feed("{\"type\":\"session.created\",\"properties\":{\"info\":{\"id\":\"s\","
	     "\"parentID\":\"s\"}}}");
	feed("{\"type\":\"session.created\",\"properties\":{\"info\":{\"id\":\"a\","
	     "\"parentID\":\"b\"}}}");
	feed("{\"type\":\"session.created\",\"properties\":{\"info\":{\"id\":\"b\","
	     "\"parentID\":\"a\"}}}");
	feed("{\"type\":\"session.status\",\"properties\":{\"sessionID\":\"a\",\"status\":{"
	     "\"type\":\"busy\"}}}");
	feed("{\"type\":\"message.part.updated\",\"properties\":{\"part\":[]}}");
	feed("{\"type\":\"todo.updated\",\"properties\":{\"sessionID\":\"a\",\"todos\":{}}}");
	assert_int_equal(t.bads, 2);
	taken_finish(&t);
}

/* An event of this type whose properties are what, times over, between the two others. */
static void feed_long(const char *type, const char *before, const char *what, const char *after)
{
	struct buf event;

	buf_init(&event, 4 * MIB);
	buf_print(&event, "{\"payload\":{\"type\":\"%s\",\"properties\":{%s", type, before);
	while (event.len < 900000)
		buf_add(&event, text_of(what));
	buf_print(&event, "%s}}}", after);
	parse_message(t.parse, buf_text(&event));
	buf_finish(&event);
}

static void what_says_nothing_is_not_read(void **state)
{
	static const struct {
		const char *event, *type;
	} events[] = {
		{"{\"type\":\"session.idle\",\"properties\":{\"type\":\"x\"}}", "session.idle"},
		{"{\"directory\":\"/a\",\"payload\":{\"id\":1,\"type\":\"a.b\"}}", "a.b"},
		{"{\"properties\":{\"type\":\"x\"},\"type\":\"y\"}", "y"},
		{"{\"payload\":[]}", ""},
		{"{\"type\":7}", ""},
		{"{", ""},
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		assert_true(text_is(opencode_event_type(text_of(events[i].event)), events[i].type));
	taken_init(&t, &parse_opencode_events);
	feed_long("session.diff", "\"diff\":[", "{},", "{}]");
	feed_long("lsp.updated", "this is ", "no JSON", "");
	assert_int_equal(t.bads, 0);
	feed_long("session.status", "\"status\":[", "{},", "{}]");
	assert_int_equal(t.bads, 1);
	feed_long("session.status", "\"status\":[\"", "[,]", "\"]");
	assert_int_equal(t.bads, 1);
	taken_finish(&t);
}

#define LONG_PART "\"part\":{\"id\":\"p1\",\"sessionID\":\"a\",\"messageID\":\"m\","

static void a_long_text_is_told_in_pieces(void **state)
{
	size_t whole = 0, count = 0;

	for (int in_pieces = 0; in_pieces < 2; in_pieces++) {
		taken_init(&t, &parse_opencode_events);
		if (in_pieces)
			opencode_tell_pieces(t.parse);
		do {
			feed_long("message.part.updated", LONG_PART "\"type\":\"text\",\"text\":\"",
			          "words é ", "\",\"time\":{\"end\":1}}");
			count++;
			assert_true(!in_pieces || times("\"text_delta\"") <= count);
		} while (opencode_has_more(t.parse));
		if (!in_pieces)
			whole = times("words é ");
		assert_int_equal(times("words é ") + times("words é\"") + times("words\""), whole);
		assert_true(in_pieces ? count > 10 : count == 1);
		count = 0;
		taken_finish(&t);
	}
}

static void more_sessions_than_there_is_room_for(void **state)
{
	struct opencode_seen seen;
	char event[256];

	taken_init(&t, &parse_opencode_events);
	for (int i = 0; i < 300; i++) {
		snprintf(event, sizeof(event),
		         "{\"type\":\"session.status\",\"properties\":{\"sessionID\":\"s%d\","
		         "\"status\":{\"type\":\"busy\"}}}",
		         i);
		feed(event);
	}
	feed("{\"type\":\"session.created\",\"properties\":{\"info\":{\"id\":\"child\","
	     "\"parentID\":\"parent\",\"title\":\"x\"}}}");
	assert_true(opencode_find(t.parse, TEXT("child"), &seen) && seen.is_child);
	assert_true(opencode_find(t.parse, TEXT("parent"), &seen));
	assert_false(opencode_find(t.parse, TEXT("s0"), &seen));
	assert_true(opencode_find(t.parse, TEXT("s299"), &seen));
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_may_be_cut_anywhere),
		cmocka_unit_test(a_session_says_who_it_is),
		cmocka_unit_test(words_are_told_once),
		cmocka_unit_test(tools_have_results_and_changes),
		cmocka_unit_test(a_step_is_counted_once),
		cmocka_unit_test(a_child_is_a_subagent_with_one_end),
		cmocka_unit_test(turns_begin_wait_and_end),
		cmocka_unit_test(what_it_wants_to_do_is_a_prompt),
		cmocka_unit_test(what_was_asked_has_one_end),
		cmocka_unit_test(an_abort_cancels_and_an_error_fails),
		cmocka_unit_test(a_cut_text_is_told_when_it_is_whole),
		cmocka_unit_test(what_others_do_makes_nothing_told_twice),
		cmocka_unit_test(a_part_that_is_heard_of_is_not_forgotten),
		cmocka_unit_test(the_next_life_goes_on_where_it_was),
		cmocka_unit_test(a_place_that_is_none_is_refused),
		cmocka_unit_test(hostile_events_are_passed_over),
		cmocka_unit_test(what_says_nothing_is_not_read),
		cmocka_unit_test(a_long_text_is_told_in_pieces),
		cmocka_unit_test(more_sessions_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
