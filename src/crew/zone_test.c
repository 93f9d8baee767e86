/* zone_test.c - minutes east of UTC, by the hour. */
#include "crew/zone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CHANGE_HOUR 498025 /* 2026-10-25T01:00Z */

static void one_distance_is_for_all_hours(void **state)
{
	struct zone zone;
	struct error why;

	(void)state;
	assert_true(zone_read(&zone, TEXT("-570"), &why));
	assert_int_equal(zone_minutes(&zone, 0), -570);
	assert_int_equal(zone_minutes(&zone, CHANGE_HOUR), -570);
	assert_int_equal(zone_minutes(NULL, CHANGE_HOUR), 0);
}

static void each_change_holds_from_its_moment_on(void **state)
{
	struct zone zone;
	struct error why;

	(void)state;
	assert_true(zone_read(&zone, TEXT("120,60@1792890000000,120@1806195600000"), &why));
	assert_int_equal(zone_minutes(&zone, 0), 120);
	assert_int_equal(zone_minutes(&zone, CHANGE_HOUR - 1), 120);
	assert_int_equal(zone_minutes(&zone, CHANGE_HOUR), 60);
	assert_int_equal(zone_minutes(&zone, 501720), 60);
	assert_int_equal(zone_minutes(&zone, 501721), 120);
}

static void nonsense_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"x",
		"--1",
		"841",
		"-841",
		"1,",
		",1@2",
		"1,2",
		"1,2@",
		"1,@2",
		"1,2@x",
		"1,841@2",
		"1,2@3@4",
		"1,2@5,3@5",
		"1,2@5,3@4",
		"1,2@-1",
		"1,2@99999999999999999999",
	};
	char many[2000] = "0";
	struct zone zone;
	struct error why;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(zone_read(&zone, text_of(wrong[i]), &why));
	for (int i = 0; i < ZONE_CHANGES_MAX; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ",1@%d", i + 1);
	assert_true(zone_read(&zone, text_of(many), &why));
	snprintf(many + strlen(many), sizeof(many) - strlen(many), ",1@99");
	assert_false(zone_read(&zone, text_of(many), &why));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_distance_is_for_all_hours),
		cmocka_unit_test(each_change_holds_from_its_moment_on),
		cmocka_unit_test(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
