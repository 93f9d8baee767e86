/* show_test.c - signals for people, hostile ones too. */
#include "cli/show.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static const char *shown(const char *envelope, unsigned columns, bool colored)
{
	static char line[2000];
	struct out out;

	out_init(&out, -1);
	out.colored = colored;
	show_signal(&out, text_of(envelope), columns, NULL);
	assert_in_range(out.bytes.len, 1, sizeof(line) - 1);
	memcpy(line, out.bytes.at, out.bytes.len);
	line[out.bytes.len] = '\0';
	buf_finish(&out.bytes);
	return line;
}

static void a_signal_is_one_line(void **state)
{
	assert_string_equal(
		shown("{\"seq\":42,\"id\":\"i\",\"type\":\"tool_call\",\"timestamp\":1500,"
	              "\"source\":\"me\",\"payload\":{\"a\":1}}",
	              200, false),
		"00:00:01.500      42 me  tool_call  {\"a\":1}\n");
}

static void colours_are_only_there_when_they_are_wanted(void **state)
{
	const char *error = "{\"seq\":1,\"type\":\"error\",\"timestamp\":0,\"source\":\"s\"}";

	assert_null(strchr(shown(error, 100, false), '\033'));
	assert_non_null(strstr(shown(error, 100, true), "\033[31merror\033[0m"));
}

static void no_control_sequence_of_theirs_comes_out(void **state)
{
	static const char *const hostile[] = {
		"{\"seq\":1,\"type\":\"a\\u001b[2Jb\",\"source\":\"c\\u0007\\nd\",\"payload\":{}}",
		"{\"seq\":1,\"type\":\"\\u202e\\u009b\",\"payload\":{\"\\u0000\":\"\\u009b31m\"}}",
		"\033]0;title\a not even JSON",
	};

	for (unsigned i = 0; i < 3; i++) {
		const char *line = shown(hostile[i], 100, false);

		assert_null(strchr(line, '\033'));
		assert_null(strchr(line, '\a'));
		assert_null(strstr(line, "\xc2\x9b"));
		assert_null(strstr(line, "\xe2\x80\xae"));
		assert_int_equal(strcspn(line, "\n"), strlen(line) - 1);
	}
}

static void long_payloads_are_cut_between_characters(void **state)
{
	const char *line = shown("{\"seq\":1,\"type\":\"t\",\"source\":\"s\",\"payload\":{\"a\":"
	                         "\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
	                         "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}}",
	                         40, false);

	assert_non_null(strstr(line, "...\n"));
	assert_null(strstr(line, "\xef\xbf\xbd"));
}

static void a_time_out_of_this_world_is_not_shown(void **state)
{
	static const char *const times[] = {"1e300", "-1e300", "1e14"};

	for (unsigned i = 0; i < 3; i++) {
		char envelope[100];

		snprintf(envelope, sizeof(envelope), "{\"timestamp\":%s}", times[i]);
		assert_non_null(strstr(shown(envelope, 80, false), "--:--:--.---"));
	}
	assert_non_null(strstr(shown("{\"timestamp\":-1}", 80, false), "23:59:59.999"));
}

static void a_name_that_is_none_is_left_out(void **state)
{
	assert_string_equal(shown("{\"seq\":1,\"type\":{\"a\":1},\"source\":[1,2],\"timestamp\":0}",
	                          100, false),
	                    "00:00:00.000       1     \n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_is_one_line),
		cmocka_unit_test(colours_are_only_there_when_they_are_wanted),
		cmocka_unit_test(no_control_sequence_of_theirs_comes_out),
		cmocka_unit_test(long_payloads_are_cut_between_characters),
		cmocka_unit_test(a_time_out_of_this_world_is_not_shown),
		cmocka_unit_test(a_name_that_is_none_is_left_out),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
