/* envelope_test.c - our own envelope: what passes, what is filled in, what is bad. */
#include <stdio.h>

#include "parse/fixture.h"
#include "parse/kinds.h"

/* Unlike those of other protocols, these signals are written by their producer:
 * they are kept as they are. */
static struct buf lines, metas;
static unsigned bads;
static char last_bad[240];

static int64_t now(void)
{
	return 1700000000000;
}

static void take_signal(void *self, struct text envelope)
{
	buf_add(&lines, envelope);
	buf_add_char(&lines, '\n');
}

static void take_bad(void *self, const char *why)
{
	bads++;
	snprintf(last_bad, sizeof(last_bad), "%s", why);
}

static void take_meta(void *self, struct text frame)
{
	buf_add(&metas, frame);
}

static struct parse *start(const struct parse_kind *kind)
{
	const struct parse_options options = {
		.source = TEXT("src"),
		.now_ms = now,
		.signal = take_signal,
		.bad = take_bad,
		.meta = take_meta,
	};

	buf_finish(&lines);
	buf_finish(&metas);
	buf_init(&lines, MIB);
	buf_init(&metas, MIB);
	bads = 0;
	last_bad[0] = '\0';
	return parse_create(kind, &options);
}

static void read_one(const char *message)
{
	struct parse *p = start(&parse_envelope);

	parse_message(p, text_of(message));
	parse_end(p, NULL);
	parse_destroy(p);
}

static void assert_lines(const char *wanted)
{
	if (!text_is(buf_text(&lines), wanted))
		fail_msg("%.*s\ninstead of\n%s", TEXT_ARG(buf_text(&lines)), wanted);
}

/* What came, with its generated id cut out. */
static void assert_filled(const char *message, const char *before, const char *after)
{
	struct text got;
	size_t n = strlen(before);

	read_one(message);
	got = text_trim(buf_text(&lines));
	if (got.len != n + 36 + strlen(after) || memcmp(got.at, before, n) != 0 ||
	    memcmp(got.at + n + 36, after, strlen(after)) != 0)
		fail_msg("%s: %.*s", message, TEXT_ARG(got));
}

static void assert_bad(const char *message, const char *why)
{
	read_one(message);
	assert_int_equal(lines.len, 0);
	assert_int_equal(bads, 1);
	assert_string_equal(last_bad, why);
}

#define WHOLE \
	"{\"payload\":{\"n\": 1.50,\"s\":\"\\u00e9\",\"n\":2}, \"id\":\"a\",\"type\":\"my.own\"," \
	"\"timestamp\":1e3,\"source\":\"s\",\"x\":null,\"metadata\":{}}"

static void a_whole_envelope_passes_byte_for_byte(void **state)
{
	read_one("  " WHOLE "\n");
	assert_lines(WHOLE "\n");
	assert_int_equal(bads, 0);
}

static void a_type_is_never_rewritten(void **state)
{
	read_one("{\"id\":\"u\",\"type\":\"user.click\",\"timestamp\":1,\"source\":\"s\","
	         "\"payload\":{\"target\":\"e\"}}");
	assert_true(memmem(lines.at, lines.len, "\"type\":\"user.click\"", 19) != NULL);
}

static void what_is_missing_is_filled_in_behind(void **state)
{
	assert_filled("{\"type\":\"x\",\"payload\":{\"a\": 1}}",
	              "{\"type\":\"x\",\"payload\":{\"a\": 1},\"id\":\"",
	              "\",\"timestamp\":1700000000000,\"source\":\"src\"}");
	assert_filled("{\"type\":\"x\",\"source\":\"s\",\"timestamp\":-1.5}",
	              "{\"type\":\"x\",\"source\":\"s\",\"timestamp\":-1.5,\"id\":\"",
	              "\",\"payload\":{}}");
}

static void a_null_is_filled_in_too(void **state)
{
	assert_filled("{ \"id\" : null , \"type\":\"x\" ,\"payload\":\nnull\r,\"k\": null }",
	              "{\"type\":\"x\",\"k\": null,\"id\":\"",
	              "\",\"timestamp\":1700000000000,\"source\":\"src\",\"payload\":{}}");
	assert_filled("{\"type\":\"x\",\"timestamp\":null,\"source\":null}",
	              "{\"type\":\"x\",\"id\":\"",
	              "\",\"timestamp\":1700000000000,\"source\":\"src\",\"payload\":{}}");
}

