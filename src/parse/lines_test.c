/* lines_test.c - JSON and words, in turns. */
#include <stdlib.h>

#include "parse/fixture.h"
#include "parse/kinds.h"

#define WORDS(words) \
	"{\"type\":\"text_delta\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":{" \
	"\"agentId\":\"model\",\"content\":\"" words "\\n\"}}"

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

#define SIGNAL(type, more) \
	"{\"type\":\"" type "\",\"source\":\"src\",\"correlationId\":\"run\",\"payload\":" more "}"

static void a_line_without_a_payload_is_it(void **state)
{
	struct taken t;

	taken_read_cut(
		&t, &parse_jsonl,
		TEXT("{\"type\":\"build\",\"step\":3,\"id\":7,\"payload\":\"x\"}\n"
	             "{\"type\":\"log\",\"level\":\"info\",\"timestamp\":"
	             "\"2026-11-16T08:49:50.886Z\",\"metadata\":{\"a\":1}}\n"
	             "{\"type\":\"log\",\"timestamp\":\"yesterday\",\"source\":\"me\"}\n"
	             "{\"type\":\"x\",\"timestamp\":\"noon\",\"payload\":{\"n\":1},\"odd\":2}\n"));
	assert_int_equal(t.bads, 0);
	assert_line(&t, 0, SIGNAL("build", "{\"step\":3,\"id\":7,\"payload\":\"x\"}"));
	assert_line(&t, 1, SIGNAL("log", "{\"level\":\"info\"},\"metadata\":{\"a\":1}"));
	assert_line(&t, 2,
	            "{\"type\":\"log\",\"source\":\"me\",\"correlationId\":\"run\","
	            "\"payload\":{},\"metadata\":{\"timestamp\":\"yesterday\"}}");
	assert_line(&t, 3,
	            SIGNAL("x", "{\"n\":1},\"metadata\":{\"odd\":2,\"timestamp\":\"noon\"}"));
	taken_finish(&t);
}

static double last_time;

static void note_time(void *self, struct text envelope)
{
	const char *at = memmem(envelope.at, envelope.len, "\"timestamp\":", 12);

	last_time = at ? strtod(at + 12, NULL) : 0;
}

static void a_time_may_be_text(void **state)
{
	struct parse *p = parse_create(&parse_jsonl, &(struct parse_options){.signal = note_time});

	parse_feed(p, TEXT("{\"type\":\"x\",\"timestamp\":\"2026-11-16T08:49:50.886Z\"}\n"));
	assert_true(last_time == 1794818990886.0);
	parse_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_read_and_all_else_is_words),
		cmocka_unit_test(a_line_without_a_payload_is_it),
		cmocka_unit_test(a_time_may_be_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
