/* openclaw_rest_test.c - every frame of a gateway gives a signal. */
#include <stdio.h>

#include "parse/fixture.h"
#include "parse/kinds.h"
#include "parse/openclaw_past.h"

static struct taken t;

static void greet(unsigned protocol)
{
	char hello[200];

	taken_init(&t, &parse_openclaw);
	snprintf(hello, sizeof(hello),
	         "{\"type\":\"res\",\"ok\":true,\"payload\":{\"protocol\":%u,\"snapshot\":"
	         "{\"stateVersion\":{\"presence\":2,\"health\":5}}}}",
	         protocol);
	parse_message(t.parse, text_of(hello));
	assert_int_equal(t.signals, 0);
}

/* It gave a signal at least; the newest is this part's. */
static void feed(const char *event, const char *payload, const char *part)
{
	unsigned before = t.signals;
	char frame[800];

	snprintf(frame, sizeof(frame),
	         "{\"type\":\"event\",\"event\":\"%s\",\"payload\":%s,\"stateVersion\":"
	         "{\"presence\":1,\"health\":1}}",
	         event, payload);
	parse_message(t.parse, text_of(frame));
	assert_true(t.signals > before);
	if (part && !memmem(taken_line(&t, t.signals - 1).at, taken_line(&t, t.signals - 1).len,
	                    part, strlen(part)))
		fail_msg("%.*s has no %s", TEXT_ARG(taken_line(&t, t.signals - 1)), part);
}

static void agent(const char *stream, const char *data, const char *part)
{
	char payload[500];

	snprintf(payload, sizeof(payload),
	         "{\"runId\":\"r\",\"sessionKey\":\"sk\",\"stream\":\"%s\",\"data\":%s,"
	         "\"lane\":\"main\"}",
	         stream, data);
	feed("agent", payload, part);
}

static void chat(const char *state, const char *more, const char *part)
{
	char payload[500];

	snprintf(payload, sizeof(payload),
	         "{\"runId\":\"r\",\"sessionKey\":\"sk\",\"state\":\"%s\"%s}", state, more);
	feed("chat", payload, part);
}

#define MESSAGE(words) \
	",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" words \
	"\"}]}"
#define BARE "\"message\":{\"content\":[{ \"type\":\"text\"}],\"role\":\"assistant\"}"
#define REST "{\"type\":\"gateway.frame\","

static void every_frame_gives_one(void **state)
{
	for (unsigned protocol = 3; protocol <= 4; protocol++) {
		greet(protocol);
		feed("presence", "{\"presence\":[]}", REST);
		feed("health", "{\"ok\":true}", "\"frame\":{\"event\":\"health\"}}");
		feed("sessions.changed", "{\"sessionKey\":\"sk\"}", "\"payload\":{ \"sessionKey\"");
		feed("system-presence", "{}", REST);
		feed("chat.metadata.changed", "{}", REST);
		feed("session.message", "{\"message\":{\"role\":\"assistant\",\"content\":\"no\"}}",
		     "\"payload\":{}");
		feed("whatever", "{\"a\":1}", "\"type\":\"event\"");
		agent("tool", "{\"phase\":\"odd\"}", REST);
		agent("tool",
		      "{\"phase\":\"update\",\"name\":\"x\",\"toolCallId\":\"t\","
		      "\"partialResult\":\"so far\"}",
		      "\"partialResult\":\"so far\"");
		agent("thinking", "{\"delta\":\"\"}", REST);
		agent("assistant", "{\"delta\":\"\",\"text\":\"\"}", REST);
		agent("usage", "{}", REST);
		agent("lifecycle", "{\"phase\":\"end\"}", "\"type\":\"completion\"");
		agent("lifecycle", "{\"phase\":\"model\"}", "\"lane\":\"main\"");
		agent("lifecycle", "{\"phase\":\"end\"}", REST);
		chat("final", "", REST);
		assert_false(taken_has(&t, "\"again\""));
		chat("final", "", "\"again\":true");
		assert_int_equal(t.bads, 0);
		taken_finish(&t);
	}
}

