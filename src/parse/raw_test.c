/* raw_test.c - plain lines, and what a terminal would have made of them. */
#include "parse/fixture.h"
#include "parse/kinds.h"

#define PAYLOAD(type) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":{" \
	"\"agentId\":\"model\","
#define WORDS(words) PAYLOAD("text_delta") "\"content\":\"" words "\\n\"}}"

static struct taken t;

static void read_text(const char *bytes)
{
	taken_read_cut(&t, &parse_raw, text_of(bytes));
}

static void check(const char *bytes, const char *line)
{
	read_text(bytes);
	assert_int_equal(t.signals, 1);
	assert_line(&t, 0, line);
	taken_finish(&t);
}

static void a_line_is_words(void **state)
{
	read_text("hello\n\n   \n  Grüezi  \r\nlast");
	assert_line(&t, 0, WORDS("hello"));
	assert_line(&t, 1, WORDS("\\n\\n  Grüezi"));
	assert_line(&t, 2, WORDS("last"));
	assert_int_equal(t.signals, 3);
	taken_finish(&t);
}

static void words_of_failure_are_errors(void **state)
{
	check("ValueError: no\n",
	      PAYLOAD("error") "\"message\":\"ValueError: no\",\"severity\":\"error\"},"
	                       "\"metadata\":{\"printed\":true}}");
	check("an exception: x\n",
	      PAYLOAD("error") "\"message\":\"an exception: x\",\"severity\":\"error\"},"
	                       "\"metadata\":{\"printed\":true}}");
	check("Build FAILED\n",
	      PAYLOAD("error") "\"message\":\"Build FAILED\",\"severity\":\"error\"},"
	                       "\"metadata\":{\"printed\":true}}");
	check("An error occurred\n", WORDS("An error occurred"));
}

static void a_named_tool_is_a_call(void **state)
{
	check("Calling tool: bash -c ls\n", PAYLOAD("tool_call") "\"toolName\":\"bash\"}}");
	check("> using:\tgrep\n", PAYLOAD("tool_call") "\"toolName\":\"grep\"}}");
	check("using:\n", WORDS("using:"));
}

static void output_is_a_result(void **state)
{
	check("Result: 42\n", PAYLOAD("tool_result") "\"toolName\":\"unknown\",\"success\":true,"
	                                             "\"output\":{\"raw\":\"Result: 42\"}}}");
	check("the output: \"x\"\n",
	      PAYLOAD("tool_result") "\"toolName\":\"unknown\",\"success\":true,"
	                             "\"output\":{\"raw\":\"the output: \\\"x\\\"\"}}}");
}

static void escape_sequences_are_taken_out(void **state)
{
	check("a \033[1;31mred\033[0m word\n", WORDS("a red word"));
	check("\033]0;title\007bell\n", WORDS("bell"));
	check("\033]8;;http://x/\033\\link\033]8;;\033\\\n", WORDS("link"));
	check("\033Pq#0;2\033\\sixel\n", WORDS("sixel"));
	check("\033(Bset\033=\0337\n", WORDS("set"));
	check("\302\2331mc1\302\205\n", WORDS("c1"));
	check("b\007el\177l\b\n", WORDS("bell"));
	check("tab\there\n", WORDS("tab\\there"));
}

static void a_sequence_without_its_end_hides_the_rest(void **state)
{
	read_text("\033]0;never ends\n\033[31\n\033\n\033Pabc\n");
	assert_int_equal(t.signals, 0);
	taken_finish(&t);
}

static void a_line_that_was_overwritten_is_read_once(void **state)
{
	check("10%\r50%\r100%\r\n", WORDS("100%"));
	check("\r\rstart\n", WORDS("start"));
}

static void bytes_that_are_no_text_are_mended(void **state)
{
	check("a\xff\xc2\n", WORDS("a\xef\xbf\xbd\xef\xbf\xbd"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_words),
		cmocka_unit_test(words_of_failure_are_errors),
		cmocka_unit_test(a_named_tool_is_a_call),
		cmocka_unit_test(output_is_a_result),
		cmocka_unit_test(escape_sequences_are_taken_out),
		cmocka_unit_test(a_sequence_without_its_end_hides_the_rest),
		cmocka_unit_test(a_line_that_was_overwritten_is_read_once),
		cmocka_unit_test(bytes_that_are_no_text_are_mended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
