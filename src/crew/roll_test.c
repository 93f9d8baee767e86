/* roll_test.c - the order of sessions, and their words. */
#include "crew/roll.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/must.h"
#include "crew/words.h"
#include "signal/json.h"

static void test_those_that_wait_come_first_and_numbers_count(void **state)
{
	static const char *const wanted[] = {"z-1", "f-1", "a-2", "a-10", "a-b", "i-1", "o-1"};
	struct roll roll;

	(void)state;
	assert_true(roll_read(
		&roll, TEXT("{\"at\":7,\"members\":[{\"handle\":\"o-1\",\"group\":\"over\"},"
	                    "{\"handle\":\"a-10\",\"group\":\"work\",\"id\":\"ten\",\"run\":\"x\","
	                    "\"runs\":[\"ten\",\"before\",\"x\"]},"
	                    "{\"handle\":\"i-1\",\"group\":\"idle\"},"
	                    "{\"handle\":\"a-b\",\"group\":\"work\"},"
	                    "{\"handle\":\"f-1\",\"group\":\"failed\"},"
	                    "{\"handle\":\"z-1\",\"group\":\"waits\"},"
	                    "{\"handle\":\"a-2\",\"group\":\"work\"}]}")));
	assert_int_equal(roll.count, 7);
	assert_true(roll.at_ms == 7);
	for (size_t i = 0; i < roll.count; i++)
		assert_string_equal(json_text_at(roll.members[i], "handle").at, wanted[i]);
	assert_int_equal(roll_count(&roll, GROUP_WORK), 3);
	assert_ptr_equal(roll_find(&roll, TEXT("ten")), roll.members[3]);
	assert_ptr_equal(roll_find(&roll, TEXT("x")), roll.members[3]);
	assert_ptr_equal(roll_find(&roll, TEXT("a-10")), roll.members[3]);
	assert_ptr_equal(roll_find(&roll, TEXT("before")), roll.members[3]);
	assert_null(roll_find(&roll, TEXT("a-1")));
	assert_null(roll_find(&roll, TEXT("")));
	roll_finish(&roll);
}

