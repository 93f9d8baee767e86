/* openclaw_test.c - what a gateway's frames mean, and that nothing is told twice. */
#include <stdio.h>

#include "parse/fixture.h"
#include "parse/kinds.h"
#include "parse/openclaw.h"
#include "parse/openclaw_past.h"

static struct taken t;
static unsigned looked_at; /* signals that were compared */

static void start(void)
{
	taken_init(&t, &parse_openclaw);
	looked_at = 0;
}

static void feed(const char *frame)
{
	parse_message(t.parse, text_of(frame));
}

static void agent(const char *run, const char *stream, const char *data)
{
	char frame[600];

	snprintf(frame, sizeof(frame),
	         "{\"type\":\"event\",\"event\":\"agent\",\"payload\":{\"runId\":\"%s\","
	         "\"stream\":\"%s\",\"data\":%s,\"sessionKey\":\"sk\"}}",
	         run, stream, data);
	feed(frame);
}

static void chat(const char *run, const char *state, const char *more)
{
	char frame[600];

	snprintf(frame, sizeof(frame),
	         "{\"type\":\"event\",\"event\":\"chat\",\"payload\":{\"runId\":\"%s\","
	         "\"sessionKey\":\"sk\",\"state\":\"%s\"%s}}",
	         run, state, more);
	feed(frame);
}

#define MESSAGE(words) \
	",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" words \
	"\"}]}"

/* The next signal: what it has besides what all of them have, up to its end. */
static void expect(const char *type, const char *run, const char *more)
{
	char json[600];

	snprintf(json, sizeof(json),
	         "{\"type\":\"%s\",\"source\":\"src\",\"correlationId\":\"%s\",\"payload\":{"
	         "\"agentId\":\"openclaw\",\"channel\":\"\",\"channelLabel\":\"\","
	         "\"sessionKey\":\"sk\",%s}",
	         type, run, more);
	assert_line(&t, looked_at++, json);
}

static void expect_words(const char *run, const char *words)
{
	char more[200];

	snprintf(more, sizeof(more), "\"content\":\"%s\"}", words);
	expect("text_delta", run, more);
}

static void expect_no_more(void)
{
	assert_int_equal(t.signals, looked_at);
	taken_finish(&t);
}

static void an_answer_is_told_once_though_it_comes_twice(void **state)
{
	start();
	agent("r", "lifecycle", "{\"phase\":\"start\"}");
	agent("r", "assistant", "{\"text\":\"One\",\"delta\":\"One\"}");
	chat("r", "delta", MESSAGE("One"));
	chat("r", "delta", MESSAGE("One two"));
	agent("r", "assistant", "{\"text\":\"One two\",\"delta\":\" two\"}");
	agent("r", "lifecycle", "{\"phase\":\"end\"}");
	chat("r", "final", MESSAGE("One two"));
	expect("agent_state_change", "r", "\"from\":\"idle\",\"to\":\"acting\"}");
	expect_words("r", "One");
	expect_words("r", " two");
	expect("completion", "r", "\"taskId\":\"r\",\"success\":true}");
	expect_no_more();
}

static void files_that_go_with_words_are_told_behind_them(void **state)
{
	start();
	agent("r", "assistant",
	      "{\"text\":\"One\",\"delta\":\"One\",\"mediaUrls\":[\"/tmp/a.png\",\"b\"]}");
	agent("r", "assistant", "{\"text\":\"One\",\"delta\":\"\",\"mediaUrls\":[]}");
	expect_words("r", "One");
	expect("agent.media", "r", "\"mediaUrls\":[\"/tmp/a.png\",\"b\"]}");
	expect_no_more();
}

static void words_that_only_chat_has_are_told_too(void **state)
{
	start();
	chat("r", "delta", MESSAGE("One"));
	chat("r", "delta", ",\"deltaText\":\" two\"" MESSAGE("One two"));
	agent("r", "assistant", "{\"text\":\"One two\",\"delta\":\" two\"}");
	agent("r", "lifecycle", "{\"phase\":\"end\"}");
	chat("r", "final", ",\"stopReason\":\"stop\"" MESSAGE("One two three"));
	expect_words("r", "One");
	expect_words("r", " two");
	expect_words("r", " three");
	expect("completion", "r",
	       "\"taskId\":\"r\",\"success\":true},\"metadata\":{\"stopReason\":\"stop\"}");
	expect_no_more();
}

