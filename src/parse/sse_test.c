/* sse_test.c - event streams as they come, cut anywhere. */
#include "parse/sse.h"

#include <stdio.h>

#include "parse/fixture.h"

static struct sse_reader reader;
static struct buf seen; /* NAME=DATA| for each event */
static unsigned long_ones;

static void see(void *self, const struct parse_event *event)
{
	buf_add(&seen, event->name);
	buf_add_char(&seen, '=');
	buf_add(&seen, event->data);
	buf_add_char(&seen, '|');
}

static void count_long(void *self)
{
	long_ones++;
}

static void begin(size_t max)
{
	sse_reader_init(&reader, max);
	reader.event = see;
	reader.too_long = count_long;
	buf_init(&seen, MIB);
	long_ones = 0;
}

static void end(void)
{
	sse_reader_finish(&reader);
	buf_finish(&seen);
}

static void check_seen(const char *expected, struct text bytes, size_t cut)
{
	sse_reader_end(&reader);
	if (!text_is(buf_text(&seen), expected))
		fail_msg("%.*s cut at %zu: %.*s instead of %s", TEXT_ARG(bytes), cut,
		         TEXT_ARG(buf_text(&seen)), expected);
	end();
}

/* Cut at each offset, and into single bytes. */
static void reads(struct text bytes, const char *expected)
{
	for (size_t cut = 0; cut <= bytes.len; cut++) {
		begin(KIB);
		sse_reader_feed(&reader, (struct text){bytes.at, cut});
		sse_reader_feed(&reader, (struct text){bytes.at + cut, bytes.len - cut});
		check_seen(expected, bytes, cut);
	}
	begin(KIB);
	for (size_t i = 0; i < bytes.len; i++)
		sse_reader_feed(&reader, (struct text){bytes.at + i, 1});
	check_seen(expected, bytes, 1);
}

static void an_event_ends_at_an_empty_line(void **state)
{
	reads(TEXT("data: a\n\ndata: b\n\n"), "=a|=b|");
	reads(TEXT("\n\n\n"), "");
}

static void lines_end_in_cr_lf_or_both(void **state)
{
	reads(TEXT("data: a\r\rdata: b\r\n\r\ndata: c\n\n"), "=a|=b|=c|");
	reads(TEXT("data: a\r\n\rdata: b\n\r"), "=a|=b|");
}

static void one_bom_is_taken_away(void **state)
{
	reads(TEXT("\xEF\xBB\xBF"
	           "data: a\n\n"),
	      "=a|");
	reads(TEXT("\xEF\xBB\xBF\xEF\xBB\xBF"
	           "data: a\n\n"),
	      "");
	reads(TEXT("data: a\n\n\xEF\xBB\xBF"
	           "data: b\n\n"),
	      "=a|");
}

static void comments_and_unknown_fields_are_passed_over(void **state)
{
	reads(TEXT(": hello\n:\nfoo: bar\nbar\ndata: a\n: in between\n\n"), "=a|");
}

static void data_lines_are_joined(void **state)
{
	reads(TEXT("data: a\ndata:\ndata\ndata: b\n\n"), "=a\n\n\nb|");
}

static void one_space_after_the_colon_is_not_data(void **state)
{
	reads(TEXT("data:a\n\ndata:  b \n\ndata:\tc\n\n"), "=a|= b |=\tc|");
	reads(TEXT("data:a:b\n\n"), "=a:b|");
}

static void a_name_is_of_its_event_only(void **state)
{
	reads(TEXT("event: x\ndata: a\n\ndata: b\n\nevent: y\n\ndata: c\n\n"), "x=a|=b|=c|");
	reads(TEXT("event: x\nevent: y\ndata: a\n\n"), "y=a|");
}

static void what_is_left_at_the_end_is_given(void **state)
{
	reads(TEXT("data: a\n\ndata: b"), "=a|=b|");
	reads(TEXT("event: x\ndata: a\n"), "x=a|");
	reads(TEXT("event: x"), "");
}

