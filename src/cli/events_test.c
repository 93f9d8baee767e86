/* events_test.c - server-sent events, cut everywhere. */
#include "cli/events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"

struct heard {
	struct buf all; /* type|data; for each */
	unsigned count, most;
};

static bool hear(void *self, const struct event *event)
{
	struct heard *h = self;

	buf_print(&h->all, "%.*s|%.*s;", TEXT_ARG(event->type), TEXT_ARG(event->data));
	return ++h->count != h->most;
}

/* Fed in pieces of n bytes, the stream is heard as `expected`. */
static void assert_heard_by(struct text stream, size_t n, const char *expected, const char *id)
{
	struct heard h = {.most = 0};
	struct events events;

	buf_init(&h.all, 4 * KIB);
	events_init(&events);
	for (size_t at = 0; at < stream.len; at += n) {
		struct text piece = {stream.at + at, stream.len - at < n ? stream.len - at : n};

		assert_int_equal(events_feed(&events, piece, hear, &h), EVENTS_FINE);
	}
	buf_add_char(&h.all, '\0');
	assert_string_equal(h.all.at, expected);
	assert_string_equal(events.id, id);
	events_finish(&events);
	buf_finish(&h.all);
}

static void assert_heard(const char *stream, const char *expected, const char *id)
{
	for (size_t n = 1; n <= strlen(stream); n++)
		assert_heard_by(text_of(stream), n, expected, id);
}

static void an_event_ends_with_an_empty_line(void **state)
{
	assert_heard("data: a\n\ndata: b\n\ndata: half\n", "message|a;message|b;", "");
}

static void lines_end_in_cr_lf_or_both(void **state)
{
	assert_heard("data: a\r\rdata: b\r\n\r\ndata: c\n\n", "message|a;message|b;message|c;", "");
	assert_heard("data: a\r\ndata: b\r\n\r\n", "message|a\nb;", "");
}

static void data_lines_are_joined_and_one_space_is_taken(void **state)
{
	assert_heard("data:a\ndata:  b\ndata\ndata:\n\n", "message|a\n b\n\n;", "");
	assert_heard("data:\n\n", "message|;", "");
}

static void type_and_id_are_read_and_the_id_stays(void **state)
{
	assert_heard("id: e-1\nevent: gap\ndata: x\n\ndata: y\n\n", "gap|x;message|y;", "e-1");
	assert_heard("id: e-1\ndata: x\n\nid\ndata: y\n\n", "message|x;message|y;", "");
	assert_heard("event: none\n\ndata: x\n\n", "message|x;", "");
}

static void the_id_of_half_an_event_does_not_count(void **state)
{
	assert_heard("id: e-1\ndata: x\n\nid: e-2\ndata: y\n", "message|x;", "e-1");
	assert_heard("id: e-7\n\n", "", "e-7");
}

static void comments_and_unknown_fields_are_passed_over(void **state)
{
	assert_heard(": hello\nretry: 1000\nfoo: bar\ndata: x\n:\n\n", "message|x;", "");
}

static void one_bom_in_front_is_taken_away(void **state)
{
	assert_heard("\xef\xbb\xbf"
	             "data: x\n\n",
	             "message|x;", "");
	assert_heard("data: x\n\n\xef\xbb\xbf"
	             "data: y\n\n",
	             "message|x;", "");
}

static void an_id_that_is_too_long_or_holds_nul_is_ignored(void **state)
{
	char line[300];
	struct buf stream;

	memset(line, 'x', sizeof(line));
	buf_init(&stream, KIB);
	buf_print(&stream, "id: good\ndata: a\n\nid: %.*s\ndata: b\n\n", 200, line);
	buf_add(&stream, TEXT("id: n\0l\ndata: c\n\n"));
	assert_heard_by(buf_text(&stream), 1000, "message|a;message|b;message|c;", "good");
	buf_finish(&stream);
}

static void hearing_can_stop_in_the_middle(void **state)
{
	struct heard h = {.most = 2};
	struct events events;

	buf_init(&h.all, KIB);
	events_init(&events);
	assert_int_equal(events_feed(&events,
	                             TEXT("id: 1\ndata: a\n\nid: 2\ndata: b\n\n"
	                                  "id: 3\ndata: c\n\n"),
	                             hear, &h),
	                 EVENTS_ENOUGH);
	assert_int_equal(h.count, 2);
	assert_string_equal(events.id, "2");
	events_finish(&events);
	buf_finish(&h.all);
}

static void a_new_connection_forgets_what_is_half_there(void **state)
{
	struct heard h = {.most = 0};
	struct events events;

	buf_init(&h.all, KIB);
	events_init(&events);
	events_feed(&events, TEXT("id: 1\ndata: a\n\nid: 2\nevent: gap\ndata: b\nda"), hear, &h);
	events_restart(&events);
	events_feed(&events, TEXT("data: c\n\n"), hear, &h);
	buf_add_char(&h.all, '\0');
	assert_string_equal(h.all.at, "message|a;message|c;");
	assert_string_equal(events.id, "1");
	events_finish(&events);
	buf_finish(&h.all);
}

static void an_endless_line_is_too_big(void **state)
{
	struct heard h = {.most = 0};
	struct events events;
	enum events_result result = EVENTS_FINE;
	size_t n = MIB, fed = 0;
	char *piece = must_alloc(n);

	memset(piece, 'x', n);
	events_init(&events);
	while (result == EVENTS_FINE && fed < EVENT_MAX + 8 * MIB) {
		result = events_feed(&events, (struct text){piece, n}, hear, &h);
		fed += n;
	}
	assert_int_equal(result, EVENTS_TOO_BIG);
	events_finish(&events);
	free(piece);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_ends_with_an_empty_line),
		cmocka_unit_test(lines_end_in_cr_lf_or_both),
		cmocka_unit_test(data_lines_are_joined_and_one_space_is_taken),
		cmocka_unit_test(type_and_id_are_read_and_the_id_stays),
		cmocka_unit_test(the_id_of_half_an_event_does_not_count),
		cmocka_unit_test(comments_and_unknown_fields_are_passed_over),
		cmocka_unit_test(one_bom_in_front_is_taken_away),
		cmocka_unit_test(an_id_that_is_too_long_or_holds_nul_is_ignored),
		cmocka_unit_test(hearing_can_stop_in_the_middle),
		cmocka_unit_test(a_new_connection_forgets_what_is_half_there),
		cmocka_unit_test(an_endless_line_is_too_big),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
