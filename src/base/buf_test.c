/* buf_test.c - bytes that grow up to a ceiling. */
#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

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
		cmocka_unit_test(a_json_string_that_does_not_fit_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