static void a_line_of_json_is_an_event(void **state)
{
	reads(TEXT("{\"a\":1}\n[2]\r\n{\"b\":3}"), "={\"a\":1}|=[2]|={\"b\":3}|");
	reads(TEXT("data: a\n{}\ndata: b\n\n"), "={}|=a\nb|");
	reads(TEXT("\xEF\xBB\xBF{}\n"), "={}|");
}

static void an_id_counts_when_its_event_is_whole(void **state)
{
	begin(KIB);
	sse_reader_feed(&reader, TEXT("id: 1\ndata: a\n\nid: 2\ndata: b\n"));
	assert_true(text_is(buf_text(&reader.id), "1"));
	sse_reader_end(&reader);
	assert_true(text_is(buf_text(&reader.id), "1"));
	end();
}

static void an_id_stays_until_the_next_one(void **state)
{
	begin(KIB);
	sse_reader_feed(&reader, TEXT("id: 1\ndata: a\n\ndata: b\n\n"));
	assert_true(text_is(buf_text(&reader.id), "1"));
	sse_reader_feed(&reader, TEXT("id: x\0y\ndata: c\n\n"));
	assert_true(text_is(buf_text(&reader.id), "1"));
	sse_reader_feed(&reader, TEXT("id\n\n"));
	assert_int_equal(reader.id.len, 0);
	end();
}

static void a_new_connection_forgets_what_is_half_there(void **state)
{
	begin(8);
	sse_reader_feed(&reader, TEXT("id: 1\ndata: a\n\nid: 2\nevent: n\ndata: b\r"));
	sse_reader_restart(&reader);
	sse_reader_feed(&reader, TEXT("\xEF\xBB\xBF"
	                              "data: c\n\ndata: is too long\n"));
	assert_int_equal(reader.id.len, 1);
	assert_memory_equal(reader.id.at, "1", 1);
	assert_int_equal(long_ones, 1);
	sse_reader_restart(&reader);
	sse_reader_feed(&reader, TEXT("data: d\n\n"));
	buf_add_char(&seen, '\0');
	assert_string_equal(seen.at, "=a|=c|=d|");
	end();
}

static void only_digits_are_a_delay(void **state)
{
	begin(KIB);
	sse_reader_feed(&reader, TEXT("retry: 250\n"));
	assert_int_equal(reader.retry_ms, 250);
	sse_reader_feed(&reader, TEXT("retry: 1s\nretry: -4\nretry:\n"));
	assert_int_equal(reader.retry_ms, 250);
	sse_reader_feed(&reader, TEXT("retry: 99999999999\n"));
	assert_int_equal(reader.retry_ms, UINT32_MAX);
	end();
}

static void too_long_an_event_is_lost_alone(void **state)
{
	begin(8);
	sse_reader_feed(&reader, TEXT("data: a\n\ndata: 12345\ndata: 6789\n\ndata: b\n\n"));
	sse_reader_feed(&reader, TEXT("data: 123456789012345678901234567890\n\ndata: c\n\n"));
	assert_true(text_is(buf_text(&seen), "=a|=b|=c|"));
	assert_int_equal(long_ones, 2);
	end();
}

static void too_long_a_line_of_json_is_lost_alone(void **state)
{
	begin(8);
	sse_reader_feed(&reader, TEXT("{\"a\":\"12345678901234567890\"}\n{}\n"));
	sse_reader_feed(&reader, TEXT("{\"a\":"));
	sse_reader_feed(&reader, TEXT("\"12345678901234567890\"}\n[]\n"));
	assert_true(text_is(buf_text(&seen), "={}|=[]|"));
	assert_int_equal(long_ones, 2);
	end();
}

