/* map_test.c - the hash table, against a plain array of what it should hold. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define KEYS 500
#define ROUNDS 20000

static struct text key_of(unsigned i, char room[16])
{
	return (struct text){room, (size_t)snprintf(room, 16, "key-%u", i)};
}

static void what_is_set_is_found_and_what_is_not_is_null(void **state)
{
	struct map m;
	int one, two;

	map_init(&m);
	assert_null(map_get(&m, TEXT("a")));
	assert_null(map_remove(&m, TEXT("a")));
	map_set(&m, TEXT("a"), &one);
	map_set(&m, TEXT(""), &two);
	assert_ptr_equal(map_get(&m, TEXT("a")), &one);
	assert_ptr_equal(map_get(&m, TEXT("")), &two);
	assert_ptr_equal(map_get(&m, (struct text){0}), &two);
	assert_null(map_get(&m, TEXT("b")));
	map_finish(&m);
}

static void setting_again_replaces(void **state)
{
	struct map m;
	int one, two;

	map_init(&m);
	map_set(&m, TEXT("a"), &one);
	map_set(&m, TEXT("a"), &two);
	assert_int_equal(m.count, 1);
	assert_ptr_equal(map_remove(&m, TEXT("a")), &two);
	assert_int_equal(m.count, 0);
	map_finish(&m);
}

/* Sets and removes at random, but the same on every run. */
static void any_order_of_sets_and_removes_agrees_with_an_array(void **state)
{
	static bool there[KEYS];
	struct map m;
	uint64_t dice = 1;
	size_t count = 0;
	char room[16];

	map_init(&m);
	for (int i = 0; i < ROUNDS; i++) {
		unsigned k;

		dice = dice * 6364136223846793005u + 1442695040888963407u;
		k = (unsigned)(dice >> 33) % KEYS;
		assert_int_equal(map_get(&m, key_of(k, room)) == &there[k], there[k]);
		if (dice >> 63) {
			map_set(&m, key_of(k, room), &there[k]);
			count += !there[k];
			there[k] = true;
		} else {
			assert_int_equal(map_remove(&m, key_of(k, room)) == &there[k], there[k]);
			count -= there[k];
			there[k] = false;
		}
		assert_int_equal(m.count, count);
	}
	for (unsigned k = 0; k < KEYS; k++)
		assert_int_equal(map_get(&m, key_of(k, room)) == &there[k], there[k]);
	map_finish(&m);
}

static void a_walk_meets_every_key_once(void **state)
{
	bool met[100] = {false};
	struct text key;
	struct map m;
	char room[16];
	void *value;
	size_t at = 0, steps = 0;

	map_init(&m);
	for (unsigned i = 0; i < 100; i++)
		map_set(&m, key_of(i, room), &met[i]);
	while (map_next(&m, &at, &key, &value)) {
		assert_false(*(bool *)value);
		*(bool *)value = true;
		assert_ptr_equal(map_get(&m, key), value);
		steps++;
	}
	assert_int_equal(steps, 100);
	map_finish(&m);
}

static void the_hash_depends_on_the_seed_and_on_every_byte(void **state)
{
	uint64_t whole = map_hash(1, TEXT("0123456789abcdef0"));

	assert_true(whole != map_hash(2, TEXT("0123456789abcdef0")));
	assert_true(whole != map_hash(1, TEXT("0123456789abcdef1")));
	assert_true(whole != map_hash(1, TEXT("1123456789abcdef0")));
	assert_true(map_hash(1, TEXT("a")) != map_hash(1, TEXT("a\0")));
	assert_true(map_hash(1, TEXT("1")) != map_hash(1, TEXT("21")));
	assert_true(map_hash(1, TEXT("21")) != map_hash(1, TEXT("311")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_set_is_found_and_what_is_not_is_null),
		cmocka_unit_test(setting_again_replaces),
		cmocka_unit_test(any_order_of_sets_and_removes_agrees_with_an_array),
		cmocka_unit_test(a_walk_meets_every_key_once),
		cmocka_unit_test(the_hash_depends_on_the_seed_and_on_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
