/* decide_test.c - what of a prompt is offered to whom. */
#include "gateway/decide.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/inquiry.h"
#include "run/prompt.h"

#define OPTIONS \
	"\"options\":[{\"label\":\"Allow\",\"value\":\"allow\"},{\"label\":\"Always\"," \
	"\"value\":\"always\",\"needs\":\"control\"},{\"label\":\"Deny\",\"value\":\"deny\"," \
	"\"safe\":true}]"

static struct prompt *decide_test_read(const char *payload)
{
	struct signal s = {.seq = 7, .source = TEXT("me"), .correlation = TEXT("run")};
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	struct prompt *p =
		prompt_create(&s, yyjson_doc_get_root(doc), "abcdefghijklmnopqrstuvwxyz");

	yyjson_doc_free(doc);
	return p;
}

static void expect_kind(const char *payload, enum decide_kind kind)
{
	struct prompt *p = decide_test_read(payload);

	assert_int_equal(decide_kind(p), kind);
	prompt_destroy(p);
}

static void kinds_follow_from_what_waits(void **state)
{
	expect_kind("{\"type\":\"confirm\"}", DECIDE_PLUGIN);
	expect_kind("{\"type\":\"text\",\"tool\":\"x\"}", DECIDE_NOTHING);
	expect_kind("{\"type\":\"select\"," OPTIONS "}", DECIDE_NOTHING);
	expect_kind("{\"type\":\"select\",\"tool\":\"Write\"," OPTIONS "}", DECIDE_PLUGIN);
	expect_kind("{\"type\":\"select\",\"tool\":\"x\",\"input\":{\"command\":\"ls\"}," OPTIONS
	            "}",
	            DECIDE_EXEC);
	expect_kind("{\"type\":\"select\",\"tool\":\"x\",\"options\":[\"allow\",\"later\"]}",
	            DECIDE_NOTHING);
	expect_kind("{\"type\":\"select\",\"tool\":\"x\",\"options\":[\"once\",\"reject\"]}",
	            DECIDE_PLUGIN);
}

static void expect_request(const char *payload, const struct decide_reader *reader,
                           const char *request)
{
	struct prompt *p = decide_test_read(payload);
	struct deciding d;
	struct buf out;

	deciding_init(&d, p, reader);
	buf_init(&out, MIB);
	put_object(&out, NULL);
	deciding_put_request(&d, &out);
	put_end(&out);
	assert_int_equal(out.len, strlen(request));
	assert_memory_equal(out.at, request, out.len);
	buf_finish(&out);
	deciding_finish(&d);
	prompt_destroy(p);
}

static void only_what_a_reader_may_choose_is_offered(void **state)
{
	static const char write[] = "{\"type\":\"select\",\"prompt\":\"Write: x\",\"tool\":"
				    "\"Write\"," OPTIONS "}";

	expect_request(write, &(struct decide_reader){ANSWERS_ALL, false, true},
	               "{\"pluginId\":null,\"title\":\"Write\",\"description\":\"Write: x\","
	               "\"severity\":\"warning\",\"toolName\":\"Write\",\"allowedDecisions\":"
	               "[\"allow-once\",\"allow-always\",\"deny\"]}");
	expect_request(write, &(struct decide_reader){ANSWERS_PLAIN, false, false},
	               "{\"command\":\"Write: x\",\"cwd\":null,\"host\":null,\"security\":null,"
	               "\"ask\":null,\"resolvedPath\":null,\"allowedDecisions\":[\"allow-once\","
	               "\"deny\"]}");
}

static void a_command_that_says_more_is_shown_with_all_of_it(void **state)
{
	struct decide_reader all = {ANSWERS_ALL, false, true};

	expect_request("{\"type\":\"confirm\",\"tool\":\"Bash\","
	               "\"prompt\":\"Bash: ls\\nenv: x\",\"input\":"
	               "{\"command\":\"ls\",\"env\":\"x\"}}",
	               &all,
	               "{\"command\":\"Bash: ls\\nenv: x\",\"cwd\":null,\"host\":null,"
	               "\"security\":null,\"ask\":null,\"resolvedPath\":null,"
	               "\"allowedDecisions\":[\"allow-once\",\"deny\"]}");
	expect_request("{\"type\":\"confirm\",\"tool\":\"Bash\","
	               "\"prompt\":\"Bash: ls\",\"input\":"
	               "{\"command\":\"ls\",\"cwd\":\"/w\\u202e\"}}",
	               &all,
	               "{\"command\":\"ls\",\"cwd\":\"/w\\\\u202e\",\"host\":null,"
	               "\"security\":null,\"ask\":null,\"resolvedPath\":null,"
	               "\"allowedDecisions\":[\"allow-once\",\"deny\"]}");
}