static void long_lines_are_read_like_short_ones(void **state)
{
	static const char *const ends[] = {"\n", "\r", "\r\n"};

	for (size_t len = 0; len < 40; len++) {
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			char bytes[200], expected[200];

			snprintf(bytes, sizeof(bytes), "data:%.*s%sdata: x%s%s", (int)len,
			         "0123456789012345678901234567890123456789", ends[i], ends[i],
			         ends[i]);
			snprintf(expected, sizeof(expected), "=%.*s\nx|", (int)len,
			         "0123456789012345678901234567890123456789");
			reads(text_of(bytes), expected);
		}
	}
}

static unsigned below(unsigned *random, unsigned most)
{
	*random = *random * 1103515245 + 12345;
	return (*random >> 16) % most;
}

static void write_stream(struct buf *out, unsigned *random)
{
	static const char *const pieces[] = {"\n",       "\r",
	                                     "\r\n",     "\n\n",
	                                     ":",        " ",
	                                     "data: ",   "data",
	                                     "id",       "event: e",
	                                     "retry: 1", "{",
	                                     "[1]\n",    "\xEF\xBB\xBF",
	                                     "dat",      "0123456789abcdef0123",
	                                     "a",        "\x85",
	                                     "events",   "idx: 3"};

	for (unsigned count = below(random, 60); count; count--) {
		if (below(random, 10) == 0)
			buf_add_char(out, (char)below(random, 256));
		else
			buf_add(out,
			        text_of(pieces[below(random, sizeof(pieces) / sizeof(pieces[0]))]));
	}
}

static void any_bytes_say_the_same_however_they_are_cut(void **state)
{
	unsigned random = 1;
	struct buf stream, bytewise;

	buf_init(&stream, 4 * KIB);
	buf_init(&bytewise, MIB);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned most = 1 + below(&random, 100), long_before;
		size_t at = 0;

		buf_clear(&stream);
		write_stream(&stream, &random);
		begin(48);
		for (size_t i = 0; i < stream.len; i++)
			sse_reader_feed(&reader, (struct text){stream.at + i, 1});
		sse_reader_end(&reader);
		buf_clear(&bytewise);
		buf_add(&bytewise, buf_text(&seen));
		buf_add_char(&bytewise, '\0');
		long_before = long_ones;
		end();
		begin(48);
		while (at < stream.len) {
			size_t n = 1 + below(&random, most);

			n = n < stream.len - at ? n : stream.len - at;
			sse_reader_feed(&reader, (struct text){stream.at + at, n});
			at += n;
		}
		sse_reader_end(&reader);
		buf_add_char(&seen, '\0');
		assert_int_equal(long_ones, long_before);
		if (!text_equal(buf_text(&seen), buf_text(&bytewise)))
			fail_msg("stream %u: %s instead of %s", round, seen.at, bytewise.at);
		end();
	}
	buf_finish(&stream);
	buf_finish(&bytewise);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_ends_at_an_empty_line),
		cmocka_unit_test(lines_end_in_cr_lf_or_both),
		cmocka_unit_test(one_bom_is_taken_away),
		cmocka_unit_test(comments_and_unknown_fields_are_passed_over),
		cmocka_unit_test(data_lines_are_joined),
		cmocka_unit_test(one_space_after_the_colon_is_not_data),
		cmocka_unit_test(a_name_is_of_its_event_only),
		cmocka_unit_test(what_is_left_at_the_end_is_given),
		cmocka_unit_test(a_line_of_json_is_an_event),
		cmocka_unit_test(an_id_counts_when_its_event_is_whole),
		cmocka_unit_test(an_id_stays_until_the_next_one),
		cmocka_unit_test(a_new_connection_forgets_what_is_half_there),
		cmocka_unit_test(only_digits_are_a_delay),
		cmocka_unit_test(too_long_an_event_is_lost_alone),
		cmocka_unit_test(too_long_a_line_of_json_is_lost_alone),
		cmocka_unit_test(long_lines_are_read_like_short_ones),
		cmocka_unit_test(any_bytes_say_the_same_however_they_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
