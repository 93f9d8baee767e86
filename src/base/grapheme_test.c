/* grapheme_test.c - clusters stay whole. */
#include "base/grapheme.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/utf8.h"

static void what_a_reader_sees_as_one_stays_one(void **state)
{
	static const char *const whole[] = {
		"e\xCC\x81",                                    /* e and an accent */
		"\r\n",                                         /* one end of a line */
		"\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA",             /* the flag of Germany */
		"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7", /* mother and daughter */
		"\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD",             /* a thumb with a skin */
		"\xE1\x84\x80\xE1\x85\xA1\xE1\x86\xA8",         /* Hangul in parts */
		"\xE0\xA4\xA8\xE0\xA4\xBF",                     /* Devanagari ni */
		"\xE2\x9D\xA4\xEF\xB8\x8F",                     /* a red heart */
		" \xCC\x88",                                    /* an accent on a space */
	};

	for (unsigned i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		char text[64];
		int n = snprintf(text, sizeof(text), "a%sb", whole[i]);
		struct text t = {text, (size_t)n};

		for (size_t at = 2; at < t.len - 1; at++)
			assert_int_equal(grapheme_before(t, at), 1);
		assert_int_equal(grapheme_before(t, t.len - 1), t.len - 1);
		assert_int_equal(grapheme_before(t, 1), 1);
	}
}

static void flags_are_counted_from_the_first(void **state)
{
	/* DE FR: not E F. */
	struct text flags =
		TEXT("\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA\xF0\x9F\x87\xAB\xF0\x9F\x87\xB7");

	assert_int_equal(grapheme_before(flags, 4), 0);
	assert_int_equal(grapheme_before(flags, 8), 8);
	assert_int_equal(grapheme_before(flags, 12), 8);
	assert_int_equal(grapheme_before(flags, 16), 16);
}

static void the_ends_of_a_text_are_boundaries(void **state)
{
	assert_int_equal(grapheme_before(TEXT("ab"), 0), 0);
	assert_int_equal(grapheme_before(TEXT("ab"), 1), 1);
	assert_int_equal(grapheme_before(TEXT("ab"), 2), 2);
	assert_int_equal(grapheme_before(TEXT("ab"), 9), 2);
	assert_int_equal(grapheme_before(TEXT(""), 0), 0);
}

static void bytes_that_are_no_text_are_parted_where_characters_begin(void **state)
{
	assert_int_equal(grapheme_before(TEXT("a\xFF\xFE"), 1), 1);
	assert_int_equal(grapheme_before(TEXT("a\xCC\x81\xFF"
	                                      "b"),
	                                 3),
	                 3);
	assert_int_equal(grapheme_before(TEXT("a\xF0\x9F"), 1), 1);
	assert_int_equal(grapheme_before(TEXT("\x80\x80\x80\x80\x80"), 4), 1);
}

static size_t write_point(char *out, uint32_t c)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xC0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xE0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3F));
		out[2] = (char)(0x80 | (c & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3F));
	out[2] = (char)(0x80 | (c >> 6 & 0x3F));
	out[3] = (char)(0x80 | (c & 0x3F));
	return 4;
}

/* The table against the library: between two letters, a plain character is a cluster of its own. */
static void the_table_says_what_the_library_says(void **state)
{
	int problem;
	size_t where;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR) "^(?:\\X){3}$", PCRE2_ZERO_TERMINATED,
	                                 PCRE2_UTF | PCRE2_DOLLAR_ENDONLY, &problem, &where, NULL);
	pcre2_match_data *found = pcre2_match_data_create(1, NULL);
	unsigned seen = 0;

	assert_non_null(code);
	for (uint32_t c = 0; c < 0x32000; c++) {
		char three[12];
		size_t n;

		if (!grapheme_is_plain(c) || (c >= 0xD800 && c < 0xE000))
			continue;
		n = write_point(three, 'a');
		n += write_point(three + n, c);
		n += write_point(three + n, 'b');
		if (pcre2_match(code, (PCRE2_SPTR)three, n, 0, 0, found, NULL) < 0)
			fail_msg("U+%04X is not plain", c);
		seen++;
	}
	assert_true(seen > 50000);
	pcre2_match_data_free(found);
	pcre2_code_free(code);
	assert_false(grapheme_is_plain(0x200D));
	assert_false(grapheme_is_plain(0x1F3FB));
	assert_false(grapheme_is_plain(0x1F1E6));
	assert_false(grapheme_is_plain(0x10FFFF));
}

static void signs_beside_each_other_are_parted(void **state)
{
	struct text hearts = TEXT("\xE2\x9D\xA4\xEF\xB8\x8F\xE2\x9D\xA4\xEF\xB8\x8F");
	struct text faces = TEXT("\xF0\x9F\x98\x80\xF0\x9F\x98\x80");

	assert_int_equal(grapheme_before(hearts, 6), 6);
	assert_int_equal(grapheme_before(hearts, 9), 6);
	assert_int_equal(grapheme_before(faces, 4), 4);
	assert_int_equal(grapheme_before(faces, 7), 4);
}

/* A pile of accents is one cluster, and looked through no further than the reach. */
static void the_search_has_a_limit(void **state)
{
	static char pile[3 * GRAPHEME_REACH + 1] = "e";
	struct text t = {pile, sizeof(pile)};

	for (size_t i = 1; i + 1 < sizeof(pile); i += 2)
		memcpy(pile + i, "\xCC\x81", 2);
	assert_int_equal(grapheme_before(t, 1001), 0);
	assert_true(grapheme_before(t, 2 * GRAPHEME_REACH + 1) > GRAPHEME_REACH / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_reader_sees_as_one_stays_one),
		cmocka_unit_test(flags_are_counted_from_the_first),
		cmocka_unit_test(the_ends_of_a_text_are_boundaries),
		cmocka_unit_test(bytes_that_are_no_text_are_parted_where_characters_begin),
		cmocka_unit_test(the_table_says_what_the_library_says),
		cmocka_unit_test(signs_beside_each_other_are_parted),
		cmocka_unit_test(the_search_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
