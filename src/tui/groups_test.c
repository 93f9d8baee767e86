/* groups_test.c - invocations of one name are together, the busiest first. */
#include "tui/groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct model model;
static struct groups groups;

static void hear(double ts, const char *event, const char *invoke, const char *session)
{
	char raw[256];
	struct error why;

	snprintf(
		raw, sizeof(raw),
		"{\"ts\":%f,\"event\":\"%s\",\"data\":{\"invokeid\":\"%s\",\"session-id\":\"%s\"}}",
		ts, event, invoke, session);
	assert_true(model_hear(&model, text_of(raw), &why));
}

static int make(void **state)
{
	model_init(&model);
	return 0;
}

static int drop(void **state)
{
	model_finish(&model);
	return 0;
}

static void nobody_makes_no_group(void **state)
{
	groups_make(&groups, &model, NULL, NULL);
	assert_int_equal(groups.count, 0);
}

static void who_streams_comes_first_and_who_is_done_last(void **state)
{
	hear(1, "llm/response", "done", "1");
	hear(2, "llm/error", "failed", "1");
	hear(3, "llm/start", "waiting", "1");
	hear(1, "llm/delta", "streaming", "1");
	hear(9, "llm/response", "late", "1");
	groups_make(&groups, &model, NULL, NULL);
	assert_int_equal(groups.count, 5);
	assert_string_equal(groups.at[0].invoke, "streaming");
	assert_string_equal(groups.at[1].invoke, "waiting");
	assert_string_equal(groups.at[2].invoke, "failed");
	assert_string_equal(groups.at[3].invoke, "late");
	assert_string_equal(groups.at[4].invoke, "done");
}

static void a_group_is_as_busy_as_its_busiest(void **state)
{
	hear(1, "llm/response", "judge", "1");
	hear(2, "llm/start", "poet", "x");
	hear(3, "llm/delta", "judge", "2");
	hear(4, "llm/delta", "judge", "2");
	hear(5, "llm/start", "judge", "3");
	groups_make(&groups, &model, NULL, NULL);
	assert_int_equal(groups.count, 2);
	assert_string_equal(groups.at[0].invoke, "judge");
	assert_int_equal(groups.at[0].count, 3);
	assert_int_equal(groups.at[0].done, 1);
	assert_int_equal(groups.at[0].tokens, 0); /* nobody said */
	assert_int_equal(groups.at[0].status, INVOCATION_STREAMING);
	assert_string_equal(groups.all[groups.at[0].first]->session, "1");
	assert_string_equal(groups.all[groups.at[0].first + 2]->session, "3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody_makes_no_group, make, drop),
		cmocka_unit_test_setup_teardown(who_streams_comes_first_and_who_is_done_last, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(a_group_is_as_busy_as_its_busiest, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
