/* progress_test.c - what the bar says, and that it fits. */
#include "cli/progress.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void draw(const struct progress *p, uint64_t done, uint64_t ms, const char *expected)
{
	struct buf out;

	buf_init(&out, 1024);
	progress_draw(&out, p, done, ms);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, expected);
	buf_finish(&out);
}

static void it_says_how_much_how_fast_and_how_long(void **state)
{
	struct progress p = {.what = "verify", .total = 400 * MIB, .columns = 64};

	draw(&p, 100 * MIB, 2000,
	     "verify  [###----------]   25 %  100.0 MiB  50.0 MiB/s  0:06 left");
	draw(&p, 400 * MIB, 8000,
	     "verify  [#############]  100 %  400.0 MiB  50.0 MiB/s  0:00 left");
}

static void signals_are_counted_in_thousands(void **state)
{
	struct progress p = {
		.what = "replay", .unit = PROGRESS_SIGNALS, .total = 10000000, .columns = 47};

	draw(&p, 1000, 1000, "replay    0 %  1.0 k  1.0 k/s  2:46:39 left");
	draw(&p, 7, 1000, "replay  [-----------]    0 %  7  7/s  long left");
}

static void without_a_total_there_is_no_bar_and_no_end(void **state)
{
	struct progress p = {.what = "import", .columns = 80};

	draw(&p, 512, 1000, "import  512 B  512 B/s");
	draw(&p, 0, 0, "import  0 B  0 B/s");
}

static void what_takes_a_known_time_is_as_far_as_that_is(void **state)
{
	struct progress p = {
		.what = "emit", .unit = PROGRESS_SIGNALS, .total_ms = 4000, .columns = 56};

	draw(&p, 7000, 1000, "emit  [###-----------]   25 %  7.0 k  7.0 k/s  0:03 left");
	draw(&p, 7000, 9000, "emit  [################]  100 %  7.0 k  778/s  0:00 left");
}

static void what_turned_out_to_be_more_is_all_of_it(void **state)
{
	struct progress p = {
		.what = "export", .unit = PROGRESS_SIGNALS, .total = 10, .columns = 40};

	draw(&p, 15, 1000, "export  100 %  10  10/s  0:00 left");
}

static void it_is_never_wider_than_the_terminal(void **state)
{
	for (unsigned columns = 0; columns < 120; columns++) {
		struct progress p = {.what = "verify", .total = 3 * MIB, .columns = columns};
		struct buf out;

		buf_init(&out, 1024);
		progress_draw(&out, &p, 2 * MIB, 1500);
		assert_true(out.len <= columns);
		buf_finish(&out);
	}
}

static void colours_replace_the_brackets(void **state)
{
	struct progress p = {.what = "verify", .total = 4, .columns = 44, .colored = true};
	struct buf out;

	buf_init(&out, 1024);
	progress_draw(&out, &p, 2, 1000);
	assert_non_null(memmem(out.at, out.len, "\033[32m", 5));
	assert_null(memchr(out.at, ']', out.len));
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_how_much_how_fast_and_how_long),
		cmocka_unit_test(signals_are_counted_in_thousands),
		cmocka_unit_test(without_a_total_there_is_no_bar_and_no_end),
		cmocka_unit_test(what_takes_a_known_time_is_as_far_as_that_is),
		cmocka_unit_test(what_turned_out_to_be_more_is_all_of_it),
		cmocka_unit_test(it_is_never_wider_than_the_terminal),
		cmocka_unit_test(colours_replace_the_brackets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
