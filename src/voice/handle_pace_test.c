/* handle_pace_test.c - ten asks a minute for each peer. */
#include "voice/handle_pace.h"

#include <stdio.h>

#include "base/fixture.h"

static void ten_are_taken_and_the_next_waits_for_the_first(void **state)
{
	struct handle_pace pace = {0};

	for (uint64_t i = 0; i < HANDLE_ASKS; i++)
		assert_int_equal(handle_pace_ask(&pace, "uid 1", 1000 + i * 100), 0);
	assert_int_equal(handle_pace_ask(&pace, "uid 1", 2000), 59000);
	assert_int_equal(handle_pace_ask(&pace, "uid 1", 60999), 1);
	assert_int_equal(handle_pace_ask(&pace, "uid 1", 61000), 0);
	assert_int_equal(handle_pace_ask(&pace, "uid 1", 61000), 100);
}

static void another_peer_has_its_own(void **state)
{
	struct handle_pace pace = {0};

	for (int i = 0; i < HANDLE_ASKS; i++)
		handle_pace_ask(&pace, "192.0.2.1", 5);
	assert_int_not_equal(handle_pace_ask(&pace, "192.0.2.1", 5), 0);
	assert_int_equal(handle_pace_ask(&pace, "192.0.2.2", 5), 0);
}

static void nobody_is_forgotten_before_its_minute_is_over(void **state)
{
	struct handle_pace pace = {0};
	char name[PEER_NAME_MAX];

	for (int i = 0; i < HANDLE_PEERS_MAX; i++) {
		snprintf(name, sizeof(name), "192.0.2.%d", i);
		assert_int_equal(handle_pace_ask(&pace, name, 100 + (uint64_t)i), 0);
	}
	assert_int_not_equal(handle_pace_ask(&pace, "198.51.100.1", 1000), 0);
	assert_int_equal(handle_pace_ask(&pace, "198.51.100.1", 100 + HANDLE_ASKS_MS), 0);
	assert_int_equal(handle_pace_ask(&pace, "192.0.2.5", 1000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_are_taken_and_the_next_waits_for_the_first),
		cmocka_unit_test(another_peer_has_its_own),
		cmocka_unit_test(nobody_is_forgotten_before_its_minute_is_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
