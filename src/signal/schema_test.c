/* schema_test.c - the words a breach is told in.
 *
 * What keeps the schema and what does not is data: tests/fixtures, which
 * tests/schema_verdicts.c and an independent validator both judge.
 */
#include "signal/schema.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "signal/json.h"

static struct json_reader reader;
static struct error why;

static int start(void **state)
{
	json_reader_init(&reader, MIB);
	return 0;
}

static int stop(void **state)
{
	json_reader_finish(&reader);
	return 0;
}

static const char *payload_words(enum signal_kind kind, const char *payload)
{
	yyjson_doc *doc = json_read(&reader, text_of(payload), &why);

	assert_non_null(doc);
	return schema_check_payload(kind, yyjson_doc_get_root(doc), &why) ? "ok" : why.words;
}

static const char *words(const char *envelope)
{
	yyjson_doc *doc = json_read(&reader, text_of(envelope), &why);

	assert_non_null(doc);
	return schema_check(yyjson_doc_get_root(doc), &why) ? "ok" : why.words;
}

static void a_breach_says_where_and_what(void **state)
{
	assert_string_equal(
		payload_words(KIND_TOOL_RESULT, "{\"toolName\":\"t\",\"agentId\":\"a\"}"),
		"/payload/success: required");
	assert_string_equal(payload_words(KIND_ERROR, "{\"message\":\"m\",\"severity\":\"fatal\"}"),
	                    "/payload/severity: not one of the words that are allowed");
	assert_string_equal(payload_words(KIND_ERROR, "{\"message\":1}"),
	                    "/payload/message: a string is needed");
	assert_string_equal(payload_words(KIND_COMPLETION, "{\"taskId\":\"t\",\"success\":1}"),
	                    "/payload/success: true or false is needed");
	assert_string_equal(payload_words(KIND_TOOL_CALL, "{\"input\":[]}"),
	                    "/payload/input: an object is needed");
	assert_string_equal(payload_words(KIND_TEXT_DELTA, "{\"index\":0.5}"),
	                    "/payload/index: an integer is needed");
	assert_string_equal(payload_words(KIND_TEXT_DELTA, "{\"index\":-1}"),
	                    "/payload/index: at least 0 is needed");
	assert_string_equal(payload_words(KIND_TOKEN_USAGE, "{\"cost\":\"1\"}"),
	                    "/payload/cost: a number is needed");
	assert_string_equal(
		payload_words(KIND_USER_CLICK, "{\"target\":\"t\",\"position\":{\"x\":1}}"),
		"/payload/position/y: required");
	assert_string_equal(payload_words(KIND_USER_ZONE, "{\"bounds\":{\"x\":0,\"q\":1}}"),
	                    "/payload/bounds/q: not allowed");
	assert_string_equal(payload_words(KIND_ERROR, "[]"), "/payload: an object is needed");
	assert_string_equal(payload_words(KIND_OTHER, "[]"), "/payload: an object is needed");
	assert_string_equal(payload_words(KIND_OTHER, "{\"a\":[]}"), "ok");
}

static void an_envelope_is_checked_as_a_whole(void **state)
{
	assert_string_equal(words("[]"), "an object is needed");
	assert_string_equal(words("{}"), "/id: required");
	assert_string_equal(
		words("{\"id\":\"i\",\"type\":\"thinking\",\"timestamp\":1,\"source\":\"s\","
	              "\"payload\":{\"agentId\":\"a\",\"content\":\"\"},\"seq\":1}"),
		"ok");
	assert_string_equal(
		words("{\"id\":\"i\",\"type\":\"thinking\",\"timestamp\":1,\"source\":\"s\","
	              "\"payload\":{\"agentId\":\"a\"}}"),
		"/payload/content: required");
	assert_string_equal(words("{\"seq\":0}"), "/seq: at least 1 is needed");
}

static void a_long_name_from_outside_is_cut(void **state)
{
	char envelope[600];

	memset(envelope, 'x', sizeof(envelope));
	memcpy(envelope, "{\"", 2);
	memcpy(envelope + 500, "\":1}", 5);
	assert_true(strlen(words(envelope)) < 100);
	assert_non_null(strstr(why.words, "not allowed"));
}

static void nobody_need_ask_why(void **state)
{
	yyjson_doc *doc = json_read(&reader, TEXT("{\"position\":{}}"), NULL);

	assert_false(schema_check_payload(KIND_USER_POINT, yyjson_doc_get_root(doc), NULL));
	assert_false(schema_check(yyjson_doc_get_root(doc), NULL));
	assert_false(schema_check(NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_breach_says_where_and_what),
		cmocka_unit_test(an_envelope_is_checked_as_a_whole),
		cmocka_unit_test(a_long_name_from_outside_is_cut),
		cmocka_unit_test(nobody_need_ask_why),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
