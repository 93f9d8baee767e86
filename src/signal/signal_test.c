/* signal_test.c - a line of the journal, read back. */
#include "signal/signal.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define LINE(member) \
	"{\"seq\":18446744073709551615,\"id\":\"i\",\"type\":\"error\",\"timestamp\":-1.5," \
	"\"source\":\"s\"" member ",\"payload\":{\"id\":\"no\",\"type\":5}}"

static struct signal_reader *reader;
static struct error why;

static int start(void **state)
{
	reader = signal_reader_create();
	return 0;
}

static int stop(void **state)
{
	signal_reader_destroy(reader);
	signal_reader_destroy(NULL);
	return 0;
}

static bool reads(const char *line, struct signal *out)
{
	return signal_read(reader, text_of(line), out, &why);
}

static void a_line_gives_its_members(void **state)
{
	const char *line = LINE(",\"correlationId\":\"c\\n\\u00e9\"");
	struct signal s;

	assert_true(reads(line, &s));
	assert_true(s.seq == UINT64_MAX);
	assert_ptr_equal(s.line.at, line);
	assert_int_equal(s.line.len, strlen(line));
	assert_true(text_is(s.id, "i"));
	assert_true(text_is(s.type, "error"));
	assert_true(text_is(s.source, "s"));
	assert_true(text_is(s.correlation, "c\n\xC3\xA9"));
	assert_int_equal(s.kind, KIND_ERROR);
	assert_true(s.at_ms == -1.5);
}

static void a_correlation_may_be_absent(void **state)
{
	struct signal s;

	assert_true(reads(LINE(""), &s));
	assert_int_equal(s.correlation.len, 0);
}

static void odd_lines_that_were_admitted_are_read(void **state)
{
	struct signal s;

	assert_true(reads(LINE(",\"metadata\":{\"a\":\"\\ud800\",\"b\":1e999}"), &s));
	assert_true(
		reads("{\"seq\":1,\"type\":\"\\ud800\",\"id\":\"\",\"source\":\"\",\"payload\":{},"
	              "\"foo\":1,\"foobar\":2,\"timestamp\":123456789012345678901234567890}",
	              &s));
	assert_true(text_is(s.type, "\xEF\xBF\xBD"));
	assert_int_equal(s.kind, KIND_OTHER);
}

static void what_is_no_signal_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"7",
		"{}",
		"{\"id\":\"i\",\"type\":\"x\"}",
		"{\"id\":\"i\",\"source\":\"x\"}",
		"{\"type\":\"i\",\"source\":\"x\"}",
		"{\"id\":1,\"type\":\"x\",\"source\":\"s\"}",
		"{\"id\":\"i\",\"type\":null,\"source\":\"s\"}",
		"{\"id\":\"i\",\"type\":\"x\",\"source\":{}}",
		"{\"id\":\"i\",\"type\":\"x\",\"source\":\"s\",\"timestamp\":\"1\"}",
		"{\"id\":\"i\",\"type\":\"x\",\"source\":\"s\",\"correlationId\":[]}",
	};
	struct signal s;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(reads(bad[i], &s));
}

static void the_seq_is_read_from_the_first_bytes(void **state)
{
	assert_int_equal(signal_seq_of(TEXT("{\"seq\":1,\"id\"")), 1);
	assert_true(signal_seq_of(TEXT("{\"seq\":18446744073709551615,")) == UINT64_MAX);
	assert_int_equal(signal_seq_of(TEXT("{\"seq\":18446744073709551616,")), 0);
	assert_int_equal(signal_seq_of(TEXT("{\"seq\":99999999999999999999,")), 0);
	assert_int_equal(signal_seq_of(TEXT("{\"seq\":12")), 0);
	assert_int_equal(signal_seq_of(TEXT("{\"seq\":-1,")), 0);
	assert_int_equal(signal_seq_of(TEXT("{\"seq\":")), 0);
	assert_int_equal(signal_seq_of(TEXT("{\"id\":1}")), 0);
	assert_int_equal(signal_seq_of(TEXT("")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_gives_its_members),
		cmocka_unit_test(a_correlation_may_be_absent),
		cmocka_unit_test(odd_lines_that_were_admitted_are_read),
		cmocka_unit_test(what_is_no_signal_is_refused),
		cmocka_unit_test(the_seq_is_read_from_the_first_bytes),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
