/* paper_test.c - text that is wrapped, scrolled, cut and copied. */
#include "tui/paper.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct paper paper;
static struct canvas canvas;

static int make(void **state)
{
	paper_init(&paper);
	canvas_init(&canvas);
	return 0;
}

static int drop(void **state)
{
	paper_finish(&paper);
	canvas_finish(&canvas);
	return 0;
}

/* Its rows, each with a bar behind. */
static const char *drawn(int rows, int cols)
{
	static char all[4096];
	struct buf out;

	canvas_size(&canvas, rows, cols);
	paper_draw(&paper, canvas_all(&canvas));
	buf_init(&out, sizeof(all));
	for (int row = 0; row < rows; row++) {
		canvas_row(&canvas, row, &out);
		buf_add_char(&out, '|');
	}
	snprintf(all, sizeof(all), "%.*s", TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
	return all;
}

static void press(uint32_t code)
{
	assert_true(paper_press(&paper, &(struct press){.code = code}));
}

static void words_stay_whole_if_they_can(void **state)
{
	paper_add(&paper, STYLE_PLAIN, TEXT("one two three\n\nabcdefghijklmnop"));
	assert_string_equal(drawn(7, 12), "┊ one two|┊ three|┊|┊ abcdefghij|┊ klmnop|||");
	assert_string_equal(drawn(4, 40), "┊ one two three|┊|┊ abcdefghijklmnop||");
}

static void it_is_drawn_in_the_narrowest_place(void **state)
{
	paper_add(&paper, STYLE_PLAIN, TEXT("漢字 wide"));
	drawn(3, 1);
	drawn(1, 3);
	assert_true(paper.row_count >= 4);
}

static void it_follows_until_it_is_scrolled_up_and_again_from_the_end(void **state)
{
	for (int i = 0; i < 6; i++)
		paper_print(&paper, STYLE_PLAIN, "line%d", i);
	assert_string_equal(drawn(2, 20), "┊ line4|┊ line5|");
	press('k');
	paper_add(&paper, STYLE_PLAIN, TEXT("line6"));
	assert_string_equal(drawn(2, 20), "┊ line3|┊ line4|");
	assert_true(paper.is_held);
	press('g');
	assert_string_equal(drawn(2, 20), "┊ line0|┊ line1|");
	press(PRESS_PAGE_DOWN);
	assert_string_equal(drawn(2, 20), "┊ line1|┊ line2|");
	press('G');
	paper_add(&paper, STYLE_PLAIN, TEXT("line7"));
	assert_string_equal(drawn(2, 20), "┊ line6|┊ line7|");
	assert_false(paper_press(&paper, &(struct press){.code = 'x'}));
}

static void one_that_begins_at_its_top_stays_there(void **state)
{
	paper.is_begun = true;
	for (int i = 0; i < 6; i++)
		paper_print(&paper, STYLE_PLAIN, "line%d", i);
	assert_string_equal(drawn(2, 20), "┊ line0|┊ line1|");
	press('j');
	assert_string_equal(drawn(2, 20), "┊ line1|┊ line2|");
	press('G');
	assert_string_equal(drawn(2, 20), "┊ line4|┊ line5|");
}

static void lines_are_cut_and_copied_by_their_numbers(void **state)
{
	struct buf out;
	size_t reply;

	paper_head(&paper, STYLE_SENT, TEXT("sent"));
	paper_add(&paper, STYLE_PLAIN, TEXT("a\nb"));
	reply = paper_end(&paper);
	paper_head(&paper, STYLE_REPLY, TEXT("reply"));
	paper_add(&paper, STYLE_PLAIN, TEXT("c"));
	paper_head(&paper, STYLE_SENT, TEXT("sent"));
	assert_string_equal(drawn(6, 20), "sent|┊ a|┊ b|reply|┊ c|sent|");
	buf_init(&out, KIB);
	paper_copy(&paper, reply, true, &out);
	assert_true(text_is(buf_text(&out), "c\n"));
	buf_clear(&out);
	paper_cut(&paper, reply);
	paper_copy(&paper, 0, false, &out);
	assert_true(text_is(buf_text(&out), "sent\na\nb\n"));
	assert_string_equal(drawn(4, 20), "sent|┊ a|┊ b||");
	buf_finish(&out);
}

static void much_text_loses_its_older_half(void **state)
{
	size_t numbered;

	drawn(2, 20);
	for (size_t i = 0; i < PAPER_LINES_MAX + 1; i++)
		paper_print(&paper, STYLE_PLAIN, "%zu", i);
	assert_true(paper.count <= PAPER_LINES_MAX / 2 + 1);
	assert_int_equal(paper_end(&paper), PAPER_LINES_MAX + 1);
	assert_string_equal(drawn(1, 20), "┊ 100000|");
	numbered = paper_end(&paper);
	paper_add(&paper, STYLE_PLAIN, TEXT("more"));
	paper_cut(&paper, numbered);
	assert_string_equal(drawn(1, 20), "┊ 100000|");
}

#define one(f) cmocka_unit_test_setup_teardown(f, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		one(words_stay_whole_if_they_can),
		one(it_is_drawn_in_the_narrowest_place),
		one(it_follows_until_it_is_scrolled_up_and_again_from_the_end),
		one(one_that_begins_at_its_top_stays_there),
		one(lines_are_cut_and_copied_by_their_numbers),
		one(much_text_loses_its_older_half),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
