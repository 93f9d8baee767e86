/* canvas_test.c - nothing that is drawn leaves its area, and no half character stays. */
#include "tui/canvas.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct canvas canvas;

static void assert_row(int row, const char *as)
{
	struct buf out;

	buf_init(&out, 8 * KIB);
	canvas_row(&canvas, row, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, as);
	buf_finish(&out);
}

static int make(void **state)
{
	canvas_init(&canvas);
	canvas_size(&canvas, 4, 10);
	return 0;
}

static int drop(void **state)
{
	canvas_finish(&canvas);
	return 0;
}

static void what_does_not_fit_ends_in_an_ellipsis(void **state)
{
	struct pen pen = pen_at(canvas_all(&canvas), 0, 2, STYLE_PLAIN);

	pen_put(&pen, TEXT("12345678"));
	assert_row(0, "  12345678");
	pen = pen_at(canvas_all(&canvas), 1, 2, STYLE_PLAIN);
	pen_put(&pen, TEXT("123456789"));
	assert_row(1, "  1234567…");
	assert_int_equal(pen.col, 10);
	pen = pen_at(canvas_all(&canvas), 2, 0, STYLE_PLAIN);
	pen_put(&pen, TEXT("日本日本日本"));
	assert_row(2, "日本日本…");
}

static void a_fit_is_exactly_so_wide(void **state)
{
	struct pen pen = pen_at(canvas_all(&canvas), 0, 0, STYLE_PLAIN);

	pen_fit(&pen, TEXT("ab"), 4);
	pen_fit(&pen, TEXT("日本語"), 4);
	pen_put(&pen, TEXT("!"));
	assert_row(0, "ab  日… !");
	assert_int_equal(pen.col, 9);
}

static void over_half_of_a_wide_one_the_other_half_goes(void **state)
{
	struct pen pen = pen_at(canvas_all(&canvas), 0, 0, STYLE_PLAIN);

	pen_put(&pen, TEXT("日本"));
	pen = pen_at(canvas_all(&canvas), 0, 1, STYLE_PLAIN);
	pen_put(&pen, TEXT("xy"));
	assert_row(0, " xy");
}

static void nothing_leaves_its_area(void **state)
{
	struct area part = area_part(canvas_all(&canvas), 1, 3, 2, 4);
	struct pen pen;

	for (int row = -2; row < 5; row++) {
		for (int col = -3; col < 8; col++) {
			pen = pen_at(part, row, col, STYLE_PLAIN);
			pen_put(&pen, TEXT("日x日x日x日"));
			pen_repeat(&pen, TEXT("日"), 100);
			pen_rest(&pen);
		}
	}
	for (int i = 0; i < 40; i++)
		assert_true(canvas.cells[i].style == STYLE_PLAIN || area_has(part, i / 10, i % 10));
	assert_row(0, "");
	assert_row(3, "");
}

static void a_part_is_within_the_whole(void **state)
{
	struct area all = canvas_all(&canvas);
	struct area part = area_part(all, 3, 8, 100, 100);

	assert_int_equal(part.rows, 1);
	assert_int_equal(part.cols, 2);
	part = area_part(all, 9, 99, -1, 5);
	assert_int_equal(part.rows, 0);
	assert_int_equal(part.cols, 0);
}

static void a_box_has_a_title_and_an_inside(void **state)
{
	struct border box = {.title = TEXT("日"), .style = STYLE_BORDER};
	struct area inside = area_box(canvas_all(&canvas), &box);

	assert_row(0, "╭─ 日 ───╮");
	assert_row(1, "│        │");
	assert_row(3, "╰────────╯");
	assert_int_equal(inside.rows, 2);
	assert_int_equal(inside.cols, 8);
	box = (struct border){.heavy = true, .note = TEXT("n")};
	area_box(canvas_all(&canvas), &box);
	assert_row(0, "┏━━━━ n ━┓");
}

static void a_canvas_may_be_tiny(void **state)
{
	struct border box = {.title = TEXT("title"), .note = TEXT("note")};

	for (int rows = 0; rows < 4; rows++) {
		for (int cols = 0; cols < 8; cols++) {
			canvas_size(&canvas, rows, cols);
			area_box(canvas_all(&canvas), &box);
		}
	}
}

static void styles_keep_what_is_chosen(void **state)
{
	struct pen pen = pen_at(canvas_all(&canvas), 0, 0, STYLE_PLAIN | STYLE_CHOSEN);

	pen_styled(&pen, STYLE_DONE, TEXT("x"));
	assert_int_equal(canvas.cells[0].style, STYLE_DONE | STYLE_CHOSEN);
	assert_int_equal(pen.style, STYLE_PLAIN | STYLE_CHOSEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_does_not_fit_ends_in_an_ellipsis, make, drop),
		cmocka_unit_test_setup_teardown(a_fit_is_exactly_so_wide, make, drop),
		cmocka_unit_test_setup_teardown(over_half_of_a_wide_one_the_other_half_goes, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(nothing_leaves_its_area, make, drop),
		cmocka_unit_test_setup_teardown(a_part_is_within_the_whole, make, drop),
		cmocka_unit_test_setup_teardown(a_box_has_a_title_and_an_inside, make, drop),
		cmocka_unit_test_setup_teardown(a_canvas_may_be_tiny, make, drop),
		cmocka_unit_test_setup_teardown(styles_keep_what_is_chosen, make, drop),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
