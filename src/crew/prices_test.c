/* prices_test.c - which model a name means, and what calls of it cost. */
#include "crew/prices.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct prices *own;

static int make(void **state)
{
	own = prices_own();
	return 0;
}

static int drop(void **state)
{
	prices_destroy(own);
	return 0;
}

static const struct spent_counts million = {{[SPENT_INPUT] = 1000000,
                                             [SPENT_OUTPUT] = 1000000,
                                             [SPENT_CACHE_READ] = 1000000,
                                             [SPENT_CACHE_WRITE] = 1000000,
                                             [SPENT_CACHE_WRITE_1H] = 1000000}};

/* Negative: unknown. */
static double cost(const char *model, const struct spent_counts *counts, uint64_t prompt, bool fast)
{
	struct price_call call = {text_of(model), prices_size_of(prompt), fast};
	double dollars;

	return prices_cost(own, &call, counts, &dollars) ? dollars : -1;
}

static double input_of(const char *model)
{
	static const struct spent_counts counts = {{[SPENT_INPUT] = 1000000}};

	return cost(model, &counts, 0, false);
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void each_kind_of_token_has_its_price(void **state)
{
	assert_true(is_near(cost("claude-opus-5-5", &million, 0, false), 4 + 20 + .2 + 5 + 8));
	assert_true(is_near(cost("gpt-5.6-luna", &million, 0, false), .2 + 1.2 + .02 + .25 + .25));
	/* Nobody lists what it costs to write: as much as to read without a cache. */
	assert_true(is_near(cost("gpt-5.4", &million, 0, false), 2.5 + 15 + .25 + 2.5 + 2.5));
}

static void names_are_known_in_all_their_forms(void **state)
{
	static const char *const names[] = {
		"claude-opus-4-8",
		"Claude-Opus-4-8",
		"claude-opus-4.8",
		"anthropic/claude-opus-4.8",
		"global.anthropic.claude-opus-4-8-v1:0",
		"anthropic.claude-opus-4-8-20260401-v1:0",
		"claude-opus-4-8@20260401",
		"claude-opus-4-8@default",
		"claude-opus-4-8[1m]",
		"claude-opus-4-8-20260401",
		"claude-opus-4-8-2026-04-01",
		"claude-opus-4-8-latest",
		"claude-opus-4-8-v1",
		"openrouter/anthropic/claude-opus-4-8-thinking",
		"my-claude-opus-4-8",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_true(is_near(input_of(names[i]), 5));
	assert_true(is_near(input_of("us.anthropic.claude-opus-4-8-v1:0"), 5.5));
	assert_true(is_near(input_of("eu.anthropic.claude-opus-5-5"), 4.4));
	assert_true(is_near(input_of("MiniMax-M3"), .3));
}

static void a_further_number_is_another_model(void **state)
{
	assert_true(is_near(input_of("claude-opus-5"), 5));
	assert_true(is_near(input_of("claude-opus-5-5"), 4));
	assert_true(input_of("claude-opus-5-9") < 0);
	assert_true(input_of("claude-opus-4") < 0);
	assert_true(input_of("gpt-5") < 0);
	assert_true(input_of("gpt-5.7") < 0);
	assert_true(is_near(input_of("gpt-5.6-codex"), 5));
	assert_true(is_near(input_of("gpt-5.6-terra-high"), 2)); /* the longest key */
	assert_true(input_of("gpt-5.60") < 0);
}

static void what_is_not_listed_is_unknown_and_not_free(void **state)
{
	static const char *const names[] = {"",         "/",    "llama3", "claude", "<synthetic>",
	                                    "@default", "[1m]", "-v1",    "us.",    "opus"};
	char endless[1000];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_true(input_of(names[i]) < 0);
	memset(endless, 'a', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	assert_true(input_of(endless) < 0);
}

static void long_prompts_and_haste_cost_more(void **state)
{
	static const struct spent_counts counts = {
		{[SPENT_INPUT] = 1000000, [SPENT_OUTPUT] = 1000000}};

	assert_true(is_near(cost("gpt-5.6", &counts, 272000, false), 35));
	assert_true(is_near(cost("gpt-5.6", &counts, 272001, false), 55));
	assert_true(is_near(cost("claude-haiku-5-5", &counts, 100000, false), .6));
	assert_true(is_near(cost("claude-haiku-5-5", &counts, 100001, false), 3));
	assert_true(is_near(cost("gemini-3.1-pro-preview", &counts, 900000, false), 22));
	assert_true(is_near(cost("claude-opus-4-7", &counts, 0, true), 180));
	assert_true(
		is_near(cost("claude-sonnet-5", &counts, 0, true), 12)); /* it has no such mode */
	assert_true(is_near(cost("qwen3-coder-plus", &counts, 32000, false), 6));
	assert_true(cost("qwen3-coder-plus", &counts, 32001, false) < 0); /* not listed */
}

static void windows_and_the_date_are_there(void **state)
{
	assert_int_equal(prices_window(own, TEXT("claude-opus-4-6-20260101")), 200000);
	assert_int_equal(prices_window(own, TEXT("gpt-5.5")), 1050000);
	assert_int_equal(prices_window(own, TEXT("nobody")), 0);
	assert_string_equal(prices_date(own), "2026-11-16");
}

static void a_list_that_is_wrong_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"[]",
		"{}",
		"{\"date\":\"x\"}",
		"{\"date\":\"x\",\"models\":[]}",
		"{\"models\":{}}",
		"{\"date\":\"x\",\"models\":{\"a\":{}}}",
		"{\"date\":\"x\",\"models\":{\"a\":{\"input\":1}}}",
		"{\"date\":\"x\",\"models\":{\"a\":{\"input\":-1,\"output\":1}}}",
		"{\"date\":\"x\",\"models\":{\"a\":{\"input\":1e99,\"output\":1}}}",
		"{\"date\":\"x\",\"models\":{\"\":{\"input\":1,\"output\":1}}}",
		("{\"date\":\"x\",\"models\":{\"a\":{\"input\":1,\"output\":1,\"above\":"
	         "[{\"tokens\":150000,\"input\":1,\"output\":1}]}}}"),
	};
	struct prices *other;
	struct error why;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_null(prices_read(text_of(wrong[i]), &why));
	other = prices_read(TEXT("{\"date\":\"y\",\"models\":{\"a\":{\"input\":1,\"output\":1},"
	                         "\"A\":{\"input\":3,\"output\":1}}}"),
	                    &why);
	assert_non_null(other);
	assert_string_equal(prices_date(other), "y");
	prices_destroy(other);
	prices_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_kind_of_token_has_its_price, make, drop),
		cmocka_unit_test_setup_teardown(names_are_known_in_all_their_forms, make, drop),
		cmocka_unit_test_setup_teardown(a_further_number_is_another_model, make, drop),
		cmocka_unit_test_setup_teardown(what_is_not_listed_is_unknown_and_not_free, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(long_prompts_and_haste_cost_more, make, drop),
		cmocka_unit_test_setup_teardown(windows_and_the_date_are_there, make, drop),
		cmocka_unit_test(a_list_that_is_wrong_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
