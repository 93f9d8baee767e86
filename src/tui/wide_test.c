/* wide_test.c - whatever an agent says, what is drawn is cells and nothing else. */
#include "tui/wide.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/random.h"
#include "base/utf8.h"

/* All of its cells, put together. */
static void shown(struct buf *out, struct text t)
{
	struct glyph glyph;

	buf_clear(out);
	while (wide_next(&t, &glyph))
		buf_add(out, (struct text){glyph.at, glyph.len});
}

static void assert_shown(struct text t, const char *as, int width)
{
	struct buf out;

	buf_init(&out, KIB);
	shown(&out, t);
	assert_int_equal(out.len, strlen(as));
	assert_memory_equal(out.at, as, out.len);
	assert_int_equal(wide_width(t), width);
	buf_finish(&out);
}

static void letters_are_one_cell_and_ideographs_two(void **state)
{
	assert_shown(TEXT("abc"), "abc", 3);
	assert_shown(TEXT("日本"), "日本", 4);
	assert_shown(TEXT("ｗ"), "ｗ", 2);
	assert_shown(TEXT("🙂!"), "🙂!", 3);
	assert_shown(TEXT(""), "", 0);
}

static void marks_stand_on_their_letter(void **state)
{
	struct text t = TEXT("e\xCC\x81x");
	struct glyph glyph;

	assert_true(wide_next(&t, &glyph));
	assert_int_equal(glyph.len, 3);
	assert_int_equal(glyph.width, 1);
	assert_shown(TEXT("\xCC\x81"), " \xCC\x81", 1);
}

static void a_pile_of_marks_is_cut(void **state)
{
	struct text t =
		TEXT("e\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81"
	             "\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81\xCC\x81x");
	struct glyph glyph;

	assert_true(wide_next(&t, &glyph));
	assert_true(glyph.len <= GLYPH_MAX);
	assert_true(wide_next(&t, &glyph));
	assert_int_equal(glyph.at[0], 'x');
	assert_false(wide_next(&t, &glyph));
}

static void what_has_no_shape_is_left_out(void **state)
{
	assert_shown(TEXT("👩\u200d💻"), "👩💻", 4);
	assert_shown(TEXT("❤\uFE0F"), "❤", 1);
	assert_shown(TEXT("👍🏽"), "👍", 2);
	assert_shown(TEXT("a\u200b\u00AD\uFEFF"
	                  "b"),
	             "ab", 2);
	assert_shown(TEXT("\U000E0041x"), "x", 1);
}

static void nothing_moves_the_cursor(void **state)
{
	assert_shown(TEXT("\033[2J"), "\uFFFD[2J", 4);
	assert_shown(TEXT("a\nb\tc\rd"), "a b c d", 7);
	assert_shown(TEXT("\x7F\x08\x07"), "\uFFFD\uFFFD\uFFFD", 3);
	assert_shown(TEXT("\xC2\x9B"
	                  "31m"),
	             "\uFFFD31m", 4);
	assert_shown(TEXT("\u202Eevil\u2066"), "\uFFFDevil\uFFFD", 6);
	assert_shown(TEXT("\x9B\xFF\xC0\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD", 4);
	assert_shown((struct text){"a\0b", 3},
	             "a\uFFFD"
	             "b",
	             3);
}

static void text_is_never_cut_inside_a_character(void **state)
{
	struct text t = TEXT("a日b");

	assert_int_equal(wide_fit(t, 0), 0);
	assert_int_equal(wide_fit(t, 1), 1);
	assert_int_equal(wide_fit(t, 2), 1);
	assert_int_equal(wide_fit(t, 3), 4);
	assert_int_equal(wide_fit(t, 99), 5);
}

static void the_end_of_a_text_fits(void **state)
{
	struct text t = TEXT("a日b本");

	assert_int_equal(wide_end(t, 6).len, t.len);
	assert_true(text_is(wide_end(t, 5), "日b本"));
	assert_true(text_is(wide_end(t, 4), "b本"));
	assert_true(text_is(wide_end(t, 3), "b本"));
	assert_true(text_is(wide_end(t, 1), ""));
	assert_int_equal(wide_end(t, 0).len, 0);
	assert_int_equal(wide_end(t, -1).len, 0);
}

static void any_bytes_become_harmless_text(void **state)
{
	char bytes[64];
	struct buf out;

	buf_init(&out, KIB);
	for (int round = 0; round < 20000; round++) {
		random_bytes(bytes, sizeof(bytes));
		shown(&out, (struct text){bytes, sizeof(bytes)});
		assert_true(utf8_is_valid(buf_text(&out)));
		for (size_t i = 0; i < out.len; i++) {
			unsigned char c = (unsigned char)out.at[i];

			assert_true(c >= 0x20 && c != 0x7F);
			assert_false(c == 0xC2 && (unsigned char)out.at[i + 1] < 0xA0);
		}
	}
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_are_one_cell_and_ideographs_two),
		cmocka_unit_test(marks_stand_on_their_letter),
		cmocka_unit_test(a_pile_of_marks_is_cut),
		cmocka_unit_test(what_has_no_shape_is_left_out),
		cmocka_unit_test(nothing_moves_the_cursor),
		cmocka_unit_test(text_is_never_cut_inside_a_character),
		cmocka_unit_test(the_end_of_a_text_fits),
		cmocka_unit_test(any_bytes_become_harmless_text),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
