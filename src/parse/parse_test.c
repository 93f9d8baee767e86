/* parse_test.c - framing, and the one end of an answer, with a protocol of toys.
 *
 * Each event becomes a text_delta; "done" completes, "why" gives a reason, "bad"
 * is bad, "fail" fails.
 */
#include "parse/parse.h"

#include "parse/fixture.h"
#include "parse/inside.h"
#include "parse/make.h"

static void toy_event(struct parse *p, const struct parse_event *event)
{
	if (text_is(event->data, "done")) {
		parse_complete(p, true, TEXT("well"));
	} else if (text_is(event->data, "why")) {
		parse_set_stop(p, event->data);
	} else if (text_is(event->data, "bad")) {
		parse_bad(p, "%s", "as asked");
	} else if (text_is(event->data, "fail")) {
		parse_fail(p, TEXT("code"), TEXT("words"));
	} else {
		parse_begin(p, "text_delta");
		make_text(&p->make, "agentId", parse_agent(p));
		make_text(&p->make, "content", event->data);
		parse_give(p);
	}
}

static const struct parse_kind answer = {
	.name = "toy", .framing = FRAMING_LINES, .is_answer = true, .event = toy_event};
static const struct parse_kind feed = {
	.name = "toys", .framing = FRAMING_LINES, .event = toy_event};

#define HEAD "\"source\":\"src\",\"correlationId\":\"run\""
#define DELTA(words) \
	"{\"type\":\"text_delta\"," HEAD ",\"payload\":{\"agentId\":\"model\"," \
	"\"content\":\"" words "\"}}"
#define DONE \
	"{\"type\":\"completion\"," HEAD ",\"payload\":{\"taskId\":\"run\"," \
	"\"agentId\":\"model\",\"success\":true,\"result\":\"well\"}}"

static struct taken t;

static void lines_are_events(void **state)
{
	taken_read_cut(&t, &answer, TEXT("one\r\n\ntwo\n\r\ndone\n"));
	assert_line(&t, 0, DELTA("one"));
	assert_line(&t, 1, DELTA("two"));
	assert_line(&t, 2, DONE);
	assert_int_equal(t.signals, 3);
	taken_finish(&t);
}

static void the_last_line_needs_no_end(void **state)
{
	taken_read_cut(&t, &feed, TEXT("\xEF\xBB\xBFone\ntwo"));
	assert_line(&t, 0, DELTA("one"));
	assert_line(&t, 1, DELTA("two"));
	taken_finish(&t);
}

static void all_bytes_are_one_event(void **state)
{
	taken_init(&t, &answer);
	parse_set_framing(t.parse, FRAMING_WHOLE);
	parse_feed(t.parse, TEXT("one\n"));
	parse_feed(t.parse, TEXT("two"));
	assert_int_equal(t.signals, 0);
	parse_end(t.parse, NULL);
	assert_line(&t, 0, DELTA("one\\ntwo"));
	taken_finish(&t);
}

static void bytes_are_given_as_they_come(void **state)
{
	taken_init(&t, &feed);
	parse_set_framing(t.parse, FRAMING_BYTES);
	parse_feed(t.parse, TEXT("o"));
	assert_line(&t, 0, DELTA("o"));
	taken_finish(&t);
}

static void a_message_is_an_event(void **state)
{
	taken_init(&t, &feed);
	parse_message(t.parse, TEXT("a\nb"));
	assert_line(&t, 0, DELTA("a\\nb"));
	taken_finish(&t);
}

static void too_long_an_event_is_bad_and_alone(void **state)
{
	static char words[MIB + 2];

	memset(words, 'x', sizeof(words));
	taken_init(&t, &feed);
	parse_feed(t.parse, (struct text){words, sizeof(words) - 1});
	parse_feed(t.parse, TEXT("x\nb\n"));
	parse_message(t.parse, (struct text){words, sizeof(words)});
	assert_int_equal(t.bads, 2);
	assert_line(&t, 0, DELTA("b"));
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
}

static void too_large_a_signal_is_bad(void **state)
{
	static char words[MIB];

	memset(words, '"', sizeof(words));
	taken_init(&t, &feed);
	parse_message(t.parse, (struct text){words, sizeof(words)});
	assert_int_equal(t.signals, 0);
	assert_int_equal(t.bads, 1);
	taken_finish(&t);
}

static void nothing_follows_a_completion(void **state)
{
	taken_read_cut(&t, &answer, TEXT("done\nmore\ndone\nfail\n"));
	assert_line(&t, 0, DONE);
	assert_int_equal(t.signals, 1);
	assert_true(parse_is_over(t.parse));
	taken_finish(&t);
}

static void nothing_is_bad_after_the_end(void **state)
{
	static char words[MIB + 16];

	memset(words, 'x', sizeof(words));
	memcpy(words, "done\n", 5);
	taken_init(&t, &answer);
	taken_read(&t, (struct text){words, sizeof(words)});
	assert_int_equal(t.bads, 0);
	taken_finish(&t);
}

static void nothing_follows_an_error(void **state)
{
	taken_read_cut(&t, &answer, TEXT("fail\nmore\ndone\n"));
	assert_line(&t, 0,
	            "{\"type\":\"error\"," HEAD ",\"payload\":{\"agentId\":\"model\","
	            "\"message\":\"words\",\"code\":\"code\",\"severity\":\"error\"}}");
	assert_int_equal(t.signals, 1);
	taken_finish(&t);
}

