/* wyoming_test.c - events of Wyoming, written and read again, whole and in pieces. */
#include "parse/wyoming.h"

#include "parse/fixture.h"

static struct wyoming_reader reader;
static struct wyoming_event event;
static struct error why;

static int set_up(void **state)
{
	wyoming_reader_init(&reader);
	return 0;
}

static int take_down(void **state)
{
	wyoming_reader_finish(&reader);
	return 0;
}

static enum wyoming_read reads(const char *bytes)
{
	assert_true(wyoming_reader_add(&reader, text_of(bytes)));
	return wyoming_read(&reader, &event, &why);
}

static void assert_text(struct text actual, const char *expected)
{
	assert_int_equal(actual.len, strlen(expected));
	assert_memory_equal(actual.at, expected, actual.len);
}

static void both_parts_of_the_data_count(void **state)
{
	assert_int_equal(
		reads("{\"type\":\"transcript\",\"data\":{\"text\":\"old\",\"language\":\"en\"},"
	              "\"data_length\":14,\"payload_length\":3}\n{\"text\":\"new\"}abc"),
		WYOMING_EVENT);
	assert_text(event.type, "transcript");
	assert_text(wyoming_text(&event, "text"), "new");
	assert_text(wyoming_text(&event, "language"), "en");
	assert_text(wyoming_text(&event, "absent"), "");
	assert_text(event.payload, "abc");
	assert_int_equal(wyoming_read(&reader, &event, &why), WYOMING_MORE);
}

static void what_is_written_is_read_in_any_pieces(void **state)
{
	static const struct wyoming_format format = {16000, 2, 1};
	struct wyoming_format read;
	struct buf out;
	unsigned events = 0;

	buf_init(&out, 4 * KIB);
	wyoming_write(&out, "ping", TEXT("{\"text\":\"a\"}"), TEXT(""));
	wyoming_write_sound(&out, "audio-chunk", &format, TEXT("\1\2\3\4"));
	wyoming_write_sound(&out, "audio-stop", NULL, TEXT(""));
	for (size_t i = 0; i < out.len; i++) {
		assert_true(wyoming_reader_add(&reader, (struct text){out.at + i, 1}));
		if (wyoming_read(&reader, &event, &why) != WYOMING_EVENT)
			continue;
		if (events == 1) {
			assert_true(wyoming_format_of(&event, &read, &why));
			assert_int_equal(read.rate, 16000);
			assert_text(event.payload, "\1\2\3\4");
		}
		events++;
	}
	assert_int_equal(events, 3);
	assert_text(event.type, "audio-stop");
	buf_finish(&out);
}

/* The length of a list is not that of a text. */
static void what_is_no_text_reads_as_none(void **state)
{
	assert_int_equal(
		reads("{\"type\":\"synthesize\",\"data\":{\"text\":[1],\"name\":{\"a\":1}}}\n"),
		WYOMING_EVENT);
	assert_text(wyoming_text(&event, "text"), "");
	assert_text(wyoming_text(&event, "name"), "");
}

static void nothing_has_come_at_first(void **state)
{
	assert_int_equal(wyoming_read(&reader, &event, &why), WYOMING_MORE);
}

static void many_events_come_of_one_read(void **state)
{
	assert_int_equal(reads("{\"type\":\"a\"}\n{\"type\":\"b\"}\n{\"type\":"), WYOMING_EVENT);
	assert_text(event.type, "a");
	assert_int_equal(wyoming_read(&reader, &event, &why), WYOMING_EVENT);
	assert_text(event.type, "b");
	assert_int_equal(wyoming_read(&reader, &event, &why), WYOMING_MORE);
	assert_int_equal(reads("\"c\"}\n"), WYOMING_EVENT);
	assert_text(event.type, "c");
}

static void bytes_of_something_else_end_it(void **state)
{
	static const char *const broken[] = {
		"GET / HTTP/1.1\r\n",
		"[]\n",
		"{\"type\":1}\n",
		"\n",
		"{\"type\":\"a\",\"data_length\":-1}\n",
		"{\"type\":\"a\",\"payload_length\":99999999}\n",
		"{\"type\":\"a\",\"data_length\":2}\n[]",
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		assert_int_equal(reads(broken[i]), WYOMING_BROKEN);
		take_down(NULL);
		set_up(NULL);
	}
}

static void nothing_grows_without_end(void **state)
{
	static char line[WYOMING_LINE_MAX + 1];
	static char flood[4 * MIB];

	memset(line, ' ', sizeof(line));
	assert_true(wyoming_reader_add(&reader, (struct text){line, sizeof(line)}));
	assert_int_equal(wyoming_read(&reader, &event, &why), WYOMING_BROKEN);
	assert_false(wyoming_reader_add(&reader, (struct text){flood, sizeof(flood)}));
}

static void sound_that_we_cannot_read_is_told_in_words(void **state)
{
	struct wyoming_format format;

	assert_int_equal(reads("{\"type\":\"audio-start\",\"data\":"
	                       "{\"rate\":22050,\"width\":4,\"channels\":1}}\n"),
	                 WYOMING_EVENT);
	assert_false(wyoming_format_of(&event, &format, &why));
	assert_string_equal(why.words, "sound with samples of 4 bytes; 2 are known");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(both_parts_of_the_data_count, set_up, take_down),
		cmocka_unit_test_setup_teardown(what_is_written_is_read_in_any_pieces, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(what_is_no_text_reads_as_none, set_up, take_down),
		cmocka_unit_test_setup_teardown(nothing_has_come_at_first, set_up, take_down),
		cmocka_unit_test_setup_teardown(many_events_come_of_one_read, set_up, take_down),
		cmocka_unit_test_setup_teardown(bytes_of_something_else_end_it, set_up, take_down),
		cmocka_unit_test_setup_teardown(nothing_grows_without_end, set_up, take_down),
		cmocka_unit_test_setup_teardown(sound_that_we_cannot_read_is_told_in_words, set_up,
	                                        take_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
