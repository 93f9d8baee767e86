/* answer_test.c - signals of a run, and the words and the end that they are. */
#include "voice/answer.h"

#include <stdio.h>
#include <string.h>

#include "base/fixture.h"

static char told[KIB];

static void on_said(void *self, struct text words)
{
	size_t len = strlen(told);

	(void)self;
	snprintf(told + len, sizeof(told) - len, "%.*s", TEXT_ARG(words));
}

static void on_works(void *self, struct text tool, bool begins)
{
	size_t len = strlen(told);

	(void)self;
	snprintf(told + len, sizeof(told) - len, "%c%.*s ", begins ? '+' : '-', TEXT_ARG(tool));
}

/* Type and payload of each, ended by NULL; the words of why it failed are told, too. */
static enum voice_answer_end hear(const char *const *signals)
{
	struct signal_reader *reader = signal_reader_create();
	enum voice_answer_end end = ANSWER_GOES_ON;
	struct voice_answer answer;

	told[0] = '\0';
	answer_init(&answer, &(struct voice_answer_listener){.said = on_said, .works = on_works});
	for (uint64_t seq = 1; *signals; signals += 2, seq++) {
		char line[KIB];
		struct signal s;

		snprintf(line, sizeof(line),
		         "{\"seq\":%llu,\"id\":\"s%llu\",\"type\":\"%s\",\"timestamp\":1,"
		         "\"source\":\"one\",\"correlationId\":\"r1\",\"payload\":%s}",
		         (unsigned long long)seq, (unsigned long long)seq, signals[0], signals[1]);
		assert_true(signal_read(reader, text_of(line), &s, NULL));
		end = answer_hear(&answer, &s, TEXT("r1"));
	}
	on_said(NULL, answer_why(&answer));
	answer_finish(&answer);
	signal_reader_destroy(reader);
	return end;
}

#define HEAR(...) hear((const char *const[]){__VA_ARGS__, NULL})
#define DONE "completion", "{\"taskId\":\"r1\",\"success\":true}"

static void words_are_told_as_they_come(void **state)
{
	assert_int_equal(HEAR("text_delta", "{\"content\":\"It is \"}", "text_delta",
	                      "{\"content\":\"done.\"}"),
	                 ANSWER_GOES_ON);
	assert_string_equal(told, "It is done.");
	assert_int_equal(HEAR("text_delta", "{\"content\":\"Yes.\"}", DONE), ANSWER_WHOLE);
	assert_string_equal(told, "Yes.");
}

static void an_end_without_words_is_an_end(void **state)
{
	assert_int_equal(HEAR(DONE), ANSWER_WHOLE);
	assert_string_equal(told, "");
}

static void what_a_subagent_completes_is_no_end(void **state)
{
	assert_int_equal(HEAR("completion", "{\"taskId\":\"other\",\"success\":true}"),
	                 ANSWER_GOES_ON);
}

static void a_failure_says_why(void **state)
{
	assert_int_equal(HEAR("error", "{\"message\":\"no key\",\"severity\":\"error\"}"),
	                 ANSWER_FAILED);
	assert_string_equal(told, "no key");
	assert_int_equal(HEAR("error", "{\"message\":\"slow\",\"severity\":\"warning\"}"),
	                 ANSWER_GOES_ON);
	assert_int_equal(HEAR("completion", "{\"taskId\":\"r1\",\"success\":false}"),
	                 ANSWER_FAILED);
}

static void what_was_cancelled_did_not_fail(void **state)
{
	assert_int_equal(HEAR("completion",
	                      "{\"taskId\":\"r1\",\"success\":false,\"result\":\"cancelled\"}"),
	                 ANSWER_CANCELLED);
	assert_int_equal(HEAR("error", "{\"message\":\"x\",\"code\":\"aborted\"}"),
	                 ANSWER_CANCELLED);
}

static void tools_are_told(void **state)
{
	HEAR("text_delta", "{\"content\":\"I look. \"}", "tool_call",
	     "{\"toolName\":\"search\",\"callId\":\"c1\"}", "tool_result",
	     "{\"toolName\":\"search\",\"callId\":\"c1\",\"success\":true}", "text_delta",
	     "{\"content\":\"Blue.\"}");
	assert_string_equal(told, "I look. +search -search \n\nBlue.");
}

static void why_a_stream_ended_is_not_said(void **state)
{
	static const char *const ends[] = {
		"{\"taskId\":\"r1\",\"success\":true,\"result\":\"Stream completed (5 chunks)\"}",
		("{\"taskId\":\"r1\",\"success\":true,\"result\":\"end_turn\"},"
	         "\"metadata\":{\"stopReason\":\"end_turn\"}"),
		"{\"taskId\":\"r1\",\"success\":true,\"result\":\"Anthropic stream completed\"}",
	};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		assert_int_equal(HEAR("completion", ends[i]), ANSWER_WHOLE);
		assert_string_equal(told, "");
		HEAR("text_delta", "{\"content\":\"Blue.\"}", "tool_call",
		     "{\"toolName\":\"search\",\"callId\":\"c1\"}", "completion", ends[i]);
		assert_string_equal(told, "Blue.+search ");
	}
	HEAR("completion", "{\"taskId\":\"r1\",\"success\":true,\"result\":\"It is blue.\"},"
	                   "\"metadata\":{\"stopReason\":\"end_turn\"}");
	assert_string_equal(told, "It is blue.");
}

static void nothing_is_heard_after_the_end(void **state)
{
	assert_int_equal(HEAR(DONE, "text_delta", "{\"content\":\"late\"}"), ANSWER_WHOLE);
	assert_string_equal(told, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_told_as_they_come),
		cmocka_unit_test(an_end_without_words_is_an_end),
		cmocka_unit_test(what_a_subagent_completes_is_no_end),
		cmocka_unit_test(a_failure_says_why),
		cmocka_unit_test(what_was_cancelled_did_not_fail),
		cmocka_unit_test(tools_are_told),
		cmocka_unit_test(why_a_stream_ended_is_not_said),
		cmocka_unit_test(nothing_is_heard_after_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