static void a_rewritten_answer_says_that_it_replaces(void **state)
{
	start();
	chat("r", "delta", MESSAGE("One"));
	chat("r", "delta", MESSAGE("Uno"));
	chat("r", "delta", ",\"deltaText\":\"Eins\",\"replace\":true" MESSAGE("Eins"));
	chat("r", "delta", MESSAGE("Eins zwei"));
	expect_words("r", "One");
	expect("text_delta", "r", "\"content\":\"Uno\"},\"metadata\":{\"replace\":true}");
	expect("text_delta", "r", "\"content\":\"Eins\"},\"metadata\":{\"replace\":true}");
	expect_words("r", " zwei");
	expect_no_more();
}

static void an_end_says_what_was_not_yet_said(void **state)
{
	start();
	agent("r", "assistant", "{\"text\":\"Before.\",\"delta\":\"Before.\"}");
	/* After a tool the text begins anew. */
	agent("r", "assistant", "{\"text\":\"After\",\"delta\":\"After\"}");
	chat("r", "aborted", ",\"stopReason\":\"rpc\"" MESSAGE("After all"));
	agent("r", "lifecycle", "{\"phase\":\"end\",\"aborted\":true}");
	agent("r", "lifecycle", "{\"phase\":\"error\",\"error\":\"aborted\",\"aborted\":true}");
	expect_words("r", "Before.");
	expect_words("r", "After");
	expect_words("r", " all");
	expect("completion", "r",
	       "\"taskId\":\"r\",\"success\":false,\"result\":\"cancelled\"},"
	       "\"metadata\":{\"stopReason\":\"rpc\"}");
	expect_no_more();
}

static void words_that_were_lost_on_the_way_are_made_up_for(void **state)
{
	start();
	agent("r", "assistant", "{\"text\":\"One\",\"delta\":\"One\"}");
	agent("r", "assistant", "{\"text\":\"One two three\",\"delta\":\" three\"}");
	agent("r", "assistant", "{\"text\":\"One two three.\",\"delta\":\".\"}");
	expect_words("r", "One");
	expect_words("r", " two three");
	expect_words("r", ".");
	agent("s", "assistant", "{\"text\":\"Hello from\",\"delta\":\" from\"}");
	agent("s", "assistant", "{\"text\":\"Hello from us\",\"delta\":\" us\"}");
	expect_words("s", "Hello from");
	expect_words("s", " us");
	expect_no_more();
}

static void a_run_ends_once_whoever_says_it_first(void **state)
{
	start();
	agent("r", "lifecycle", "{\"phase\":\"error\",\"error\":\"boom\"}");
	chat("r", "error", ",\"errorMessage\":\"boom\",\"errorKind\":\"timeout\"");
	chat("s", "error", ",\"errorMessage\":\"bang\",\"errorKind\":\"timeout\"");
	agent("s", "lifecycle", "{\"phase\":\"end\"}");
	agent("q", "lifecycle",
	      "{\"phase\":\"end\",\"terminalReply\":"
	      "{\"disposition\":\"visible\",\"text\":\"Ok\"}}");
	chat("q", "final", MESSAGE("Ok"));
	expect("error", "r", "\"message\":\"boom\",\"severity\":\"error\"}");
	expect("error", "s", "\"message\":\"bang\",\"severity\":\"error\",\"code\":\"timeout\"}");
	expect_words("q", "Ok");
	expect("completion", "q", "\"taskId\":\"q\",\"success\":true}");
	expect_no_more();
}

#define TOOL "\"toolName\":\"exec\",\"callId\":\"t\""

