/* hold_test.c - a key that is pressed twice, and one that is held. */
#include "cli/hold.h"

#include "base/fixture.h"

static void pressed_twice_it_begins_and_ends(void **state)
{
	struct hold hold = {0};

	assert_int_equal(hold_press(&hold, 1000), HOLD_BEGINS);
	assert_int_equal(hold_patience(&hold, 1500), -1);
	assert_int_equal(hold_look(&hold, 90000), HOLD_NOTHING);
	assert_int_equal(hold_press(&hold, 90000), HOLD_ENDS);
	assert_int_equal(hold_press(&hold, 91000), HOLD_BEGINS);
}

static void a_second_press_that_is_soon_ends_it_when_no_repeat_follows(void **state)
{
	struct hold hold = {0};

	hold_press(&hold, 1000);
	assert_int_equal(hold_press(&hold, 1500), HOLD_NOTHING);
	assert_int_equal(hold_patience(&hold, 1520), 100);
	assert_int_equal(hold_look(&hold, 1619), HOLD_NOTHING);
	assert_int_equal(hold_look(&hold, 1620), HOLD_ENDS);
	assert_int_equal(hold_look(&hold, 9000), HOLD_NOTHING);
}

static void held_down_it_ends_when_the_repeats_do(void **state)
{
	struct hold hold = {0};
	uint64_t now = 1500;

	assert_int_equal(hold_press(&hold, 1000), HOLD_BEGINS);
	for (; now < 6000; now += 33) {
		assert_int_equal(hold_press(&hold, now), HOLD_NOTHING);
		assert_int_equal(hold_look(&hold, now + 30), HOLD_NOTHING);
	}
	assert_int_equal(hold_look(&hold, now + 200), HOLD_NOTHING);
	assert_int_equal(hold_look(&hold, now + 300), HOLD_ENDS);
}

static void repeats_after_another_key_ended_it_begin_nothing(void **state)
{
	struct hold hold = {0};

	hold_press(&hold, 1000);
	hold_press(&hold, 1500);
	hold_press(&hold, 1533);
	hold_close(&hold);
	assert_int_equal(hold_press(&hold, 1566), HOLD_NOTHING);
	assert_int_equal(hold_look(&hold, 9000), HOLD_NOTHING);
	assert_int_equal(hold_press(&hold, 9000), HOLD_BEGINS);
}

static void presses_that_come_at_once_are_one_that_was_held(void **state)
{
	struct hold hold = {0};

	assert_int_equal(hold_press(&hold, 1000), HOLD_BEGINS);
	assert_int_equal(hold_press(&hold, 1000), HOLD_NOTHING);
	assert_int_equal(hold_look(&hold, 1300), HOLD_ENDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pressed_twice_it_begins_and_ends),
		cmocka_unit_test(a_second_press_that_is_soon_ends_it_when_no_repeat_follows),
		cmocka_unit_test(held_down_it_ends_when_the_repeats_do),
		cmocka_unit_test(repeats_after_another_key_ended_it_begin_nothing),
		cmocka_unit_test(presses_that_come_at_once_are_one_that_was_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
