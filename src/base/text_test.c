/* text_test.c - pieces of bytes. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void the_empty_text_may_have_no_address(void **state)
{
	struct text none = {NULL, 0};

	assert_true(text_equal(none, TEXT("")));
	assert_true(text_equal(text_of(NULL), none));
	assert_true(text_starts(TEXT("a"), none));
	assert_int_equal(text_find(none, 'a'), -1);
	assert_int_equal(text_trim(none).len, 0);
}

static void texts_are_compared_by_all_their_bytes(void **state)
{
	assert_true(text_is(TEXT("abc"), "abc"));
	assert_false(text_is(TEXT("abc"), "ab"));
	assert_false(text_equal(TEXT("a\0b"), TEXT("a\0c")));
}

static void case_is_ignored_for_ascii_letters_only(void **state)
{
	assert_true(text_equal_nocase(TEXT("Host"), TEXT("hOST")));
	assert_false(text_equal_nocase(TEXT("Host"), TEXT("Hos")));
	assert_false(text_equal_nocase(TEXT("[@"), TEXT("{`")));
	assert_true(text_has_nocase(TEXT("a hOST"), TEXT("Host")));
	assert_true(text_has_nocase(TEXT("Host a"), TEXT("host")));
	assert_false(text_has_nocase(TEXT("a hos"), TEXT("host")));
	assert_false(text_has_nocase(TEXT(""), TEXT("host")));
}

static void a_cut_gives_both_sides_of_the_first_mark(void **state)
{
	struct text rest;

	assert_true(text_is(text_cut(TEXT("a=b=c"), '=', &rest), "a"));
	assert_true(text_is(rest, "b=c"));
	assert_true(text_is(text_cut(TEXT("a="), '=', &rest), "a"));
	assert_non_null(rest.at);
	assert_int_equal(rest.len, 0);
}

static void a_cut_without_the_mark_gives_the_whole_and_no_rest(void **state)
{
	struct text rest;

	assert_true(text_is(text_cut(TEXT("abc"), '=', &rest), "abc"));
	assert_null(rest.at);
}

static void a_trim_takes_white_space_from_both_ends(void **state)
{
	assert_true(text_is(text_trim(TEXT(" \t\r\na b\n ")), "a b"));
	assert_int_equal(text_trim(TEXT(" \t ")).len, 0);
}

static void a_number_is_digits_and_fits(void **state)
{
	uint64_t n = 7;

	assert_true(text_to_u64(TEXT("18446744073709551615"), &n));
	assert_true(n == UINT64_MAX);
	assert_true(text_to_u64(TEXT("007"), &n));
	assert_int_equal(n, 7);
}

static void what_is_no_number_changes_nothing(void **state)
{
	static const char *const bad[] = {
		"", "-1", "+1", " 1", "1 ", "1a", "18446744073709551616", "99999999999999999999",
	};
	uint64_t n = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(text_to_u64(text_of(bad[i]), &n));
	assert_int_equal(n, 7);
}

static void a_copy_ends_with_nul(void **state)
{
	char *copy = text_dup((struct text){"abcdef", 3});

	assert_string_equal(copy, "abc");
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_text_may_have_no_address),
		cmocka_unit_test(texts_are_compared_by_all_their_bytes),
		cmocka_unit_test(case_is_ignored_for_ascii_letters_only),
		cmocka_unit_test(a_cut_gives_both_sides_of_the_first_mark),
		cmocka_unit_test(a_cut_without_the_mark_gives_the_whole_and_no_rest),
		cmocka_unit_test(a_trim_takes_white_space_from_both_ends),
		cmocka_unit_test(a_number_is_digits_and_fits),
		cmocka_unit_test(what_is_no_number_changes_nothing),
		cmocka_unit_test(a_copy_ends_with_nul),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