static void the_documented_and_the_real_names_are_known(void **state)
{
	start();
	agent("r", "tool",
	      "{\"phase\":\"start\",\"name\":\"exec\",\"toolCallId\":\"t\",\"args\":{\"a\":1}}");
	agent("r", "tool",
	      "{\"phase\":\"started\",\"toolName\":\"exec\",\"callId\":\"t\",\"input\":\"x\"}");
	agent("r", "tool",
	      "{\"phase\":\"result\",\"name\":\"exec\",\"toolCallId\":\"t\",\"isError\":true,"
	      "\"result\":\"no\"}");
	agent("r", "tool",
	      "{\"phase\":\"end\",\"tool\":\"exec\",\"id\":\"t\",\"output\":{\"o\":1}}");
	agent("r", "tool",
	      "{\"phase\":\"update\",\"name\":\"exec\",\"toolCallId\":\"t\","
	      "\"partialResult\":{\"long\":1}}");
	agent("r", "tool", "{\"phase\":\"odd\"}");
	expect("tool_call", "r", TOOL ",\"input\":{\"a\":1}}");
	expect("tool_call", "r", TOOL ",\"input\":{\"value\":\"x\"}}");
	expect("tool_result", "r", TOOL ",\"success\":false,\"output\":{\"value\":\"no\"}}");
	expect("tool_result", "r", TOOL ",\"success\":true,\"output\":{\"o\":1}}");
	expect("event", "r",
	       TOOL ",\"eventCategory\":\"agent\",\"stream\":\"tool\",\"phase\":\"update\"}");
	expect_no_more();
}

static void a_delta_comes_before_the_text_even_if_it_is_empty(void **state)
{
	start();
	agent("r", "assistant", "{\"delta\":\"\",\"text\":\"full\"}");
	agent("", "assistant", "{\"delta\":\"d\",\"text\":\"full d\"}");
	agent("", "assistant", "{\"text\":\"alone\"}");
	agent("s", "assistant", "{\"text\":\"so\"}");
	agent("s", "assistant", "{\"text\":\"so far\"}");
	agent("", "thinking", "{\"text\":\"hm\"}");
	expect_words("run", "d");
	expect_words("run", "alone");
	expect_words("s", "so");
	expect_words("s", " far");
	expect("thinking", "run", "\"content\":\"hm\"}");
	expect_no_more();
}

static void channel_and_agent_are_found_where_gateways_put_them(void **state)
{
	start();
	feed("{\"type\":\"event\",\"event\":\"agent\",\"payload\":{\"runId\":\"r\",\"ts\":7,"
	     "\"stream\":\"assistant\",\"data\":{\"delta\":\"d\"},\"agentId\":\"main\","
	     "\"provider\":\"telegram\",\"label\":\"Tg\",\"sessionKey\":\"s\","
	     "\"isHeartbeat\":true}}");
	assert_line(&t, 0,
	            "{\"type\":\"text_delta\",\"source\":\"src\",\"correlationId\":\"r\","
	            "\"payload\":{\"agentId\":\"main\",\"channel\":\"telegram\","
	            "\"channelLabel\":\"Tg\",\"sessionKey\":\"s\",\"content\":\"d\"},"
	            "\"metadata\":{\"_meta\":{\"heartbeat\":true}}}");
	taken_finish(&t);
}

static void state_that_is_not_newer_is_dropped(void **state)
{
	start();
	feed("{\"type\":\"res\",\"ok\":true,\"payload\":{\"type\":\"hello-ok\",\"protocol\":4,"
	     "\"snapshot\":{\"stateVersion\":{\"presence\":2,\"health\":5}}}}");
	feed("{\"type\":\"event\",\"event\":\"health\",\"payload\":{\"n\":5},"
	     "\"stateVersion\":{\"presence\":3,\"health\":5}}");
	feed("{\"type\":\"event\",\"event\":\"presence\",\"payload\":{\"n\":3},"
	     "\"stateVersion\":{\"presence\":3,\"health\":5}}");
	feed("{\"type\":\"event\",\"event\":\"health\",\"payload\":{\"n\":6},"
	     "\"stateVersion\":{\"presence\":3,\"health\":6}}");
	feed("{\"type\":\"event\",\"event\":\"presence\",\"payload\":{\"n\":3},"
	     "\"stateVersion\":{\"presence\":3,\"health\":6}}");
	assert_int_equal(taken_count(&t, "event"), 2);
	assert_int_equal(taken_count(&t, "gateway.frame"), 2);
	assert_true(taken_has(&t, "{\"n\":3,\"eventCategory\":\"presence\"}"));
	assert_true(taken_has(&t, "{\"n\":6,\"eventCategory\":\"health\"}"));
	taken_finish(&t);
}

