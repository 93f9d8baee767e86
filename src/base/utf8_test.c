/* utf8_test.c - what is text, byte by byte, and what may be shown. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A code point by the book, surrogates and worse included. */
static size_t encode(uint32_t point, char out[4])
{
	if (point < 0x80) {
		out[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		out[0] = (char)(0xC0 | point >> 6);
		out[1] = (char)(0x80 | (point & 63));
		return 2;
	}
	if (point < 0x10000) {
		out[0] = (char)(0xE0 | point >> 12);
		out[1] = (char)(0x80 | (point >> 6 & 63));
		out[2] = (char)(0x80 | (point & 63));
		return 3;
	}
	out[0] = (char)(0xF0 | point >> 18);
	out[1] = (char)(0x80 | (point >> 12 & 63));
	out[2] = (char)(0x80 | (point >> 6 & 63));
	out[3] = (char)(0x80 | (point & 63));
	return 4;
}

static void every_code_point_is_text_but_surrogates_and_those_too_high(void **state)
{
	for (uint32_t point = 0; point < 0x140000; point += point < 0x11000 ? 1 : 37) {
		bool want = point < 0x110000 && (point < 0xD800 || point > 0xDFFF);
		char bytes[4];
		struct text t = {bytes, encode(point, bytes)};

		assert_int_equal(utf8_is_valid(t), want);
		assert_int_equal(utf8_length(t), want ? t.len : 0);
	}
}

static void a_longer_form_than_needed_is_not_text(void **state)
{
	assert_false(utf8_is_valid(TEXT("\xC0\x80")));
	assert_false(utf8_is_valid(TEXT("\xC1\xBF")));
	assert_false(utf8_is_valid(TEXT("\xE0\x9F\xBF")));
	assert_false(utf8_is_valid(TEXT("\xF0\x8F\xBF\xBF")));
	assert_false(utf8_is_valid(TEXT("\xF8\x88\x80\x80\x80")));
}

static void half_a_character_is_not_text_yet(void **state)
{
	struct utf8 u;

	assert_false(utf8_is_valid(TEXT("\xF0\x9F\x9A")));
	utf8_init(&u);
	assert_true(utf8_feed(&u, TEXT("\xF0\x9F\x9A")));
	assert_false(utf8_is_whole(&u));
	assert_true(utf8_feed(&u, TEXT("\x82")));
	assert_true(utf8_is_whole(&u));
}

static void it_fails_at_the_first_byte_that_cannot_go_on(void **state)
{
	struct utf8 u;

	utf8_init(&u);
	assert_true(utf8_feed(&u, TEXT("\xED")));
	assert_false(utf8_feed(&u, TEXT("\xA0")));
	utf8_init(&u);
	assert_true(utf8_feed(&u, TEXT("abc\xF4")));
	assert_false(utf8_feed(&u, TEXT("\x90")));
}

static void the_size_of_the_pieces_does_not_matter(void **state)
{
	struct text whole = TEXT("plain ASCII, then \xC3\xA9\xE2\x82\xAC\xF0\x9F\x9A\x82 and more");

	for (size_t piece = 1; piece <= whole.len; piece++) {
		struct utf8 u;

		utf8_init(&u);
		for (size_t at = 0; at < whole.len; at += piece) {
			size_t n = whole.len - at < piece ? whole.len - at : piece;

			assert_true(utf8_feed(&u, (struct text){whole.at + at, n}));
		}
		assert_true(utf8_is_whole(&u));
	}
}

static void assert_shown(struct text in, const char *want)
{
	struct buf out;

	buf_init(&out, 100);
	assert_true(utf8_add_shown(&out, in));
	assert_int_equal(out.len, strlen(want));
	assert_memory_equal(out.at ? out.at : "", want, out.len);
	buf_finish(&out);
}

#define BLOT "\xEF\xBF\xBD"

static void no_control_reaches_a_terminal(void **state)
{
	assert_shown(TEXT("a\nb\tc"), "a b c");
	assert_shown(TEXT("\x1b[31m\r\x7f"), BLOT "[31m" BLOT BLOT);
	assert_shown(TEXT("\0"), BLOT);
	assert_shown(TEXT("\xC2\x9B"), BLOT);
	assert_shown(TEXT("\xFF\xC3"), BLOT BLOT);
	assert_shown(TEXT("\xC3\xA9\xE2\x82\xAC"), "\xC3\xA9\xE2\x82\xAC");
}

static void no_mark_that_reorders_text_is_shown(void **state)
{
	static const uint32_t marks[] = {0x61C,  0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D,
	                                 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0x2028, 0x2029};
	char bytes[4];

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		assert_shown((struct text){bytes, encode(marks[i], bytes)}, BLOT);
}

static void what_has_no_shape_is_left_out_but_what_scripts_need(void **state)
{
	assert_shown(TEXT("a\u200b\u2060\ufeff\U000E0041\u00adz"), "az");
	assert_shown(TEXT("\u2764\ufe0f\u200d\u200c"), "\u2764\ufe0f\u200d\u200c");
}

static void what_does_not_fit_is_said(void **state)
{
	struct buf out;

	buf_init(&out, 2);
	assert_false(utf8_add_shown(&out, TEXT("abc")));
	buf_finish(&out);
}

static void a_cut_leaves_whole_characters(void **state)
{
	struct text t = TEXT("a\xc3\xa9\xf0\x9f\x98\x80");
	static const size_t wanted[] = {0, 1, 1, 3, 3, 3, 3, 7, 7};

	for (size_t max = 0; max < sizeof(wanted) / sizeof(*wanted); max++)
		assert_int_equal(utf8_cut(t, max).len, wanted[max]);
	assert_int_equal(utf8_cut(TEXT(""), 0).len, 0);
}

static bool is_valid_by_bytes(struct text t)
{
	struct utf8 u;

	utf8_init(&u);
	return utf8_feed(&u, t) && utf8_is_whole(&u);
}

/* Bytes of all kinds, most of them where they belong. */
static size_t write_text(char at[80], unsigned *random)
{
	static const uint32_t starts[] = {0x20,    0x7F,     0x80,   0x7FF,  0x800,
	                                  0xD7FF,  0xE000,   0x3042, 0xFFFF, 0x10000,
	                                  0x1F600, 0x10FFFF, 'a',    'b',    0xE9};
	size_t len = 0, most = (*random >> 8) % 77;

	while (len < most) {
		*random = *random * 1103515245 + 12345;
		len += encode(starts[(*random >> 16) % (sizeof(starts) / sizeof(*starts))],
		              at + len);
	}
	*random = *random * 1103515245 + 12345;
	if (len && *random >> 30)
		at[(*random >> 8) % len] = (char)(*random >> 16);
	return len;
}

static void a_whole_text_is_judged_as_its_bytes_are_one_by_one(void **state)
{
	unsigned random = 1, valid = 0;

	for (unsigned n = 0; n < 200000; n++) {
		char bytes[80];
		struct text t = {bytes, write_text(bytes, &random)};
		bool is_valid = is_valid_by_bytes(t);

		valid += is_valid;
		if (utf8_is_valid(t) != is_valid)
			fail_msg("text %u is judged otherwise", n);
	}
	assert_in_range(valid, 20000, 180000);
}

static void a_cut_or_stray_byte_is_found_wherever_it_stands(void **state)
{
	for (size_t len = 1; len <= 70; len++) {
		for (size_t i = 0; i < len; i++) {
			char bytes[70];

			memset(bytes, 'a', sizeof(bytes));
			bytes[i] = '\x80';
			assert_false(utf8_is_valid((struct text){bytes, len}));
			bytes[i] = '\xF1';
			assert_false(utf8_is_valid((struct text){bytes, len}));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point_is_text_but_surrogates_and_those_too_high),
		cmocka_unit_test(a_longer_form_than_needed_is_not_text),
		cmocka_unit_test(half_a_character_is_not_text_yet),
		cmocka_unit_test(it_fails_at_the_first_byte_that_cannot_go_on),
		cmocka_unit_test(the_size_of_the_pieces_does_not_matter),
		cmocka_unit_test(no_control_reaches_a_terminal),
		cmocka_unit_test(no_mark_that_reorders_text_is_shown),
		cmocka_unit_test(what_has_no_shape_is_left_out_but_what_scripts_need),
		cmocka_unit_test(what_does_not_fit_is_said),
		cmocka_unit_test(a_cut_leaves_whole_characters),
		cmocka_unit_test(a_whole_text_is_judged_as_its_bytes_are_one_by_one),
		cmocka_unit_test(a_cut_or_stray_byte_is_found_wherever_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
