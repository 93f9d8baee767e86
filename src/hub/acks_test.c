/* acks_test.c - an acknowledgement leaves in order, once, and not before it is
 * true. */
#include "hub/acks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void nothing_is_ready_before_it_is_durable(void **state)
{
	struct acks *acks = acks_create(NULL);
	uint64_t tag = acks_add(acks, TEXT("1"));

	assert_null(acks_ready(acks, 100)); /* not even stamped */
	acks_stamp(acks, tag, 5);
	assert_null(acks_ready(acks, 4));
	assert_non_null(acks_ready(acks, 5));
	acks_pop(acks);
	assert_null(acks_ready(acks, 100));
	acks_destroy(acks);
}

static void refused_ones_are_passed_over(void **state)
{
	struct acks *acks = acks_create(NULL);
	uint64_t one = acks_add(acks, TEXT("1")), two = acks_add(acks, TEXT("2"));

	acks_void(acks, one);
	acks_stamp(acks, two, 9);
	assert_memory_equal(acks_ready(acks, 9)->ref, "2", 1);
	acks_destroy(acks);
}

static void refs_survive_growth_and_wrapping(void **state)
{
	struct acks *acks = acks_create(NULL);
	uint64_t seq = 0;
	char ref[16];

	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 40; i++) {
			int n = snprintf(ref, sizeof(ref), "%llu",
			                 (unsigned long long)(acks->next + 1));

			acks_stamp(acks, acks_add(acks, (struct text){ref, (size_t)n}), ++seq);
		}
		for (int i = 0; i < 30; i++) {
			const struct ack *a = acks_ready(acks, seq);

			snprintf(ref, sizeof(ref), "%llu", (unsigned long long)a->seq);
			assert_memory_equal(a->ref, ref, a->ref_len);
			acks_pop(acks);
		}
	}
	assert_int_equal(acks->next - acks->first, 500);
	acks_destroy(acks);
}

/* What was read with the one that filled it is taken all the same. */
static void it_says_when_it_is_full(void **state)
{
	struct acks *acks = acks_create(NULL);

	for (int i = 0; i < ACKS_MAX; i++) {
		assert_false(acks_is_full(acks));
		acks_add(acks, TEXT("x"));
	}
	assert_true(acks_is_full(acks));
	for (int i = 0; i < ACKS_MAX; i++)
		acks_add(acks, TEXT("y"));
	assert_true(text_is((struct text){acks_at(acks, 0)->ref, 1}, "x"));
	assert_true(text_is((struct text){acks_at(acks, 2 * ACKS_MAX - 1)->ref, 1}, "y"));
	acks_destroy(acks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_ready_before_it_is_durable),
		cmocka_unit_test(refused_ones_are_passed_over),
		cmocka_unit_test(refs_survive_growth_and_wrapping),
		cmocka_unit_test(it_says_when_it_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