static void a_status_is_told_once(void **state)
{
	start();
	chat("r", "status", ",\"phase\":\"starting_model\"");
	agent("r", "run_status", "{\"phase\":\"starting_model\"}");
	agent("r", "run_status", "{\"phase\":\"retrying\"}");
	assert_int_equal(taken_count(&t, "event"), 2);
	taken_finish(&t);
}

static void tokens_are_counted_once_and_by_any_name(void **state)
{
	start();
	agent("r", "lifecycle", "{\"phase\":\"model\",\"model\":\"m-1\"}");
	agent("r", "usage", "{\"outputTokens\":7}");
	chat("r", "final", ",\"usage\":{\"input\":1,\"output\":7}");
	chat("s", "final", ",\"usage\":{\"input\":1,\"output\":2,\"model\":\"x\"}");
	feed("{\"type\":\"event\",\"event\":\"session\",\"payload\":{\"data\":"
	     "{\"promptTokens\":\"many\",\"completionTokens\":-3}}}");
	assert_int_equal(taken_count(&t, "token_usage"), 3);
	assert_true(taken_has(&t, "\"promptTokens\":0,\"completionTokens\":7,\"model\":\"m-1\""));
	assert_true(taken_has(&t, "\"promptTokens\":1,\"completionTokens\":0,\"model\":\"m-1\""));
	assert_true(taken_has(&t, "\"promptTokens\":1,\"completionTokens\":2,\"model\":\"x\""));
	assert_int_equal(taken_count(&t, "event"), 1);
	taken_finish(&t);
}

static void tokens_of_a_run_are_told_as_they_grow(void **state)
{
	start();
	agent("r", "usage", "{\"outputTokens\":7}");
	agent("r", "usage", "{\"outputTokens\":7}");
	agent("r", "usage", "{\"outputTokens\":10}");
	assert_int_equal(taken_count(&t, "token_usage"), 2);
	assert_true(taken_has(&t, "\"completionTokens\":7,"));
	assert_true(taken_has(&t, "\"completionTokens\":3,"));
	taken_finish(&t);
}

static void a_tool_call_without_an_id_gets_one(void **state)
{
	start();
	agent("r", "tool", "{\"phase\":\"start\",\"name\":\"a\"}");
	agent("r", "tool", "{\"phase\":\"start\",\"name\":\"b\"}");
	agent("r", "tool", "{\"phase\":\"start\",\"name\":\"a\"}");
	agent("r", "tool", "{\"phase\":\"result\",\"name\":\"b\"}");
	agent("r", "tool", "{\"phase\":\"result\",\"name\":\"a\"}");
	agent("r", "tool", "{\"phase\":\"result\",\"name\":\"a\"}");
	agent("r", "tool", "{\"phase\":\"result\",\"name\":\"c\"}");
	expect("tool_call", "r", "\"toolName\":\"a\",\"callId\":\"call-1\"}");
	expect("tool_call", "r", "\"toolName\":\"b\",\"callId\":\"call-2\"}");
	expect("tool_call", "r", "\"toolName\":\"a\",\"callId\":\"call-3\"}");
#define DONE(name, id) "\"toolName\":\"" name "\",\"callId\":\"" id "\",\"success\":true}"
	expect("tool_result", "r", DONE("b", "call-2"));
	expect("tool_result", "r", DONE("a", "call-1"));
	expect("tool_result", "r", DONE("a", "call-3"));
	expect("tool_result", "r", DONE("c", "call-4"));
	expect_no_more();
}

