/* resume_test.c - positions and asks, heard, saved and found again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "signal/signal.h"
#include "source/resume.h"

static void save(struct resume *r, struct buf *out)
{
	resume_save_begin(r);
	while (resume_save_more(r, out))
		;
}

static void hear(struct resume *r, const char *line)
{
	struct signal_reader *reader = signal_reader_create();
	struct signal s;

	assert_true(resume_may_matter(text_of(line)));
	assert_true(signal_read(reader, text_of(line), &s, NULL));
	resume_hear(r, &s);
	signal_reader_destroy(reader);
}

#define LINE(source, type, more) \
	"{\"seq\":1,\"id\":\"i\",\"type\":\"" type "\",\"timestamp\":1,\"source\":\"" source \
	"\",\"correlationId\":\"run\",\"payload\":{}" more "}"
#define AT(source, at) ",\"metadata\":{\"position\":{\"source\":\"" source "\",\"at\":\"" at "\"}}"

static void assert_at(const struct resume *r, const char *source, const char *at)
{
	struct text got = resume_position(r, text_of(source));

	assert_true(text_is(got, at));
}

static void the_newest_position_counts_and_an_empty_one_takes_it_back(void **state)
{
	struct resume *r = resume_create();

	hear(r, LINE("s", "x", AT("s", "1")));
	hear(r, LINE("other", "x", AT("t", "\\\"é")));
	hear(r, LINE("s", "x", AT("s", "2")));
	assert_at(r, "s", "2");
	assert_at(r, "t", "\"é");
	hear(r, LINE("local/s", "x", AT("s", "3")));
	assert_at(r, "s", "2");
	hear(r, LINE("s", "x", AT("s", "")));
	assert_at(r, "s", "");
	resume_destroy(r);
}

struct seen {
	struct buf all;
};

static void see(void *of, struct text run, struct text at)
{
	struct seen *seen = of;

	buf_print(&seen->all, "%.*s=%.*s ", TEXT_ARG(run), TEXT_ARG(at));
}

static void assert_runs(const struct resume *r, const char *source, const char *wanted)
{
	struct seen seen;

	buf_init(&seen.all, KIB);
	resume_each_run(r, text_of(source), see, &seen);
	assert_true(text_is(buf_text(&seen.all), wanted));
	buf_finish(&seen.all);
}

#define OF_RUN(source, run, at) \
	"{\"seq\":1,\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,\"source\":\"" source \
	"\",\"correlationId\":\"" run \
	"\",\"payload\":{},\"metadata\":{\"position\":{\"source\":\"" \
	"claw\",\"at\":\"" at "\",\"run\":true}}}"

static void each_run_has_a_place_of_its_own(void **state)
{
	struct resume *r = resume_create(), *again;
	struct buf saved;

	buf_init(&saved, MIB);
	hear(r, LINE("claw", "x", AT("claw", "whole")));
	hear(r, OF_RUN("claw", "a", "1"));
	hear(r, OF_RUN("user", "b", "2"));
	hear(r, OF_RUN("claw", "a", "3"));
	hear(r, OF_RUN("local/claw", "b", "4"));
	assert_runs(r, "claw", "b=2 a=3 ");
	assert_runs(r, "cla", "");
	assert_at(r, "claw", "whole");
	save(r, &saved);
	again = resume_create();
	assert_true(resume_load(again, buf_text(&saved)));
	assert_runs(again, "claw", "b=2 a=3 ");
	buf_finish(&saved);
	resume_destroy(r);
	resume_destroy(again);
}

#define ASK \
	"{\"seq\":1,\"id\":\"i\",\"type\":\"task_dispatch\",\"timestamp\":1,\"source\":\"user\"," \
	"\"correlationId\":\"run\",\"payload\":{\"to\":\"model-b\"}," \
	"\"metadata\":{\"sourceId\":\"m\"}}"

static void count(void *self, const struct resume_ask *ask)
{
	assert_true(text_is(ask->run, "run") && text_is(ask->source, "m"));
	assert_true(text_is(ask->agent, "model-b"));
	++*(int *)self;
}

static int asks(struct resume *r)
{
	int n = 0;

	resume_take_asks(r, count, &n);
	return n;
}

static void an_ask_is_open_until_its_end(void **state)
{
	static const char *const ends[] = {LINE("m", "completion", ""), LINE("m", "error", ""),
	                                   NULL};
	struct resume *r = resume_create();

	for (const char *const *end = ends; *end; end++) {
		hear(r, ASK);
		hear(r, *end);
		assert_int_equal(asks(r), 0);
	}
	hear(r, ASK);
	hear(r, LINE("somebody", "task_dispatch", ""));
	assert_int_equal(asks(r), 1);
	assert_int_equal(asks(r), 0);
	resume_destroy(r);
}

/* They would be two in a list, and one by name. */
static void names_with_a_nul_are_none(void **state)
{
	struct resume *r = resume_create();
	struct buf saved;

	buf_init(&saved, MIB);
	hear(r, LINE("s", "x", AT("a\\u0000x", "1")));
	hear(r, LINE("s", "x", AT("a\\u0000y", "2")));
	hear(r, LINE("s", "x", AT("a", "3")));
	save(r, &saved);
	assert_at(r, "a", "3");
	assert_non_null(memmem(saved.at, saved.len, "\"places\":{\"a\":\"3\"}", 18));
	buf_finish(&saved);
	resume_destroy(r);
}

