/* version_test.c - three numbers. */
#include "tap/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_version_is_read_and_written(void **state)
{
	struct version version;
	char out[VERSION_ROOM];

	assert_true(version_read(TEXT("2.1.97"), &version));
	assert_string_equal(version_print(version, out), "2.1.97");
	assert_true(version_read(TEXT("2.1.50-linux-x64"), &version));
	assert_string_equal(version_print(version, out), "2.1.50");
	assert_true(version_read(TEXT("4294967295.0.0+x"), &version));
	assert_string_equal(version_print(version, out), "4294967295.0.0");
}

static void what_is_none_is_refused(void **state)
{
	static const char *const bad[] = {"",       "2",      "2.1",    "2.1.",   ".1.2",
	                                  "a.b.c",  "2.1.9x", "2..1.3", "-2.1.3", "4294967296.0.0",
	                                  "2.1.3.4"};
	struct version version;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (version_read(text_of(bad[i]), &version))
			fail_msg("%s", bad[i]);
}

static void numbers_are_compared_not_digits(void **state)
{
	const struct version versions[] = {{1, 9, 9}, {2, 0, 77}, {2, 1, 9}, {2, 1, 10}, {2, 2, 0}};

	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 5; j++)
			assert_int_equal(version_compare(versions[i], versions[j]),
			                 i < j ? -1 : i > j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_version_is_read_and_written),
		cmocka_unit_test(what_is_none_is_refused),
		cmocka_unit_test(numbers_are_compared_not_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