/* In groups of their own, in a circle, below nobody who is known: nobody is lost. */
static void test_who_was_begun_by_another_stands_below_it(void **state)
{
	static const struct {
		const char *members, *wanted;
	} rolls[] = {
		{"[\"b\",\"work\",\"\"],[\"a\",\"work\",\"b\"],[\"c\",\"work\",\"a\"],"
	         "[\"d\",\"work\",\"b\"],[\"e\",\"work\",\"\"]",
	         "b0 a1 c2 d1 e0 "},
		{"[\"b\",\"idle\",\"\"],[\"a\",\"work\",\"b\"]", "a0 b0 "},
		{"[\"a\",\"work\",\"b\"],[\"b\",\"work\",\"a\"],[\"c\",\"work\",\"c\"]",
	         "c0 a0 b1 "},
		{"[\"a\",\"work\",\"who\"]", "a0 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rolls) / sizeof(*rolls); i++) {
		struct buf answer, came;
		struct roll roll;
		yyjson_arr_iter it;
		yyjson_val *one;
		char *list = must_print("[%s]", rolls[i].members);
		yyjson_doc *doc = yyjson_read(list, strlen(list), 0);

		buf_init(&answer, 4 * KIB);
		buf_init(&came, KIB);
		buf_add(&answer, TEXT("{\"members\":["));
		it = yyjson_arr_iter_with(yyjson_doc_get_root(doc));
		while ((one = yyjson_arr_iter_next(&it)))
			buf_print(&answer,
			          "%s{\"handle\":\"%s\",\"id\":\"%s\",\"group\":\"%s\","
			          "\"parent\":\"%s\"}",
			          it.idx > 1 ? "," : "", yyjson_get_str(yyjson_arr_get(one, 0)),
			          yyjson_get_str(yyjson_arr_get(one, 0)),
			          yyjson_get_str(yyjson_arr_get(one, 1)),
			          yyjson_get_str(yyjson_arr_get(one, 2)));
		buf_add(&answer, TEXT("]}"));
		assert_true(roll_read(&roll, buf_text(&answer)));
		for (size_t k = 0; k < roll.count; k++)
			buf_print(&came, "%s%u ", json_text_at(roll.members[k], "handle").at,
			          roll.depths[k]);
		buf_add_char(&came, '\0');
		assert_string_equal(came.at, rolls[i].wanted);
		roll_finish(&roll);
		buf_finish(&came);
		buf_finish(&answer);
		yyjson_doc_free(doc);
		free(list);
	}
}

static void test_what_is_no_answer_is_none(void **state)
{
	static const char *const bad[] = {"", "[]", "{", "{}", "{\"members\":{}}"};
	struct roll roll;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(roll_read(&roll, text_of(bad[i])));
	assert_true(roll_read(&roll, TEXT("{\"members\":[1,null,{}]}")));
	assert_int_equal(roll_count(&roll, GROUP_OVER), 3);
	roll_finish(&roll);
}

/* ---- words ---- */

struct said {
	const char *json, *words;
};

static void check(const struct said *said, size_t count,
                  void (*say)(struct buf *out, yyjson_val *value))
{
	for (size_t i = 0; i < count; i++) {
		yyjson_doc *doc = yyjson_read(said[i].json, strlen(said[i].json), 0);
		struct buf out;

		assert_non_null(doc);
		buf_init(&out, KIB);
		say(&out, yyjson_doc_get_root(doc));
		buf_add_char(&out, '\0');
		assert_string_equal(out.at, said[i].words);
		buf_finish(&out);
		yyjson_doc_free(doc);
	}
}

/* As a list has them: the words, and the clock. */
static void say_state(struct buf *out, yyjson_val *state)
{
	words_state(out, state);
	buf_add_char(out, '|');
	words_clock(out, state, 100000);
}

static void test_a_state_has_words_and_a_clock(void **state)
{
	static const struct said said[] = {
		{"{\"name\":\"thinking\",\"since\":88000}", "thinking|12s"},
		{"{\"name\":\"tool\",\"since\":56000,\"tool\":\"Bash\",\"target\":\"npm test\"}",
	         "Bash npm test|44s"},
		{"{\"name\":\"tool\",\"since\":1,\"tool\":\"Bash\"}", "Bash|1m"},
		{"{\"name\":\"tool\"}", "tool|"},
		{"{\"name\":\"asks\",\"since\":100000,\"question\":\"?\"}", "waits for you|0s"},
		{"{\"name\":\"waits\",\"since\":99000,\"why\":\"for its subagents\"}",
	         "waits for its subagents|1s"},
		{"{\"name\":\"waits\",\"since\":99000,\"why\":\"rate limit\"}",
	         "waits: rate limit|1s"},
		{"{\"name\":\"failed\",\"since\":99000,\"why\":\"no credit\"}",
	         "failed: no credit|"},
		{"{\"name\":\"gone\",\"since\":99000}", "gone|"},
		{"{\"name\":\"finished\",\"since\":99000}", "finished|"},
		{"{\"name\":\"idle\",\"since\":200000}", "idle|0s"},
		{"{\"name\":\"of a newer box\",\"since\":1}", "of a newer box|"},
		{"null", "|"},
	};

	(void)state;
	check(said, sizeof(said) / sizeof(*said), say_state);
}

static void say_age(struct buf *out, yyjson_val *ms)
{
	words_age(out, yyjson_get_num(ms));
}

static void test_an_age_has_one_unit_or_two(void **state)
{
	static const struct said said[] = {
		{"-5", "0s"},         {"59999", "59s"},     {"60000", "1m"},
		{"3599999", "59m"},   {"3900000", "1h 5m"}, {"86399999", "23h 59m"},
		{"86400000.0", "1d"}, {"1e300", "37037d"},
	};

	(void)state;
	check(said, sizeof(said) / sizeof(*said), say_age);
}

static void say_figures(struct buf *out, yyjson_val *member)
{
	words_plan(out, member);
	buf_add_char(out, '|');
	words_tokens(out, member);
	buf_add_char(out, '|');
	words_cost(out, member);
}

static void test_figures_are_short_and_nothing_is_no_zero(void **state)
{
	static const struct said said[] = {
		{"{}", "||"},
		{"{\"plan\":{\"done\":2,\"total\":5},\"usage\":{\"input\":1000,\"output\":200,"
	         "\"cacheRead\":80000,\"reasoning\":99,\"cost\":1.234}}",
	         "2/5|81k|$1.23"},
		{"{\"usage\":{\"output\":999,\"cost\":2,\"atLeast\":true}}", "|999|≥ $2.00"},
		{"{\"usage\":{\"input\":2500000,\"cost\":null,\"unknown\":true}}", "|2.5M|unknown"},
		{"{\"usage\":{\"input\":5,\"cost\":1.2,\"unknown\":true}}", "|5|≥ $1.20"},
		{"{\"usage\":{\"input\":5,\"cost\":0,\"unknown\":true}}", "|5|unknown"},
		{"{\"usage\":{\"input\":5,\"cost\":0}}", "|5|$0.00"},
		{"{\"usage\":{\"input\":5}}", "|5|unknown"},
		{"{\"usage\":{\"cost\":0}}", "||"},
		{"{\"plan\":null,\"usage\":{\"input\":\"x\"}}", "||"},
	};

	(void)state;
	check(said, sizeof(said) / sizeof(*said), say_figures);
}

static void say_amount(struct buf *out, yyjson_val *count)
{
	words_amount(out, yyjson_get_num(count));
}

static void say_money(struct buf *out, yyjson_val *dollars)
{
	words_money(out, yyjson_get_num(dollars));
}

static void say_percent(struct buf *out, yyjson_val *percent)
{
	words_percent(out, yyjson_get_num(percent));
}

/* tests/node/81-page-crew-parts.mjs and 93-page-numbers.mjs have the same of the page. */
static void test_a_figure_has_one_wording(void **state)
{
	static const struct said amounts[] = {
		{"0", "0"},         {"999", "999"},     {"1000", "1.0k"},
		{"9960", "10k"},    {"82345", "82k"},   {"999499", "999k"},
		{"999600", "1.0M"}, {"1.25e6", "1.3M"}, {"3e9", "3.0G"},
	};
	static const struct said money[] = {
		{"0", "$0.00"},        {"0.004", "< $0.01"}, {"0.0099", "< $0.01"},
		{"0.01", "$0.01"},     {"0.125", "$0.13"},   {"0.5", "$0.50"},
		{"1.115", "$1.12"},    {"12.345", "$12.35"}, {"999.994", "$999.99"},
		{"999.996", "$1,000"}, {"1234.5", "$1,235"}, {"1234567", "$1,234,567"},
	};
	static const struct said percents[] = {
		{"0", "0 %"},     {"0.04", "0 %"},  {"0.5", "0.5 %"}, {"9.94", "9.9 %"},
		{"9.96", "10 %"}, {"12.4", "12 %"}, {"98.5", "99 %"}, {"100", "100 %"},
	};

	(void)state;
	check(amounts, sizeof(amounts) / sizeof(*amounts), say_amount);
	check(money, sizeof(money) / sizeof(*money), say_money);
	check(percents, sizeof(percents) / sizeof(*percents), say_percent);
}

static void test_groups_are_counted_in_words(void **state)
{
	static const size_t many[GROUPS] = {2, 1, 5, 3, 9}, one[GROUPS] = {1}, none[GROUPS] = {0};
	struct buf out;

	(void)state;
	buf_init(&out, KIB);
	words_groups(&out, many);
	buf_add_char(&out, '|');
	words_groups(&out, one);
	buf_add_char(&out, '|');
	words_groups(&out, none);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, "2 wait for you, 1 failed, 5 at work, 3 idle|1 waits for you|");
	buf_finish(&out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_those_that_wait_come_first_and_numbers_count),
		cmocka_unit_test(test_who_was_begun_by_another_stands_below_it),
		cmocka_unit_test(test_what_is_no_answer_is_none),
		cmocka_unit_test(test_a_state_has_words_and_a_clock),
		cmocka_unit_test(test_an_age_has_one_unit_or_two),
		cmocka_unit_test(test_figures_are_short_and_nothing_is_no_zero),
		cmocka_unit_test(test_a_figure_has_one_wording),
		cmocka_unit_test(test_groups_are_counted_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