static void what_is_heard_while_it_is_saved_is_not_in_it(void **state)
{
	struct resume *r = resume_create();
	struct buf before, saved;
	bool more = true;

	buf_init(&before, MIB);
	buf_init(&saved, MIB);
	hear(r, LINE("s", "x", AT("s", "1")));
	hear(r, ASK);
	hear(r, OF_RUN("claw", "a", "1"));
	save(r, &before);
	resume_save_begin(r);
	hear(r, LINE("s", "x", AT("s", "2")));
	assert_int_equal(asks(r), 1);
	while (more) {
		hear(r, OF_RUN("claw", "a", "3"));
		hear(r, OF_RUN("claw", "b", "3"));
		more = resume_save_more(r, &saved);
	}
	assert_true(text_equal(buf_text(&before), buf_text(&saved)));
	assert_at(r, "s", "2");
	resume_destroy(r);
	buf_finish(&before);
	buf_finish(&saved);
}

static void what_was_saved_is_found_again(void **state)
{
	struct resume *r = resume_create();
	struct buf saved;

	buf_init(&saved, MIB);
	hear(r, LINE("s", "x", AT("s", "1")));
	hear(r, ASK);
	save(r, &saved);
	resume_destroy(r);
	r = resume_create();
	assert_true(resume_load(r, buf_text(&saved)));
	assert_at(r, "s", "1");
	assert_int_equal(asks(r), 1);
	resume_destroy(r);
	buf_finish(&saved);
}

static void check_stamp(const char *envelope, const char *expected)
{
	struct buf out;

	buf_init(&out, MIB);
	assert_true(resume_stamp(&out, text_of(envelope),
	                         &(struct resume_place){.source = TEXT("s"), .at = TEXT("a\"b")}));
	assert_int_equal(out.len, strlen(expected));
	assert_memory_equal(out.at, expected, out.len);
	buf_finish(&out);
}

#define HEAD "{\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,\"source\":\"s\",\"payload\":{}"
#define POSITION "\"position\":{\"source\":\"s\",\"at\":\"a\\\"b\"}"

static void what_has_no_room_for_a_position_has_none(void **state)
{
	static const char *const all[] = {"",
	                                  "{",
	                                  "{}",
	                                  "[]",
	                                  "{} ",
	                                  "{\"a\":1",
	                                  "{\"a\":1} x}",
	                                  "{\"a\":1}} ",
	                                  "{\"metadata\":null}",
	                                  "{\"metadata\":7}"};
	struct buf out;

	buf_init(&out, KIB);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_false(resume_stamp(&out, text_of(all[i]),
		                          &(struct resume_place){.source = TEXT("s")}));
	buf_finish(&out);
}

static void a_position_goes_into_the_metadata(void **state)
{
	struct buf out;

	check_stamp(HEAD "}", HEAD ",\"metadata\":{" POSITION "}}");
	check_stamp(HEAD ",\"metadata\":{}}", HEAD ",\"metadata\":{" POSITION "}}");
	check_stamp(HEAD ",\"metadata\":{\"a\":1}}", HEAD ",\"metadata\":{" POSITION ",\"a\":1}}");
	check_stamp(HEAD ",\"odd\":1}", HEAD ",\"odd\":1,\"metadata\":{" POSITION "}}");
	/* What the bus has yet to give an id and a time. */
	check_stamp("{\"type\":\"x\",\"metadata\":{\"a\":{}},\"payload\":{\"metadata\":1}}",
	            "{\"type\":\"x\",\"metadata\":{" POSITION
	            ",\"a\":{}},\"payload\":{\"metadata\":1}}");
	buf_init(&out, KIB);
	assert_true(resume_stamp(
		&out, TEXT(HEAD "}"),
		&(struct resume_place){.source = TEXT("s"), .at = TEXT("1"), .is_run = true}));
	assert_non_null(memmem(out.at, out.len, ",\"at\":\"1\",\"run\":true}", 21));
	buf_finish(&out);
	buf_init(&out, 16);
	assert_false(resume_stamp(&out, TEXT(HEAD "}"),
	                          &(struct resume_place){.source = TEXT("s"), .at = TEXT("1")}));
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_position_counts_and_an_empty_one_takes_it_back),
		cmocka_unit_test(each_run_has_a_place_of_its_own),
		cmocka_unit_test(an_ask_is_open_until_its_end),
		cmocka_unit_test(names_with_a_nul_are_none),
		cmocka_unit_test(what_is_heard_while_it_is_saved_is_not_in_it),
		cmocka_unit_test(what_was_saved_is_found_again),
		cmocka_unit_test(a_position_goes_into_the_metadata),
		cmocka_unit_test(what_has_no_room_for_a_position_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
