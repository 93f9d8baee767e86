/* pool_test.c - things come zeroed, apart, and again. */
#include "base/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MANY 1000

static void things_do_not_overlap(void **state)
{
	struct pool pool;
	unsigned char *things[MANY];

	pool_init(&pool, 37);
	for (int i = 0; i < MANY; i++) {
		things[i] = pool_take(&pool);
		for (int b = 0; b < 37; b++)
			assert_int_equal(things[i][b], 0);
		assert_int_equal((uintptr_t)things[i] % _Alignof(max_align_t), 0);
		memset(things[i], i & 0xFF, 37);
	}
	for (int i = 0; i < MANY; i++)
		for (int b = 0; b < 37; b++)
			assert_int_equal(things[i][b], i & 0xFF);
	pool_finish(&pool);
}

static void what_came_back_is_taken_again(void **state)
{
	struct pool pool;
	void *a, *b;

	pool_init(&pool, 100);
	a = pool_take(&pool);
	b = pool_take(&pool);
	memset(a, 0xFF, 100);
	pool_give(&pool, a);
	pool_give(&pool, b);
	pool_give(&pool, NULL);
	assert_ptr_equal(pool_take(&pool), b);
	assert_ptr_equal(pool_take(&pool), a);
	for (int i = 0; i < 100; i++)
		assert_int_equal(((unsigned char *)a)[i], 0);
	pool_finish(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(things_do_not_overlap),
		cmocka_unit_test(what_came_back_is_taken_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
