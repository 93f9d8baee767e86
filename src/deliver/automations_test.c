/* automations_test.c - which automation decides, and what is noted of it. */
#include "deliver/automations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "config/config.h"
#include "deliver/clause.h"

static struct config_automation rows[8];
static struct config config = {.automations = rows};
static struct nexus_request request;

static void begin(const char *text)
{
	request = (struct nexus_request){.peer_kind = CHANNEL_GROUP, .is_mentioned = true};
	nexus_set(&request, NEXUS_CONTENT, text_of(text));
	nexus_set(&request, NEXUS_CHANNEL, TEXT("irc"));
	nexus_set(&request, NEXUS_PRINCIPAL, TEXT("owner"));
}

/* Which of them decides; -1: none. */
static int run_all(size_t count, bool keeps_agent)
{
	const struct config_automation *one;
	struct automations *a;

	config.automation_count = count;
	a = automations_create(&config);
	one = automations_run(a, &request, TEXT("[{\"kind\":\"voice\"}]"), keeps_agent);
	automations_destroy(a);
	return one ? (int)(one - rows) : -1;
}

static struct config_automation answers(const char *when, const char *answer)
{
	return (struct config_automation){.when = (char *)when, .answer = (char *)answer};
}

static struct config_automation routes(const char *when, const char *agent)
{
	return (struct config_automation){.when = (char *)when, .route = {(char *)agent, NULL}};
}

static bool fits(const char *when)
{
	rows[0] = answers(when, "yes");
	return run_all(1, false) == 0;
}

static void the_first_that_decides_is_the_last(void **state)
{
	rows[0] = answers("{\"text\":{\"equals\":\"no\"}}", "no");
	rows[1] = (struct config_automation){.set = {true}};
	rows[2] = routes("{\"signal.channel\":{\"equals\":\"irc\"}}", "other");
	rows[3] = answers(NULL, "never");
	begin("hello");
	assert_int_equal(run_all(4, false), 2);
	assert_true(request.disables_streaming);
	assert_int_equal(request.evaluated, 3);
	assert_int_equal(request.fired, 2);
	assert_string_equal(request.words[NEXUS_RESULTS],
	                    "[{\"automation\":\"automations[1]\",\"did\":\"set\"},"
	                    "{\"automation\":\"automations[2]\",\"did\":\"route\"}]");
	nexus_finish(&request);
}

static void who_keeps_an_agent_is_not_sent_to_another(void **state)
{
	rows[0] = routes(NULL, "other");
	rows[1] = answers(NULL, "here");
	begin("hello");
	assert_int_equal(run_all(2, true), 1);
	assert_int_equal(request.fired, 1);
	nexus_finish(&request);
}

static void nothing_that_fits_is_nothing_done(void **state)
{
	rows[0] = answers("{\"text\":{\"contains\":\"x\"}}", "x");
	begin("hello");
	assert_int_equal(run_all(1, false), -1);
	assert_int_equal(request.evaluated, 1);
	assert_int_equal(request.fired, 0);
	assert_null(request.words[NEXUS_RESULTS]);
	assert_false(request.disables_streaming);
	nexus_finish(&request);
}

static void a_condition_sees_the_request(void **state)
{
	begin("Hello \"there\"");
	assert_true(fits("{\"signal.type\":{\"equals\":\"nex.received\"}}"));
	assert_true(fits("{\"text\":{\"matches\":\"^Hello .there.$\"}}"));
	assert_true(fits("{\"peerKind\":{\"equals\":\"group\"},\"mentioned\":{\"equals\":true}}"));
	assert_true(fits("[{\"text\":{\"equals\":\"\"}},{\"principal\":{\"equals\":\"owner\"}}]"));
	assert_true(fits("{\"files.0.kind\":{\"equals\":\"voice\"},\"files.length\":{\"gt\":0}}"));
	assert_true(fits("{\"thread\":{\"exists\":false}}"));
	assert_false(fits("{\"person\":{\"exists\":true}}"));
	assert_true(fits(NULL));
	assert_false(fits("{\"text\":5}")); /* no condition: it never holds */
	nexus_finish(&request);
}

static void assert_unclear(const char *when, const char *words)
{
	struct error why = {""};

	assert_false(clause_check(text_of(when), &why));
	assert_string_equal(why.words, words);
}

static void each_word_of_a_condition_means_something(void **state)
{
	assert_true(clause_check(TEXT("{\"text\":{\"not\":{\"matches\":\"^a\"}}}"), NULL));
	assert_true(clause_check(TEXT("[]"), NULL));
	assert_unclear("5", "a condition is wanted, as {\"signal.x\":{\"gt\":1}}");
	assert_unclear("{\"text\":{\"equal\":\"a\"}}",
	               "/text/equal: no such operator; there are equals, contains, matches, gt, "
	               "lt, exists and not");
	assert_unclear("[{},{\"text\":{\"not\":{\"matches\":\"(\"}}}]",
	               "/1/text/not/matches: that is no regular expression");
	assert_unclear("{\"text\":{\"not\":{},\"gt\":1}}",
	               "/text: beside 'not' no other operator counts");
	assert_unclear("{\"text\":{\"gt\":\"a\"}}", "/text/gt: a number is wanted");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_decides_is_the_last),
		cmocka_unit_test(who_keeps_an_agent_is_not_sent_to_another),
		cmocka_unit_test(nothing_that_fits_is_nothing_done),
		cmocka_unit_test(a_condition_sees_the_request),
		cmocka_unit_test(each_word_of_a_condition_means_something),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
