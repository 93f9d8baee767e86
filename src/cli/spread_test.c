/* spread_test.c - percentiles that are right within three in a hundred. */
#include "cli/spread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static struct spread spread;

static void begin(void)
{
	spread = (struct spread){0};
}

static void expect_about(uint64_t got, uint64_t wanted)
{
	assert_true(got >= wanted && got <= wanted + wanted / SPREAD_STEPS + 1);
}

static void of_nothing_there_is_nothing(void **state)
{
	begin();
	assert_int_equal(spread_at(&spread, 50), 0);
	assert_int_equal(spread_at(&spread, 100), 0);
}

static void of_one_every_percentile_is_that_one(void **state)
{
	begin();
	spread_add(&spread, 123456789);
	assert_int_equal(spread_at(&spread, 1), 123456789);
	assert_int_equal(spread_at(&spread, 50), 123456789);
	assert_int_equal(spread_at(&spread, 100), 123456789);
}

static void percentiles_are_right_within_a_step(void **state)
{
	begin();
	for (uint64_t i = 1; i <= 100000; i++)
		spread_add(&spread, i * 1000);
	expect_about(spread_at(&spread, 50), 50000000);
	expect_about(spread_at(&spread, 99), 99000000);
	assert_int_equal(spread_at(&spread, 100), 100000000);
	assert_int_equal(spread.max, 100000000);
}

static void a_few_slow_ones_show_only_in_the_tail(void **state)
{
	begin();
	for (unsigned i = 0; i < 990; i++)
		spread_add(&spread, 10);
	for (unsigned i = 0; i < 10; i++)
		spread_add(&spread, 7000000);
	assert_int_equal(spread_at(&spread, 50), 10);
	assert_int_equal(spread_at(&spread, 99), 10);
	expect_about(spread_at(&spread, 99.5), 7000000);
}

static void nothing_and_the_longest_there_is_have_their_place(void **state)
{
	begin();
	spread_add(&spread, 0);
	assert_int_equal(spread_at(&spread, 100), 0);
	spread_add(&spread, UINT64_MAX);
	assert_true(spread_at(&spread, 100) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_nothing_there_is_nothing),
		cmocka_unit_test(of_one_every_percentile_is_that_one),
		cmocka_unit_test(percentiles_are_right_within_a_step),
		cmocka_unit_test(a_few_slow_ones_show_only_in_the_tail),
		cmocka_unit_test(nothing_and_the_longest_there_is_have_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
