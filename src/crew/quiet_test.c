/* quiet_test.c - marks, and how far back they reach. */
#include "crew/quiet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void what_was_heard_then_is_known(void **state)
{
	struct quiet quiet = {0};

	assert_int_equal(quiet_note(&quiet, 1000, 7, 160), 0);
	assert_int_equal(quiet_note(&quiet, 1005, 8, 160), 0); /* too soon for another mark */
	assert_int_equal(quiet_note(&quiet, 1010, 9, 160), 0);
	assert_int_equal(quiet_note(&quiet, 1159, 20, 160), 0);
	assert_int_equal(quiet_note(&quiet, 1160, 21, 160), 7);
	assert_int_equal(quiet_note(&quiet, 1170, 22, 160), 9);
	assert_int_equal(quiet_note(&quiet, 9000, 23, 160), 22);
}

static void marks_do_not_run_out(void **state)
{
	struct quiet quiet = {0};

	for (uint64_t now = 0; now < 10000; now++) {
		uint64_t seq = quiet_note(&quiet, now, now, 64);

		assert_true(now < 64 ? seq == 0 : seq <= now - 64);
		assert_true(now < 64 || seq + 64 + 4 >= now);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_heard_then_is_known),
		cmocka_unit_test(marks_do_not_run_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
