/* seen_test.c - each hash once, and those of the file first. */
#include "crew/seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Of many that fall on one slot, too. */
static uint64_t hash_of(uint64_t n)
{
	return n % 3 ? n * 0x9e3779b97f4a7c15u : n;
}

static void each_is_there_once(void **state)
{
	struct seen_ids seen;

	seen_init(&seen);
	assert_false(seen_has(&seen, 7));
	for (unsigned round = 0; round < 2; round++)
		for (uint64_t i = 0; i < 5000; i++)
			seen_add(&seen, hash_of(i));
	assert_int_equal(seen.count, 5000);
	for (uint64_t i = 0; i < 5000; i++)
		assert_true(seen_has(&seen, hash_of(i)));
	assert_false(seen_has(&seen, hash_of(5000)));
	seen_finish(&seen);
}

static void those_of_the_file_stand_first(void **state)
{
	const uint64_t file[] = {50, 20, 30};
	struct seen_ids seen;

	seen_init(&seen);
	for (uint64_t i = 1; i <= 4; i++)
		seen_add(&seen, i * 10);
	seen_keep(&seen, file, 3);
	assert_int_equal(seen.count, 5);
	assert_int_equal(seen.kept, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(seen.list[i], file[i]);
	for (uint64_t i = 1; i <= 5; i++)
		assert_true(seen_has(&seen, i * 10));
	seen_keep(&seen, file, 3);
	assert_int_equal(seen.kept, 3);
	seen_finish(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_there_once),
		cmocka_unit_test(those_of_the_file_stand_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
