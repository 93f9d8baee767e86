/* ledger_test.c - responses once, in the session that told them first. */
#include "crew/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static struct ledger ledger;
static struct buf out;

static int make(void **state)
{
	ledger_init(&ledger);
	buf_init(&out, MIB);
	return 0;
}

static int drop(void **state)
{
	ledger_finish(&ledger);
	buf_finish(&out);
	return 0;
}

static void take(const char *session, const char *type, const char *payload)
{
	char line[600];

	snprintf(line, sizeof(line),
	         "{\"type\":\"%s\",\"timestamp\":1000,\"source\":\"import\","
	         "\"correlationId\":\"%s\",\"payload\":{%s}}",
	         type, session, payload);
	ledger_take(&ledger, text_of(line));
}

static void spend(const char *session, const char *id, unsigned tokens)
{
	char payload[200];

	snprintf(payload, sizeof(payload),
	         "\"responseId\":\"%s\",\"model\":\"m\",\"promptTokens\":5,\"completionTokens\":%u",
	         id, tokens);
	take(session, "token_usage", payload);
}

static bool write_next(uint32_t *at)
{
	buf_clear(&out);
	return ledger_write(&ledger, at, 2000, &out);
}

static void the_cost_of_a_fork_is_of_two_sessions_and_not_told(void **state)
{
	uint32_t at = 0;

	spend("one", "r1", 30);
	take("one", "session.facts", "\"cost\":2.5");
	spend("fork", "r1", 30);
	spend("fork", "r2", 30);
	take("fork", "session.facts", "\"cost\":5");
	ledger_sort(&ledger);
	assert_true(write_next(&at));
	assert_non_null(memmem(out.at, out.len, "\"cost\":2.5", 10));
	assert_true(write_next(&at));
	assert_null(memmem(out.at, out.len, "\"cost\"", 6));
}

static void the_most_is_kept_where_it_was_told_first(void **state)
{
	uint32_t at = 0;

	take("one", "session.facts", "\"cwd\":\"/a/shop\",\"harness\":\"h\",\"cost\":2.5");
	take("one", "session.facts", "\"cwd\":\"/other\",\"cost\":1,\"compacted\":true");
	spend("one", "r1", 1);
	spend("one", "r1", 30);
	spend("fork", "r1", 30);
	spend("fork", "r1", 2);
	spend("fork", "r2", 4);
	ledger_sort(&ledger);
	assert_true(write_next(&at));
	assert_true(text_is(buf_text(&out),
	                    "{\"type\":\"usage.past\",\"timestamp\":2000,\"source\":\"import\","
	                    "\"payload\":{\"session\":\"one\",\"harness\":\"h\","
	                    "\"cwd\":\"/a/shop\",\"cost\":2.5,\"compacted\":true,"
	                    "\"calls\":[{\"responseId\":\"r1\","
	                    "\"at\":1000,\"model\":\"m\",\"promptTokens\":5,"
	                    "\"completionTokens\":30}]}}"));
	assert_true(write_next(&at));
	assert_non_null(strstr(out.at, "\"session\":\"fork\""));
	assert_false(write_next(&at));
}

static void what_is_known_is_not_told(void **state)
{
	char id[20];
	uint32_t at = 0;
	unsigned pieces = 0;

	for (unsigned i = 0; i < 2 * LEDGER_PIECE + 1; i++) {
		snprintf(id, sizeof(id), "r%u", i);
		spend("one", id, i);
	}
	ledger_sort(&ledger);
	ledger.responses[0].is_known = true;
	while (write_next(&at))
		pieces++;
	assert_int_equal(pieces, 2);
	for (uint32_t i = 0; i < ledger.response_count; i++)
		ledger.responses[i].is_known = true;
	at = 0;
	assert_false(write_next(&at));
}

static void nonsense_is_left_out(void **state)
{
	uint32_t at = 0;

	ledger_take(&ledger, TEXT(""));
	ledger_take(&ledger, TEXT("{\"type\":\"token_usage\""));
	take("", "token_usage", "\"responseId\":\"r\"");
	take("one", "token_usage", "\"responseId\":\"\"");
	take("one", "token_usage", "\"responseId\":7");
	take("one", "token_usage", "\"responseId\":\"a\\u0000b\"");
	ledger_sort(&ledger);
	assert_false(write_next(&at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_cost_of_a_fork_is_of_two_sessions_and_not_told,
	                                        make, drop),
		cmocka_unit_test_setup_teardown(the_most_is_kept_where_it_was_told_first, make,
	                                        drop),
		cmocka_unit_test_setup_teardown(what_is_known_is_not_told, make, drop),
		cmocka_unit_test_setup_teardown(nonsense_is_left_out, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
