/* question_test.c - what is asked, and what was chosen. */
#include "source/question.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define ONE \
	"{\"question\":\"Which colour?\",\"header\":\"C\",\"options\":[" \
	"{\"label\":\"Red\",\"description\":\"warm\"},{\"label\":\"Blue\"}],\"multiSelect\":false}"
#define TWO "{\"question\":\"Sizes?\",\"options\":[{\"label\":\"S\"}],\"multiSelect\":true}"

#define THREE \
	"{\"questionId\":\"third\",\"question\":\"See?\",\"url\":\"https://x\",\"isOther\":true," \
	"\"options\":[{\"label\":\"S\"}]}"

/* As opencode asks. */
#define FOUR \
	"{\"question\":\"Tools?\",\"multiple\":true,\"custom\":false," \
	"\"options\":[{\"label\":\"awk\"}]}"

static yyjson_doc *doc;

static yyjson_val *input_of(const char *json)
{
	yyjson_doc_free(doc);
	doc = yyjson_read(json, strlen(json), 0);
	assert_non_null(doc);
	return yyjson_doc_get_root(doc);
}

static int end(void **state)
{
	yyjson_doc_free(doc);
	doc = NULL;
	return 0;
}

static void assert_asked(size_t n, unsigned how, const char *wanted)
{
	struct buf out;

	buf_init(&out, MIB);
	question_ask(&out, input_of("{\"questions\":[" ONE "," TWO "," THREE "," FOUR "]}"), n, how,
	             TEXT(""));
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, wanted);
	buf_finish(&out);
}

#define OTHER "{\"label\":\"Other: an answer of your own\",\"value\":\"(other)\"}"

static void each_question_is_asked_with_its_options(void **state)
{
	assert_asked(0, 0,
	             "\"type\":\"select\",\"prompt\":\"Which colour?\",\"options\":["
	             "{\"label\":\"Red: warm\",\"value\":\"Red\"},"
	             "{\"label\":\"Blue\",\"value\":\"Blue\"}," OTHER "]");
	assert_asked(1, 0,
	             "\"type\":\"multi\",\"prompt\":\"Sizes?\",\"options\":["
	             "{\"label\":\"S\",\"value\":\"S\"}," OTHER "]");
	assert_asked(1, QUESTION_OWN,
	             "\"type\":\"text\",\"prompt\":\"An answer of your own: Sizes?\"");
	assert_asked(3, 0,
	             "\"type\":\"multi\",\"prompt\":\"Tools?\",\"options\":["
	             "{\"label\":\"awk\",\"value\":\"awk\"}]");
}