static void what_an_agent_says_of_a_command_is_shown(void **state)
{
	struct decide_reader all = {ANSWERS_ALL, false, true};

	expect_request("{\"type\":\"confirm\",\"tool\":\"Bash\","
	               "\"prompt\":\"Run this as root on PROD"
	               "\",\"input\":{\"command\":\"ls\",\"cwd\":\"/w\"}}",
	               &all,
	               "{\"command\":\"Run this as root on PROD\\nBash: ls\\ncwd: /w\",\"cwd\":"
	               "\"/w\",\"host\":null,\"security\":null,\"ask\":null,\"resolvedPath\":null,"
	               "\"allowedDecisions\":[\"allow-once\",\"deny\"]}");
	expect_request("{\"type\":\"confirm\",\"tool\":\"Bash\","
	               "\"prompt\":\"Bash: ls\\ncwd: /w\\n"
	               "as root\",\"input\":{\"command\":\"ls\",\"cwd\":\"/w\"}}",
	               &all,
	               "{\"command\":\"Bash: ls\\ncwd: /w\\nas root\",\"cwd\":\"/w\",\"host\":null,"
	               "\"security\":null,\"ask\":null,\"resolvedPath\":null,"
	               "\"allowedDecisions\":[\"allow-once\",\"deny\"]}");
	expect_request("{\"type\":\"confirm\",\"tool\":\"Bash\","
	               "\"prompt\":\"Bash\\ncommand:\\n  | a"
	               "\\n  | b\",\"input\":{\"command\":\"a\\nb\"}}",
	               &all,
	               "{\"command\":\"a\\nb\",\"cwd\":null,\"host\":null,\"security\":null,"
	               "\"ask\":null,\"resolvedPath\":null,"
	               "\"allowedDecisions\":[\"allow-once\",\"deny\"]}");
}

/* One that was saved by another hand may have options all the same. */
static void a_yes_or_no_is_answered_by_true_or_false(void **state)
{
	struct prompt *p = decide_test_read("{\"type\":\"confirm\",\"prompt\":\"Shall I?\"}");
	struct decide_reader all = {ANSWERS_ALL, false, true};
	struct deciding d;

	assert_null(p->options);
	p->options = must_dup("[{\"label\":\"Allow\",\"value\":\"allow\"},{\"label\":\"Always\","
	                      "\"value\":\"always\"},{\"label\":\"No\",\"value\":false}]");
	deciding_init(&d, p, &all);
	assert_true(text_is(buf_text(&d.value[DECIDE_ONCE]), "true"));
	assert_true(text_is(buf_text(&d.value[DECIDE_DENY]), "false"));
	assert_int_equal(d.value[DECIDE_ALWAYS].len, 0);
	deciding_finish(&d);
	prompt_destroy(p);
}

static void options_are_found_by_name_or_number(void **state)
{
	struct prompt *p =
		decide_test_read("{\"type\":\"select\",\"options\":[\"a\",\"b\",\"a\"]}");
	struct inquiry q;

	inquiry_init(&q, p, ANSWERS_PLAIN);
	assert_true(q.is_listed);
	assert_true(yyjson_equals_str(yyjson_obj_get(inquiry_option(&q, TEXT("2")), "value"), "b"));
	assert_null(inquiry_option(&q, TEXT("4")));
	inquiry_finish(&q);
	prompt_destroy(p);
	p = decide_test_read("{\"type\":\"select\",\"options\":[\"a\",\"b\"]}");
	inquiry_init(&q, p, ANSWERS_PLAIN);
	assert_false(q.is_listed);
	assert_null(inquiry_option(&q, TEXT("2")));
	assert_non_null(inquiry_option(&q, TEXT("b")));
	inquiry_finish(&q);
	prompt_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_follow_from_what_waits),
		cmocka_unit_test(only_what_a_reader_may_choose_is_offered),
		cmocka_unit_test(a_command_that_says_more_is_shown_with_all_of_it),
		cmocka_unit_test(what_an_agent_says_of_a_command_is_shown),
		cmocka_unit_test(a_yes_or_no_is_answered_by_true_or_false),
		cmocka_unit_test(options_are_found_by_name_or_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
