/* visible_test.c - nothing hides. */
#include "base/visible.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/utf8.h"

static void assert_written(struct text in, enum visible_lines lines, const char *want)
{
	struct buf out;

	buf_init(&out, 1000);
	assert_true(visible_add(&out, in, lines));
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, want);
	buf_finish(&out);
}

static void assert_visible(struct text in, const char *want)
{
	assert_written(in, VISIBLE_KEEP_LINES, want);
	assert_written(in, VISIBLE_MARK_LINES, want);
}

static void plain_text_stays_as_it_is(void **state)
{
	assert_visible(TEXT(""), "");
	assert_visible(TEXT("ls -l \\u0000 | head"), "ls -l \\u0000 | head");
	assert_visible(TEXT("h\u00e9llo \u65e5\u672c\u8a9e \u3000 \U0001F600 \u05d0 e\u0301"),
	               "h\u00e9llo \u65e5\u672c\u8a9e \u3000 \U0001F600 \u05d0 e\u0301");
}

static void an_end_of_line_is_a_line_break_or_a_mark(void **state)
{
	assert_written(TEXT("ls\n\nrm\n"), VISIBLE_KEEP_LINES, "ls\n\nrm\n");
	assert_written(TEXT("ls\n\nrm\n"), VISIBLE_MARK_LINES, "ls\u21b5\u21b5rm\u21b5");
	assert_written(TEXT("a\r\nb"), VISIBLE_MARK_LINES, "a\\u000d\u21b5b");
	assert_visible(TEXT("a\tb"), "a\u21e5b");
	assert_visible(TEXT("a\vb\fc"), "a\\u000bb\\u000cc");
	assert_visible(TEXT("a\u2028b\u2029"), "a\\u2028b\\u2029");
}

static void a_control_is_written_out(void **state)
{
	assert_visible(TEXT("ls\0; rm"), "ls\\u0000; rm");
	assert_visible(TEXT("\033[2J\r\b\x7f"), "\\u001b[2J\\u000d\\u0008\\u007f");
	assert_visible(TEXT("\xc2\x9b"
	                    "31m"),
	               "\\u009b31m");
}

static void what_turns_the_reading_order_round_is_written_out(void **state)
{
	assert_visible(TEXT("a\u202egnp.exe\u2066\u061c\u200f"),
	               "a\\u202egnp.exe\\u2066\\u061c\\u200f");
}

static void what_has_no_shape_is_written_out(void **state)
{
	assert_visible(TEXT("r\u200bm\u200c\u200d\u2060\ufeff\u00ad\ufe0f"),
	               "r\\u200bm\\u200c\\u200d\\u2060\\ufeff\\u00ad\\ufe0f");
	assert_visible(TEXT("\U000E0001\U000E0041x\U000E0100"),
	               "\\udb40\\udc01\\udb40\\udc41x\\udb40\\udd00");
	assert_visible(TEXT("\u3164\u115f\u180e"), "\\u3164\\u115f\\u180e");
}

static void a_blank_that_is_no_space_is_written_out(void **state)
{
	assert_visible(TEXT("rm\u00a0-rf\u2003\u2800"), "rm\\u00a0-rf\\u2003\\u2800");
}

static void a_byte_that_is_no_text_is_written_out(void **state)
{
	assert_visible(TEXT("a\xff\xc3(\xc0\x80"), "a\\xff\\xc3(\\xc0\\x80");
	assert_visible(TEXT("\xed\xa0\x80x\xed\xbf\xbf"), "\\ud800x\\udfff");
	assert_visible(TEXT("\xed\xa0"), "\\xed\\xa0");
}

/* Of all there is: what comes out holds nothing that hides, and goes through again
 * as it is. */
static void every_code_point_comes_out_visible_and_stays_so(void **state)
{
	struct buf in, once, twice;

	buf_init(&in, 8);
	buf_init(&once, 64);
	buf_init(&twice, 64);
	for (uint32_t c = 0; c <= 0x10FFFF; c++) {
		buf_clear(&in);
		buf_clear(&once);
		buf_clear(&twice);
		if (c < 0x80)
			buf_print(&in, "%c", (char)c);
		else if (c < 0x800)
			buf_print(&in, "%c%c", (char)(0xC0 | c >> 6), (char)(0x80 | (c & 0x3F)));
		else if (c < 0x10000)
			buf_print(&in, "%c%c%c", (char)(0xE0 | c >> 12),
			          (char)(0x80 | (c >> 6 & 0x3F)), (char)(0x80 | (c & 0x3F)));
		else
			buf_print(&in, "%c%c%c%c", (char)(0xF0 | c >> 18),
			          (char)(0x80 | (c >> 12 & 0x3F)), (char)(0x80 | (c >> 6 & 0x3F)),
			          (char)(0x80 | (c & 0x3F)));
		assert_true(visible_add(&once, buf_text(&in), VISIBLE_MARK_LINES));
		assert_true(visible_add(&twice, buf_text(&once), VISIBLE_MARK_LINES));
		assert_true(once.len > 0 && once.len <= in.len * VISIBLE_GROWTH);
		assert_true(utf8_is_valid(buf_text(&once)));
		assert_true(text_equal(buf_text(&once), buf_text(&twice)));
	}
	buf_finish(&in);
	buf_finish(&once);
	buf_finish(&twice);
}

static void a_buffer_of_the_promised_size_is_enough(void **state)
{
	static const struct text hidden[] = {TEXT("\0\0"), TEXT("\xff\xff\xff"), TEXT("\u202e"),
	                                     TEXT("\U000e0041"), TEXT("\t\n")};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(*hidden); i++) {
		struct buf out, exact;

		buf_init(&out, VISIBLE_GROWTH * hidden[i].len + 1);
		assert_true(visible_add(&out, hidden[i], VISIBLE_MARK_LINES));
		buf_init(&exact, out.len); /* not a byte more than what it holds */
		assert_true(visible_add(&exact, hidden[i], VISIBLE_MARK_LINES));
		assert_false(exact.full);
		assert_true(text_equal(buf_text(&out), buf_text(&exact)));
		buf_finish(&out);
		buf_finish(&exact);
	}
}

static void what_does_not_fit_is_said(void **state)
{
	struct buf out;

	buf_init(&out, 8);
	assert_false(visible_add(&out, TEXT("abc\0def"), VISIBLE_KEEP_LINES));
	assert_true(out.full);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_text_stays_as_it_is),
		cmocka_unit_test(an_end_of_line_is_a_line_break_or_a_mark),
		cmocka_unit_test(a_control_is_written_out),
		cmocka_unit_test(what_turns_the_reading_order_round_is_written_out),
		cmocka_unit_test(what_has_no_shape_is_written_out),
		cmocka_unit_test(a_blank_that_is_no_space_is_written_out),
		cmocka_unit_test(a_byte_that_is_no_text_is_written_out),
		cmocka_unit_test(every_code_point_comes_out_visible_and_stays_so),
		cmocka_unit_test(a_buffer_of_the_promised_size_is_enough),
		cmocka_unit_test(what_does_not_fit_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
