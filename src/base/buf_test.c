/* buf_test.c - bytes that grow up to a ceiling. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/utf8.h"

static void bytes_come_back_in_the_order_they_went_in(void **state)
{
	struct buf b;

	buf_init(&b, 100);
	assert_true(buf_add(&b, TEXT("ab")));
	assert_true(buf_add_char(&b, 'c'));
	assert_true(buf_add_u64(&b, 0));
	assert_true(buf_add_u64(&b, UINT64_MAX));
	assert_true(buf_print(&b, "-%d", 7));
	assert_true(text_is(buf_text(&b), "abc018446744073709551615-7"));
	buf_finish(&b);
}

static void nothing_can_be_added_to_nothing(void **state)
{
	struct buf b;

	buf_init(&b, 100);
	assert_true(buf_add(&b, TEXT("")));
	assert_true(buf_add(&b, (struct text){NULL, 0}));
	assert_false(b.full);
	buf_finish(&b);
}

static void an_append_past_the_ceiling_changes_nothing_and_marks_it(void **state)
{
	volatile size_t huge = SIZE_MAX; /* not to be reasoned about */
	struct buf b;

	buf_init(&b, 4);
	assert_true(buf_add(&b, TEXT("abcd")));
	assert_false(b.full);
	assert_false(buf_add_char(&b, 'e'));
	assert_true(b.full);
	assert_true(text_is(buf_text(&b), "abcd"));
	assert_false(buf_print(&b, "%s", "efgh"));
	assert_false(buf_add(&b, (struct text){"x", huge}));
	assert_int_equal(b.len, 4);
	buf_finish(&b);
}

static void it_never_holds_more_memory_than_its_ceiling(void **state)
{
	struct buf b;

	buf_init(&b, 1000);
	for (int i = 0; i < 1000; i++)
		assert_true(buf_add_char(&b, 'x'));
	assert_true(b.room <= 1000);
	buf_finish(&b);
	assert_null(b.at);
	assert_true(buf_add_char(&b, 'y'));
	buf_finish(&b);
}

static void dropping_takes_bytes_from_the_front(void **state)
{
	struct buf b;

	buf_init(&b, 10);
	buf_add(&b, TEXT("abcdef"));
	buf_drop(&b, 2);
	assert_true(text_is(buf_text(&b), "cdef"));
	buf_drop(&b, 100);
	assert_int_equal(b.len, 0);
	buf_finish(&b);
}

static void clearing_forgets_that_it_was_full(void **state)
{
	struct buf b;

	buf_init(&b, 1);
	assert_false(buf_add(&b, TEXT("ab")));
	buf_clear(&b);
	assert_false(b.full);
	assert_true(buf_add_char(&b, 'a'));
	buf_finish(&b);
}

static void assert_json(struct text in, const char *want)
{
	struct buf b;

	buf_init(&b, 200);
	assert_true(buf_add_json(&b, in));
	assert_int_equal(b.len, strlen(want));
	assert_memory_equal(b.at, want, b.len);
	buf_finish(&b);
}

