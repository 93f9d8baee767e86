/* held_test.c - what is kept of a port that goes on playing. */
#include "source/midi/held.h"

#include "source/fixture.h"

static bool put(struct midi_held *held, unsigned n)
{
	char words[16];

	snprintf(words, sizeof(words), "%u", n);
	return held_put(held, text_of(words));
}

static void takes(struct midi_held *held, unsigned n)
{
	char *envelope = held_take(held);

	assert_non_null(envelope);
	assert_int_equal(strtoul(envelope, NULL, 10), n);
	free(envelope);
}

static void what_is_held_comes_in_its_order(void **state)
{
	struct midi_held held = {0};

	assert_null(held_take(&held));
	for (unsigned i = 0; i < 3 * HELD_MAX; i += 3) {
		assert_true(put(&held, i) && put(&held, i + 1) && put(&held, i + 2));
		takes(&held, i);
		takes(&held, i + 1);
		takes(&held, i + 2);
	}
	assert_null(held_take(&held));
}

static void when_it_is_full_the_oldest_goes(void **state)
{
	struct midi_held held = {0};

	for (unsigned i = 0; i < HELD_MAX; i++)
		assert_true(put(&held, i));
	for (unsigned i = 0; i < 100; i++)
		assert_false(put(&held, HELD_MAX + i));
	for (unsigned i = 0; i < HELD_MAX; i++)
		takes(&held, 100 + i);
	assert_null(held_take(&held));
	assert_true(put(&held, 7));
	takes(&held, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_held_comes_in_its_order),
		cmocka_unit_test(when_it_is_full_the_oldest_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