static void an_event_of_a_run_that_is_not_newer_is_known(void **state)
{
	static const char frame[] =
		"{\"type\":\"event\",\"event\":\"%s\",\"payload\":{\"runId\":\"r\",\"seq\":%d,"
		"\"stream\":\"tool\",\"data\":{\"phase\":\"start\",\"name\":\"a\","
		"\"toolCallId\":\"c\"}}}";
	static const char hello[] = "{\"type\":\"res\",\"ok\":true,\"payload\":{\"snapshot\":{},"
				    "\"server\":{\"bootId\":\"%s\"}}}";
	static const struct {
		const char *boot, *event;
		int seq;
		unsigned told;
	} steps[] = {
		{"one", "agent", 3, 1}, {NULL, "session.tool", 3, 1}, {NULL, "session.tool", 4, 2},
		{"one", "agent", 4, 2}, {"two", "agent", 1, 3},
	};
	char words[400];

	start();
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		if (steps[i].boot) {
			snprintf(words, sizeof(words), hello, steps[i].boot);
			feed(words);
		}
		snprintf(words, sizeof(words), frame, steps[i].event, steps[i].seq);
		feed(words);
		assert_int_equal(taken_count(&t, "tool_call"), steps[i].told);
	}
	taken_finish(&t);
}

static void what_is_the_transports_business_is_no_signal(void **state)
{
	start();
	feed("{\"type\":\"res\",\"ok\":true}");
	feed("{\"type\":\"ping\"}");
	feed("{\"type\":\"pong\"}");
	feed("{\"type\":\"connect.challenge\",\"nonce\":\"n\"}");
	feed("{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"nonce\":\"n\"}}");
	assert_int_equal(t.signals, 0);
	assert_int_equal(t.bads, 0);
	feed("[]");
	feed("{\"what\":1}");
	feed("{");
	assert_int_equal(t.bads, 3);
	assert_int_equal(t.signals, 0);
	taken_finish(&t);
}

static void the_oldest_run_is_forgotten_first(void **state)
{
	char run[16];

	start();
	agent("mine", "lifecycle", "{\"phase\":\"end\"}");
	for (int i = 0; i < OPENCLAW_RUNS - 1; i++) {
		snprintf(run, sizeof(run), "other-%d", i);
		agent(run, "lifecycle", "{\"phase\":\"end\"}");
		agent("mine", "lifecycle", "{\"phase\":\"end\"}");
	}
	agent("other-0", "lifecycle", "{\"phase\":\"end\"}");
	agent("one more", "lifecycle", "{\"phase\":\"end\"}");
	agent("mine", "lifecycle", "{\"phase\":\"end\"}");
	assert_int_equal(t.ends, OPENCLAW_RUNS + 1);
	agent("other-1", "lifecycle", "{\"phase\":\"end\"}");
	assert_int_equal(t.ends, OPENCLAW_RUNS + 2);
	taken_finish(&t);
}

static void an_approval_is_a_prompt_too(void **state)
{
	start();
	feed("{\"type\":\"event\",\"event\":\"exec.approval.requested\",\"payload\":{\"id\":\"a1\","
	     "\"request\":{\"command\":\"rm x\",\"agentId\":\"main\",\"sessionKey\":\"sk\"},"
	     "\"expiresAtMs\":99}}");
	assert_int_equal(t.signals, 2);
	assert_line(&t, 1,
	            "{\"type\":\"prompt\",\"source\":\"src\",\"correlationId\":\"run\","
	            "\"payload\":{\"id\":\"a1\",\"type\":\"select\",\"prompt\":\"exec: rm x\","
	            "\"tool\":\"exec\",\"input\":{\"command\":\"rm x\"},\"inputBytes\":18,"
	            "\"options\":[{\"label\":\"Allow once\",\"value\":\"allow-once\"},"
	            "{\"label\":\"Allow always\",\"value\":\"allow-always\","
	            "\"needs\":\"control\",\"rule\":\"rm x, with any arguments, goes to the exec "
	            "allowlist of agent main on the gateway\"},"
	            "{\"label\":\"Deny\",\"value\":\"deny\",\"safe\":true}],\"deadline\":99,"
	            "\"invokeid\":\"main\"}}");
	feed("{\"type\":\"event\",\"event\":\"plugin.approval.requested\",\"payload\":{}}");
	assert_int_equal(taken_count(&t, "prompt"), 1);
	taken_finish(&t);
}

