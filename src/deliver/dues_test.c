/* dues_test.c - the earliest comes first, whatever happened before. */
#include "deliver/dues.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { COUNT = 300, ROUNDS = 20000 };

static struct due all[COUNT];

static uint64_t draw(void)
{
	static uint64_t seed = 88172645463325252u;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* As one finds it who looks at all of them. */
static void check(const struct dues *d)
{
	const struct due *first = dues_first(d);
	int64_t earliest = INT64_MAX;
	size_t count = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		count += all[i].place != 0;
		if (all[i].place && all[i].at_ms < earliest)
			earliest = all[i].at_ms;
	}
	assert_int_equal(d->count, count);
	assert_true(first ? first->at_ms == earliest && first->place == 1 : count == 0);
}

static void the_earliest_is_first(void **state)
{
	struct dues d = {0};

	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t drawn = draw();
		int64_t at_ms = drawn % 3 ? (int64_t)(drawn / 8 % 1000) : INT64_MAX;

		dues_set(&d, &all[(drawn >> 32) % COUNT], at_ms);
		check(&d);
	}
	dues_finish(&d);
}

static void all_come_in_their_order(void **state)
{
	struct dues d = {0};
	struct due some[COUNT] = {0};
	struct due *first;
	int64_t last = 0;
	unsigned came = 0;

	for (unsigned i = 0; i < COUNT; i++)
		dues_set(&d, &some[i], (int64_t)(draw() % 100));
	while ((first = dues_first(&d))) {
		assert_true(first->at_ms >= last);
		last = first->at_ms;
		dues_set(&d, first, INT64_MAX);
		came++;
	}
	assert_int_equal(came, COUNT);
	dues_finish(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_earliest_is_first),
		cmocka_unit_test(all_come_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
