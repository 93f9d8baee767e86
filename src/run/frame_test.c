/* frame_test.c - frames are read as they are, whatever else they hold. */
#include "run/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct json_reader reader;

static bool read_frame(struct frame *frame, const char *raw)
{
	struct error why;

	return frame_read(frame, &reader, text_of(raw), &why);
}

static void an_event_is_read(void **state)
{
	struct frame frame;

	assert_true(read_frame(&frame, "{\"kind\":\"event\",\"seq\":12,\"ts\":17.5,\"event\":"
	                               "\"llm/delta\",\"data\":{\"invokeid\":\"a\","
	                               "\"session-id\":\":s/1\"},\"transcript/visit\":0}"));
	assert_int_equal(frame.kind, FRAME_EVENT);
	assert_true(frame.has_seq);
	assert_int_equal(frame.seq, 12);
	assert_true(frame.ts == 17.5);
	assert_true(text_is(frame.event, "llm/delta"));
	assert_true(text_is(frame.invoke, "a"));
	assert_true(text_is(frame.session, ":s/1"));
	assert_non_null(frame.data);
}

static void a_line_of_a_transcript_is_an_event(void **state)
{
	struct frame frame;

	assert_true(read_frame(&frame,
	                       "{\"event\":\"transcript/serialize-error\",\"ts\":1,\"seq\":0,"
	                       "\"reason\":\"x\"}"));
	assert_int_equal(frame.kind, FRAME_EVENT);
	assert_true(frame.has_seq);
	assert_null(frame.data);
	assert_int_equal(frame.invoke.len, 0);
}

static void every_kind_is_known_and_the_rest_is_other(void **state)
{
	static const struct {
		const char *raw;
		enum frame_kind kind;
	} cases[] = {
		{"{\"kind\":\"phase\"}", FRAME_PHASE},
		{"{\"kind\":\"prompt\"}", FRAME_PROMPT},
		{"{\"kind\":\"prompt-closed\"}", FRAME_PROMPT_CLOSED},
		{"{\"kind\":\"debug\"}", FRAME_DEBUG},
		{"{\"kind\":\"control\"}", FRAME_CONTROL},
		{"{\"kind\":\"answer\"}", FRAME_ANSWER},
		{"{\"kind\":\"model-catalog\"}", FRAME_OTHER},
		{"{\"kind\":null}", FRAME_OTHER},
		{"{\"kind\":7}", FRAME_OTHER},
	};
	struct frame frame;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(read_frame(&frame, cases[i].raw));
		assert_int_equal(frame.kind, cases[i].kind);
		assert_false(frame.has_seq);
	}
}

static void null_names_are_no_names(void **state)
{
	struct frame frame;

	assert_true(read_frame(&frame, "{\"event\":\"x\",\"seq\":null,\"ts\":\"1\","
	                               "\"data\":{\"invokeid\":null,\"session-id\":4}}"));
	assert_int_equal(frame.invoke.len, 0);
	assert_int_equal(frame.session.len, 0);
	assert_false(frame.has_seq);
	assert_true(frame.ts == 0);
}

static void what_is_no_frame_is_refused(void **state)
{
	static const char *const cases[] = {"",
	                                    "nonsense",
	                                    "[]",
	                                    "7",
	                                    "{}",
	                                    "{\"kind\":\"event\"}",
	                                    "{\"event\":\"\"}",
	                                    "{\"event\":3}",
	                                    "{\"kind\":\"event\",\"kind\":"};
	struct frame frame;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_false(read_frame(&frame, cases[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_is_read),
		cmocka_unit_test(a_line_of_a_transcript_is_an_event),
		cmocka_unit_test(every_kind_is_known_and_the_rest_is_other),
		cmocka_unit_test(null_names_are_no_names),
		cmocka_unit_test(what_is_no_frame_is_refused),
	};
	int failed;

	json_reader_init(&reader, FRAME_MAX);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	json_reader_finish(&reader);
	return failed;
}