static void a_json_string_is_always_valid_json(void **state)
{
	assert_json(TEXT(""), "\"\"");
	assert_json(TEXT("a\"\\\n\t\r\b\x7f"), "\"a\\\"\\\\\\n\\t\\r\\u0008\\u007f\"");
	assert_json(TEXT("\0"), "\"\\u0000\"");
	assert_json(TEXT("gr\xC3\xBC\xC3\x9F \xF0\x9F\x9A\x82"),
	            "\"gr\xC3\xBC\xC3\x9F \xF0\x9F\x9A\x82\"");
	assert_json(TEXT("a\xFF\xC3"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

/* One byte by itself is never taken for part of a longer run. */
static void a_byte_is_written_the_same_wherever_it_stands(void **state)
{
	struct buf alone, among;

	buf_init(&alone, 100);
	buf_init(&among, 100);
	for (unsigned i = 0; i < 256 * 17; i++) {
		char bytes[18] = "aaaaaaaaaaaaaaaaa", byte = (char)(i / 17);
		size_t at = i % 17;

		bytes[at] = byte;
		buf_clear(&alone);
		buf_clear(&among);
		assert_true(buf_add_json(&alone, (struct text){&byte, 1}));
		assert_true(buf_add_json(&among, (struct text){bytes, 17}));
		assert_int_equal(among.len, alone.len + 16);
		assert_memory_equal(among.at + 1 + at, alone.at + 1, alone.len - 2);
	}
	buf_finish(&alone);
	buf_finish(&among);
}

/* Byte by byte: character by character, what is none as U+FFFD. */
static void add_slowly(struct buf *b, struct text t)
{
	buf_add_char(b, '"');
	while (t.len) {
		size_t n = utf8_length(t);
		const char *at = strchr("\"\\\nn\tt\rr", t.at[0]);
		unsigned char c = (unsigned char)t.at[0];

		if (n == 0)
			buf_add(b, TEXT("\xEF\xBF\xBD"));
		else if (c == '"' || c == '\\')
			buf_print(b, "\\%c", c);
		else if (c && at && c < ' ')
			buf_print(b, "\\%c", at[1]);
		else if (c < ' ' || c == 0x7f)
			buf_print(b, "\\u%04x", c);
		else
			buf_add(b, (struct text){t.at, n});
		n += n == 0;
		t = (struct text){t.at + n, t.len - n};
	}
	buf_add_char(b, '"');
}

static void a_json_string_is_what_its_characters_are_one_by_one(void **state)
{
	static const char *const pieces[] = {
		"a",    "bcdefghi", "\"",   "\\",       "\n",           "\t",
		"\r",   "\x01",     "\x7F", "\xC3\xBC", "\xE4\xBF\xA1", "\xF0\x9F\x9A\x82",
		"\xC3", "\xFF",     "/",    "\x1F",     "\xC2\x80",     "\xED\xA0\x80"};
	const unsigned kinds = sizeof(pieces) / sizeof(pieces[0]);
	unsigned random = 1;

	for (unsigned round = 0; round < 100000; round++) {
		unsigned kind = round % 4 ? kinds : 1 + round % kinds;
		struct buf text, quick, slow;

		buf_init(&text, KIB);
		buf_init(&quick, 8 * KIB);
		buf_init(&slow, 8 * KIB);
		for (unsigned count = round % 13; count; count--) {
			random = random * 1103515245 + 12345;
			buf_add(&text, text_of(pieces[(random >> 16) % kind]));
		}
		assert_true(buf_add_json(&quick, buf_text(&text)));
		add_slowly(&slow, buf_text(&text));
		assert_int_equal(quick.len, slow.len);
		assert_memory_equal(quick.at, slow.at, slow.len);
		buf_finish(&text);
		buf_finish(&quick);
		buf_finish(&slow);
	}
}

static void a_json_string_that_does_not_fit_leaves_nothing_behind(void **state)
{
	struct buf b;

	for (size_t max = 0; max < 9; max++) {
		buf_init(&b, max);
		assert_false(buf_add_json(&b, TEXT("ab\ncd\xFF")));
		assert_int_equal(b.len, 0);
		assert_true(b.full);
		buf_finish(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_come_back_in_the_order_they_went_in),
		cmocka_unit_test(nothing_can_be_added_to_nothing),
		cmocka_unit_test(an_append_past_the_ceiling_changes_nothing_and_marks_it),
		cmocka_unit_test(it_never_holds_more_memory_than_its_ceiling),
		cmocka_unit_test(dropping_takes_bytes_from_the_front),
		cmocka_unit_test(clearing_forgets_that_it_was_full),
		cmocka_unit_test(a_json_string_is_always_valid_json),
		cmocka_unit_test(a_byte_is_written_the_same_wherever_it_stands),
		cmocka_unit_test(a_json_string_is_what_its_characters_are_one_by_one),
		cmocka_unit_test(a_json_string_that_does_not_fit_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
