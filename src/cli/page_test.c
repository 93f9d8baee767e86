/* page_test.c - what a terminal is told, so that lines stay, grow and are replaced. */
#include "cli/page.h"

#include <locale.h>

#include "base/fixture.h"

static struct page page;

static int set_up(void **state)
{
	page_init(&page, 20);
	page_set_status(&page, TEXT("idle"));
	buf_clear(&page.out);
	return 0;
}

static int take_down(void **state)
{
	page_finish(&page);
	return 0;
}

static void expect(const char *bytes)
{
	buf_add_char(&page.out, '\0');
	assert_string_equal(page.out.at, bytes);
	buf_clear(&page.out);
}

static void a_line_stays_above_the_status(void **state)
{
	page_add_line(&page, TEXT("you: good morning"));
	expect("\r\033[Jyou: good morning\nidle");
	page_add_line(&page, TEXT("one that is longer than a row"));
	expect("\r\033[Jone that is longer \nthan a row\nidle");
}

static void the_line_that_grows_is_replaced(void **state)
{
	page_set_line(&page, TEXT("good"));
	expect("\r\033[Jgood\nidle");
	page_set_line(&page, TEXT("good morning"));
	expect("\r\033[A\033[Jgood morning\nidle");
	page_set_line(&page, TEXT("of a long one the end is seen"));
	expect("\r\033[A\033[Jone the end is seen\nidle");
	page_set_line(&page, TEXT(""));
	expect("\r\033[A\033[Jidle");
}

static void what_is_full_of_an_answer_stays(void **state)
{
	page_grow_line(&page, TEXT("I am well, thank "));
	expect("\r\033[JI am well, thank \nidle");
	page_grow_line(&page, TEXT("you.\nAnd"));
	expect("\r\033[A\033[JI am well, thank \nyou.\nAnd\nidle");
	page_end_line(&page);
	expect("\r\033[A\033[JAnd\nidle");
	page_end_line(&page);
	expect("\r\033[Jidle");
}

static void no_text_moves_anything(void **state)
{
	page_add_line(&page, TEXT("a\033[2Jb\a\r\nc\xff"));
	expect("\r\033[Ja\xEF\xBF\xBD[2Jb\xEF\xBF\xBD  c\xEF\xBF\xBD\nidle");
	page_grow_line(&page, TEXT("\033]0;x\a"));
	expect("\r\033[J\xEF\xBF\xBD]0;x\xEF\xBF\xBD\nidle");
}

static void the_same_status_is_not_written_again(void **state)
{
	page_set_status(&page, TEXT("idle"));
	expect("");
	page_set_status(&page, TEXT("one that is wider than all of it"));
	expect("\r\033[Jone that is wider t");
}

/* The terminal has broken the row of 19 cells into two. */
static void a_narrower_terminal_has_broken_the_rows(void **state)
{
	page_set_line(&page, TEXT("nineteen cells here"));
	buf_clear(&page.out);
	page_resize(&page, 12);
	expect("\r\033[A\033[A\033[J cells here\nidle");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_line_stays_above_the_status, set_up, take_down),
		cmocka_unit_test_setup_teardown(the_line_that_grows_is_replaced, set_up, take_down),
		cmocka_unit_test_setup_teardown(what_is_full_of_an_answer_stays, set_up, take_down),
		cmocka_unit_test_setup_teardown(no_text_moves_anything, set_up, take_down),
		cmocka_unit_test_setup_teardown(the_same_status_is_not_written_again, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(a_narrower_terminal_has_broken_the_rows, set_up,
	                                        take_down),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
