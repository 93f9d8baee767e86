/* pace_test.c - how often the whole text of a message is told again. */
#include "net/pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { LEAST_MS = 75, TEXT_BYTES = 2048 };

static void test_long_text_is_told_less_often(void **state)
{
	unsigned short_ms = pace_pause(TEXT_BYTES, 128 * KIB, 1, LEAST_MS);
	unsigned long_ms = pace_pause(256 * KIB, 128 * KIB, 1, LEAST_MS);

	assert_int_equal(short_ms, LEAST_MS);
	assert_int_equal(long_ms, 2000);
}

/* 256 clients of 128 KiB a second each are 32 MiB. */
static void test_clients_share_what_a_run_may_cost(void **state)
{
	unsigned few = pace_pause(64 * KIB, 128 * KIB, 256, LEAST_MS);
	unsigned many = pace_pause(64 * KIB, 128 * KIB, 512, LEAST_MS);
	unsigned crowd = pace_pause(TEXT_BYTES, 128 * KIB, 5000, LEAST_MS);
	size_t told = crowd ? (size_t)5000 * TEXT_BYTES * 1000 / crowd : SIZE_MAX;

	assert_int_equal(few, 500);
	assert_int_equal(many, 1000);
	assert_in_range(told, PACE_ALL_RATE, PACE_ALL_RATE + PACE_ALL_RATE / 100);
}

static void test_nothing_is_divided_by_nothing(void **state)
{
	unsigned nobody = pace_pause(TEXT_BYTES, 128 * KIB, 0, LEAST_MS);
	unsigned everybody = pace_pause(SIZE_MAX / 2000, KIB, SIZE_MAX, LEAST_MS);

	assert_int_equal(nobody, LEAST_MS);
	assert_int_equal(everybody, 3600000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_text_is_told_less_often),
		cmocka_unit_test(test_clients_share_what_a_run_may_cost),
		cmocka_unit_test(test_nothing_is_divided_by_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