static void the_text_so_far_is_kept_by_its_length(void **state)
{
	greet(4);
	agent("assistant", "{\"text\":\"One\",\"delta\":\"One\",\"itemId\":\"i\"}",
	      "\"said\":3,\"text\":3,\"delta\":3,\"frame\":{\"event\":\"agent\",\"payload\":"
	      "{\"data\":{ \"itemId\":\"i\"}");
	chat("delta", ",\"deltaText\":\"One\",\"odd\":7" MESSAGE("One"), BARE);
	chat("delta", ",\"deltaText\":\" two\"" MESSAGE("One two"), "\"content\":\" two\"");
	agent("assistant", "{\"text\":\"One two\",\"delta\":\" two\"}",
	      "\"said\":7,\"text\":7,\"delta\":4");
	agent("assistant", "{\"text\":\"One two three\",\"delta\":\" three\"}",
	      "\"content\":\" three\"");
	chat("delta", ",\"deltaText\":\" th\"" MESSAGE("One two th"),
	     "\"said\":13,\"text\":10,\"delta\":3");
	chat("delta", ",\"deltaText\":\"ree\"" MESSAGE("One two three"), "\"delta\":3");
	chat("delta", ",\"deltaText\":\" x\"" MESSAGE("Other x"), "\"deltaText\":\" x\"");
	agent("lifecycle", "{\"phase\":\"end\"}", "\"type\":\"completion\"");
	chat("final", MESSAGE("One two three"), "\"said\":13,\"text\":13");
	assert_int_equal(taken_count(&t, "text_delta"), 3);
	assert_int_equal(taken_count(&t, "gateway.frame"), 6);
	assert_false(taken_has(&t, "One two"));
	assert_true(taken_has(&t, "\"odd\":7"));
	taken_finish(&t);
}

/* Of these two, the one that began has it; the other only goes on. */
static void a_voice_that_is_behind_says_nothing_twice(void **state)
{
	greet(3);
	chat("delta", MESSAGE("a"), "\"content\":\"a\"");
	agent("assistant", "{\"text\":\"a\",\"delta\":\"a\"}", REST);
	agent("assistant", "{\"text\":\"ab\",\"delta\":\"b\"}", "\"content\":\"b\"");
	agent("assistant", "{\"text\":\"abc\",\"delta\":\"c\"}", "\"content\":\"c\"");
	chat("delta", MESSAGE("ab"), REST);
	chat("delta", MESSAGE("abcd"), "\"content\":\"d\"");
	agent("assistant", "{\"text\":\"abcd\",\"delta\":\"d\"}", REST);
	assert_int_equal(taken_count(&t, "text_delta"), 4);
	taken_finish(&t);
}

static void an_end_that_chat_owes_is_settled(void **state)
{
	static char at[OPENCLAW_PLACE_MAX];
	struct openclaw_place place;
	struct buf out;

	greet(4);
	assert_false(openclaw_owes(t.parse));
	agent("lifecycle", "{\"phase\":\"end\",\"aborted\":true,\"stopReason\":\"rpc\"}", NULL);
	assert_true(openclaw_owes(t.parse));
	buf_init(&out, sizeof(at));
	openclaw_add_place(t.parse, TEXT("r"), 1, &out);
	memcpy(at, out.at, out.len);
	assert_true(openclaw_settle(t.parse, false));
	assert_int_equal(t.signals, 1);
	assert_false(openclaw_settle(t.parse, false));
	assert_int_equal(t.signals, 2);
	assert_true(taken_has(&t, "\"settles\":\"aborted\",\"stopReason\":\"rpc\""));
	chat("aborted", "", "\"again\":true");
	taken_finish(&t);
	greet(4); /* the next life */
	assert_true(openclaw_take_place(t.parse, TEXT("r"), (struct text){at, out.len}, &place));
	assert_true(place.is_over && openclaw_owes(t.parse));
	assert_false(openclaw_settle(t.parse, true));
	assert_true(taken_has(&t, "\"settles\":\"aborted\""));
	taken_finish(&t);
	buf_finish(&out);
}

static void what_ended_here_is_not_ended_again(void **state)
{
	greet(4);
	agent("assistant", "{\"text\":\"a\",\"delta\":\"a\"}", NULL);
	openclaw_end_run(t.parse, TEXT("r"));
	chat("delta", ",\"deltaText\":\"a\"" MESSAGE("a"), "\"again\":true");
	chat("aborted", "", "\"again\":true");
	agent("lifecycle", "{\"phase\":\"end\"}", "\"again\":true");
	assert_false(openclaw_owes(t.parse));
	assert_int_equal(t.ends, 0);
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_gives_one),
		cmocka_unit_test(the_text_so_far_is_kept_by_its_length),
		cmocka_unit_test(a_voice_that_is_behind_says_nothing_twice),
		cmocka_unit_test(an_end_that_chat_owes_is_settled),
		cmocka_unit_test(what_ended_here_is_not_ended_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