static void what_is_no_question_is_not_asked(void **state)
{
	static const char *const bad[] = {
		"{}",
		"{\"questions\":[]}",
		"{\"questions\":7}",
		"{\"questions\":[" ONE ",{}]}",
		"{\"questions\":[{\"question\":\"\"}]}",
		"{\"questions\":[{\"question\":\"?\",\"options\":[{\"label\":7}]}]}",
		"{\"questions\":[{\"question\":\"?\",\"options\":[\"a\"]}]}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(question_count(input_of(bad[i])), 0);
	assert_int_equal(question_count(NULL), 0);
	assert_int_equal(question_count(input_of("{\"questions\":[" ONE "," TWO "]}")), 2);
	assert_int_equal(question_count(input_of("{\"questions\":[{\"question\":\"?\"}]}")), 1);
}

static void assert_chosen(const char *value, bool own, bool other, const char *wanted)
{
	yyjson_doc *given = yyjson_read(value, strlen(value), 0);
	struct buf chosen;

	buf_init(&chosen, KIB);
	buf_add(&chosen, own ? TEXT("S") : TEXT(""));
	assert_true(question_choose(&chosen, yyjson_doc_get_root(given), own) == other);
	buf_add_char(&chosen, '\0');
	assert_string_equal(chosen.at, wanted);
	buf_finish(&chosen);
	yyjson_doc_free(given);
}

static void what_was_chosen_is_joined(void **state)
{
	assert_chosen("\"Red\"", false, false, "Red");
	assert_chosen("[\"S\",\"L\"]", false, false, "S, L");
	assert_chosen("[]", false, false, "");
	assert_chosen("\"(other)\"", false, true, "");
	assert_chosen("[\"S\",\"(other)\"]", false, true, "S");
	assert_chosen("\"(other)\"", true, false, "S, (other)");
}

static void answers_have_their_questions(void **state)
{
	yyjson_val *input = input_of("{\"questions\":[" ONE "," TWO "]}");
	struct buf answers;

	buf_init(&answers, KIB);
	question_answer(&answers, input, 0, TEXT("Red"));
	question_answer(&answers, input, 1, TEXT("S, \"L\""));
	buf_add_char(&answers, '\0');
	assert_string_equal(answers.at, "\"Which colour?\":\"Red\",\"Sizes?\":\"S, \\\"L\\\"\"");
	buf_finish(&answers);
}

static void a_gateway_says_where_an_answer_of_ones_own_may_be(void **state)
{
	assert_asked(0, QUESTION_STRICT,
	             "\"type\":\"select\",\"prompt\":\"Which colour?\",\"options\":["
	             "{\"label\":\"Red: warm\",\"value\":\"Red\"},"
	             "{\"label\":\"Blue\",\"value\":\"Blue\"}]");
	assert_asked(2, QUESTION_STRICT,
	             "\"type\":\"select\",\"prompt\":\"See?\\nhttps://x\",\"options\":["
	             "{\"label\":\"S\",\"value\":\"S\"}," OTHER "]");
}

static void a_gateway_gets_its_answers_as_lists(void **state)
{
	yyjson_val *input = input_of("{\"questions\":[" ONE "," TWO "," THREE "]}");
	yyjson_doc *given = yyjson_read("[\"S\",\"(other)\"]", 15, 0);
	yyjson_doc *own = yyjson_read("\"a \\\"b\\\"\"", 9, 0);
	struct buf values, answers;

	buf_init(&values, KIB);
	buf_init(&answers, KIB);
	assert_true(question_choose_values(&values, yyjson_doc_get_root(given), false));
	assert_false(question_choose_values(&values, yyjson_doc_get_root(own), true));
	question_answer_values(&answers, input, 2, buf_text(&values));
	question_answer_values(&answers, input, 2, TEXT("\"x\""));
	buf_add_char(&answers, '\0');
	assert_string_equal(answers.at, "\"third\":[\"S\",\"a \\\"b\\\"\"],\"third\":[\"x\"]");
	buf_finish(&values);
	buf_finish(&answers);
	yyjson_doc_free(given);
	yyjson_doc_free(own);
}

static void a_plan_is_shown_with_its_lines(void **state)
{
	struct buf out;

	buf_init(&out, MIB);
	assert_true(
		question_is_plan(TEXT("ExitPlanMode"), input_of("{\"plan\":\"# a\\nb\\u0000\"}")));
	assert_false(question_is_plan(TEXT("Bash"), NULL));
	question_ask_plan(&out, input_of("{\"plan\":\"# a\\nb\\u0000\"}"));
	assert_non_null(memmem(out.at, out.len, "?\\n# a\\nb\\\\u0000\"", 16));
	assert_non_null(memmem(out.at, out.len, "\"value\":\"deny\",\"safe\":true", 26));
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_question_is_asked_with_its_options, end),
		cmocka_unit_test_teardown(what_is_no_question_is_not_asked, end),
		cmocka_unit_test(what_was_chosen_is_joined),
		cmocka_unit_test_teardown(answers_have_their_questions, end),
		cmocka_unit_test_teardown(a_plan_is_shown_with_its_lines, end),
		cmocka_unit_test_teardown(a_gateway_says_where_an_answer_of_ones_own_may_be, end),
		cmocka_unit_test_teardown(a_gateway_gets_its_answers_as_lists, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