static void a_member_of_the_wrong_kind_is_bad(void **state)
{
	assert_bad("{\"type\":\"x\",\"id\":7}", "id: a string is needed");
	assert_bad("{\"type\":\"x\",\"timestamp\":\"12\"}", "timestamp: a number is needed");
	assert_bad("{\"type\":\"x\",\"source\":3}", "source: a string is needed");
	assert_bad("{\"type\":\"x\",\"payload\":[]}", "payload: an object is needed");
	assert_bad("{\"type\":\"x\",\"metadata\":null}", "metadata: an object is needed");
	assert_bad("{\"type\":\"x\",\"correlationId\":null}", "correlationId: a string is needed");
	assert_bad("{\"type\":\"x\\u0000\"}", "type: a string without U+0000 is needed");
	assert_bad("{\"type\":\"x\",\"correlationId\":\"\\u0000\"}",
	           "correlationId: a string without U+0000 is needed");
	assert_bad("{\"type\":\"x\",\"id\":\"a\",\"id\":\"a\"}", "id: given twice");
	assert_bad("{\"type\":\"x\",\"id\":null,\"id\":\"a\"}", "id: given twice");
	assert_bad("{\"type\":\"x\",\"k\":1,\"\\u006b\":2}", "a member is given twice");
}

static void what_is_not_json_is_bad(void **state)
{
	assert_bad("null", "null says nothing");
	read_one("hello");
	assert_int_equal(bads, 1);
	assert_int_equal(lines.len, 0);
	read_one(" \t");
	assert_int_equal(bads, 0);
}

static void other_json_becomes_an_event(void **state)
{
	read_one("{\"id\":\"u\",\"ts\":9,\"event\":\"ev\",\"runId\":\"r\",\n\"q\":{ }}");
	assert_lines("{\"id\":\"u\",\"type\":\"event\",\"timestamp\":9,\"source\":\"ev\","
	             "\"correlationId\":\"r\",\"payload\":{\"id\":\"u\",\"ts\":9,\"event\":\"ev\","
	             "\"runId\":\"r\", \"q\":{ }}}\n");
	read_one("{\"id\":\"u\",\"type\":4,\"timestamp\":8,\"ts\":9,\"source\":\"s\","
	         "\"event\":\"e\","
	         "\"correlationId\":\"c\",\"runId\":\"r\"}");
	assert_lines("{\"id\":\"u\",\"type\":\"event\",\"timestamp\":8,\"source\":\"s\","
	             "\"correlationId\":\"c\",\"payload\":{\"id\":\"u\",\"type\":4,\"timestamp\":8,"
	             "\"ts\":9,\"source\":\"s\",\"event\":\"e\",\"correlationId\":\"c\","
	             "\"runId\":\"r\"}}\n");
	assert_filled("[1, 2]", "{\"id\":\"",
	              "\",\"type\":\"event\",\"timestamp\":1700000000000,\"source\":\"src\","
	              "\"payload\":{\"value\":[1, 2]}}");
	assert_filled("\"hi\"", "{\"id\":\"",
	              "\",\"type\":\"event\",\"timestamp\":1700000000000,\"source\":\"src\","
	              "\"payload\":{\"value\":\"hi\"}}");
	assert_filled("{}", "{\"id\":\"",
	              "\",\"type\":\"event\",\"timestamp\":1700000000000,\"source\":\"src\","
	              "\"payload\":{}}");
}

static void what_another_box_says_of_other_things_is_an_event(void **state)
{
	read_one("{\"op\":\"prompt\",\"id\":\"p\",\"type\":\"select\",\"source\":\"s\"}");
	assert_lines(
		"{\"id\":\"p\",\"type\":\"event\",\"timestamp\":1700000000000,\"source\":\"s\","
		"\"payload\":{\"op\":\"prompt\",\"id\":\"p\",\"type\":\"select\","
		"\"source\":\"s\"}}\n");
}

static void what_is_too_deep_for_the_bus_is_bad(void **state)
{
	char message[256], open[80], close[80];

	memset(open, '[', sizeof(open));
	memset(close, ']', sizeof(close));
	for (int depth = 62; depth <= 63; depth++) {
		snprintf(message, sizeof(message), "{\"type\":\"x\",\"payload\":{\"a\":%.*s%.*s}}",
		         depth, open, depth, close);
		read_one(message);
		assert_int_equal(bads, depth == 63);
		snprintf(message, sizeof(message), "{\"b\":{\"a\":%.*s%.*s}}", depth - 1, open,
		         depth - 1, close);
		read_one(message);
		assert_int_equal(bads, depth == 63);
	}
}

