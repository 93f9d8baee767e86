/* typed_test.c - typing, pasting, and going about in what was typed. */
#include "tui/typed.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct typed typed;

static int make(void **state)
{
	typed_init(&typed);
	return 0;
}

static int drop(void **state)
{
	typed_finish(&typed);
	return 0;
}

static void type(const uint32_t *codes)
{
	for (; *codes; codes++)
		assert_true(typed_press(&typed, &(struct press){.code = *codes}));
}
#define keys(...) type((const uint32_t[]){__VA_ARGS__, 0})
#define assert_typed(words) assert_true(text_is(buf_text(&typed.text), words))

static void what_is_typed_stands_where_the_cursor_is(void **state)
{
	keys('a', 'c', PRESS_LEFT, 'b', PRESS_END, 'd', PRESS_HOME, 0x2603);
	assert_typed("☃abcd");
	keys(PRESS_DELETE, PRESS_RIGHT, PRESS_BACKSPACE);
	assert_typed("☃cd");
	keys(PRESS_HOME, PRESS_BACKSPACE, PRESS_LEFT, PRESS_DELETE, PRESS_END, PRESS_DELETE,
	     PRESS_RIGHT);
	assert_typed("cd");
}

static void a_character_goes_with_all_its_marks(void **state)
{
	keys('x', 'e', 0x301, 0x1F600, PRESS_BACKSPACE);
	assert_typed("xe\xCC\x81");
	keys(PRESS_BACKSPACE);
	assert_typed("x");
}

static void words_and_lines_are_cut(void **state)
{
	typed_set(&typed, TEXT("one two  three"));
	keys(PRESS_CTRL('w'));
	assert_typed("one two  ");
	keys(PRESS_CTRL('w'), PRESS_CTRL('a'), 'x', PRESS_CTRL('e'), 'y');
	assert_typed("xone y");
	keys(PRESS_LEFT, PRESS_CTRL('u'));
	assert_typed("y");
}

static void what_is_no_text_is_not_taken(void **state)
{
	const uint32_t codes[] = {PRESS_ENTER, PRESS_TAB, PRESS_ESCAPE, PRESS_UP,
	                          0x9B,        0xD800,    PRESS_CLICK,  PRESS_CTRL('k')};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		assert_false(typed_press(&typed, &(struct press){.code = codes[i]}));
	assert_typed("");
}

static void a_paste_may_have_lines_but_no_escapes(void **state)
{
	const uint32_t codes[] = {'a', PRESS_ENTER, PRESS_ESCAPE, PRESS_TAB, 'b', 0x9B};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		assert_true(typed_paste(&typed, &(struct press){.code = codes[i]}));
	assert_typed("a\n\tb");
}

static void there_is_an_end_to_it(void **state)
{
	for (size_t i = 0; i < TYPED_MAX + 10; i++)
		typed_paste(&typed, &(struct press){.code = 'x'});
	assert_int_equal(typed.text.len, TYPED_MAX);
	assert_int_equal(typed.at, TYPED_MAX);
}

static void the_part_around_the_cursor_is_drawn(void **state)
{
	struct canvas canvas;
	struct pen cursor;
	struct buf row;

	canvas_init(&canvas);
	canvas_size(&canvas, 1, 6);
	buf_init(&row, KIB);
	typed_set(&typed, TEXT("abcdefghij"));
	cursor = typed_draw(&typed, pen_at(canvas_all(&canvas), 0, 0, STYLE_PLAIN));
	canvas_row(&canvas, 0, &row);
	assert_true(text_is(buf_text(&row), "fghij"));
	assert_int_equal(cursor.col, 5);
	canvas_clear(&canvas);
	buf_clear(&row);
	keys(PRESS_HOME);
	cursor = typed_draw(&typed, pen_at(canvas_all(&canvas), 0, 0, STYLE_PLAIN));
	canvas_row(&canvas, 0, &row);
	assert_true(text_is(buf_text(&row), "abcde…"));
	assert_int_equal(cursor.col, 0);
	buf_finish(&row);
	canvas_finish(&canvas);
}

#define one(f) cmocka_unit_test_setup_teardown(f, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		one(what_is_typed_stands_where_the_cursor_is),
		one(a_character_goes_with_all_its_marks),
		one(words_and_lines_are_cut),
		one(what_is_no_text_is_not_taken),
		one(a_paste_may_have_lines_but_no_escapes),
		one(there_is_an_end_to_it),
		one(the_part_around_the_cursor_is_drawn),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