static void a_stream_without_end_has_many_completions(void **state)
{
	taken_read_cut(&t, &feed, TEXT("done\nmore\ndone\n"));
	assert_int_equal(t.ends, 2);
	assert_int_equal(t.signals, 3);
	assert_false(parse_is_over(t.parse));
	taken_finish(&t);
}

static void an_end_without_a_reason_is_an_error(void **state)
{
	taken_read_cut(&t, &answer, TEXT("one\n"));
	assert_int_equal(taken_count(&t, "error"), 1);
	taken_finish(&t);
	taken_read_cut(&t, &answer, TEXT(""));
	assert_int_equal(taken_count(&t, "error"), 1);
	taken_finish(&t);
}

static void an_end_with_a_reason_is_a_completion(void **state)
{
	taken_read_cut(&t, &answer, TEXT("one\nwhy"));
	assert_line(&t, 1,
	            "{\"type\":\"completion\"," HEAD ",\"payload\":{\"taskId\":\"run\","
	            "\"agentId\":\"model\",\"success\":true,\"result\":\"why\"},"
	            "\"metadata\":{\"stopReason\":\"why\"}}");
	taken_finish(&t);
}

static void a_lost_stream_is_an_error_in_its_words(void **state)
{
	taken_init(&t, &answer);
	parse_feed(t.parse, TEXT("one\nhal"));
	parse_end(t.parse, "the line broke");
	parse_end(t.parse, NULL);
	assert_int_equal(t.signals, 2);
	assert_int_equal(t.ends, 1);
	assert_true(taken_has(&t, "\"message\":\"the line broke\""));
	taken_finish(&t);
}

static void a_cancelled_answer_is_a_completion_without_success(void **state)
{
	taken_init(&t, &answer);
	parse_feed(t.parse, TEXT("one\n"));
	parse_cancel(t.parse);
	parse_feed(t.parse, TEXT("two\n"));
	parse_end(t.parse, "closed");
	parse_cancel(t.parse);
	assert_int_equal(t.signals, 2);
	assert_true(taken_has(&t, "\"success\":false,\"result\":\"cancelled\""));
	taken_finish(&t);
}

static void keep_line(void *self, struct text envelope)
{
	struct buf *out = self;

	buf_add(out, envelope);
}

static void an_answer_has_a_correlation_of_its_own(void **state)
{
	struct buf out;
	const struct parse_options options = {.self = &out, .signal = keep_line};
	struct parse *p;

	buf_init(&out, KIB);
	p = parse_create(&answer, &options);
	parse_feed(p, TEXT("bad\ndone\n"));
	assert_non_null(memmem(out.at, out.len, "\"correlationId\":\"", 17));
	assert_non_null(memmem(out.at, out.len, "\"source\":\"toy\"", 14));
	parse_destroy(p);
	buf_clear(&out);
	p = parse_create(&feed, &options);
	parse_feed(p, TEXT("done\n"));
	assert_null(memmem(out.at, out.len, "correlationId", 13));
	assert_non_null(memmem(out.at, out.len, "\"taskId\":\"toys\"", 15));
	parse_destroy(p);
	parse_destroy(NULL);
	buf_finish(&out);
}

static void a_stream_of_events_says_where_to_resume(void **state)
{
	taken_init(&t, &feed);
	parse_set_framing(t.parse, FRAMING_SSE);
	assert_null(parse_last_id(t.parse).at);
	parse_feed(t.parse, TEXT("retry: 5\nid: 7\ndata: one\n\n"));
	assert_true(text_is(parse_last_id(t.parse), "7"));
	assert_int_equal(parse_retry_ms(t.parse), 5);
	parse_feed(t.parse, TEXT("id\ndata: two\n\n"));
	assert_int_equal(parse_last_id(t.parse).len, 0);
	assert_non_null(parse_last_id(t.parse).at);
	assert_line(&t, 0, DELTA("one"));
	taken_finish(&t);
}

static void a_protocol_is_found_by_its_name(void **state)
{
	assert_null(parse_find(TEXT("no such protocol")));
	for (size_t i = 0; parse_kinds[i]; i++)
		assert_ptr_equal(parse_find(text_of(parse_kinds[i]->name)), parse_kinds[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_events),
		cmocka_unit_test(the_last_line_needs_no_end),
		cmocka_unit_test(all_bytes_are_one_event),
		cmocka_unit_test(bytes_are_given_as_they_come),
		cmocka_unit_test(a_message_is_an_event),
		cmocka_unit_test(too_long_an_event_is_bad_and_alone),
		cmocka_unit_test(too_large_a_signal_is_bad),
		cmocka_unit_test(nothing_follows_a_completion),
		cmocka_unit_test(nothing_is_bad_after_the_end),
		cmocka_unit_test(nothing_follows_an_error),
		cmocka_unit_test(a_stream_without_end_has_many_completions),
		cmocka_unit_test(an_end_without_a_reason_is_an_error),
		cmocka_unit_test(an_end_with_a_reason_is_a_completion),
		cmocka_unit_test(a_lost_stream_is_an_error_in_its_words),
		cmocka_unit_test(a_cancelled_answer_is_a_completion_without_success),
		cmocka_unit_test(an_answer_has_a_correlation_of_its_own),
		cmocka_unit_test(a_stream_of_events_says_where_to_resume),
		cmocka_unit_test(a_protocol_is_found_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