static void recordings_are_read_the_same_however_they_are_cut(void **state)
{
	static const struct {
		const char *name;
		unsigned signals, ends, words;
	} files[] = {
		{"openclaw/v3.jsonl", 19, 1, 3},
		{"openclaw/v4.jsonl", 27, 3, 7},
	};
	struct buf bytes;

	for (size_t i = 0; i < 2; i++) {
		load_fixture(&bytes, files[i].name);
		taken_read_cut(&t, &parse_openclaw, buf_text(&bytes));
		if (t.signals != files[i].signals)
			fail_msg("%u: %.*s", t.signals, TEXT_ARG(buf_text(&t.lines)));
		assert_int_equal(t.ends, files[i].ends);
		assert_int_equal(taken_count(&t, "text_delta"), files[i].words);
		assert_int_equal(t.bads, 0);
		taken_finish(&t);
		buf_finish(&bytes);
	}
}

/* The next life: what was told of the run is known, and nothing else. */
static void live_again(const char *run, struct openclaw_place *place)
{
	static char at[OPENCLAW_PLACE_MAX]; /* the place lies in it */
	struct buf out;

	buf_init(&out, sizeof(at));
	openclaw_add_place(t.parse, text_of(run), 1700000000123, &out);
	assert_false(out.full);
	memcpy(at, out.at, out.len);
	taken_finish(&t);
	start();
	assert_true(openclaw_take_place(t.parse, text_of(run), (struct text){at, out.len}, place));
	buf_finish(&out);
}

static void where_a_run_is_survives_its_parser(void **state)
{
	struct openclaw_place place;

	start();
	openclaw_expect(t.parse, TEXT("r"), TEXT("sk"));
	agent("r", "lifecycle", "{\"phase\":\"start\"}");
	agent("r", "assistant", "{\"delta\":\"Hel\",\"text\":\"Hel\"}");
	live_again("r", &place);
	assert_true(text_is(place.session, "sk") && place.is_asked && !place.is_over);
	assert_int_equal(place.at_ms, 1700000000123);
	agent("r", "assistant", "{\"delta\":\"!\",\"text\":\"Hello!\"}");
	expect_words("r", "lo!");
	agent("r", "lifecycle", "{\"phase\":\"end\"}");
	expect("completion", "r", "\"taskId\":\"r\",\"success\":true}");
	live_again("r", &place);
	assert_true(place.is_over);
	chat("r", "final", MESSAGE("Hello!"));
	expect_no_more();
}

static void what_is_no_place_is_none(void **state)
{
	static const char *const bad[] = {"",
	                                  "1",
	                                  "2 1",
	                                  "1 x",
	                                  "1 1 2 3",
	                                  "1                    ",
	                                  "1 11111111111111111                     s"};
	struct openclaw_place place;

	start();
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(openclaw_take_place(t.parse, TEXT("r"), text_of(bad[i]), &place));
	expect_no_more();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_told_once_though_it_comes_twice),
		cmocka_unit_test(files_that_go_with_words_are_told_behind_them),
		cmocka_unit_test(words_that_only_chat_has_are_told_too),
		cmocka_unit_test(a_rewritten_answer_says_that_it_replaces),
		cmocka_unit_test(an_approval_is_a_prompt_too),
		cmocka_unit_test(an_end_says_what_was_not_yet_said),
		cmocka_unit_test(words_that_were_lost_on_the_way_are_made_up_for),
		cmocka_unit_test(a_run_ends_once_whoever_says_it_first),
		cmocka_unit_test(the_documented_and_the_real_names_are_known),
		cmocka_unit_test(a_delta_comes_before_the_text_even_if_it_is_empty),
		cmocka_unit_test(channel_and_agent_are_found_where_gateways_put_them),
		cmocka_unit_test(state_that_is_not_newer_is_dropped),
		cmocka_unit_test(a_status_is_told_once),
		cmocka_unit_test(tokens_are_counted_once_and_by_any_name),
		cmocka_unit_test(tokens_of_a_run_are_told_as_they_grow),
		cmocka_unit_test(a_tool_call_without_an_id_gets_one),
		cmocka_unit_test(an_event_of_a_run_that_is_not_newer_is_known),
		cmocka_unit_test(what_is_the_transports_business_is_no_signal),
		cmocka_unit_test(the_oldest_run_is_forgotten_first),
		cmocka_unit_test(where_a_run_is_survives_its_parser),
		cmocka_unit_test(what_is_no_place_is_none),
		cmocka_unit_test(recordings_are_read_the_same_however_they_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
