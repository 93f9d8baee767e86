/* lines_test.c - JSON and words, in turns. */
#include "parse/fixture.h"
#include "parse/kinds.h"

#define WORDS(words) \
	"{\"type\":\"text_delta\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":{" \
	"\"agentId\":\"model\",\"content\":\"" words "\"}}"

static void objects_are_read_and_all_else_is_words(void **state)
{
	struct taken t;

	taken_read_cut(&t, &parse_lines,
	               TEXT("hello\n  {\"id\":\"i\",\"type\":\"x\",\"timestamp\":1}\r\n{not json}\n"
	                    "[1]\n{\"a\":1}\n"));
	assert_int_equal(t.signals, 5);
	assert_int_equal(t.bads, 0);
	assert_line(&t, 0, WORDS("hello"));
	assert_true(taken_has(&t, "\"type\":\"x\""));
	assert_line(&t, 2, WORDS("{not json}"));
	assert_line(&t, 3, WORDS("[1]"));
	assert_int_equal(taken_count(&t, "event"), 1);
	taken_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_read_and_all_else_is_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
