/* time_test.c - times as programs write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parse/time.h"

static void check(const char *iso, double expected)
{
	double ms = 0;

	assert_true(time_read(text_of(iso), &ms));
	assert_true(ms == expected);
}

static void times_are_read(void **state)
{
	check("1970-01-01T00:00:00Z", 0);
	check("2026-11-16T08:49:50.886Z", 1794818990886.0);
	check("2026-11-16 08:49:50,886", 1794818990886.0);
	check("2026-11-16T10:49:50.886123+02:00", 1794818990886.0);
	check("2026-11-16T03:19:50.886-0530", 1794818990886.0);
	check("2024-02-29T12:00Z", 1709208000000.0);
	check("2026-11-16", 1794787200000.0);
}

static void anything_else_is_none(void **state)
{
	static const char *const none[] = {"",
	                                   "x",
	                                   "2026",
	                                   "2026-13-01",
	                                   "2026-1-1",
	                                   "2026-11-16x",
	                                   "2026-11-16T8",
	                                   "2026-11-16T08:49:50Zx",
	                                   "2026-11-16T08:49:50+2",
	                                   "2026-11-16T99:00",
	                                   NULL};
	double ms;

	for (const char *const *iso = none; *iso; iso++)
		assert_false(time_read(text_of(*iso), &ms));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_read),
		cmocka_unit_test(anything_else_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