static void the_emitters_own_words_are_no_signals(void **state)
{
	read_one("{\"meta\":\"scenarios\",\"available\":[]}");
	assert_int_equal(lines.len, 0);
	assert_true(text_is(buf_text(&metas), "{\"meta\":\"scenarios\",\"available\":[]}"));
	read_one("{\"meta\":\"\",\"id\":\"a\"}");
	assert_int_equal(metas.len, 0);
	assert_int_not_equal(lines.len, 0);
	read_one("{\"meta\":0,\"id\":\"a\"}");
	assert_int_equal(metas.len, 0);
	read_one("{\"meta\":\"m\",\"type\":\"x\",\"id\":\"a\"}");
	assert_int_equal(metas.len, 0);
	assert_int_not_equal(lines.len, 0);
}

static void a_stream_is_read_the_same_however_it_is_cut(void **state)
{
	struct buf bytes, whole;

	load_fixture(&bytes, "envelope/stream.sse");
	buf_init(&whole, MIB);
	for (size_t cut = 0; cut <= bytes.len; cut++) {
		struct parse *p = start(&parse_envelope);

		parse_feed(p, (struct text){bytes.at, cut});
		parse_feed(p, (struct text){bytes.at + cut, bytes.len - cut});
		parse_end(p, NULL);
		assert_int_equal(bads, 1);
		assert_true(text_is(buf_text(&metas),
		                    "{\"meta\":\"scenarios\",\"available\":[\"one\"]}"));
		assert_int_equal(parse_retry_ms(p), 1500);
		if (cut == 0)
			buf_add(&whole, buf_text(&lines));
		assert_true(text_equal(buf_text(&lines), buf_text(&whole)));
		parse_destroy(p);
	}
	assert_lines(
		"{\"id\":\"a\",\"type\":\"task_dispatch\",\"timestamp\":1,\"source\":\"s\",  "
		"\"correlationId\":\"c\",\"payload\":{\"taskId\":\"t\",\"from\":\"u\","
		"\"to\":\"x\",\"n\": 1.0}}\n"
		"{\"id\":\"b\",\"type\":\"event\",\"timestamp\":9,\"source\":\"ev\","
		"\"correlationId\":\"r\",\"payload\":{\"id\":\"b\",\"ts\":9,\"event\":\"ev\","
		"\"runId\":\"r\",\"x\":[1, 2]},\"metadata\":{\"event\":\"odd\"}}\n"
		"{\"id\":\"c\",\"type\":\"user.click\",\"timestamp\":2,\"source\":\"stage\","
		"\"payload\":{\"target\":\"e\"}}\n"
		"{\"id\":\"d\",\"type\":\"my.own\",\"timestamp\":3,\"source\":\"s\","
		"\"payload\":{\"deep\":{\"a\":\"\\u00e9\xc3\xa9\"}},\"metadata\":{\"k\":1}}\n");
	buf_finish(&whole);
	buf_finish(&bytes);
}

static void lines_are_envelopes_too(void **state)
{
	struct parse *p = start(&parse_jsonl);

	parse_feed(p, TEXT(WHOLE "\r\n\n[DONE]\nword\n" WHOLE));
	parse_end(p, NULL);
	assert_lines(WHOLE "\n" WHOLE "\n");
	assert_int_equal(bads, 1);
	parse_destroy(p);
}

static int tidy(void **state)
{
	buf_finish(&lines);
	buf_finish(&metas);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_envelope_passes_byte_for_byte),
		cmocka_unit_test(a_type_is_never_rewritten),
		cmocka_unit_test(what_is_missing_is_filled_in_behind),
		cmocka_unit_test(a_null_is_filled_in_too),
		cmocka_unit_test(a_member_of_the_wrong_kind_is_bad),
		cmocka_unit_test(what_is_not_json_is_bad),
		cmocka_unit_test(other_json_becomes_an_event),
		cmocka_unit_test(what_another_box_says_of_other_things_is_an_event),
		cmocka_unit_test(what_is_too_deep_for_the_bus_is_bad),
		cmocka_unit_test(the_emitters_own_words_are_no_signals),
		cmocka_unit_test(a_stream_is_read_the_same_however_it_is_cut),
		cmocka_unit_test(lines_are_envelopes_too),
	};

	return cmocka_run_group_tests(tests, NULL, tidy);
}
