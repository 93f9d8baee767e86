/* report_test.c - the page of figures, also of a box that is not ours. */
#include "cli/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *shown(const char *status, bool colored)
{
	static char page[4000];
	struct out out;

	out_init(&out, -1);
	out.colored = colored;
	report_show(&out, text_of(status));
	assert_in_range(out.bytes.len, 1, sizeof(page) - 1);
	memcpy(page, out.bytes.at, out.bytes.len);
	page[out.bytes.len] = '\0';
	buf_finish(&out.bytes);
	return page;
}

#define HEAD "\"name\":\"signalbox\",\"version\":\"1.2\","

static void figures_are_aligned_and_have_units(void **state)
{
	assert_string_equal(
		shown("{\"ok\":true," HEAD "\"epoch\":\"8a5e7dbfd5c2\",\"seq\":0,"
	              "\"uptimeMs\":192500,\"listeners\":[\"127.0.0.1:1\",\"unix:/x\"],"
	              "\"journal\":{\"bytes\":1572864,\"commits\":7,\"commitNs\":2140000}}",
	              false),
		"signalbox 1.2, up 3 m 12 s\n"
		"\n"
		"epoch                     8a5e7dbfd5c2\n"
		"last signal               0\n"
		"listening on              127.0.0.1:1, unix:/x\n"
		"\n"
		"journal\n"
		"  size                    1.5 MiB\n"
		"  commits                 7\n"
		"  a commit takes          2.14 ms\n");
}

static void durations_are_as_long_as_they_are(void **state)
{
	static const char *const cases[][2] = {
		{"0", "up 0 us\n"},           {"7", "up 7 ms\n"},
		{"59999", "up 59 s\n"},       {"3600000", "up 1 h 0 m\n"},
		{"90000000", "up 1 d 1 h\n"}, {"18446744073709551615", " d "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char status[100];

		snprintf(status, sizeof(status), "{" HEAD "\"uptimeMs\":%s}", cases[i][0]);
		assert_non_null(strstr(shown(status, false), cases[i][1]));
	}
}

static void counters_that_are_0_are_left_out(void **state)
{
	const char *page = shown("{" HEAD "\"bus\":{\"accepted\":0,\"full\":0,\"refused\":"
	                         "{\"syntax\":0}},\"hub\":{\"gaps\":2}}",
	                         false);

	assert_non_null(strstr(page, "  gaps told               2\n"));
	assert_null(strstr(page, "turned away"));
	assert_null(strstr(page, "refused"));
}

static void what_was_refused_is_shown_although_nothing_was_accepted(void **state)
{
	const char *page =
		shown("{" HEAD "\"bus\":{\"accepted\":0,\"refused\":{\"not_json\":3}}}", false);

	assert_non_null(strstr(page, "  accepted                0\n"));
	assert_non_null(strstr(page, "    not json              3\n"));
}

static void a_list_of_things_is_left_out(void **state)
{
	assert_null(strstr(
		shown("{" HEAD "\"show\":{\"version\":7,\"wires\":[{\"passed\":3},{}]}}", false),
		"wires"));
}

static void what_is_not_known_is_shown_in_words(void **state)
{
	const char *page = shown("{" HEAD "\"newThing\":{\"slowestTurnNs\":1500,\"heapBytes\":10,"
	                         "\"is_on\":true,\"\\u001b[31m\":\"\\u001b[0m\"}}",
	                         false);

	assert_non_null(strstr(page, "\nnew thing\n  slowest turn            1.5 us\n"));
	assert_non_null(strstr(page, "  heap bytes              10 bytes\n"));
	assert_non_null(strstr(page, "  is on                   yes\n"));
	assert_null(strchr(page, '\033'));
}

static void trouble_comes_first_and_in_red(void **state)
{
	const char *sick = "{" HEAD "\"journal\":{\"trouble\":\"No space left on device\"}}";

	assert_int_equal(strncmp(shown(sick, false),
	                         "TROUBLE: the journal stores nothing: No space left on device\n",
	                         60),
	                 0);
	assert_int_equal(strncmp(shown(sick, true), "\033[1;31mTROUBLE", 14), 0);
}

static void nonsense_is_a_page_too(void **state)
{
	static const char *const cases[] = {"", "[]", "nonsense",
	                                    "{\"a\":{\"b\":{\"c\":{\"d\":1}}}}",
	                                    "{\"uptimeMs\":[[1]],\"name\":{},\"journal\":7}"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		shown(cases[i], true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_aligned_and_have_units),
		cmocka_unit_test(durations_are_as_long_as_they_are),
		cmocka_unit_test(counters_that_are_0_are_left_out),
		cmocka_unit_test(what_was_refused_is_shown_although_nothing_was_accepted),
		cmocka_unit_test(a_list_of_things_is_left_out),
		cmocka_unit_test(what_is_not_known_is_shown_in_words),
		cmocka_unit_test(trouble_comes_first_and_in_red),
		cmocka_unit_test(nonsense_is_a_page_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
