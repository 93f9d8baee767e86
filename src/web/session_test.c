/* session_test.c - codes, tickets and sessions, with the time as an argument; and
 * how many wrong ones are heard out. */
#include "web/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "web/throttle.h"

#define NOW INT64_C(1700000000000)

static const unsigned char key[DIGEST_LEN] = "one key";

static int set_up(void **state)
{
	*state = passes_create();
	return 0;
}

static int tear_down(void **state)
{
	passes_destroy(*state);
	return 0;
}

static void a_code_is_good_once(void **state)
{
	char code[TOKEN_LEN + 1];

	passes_give_code(*state, NOW, code);
	assert_int_equal(strlen(code), TOKEN_LEN);
	assert_true(passes_take_code(*state, text_of(code), NOW + 1));
	assert_false(passes_take_code(*state, text_of(code), NOW + 1));
}

static void a_code_is_good_for_ten_minutes(void **state)
{
	char code[TOKEN_LEN + 1];

	passes_give_code(*state, NOW, code);
	assert_false(passes_take_code(*state, text_of(code), NOW + SESSION_CODE_MS));
	assert_true(passes_take_code(*state, text_of(code), NOW + SESSION_CODE_MS - 1));
}

static void a_wrong_code_is_no_code(void **state)
{
	char code[TOKEN_LEN + 1];

	passes_give_code(*state, NOW, code);
	assert_false(passes_take_code(*state, TEXT(""), NOW));
	assert_false(passes_take_code(*state, (struct text){code, TOKEN_LEN - 1}, NOW));
	code[0] ^= 1;
	assert_false(passes_take_code(*state, text_of(code), NOW));
}

static void an_empty_table_takes_nothing(void **state)
{
	struct caller caller;

	assert_false(passes_take_code(*state, TEXT(""), NOW));
	assert_false(passes_take_ticket(*state, TEXT(""), 0, &caller));
	assert_false(passes_take_ticket(*state, TEXT(""), -1, &caller));
}

static void the_oldest_code_makes_room(void **state)
{
	char first[TOKEN_LEN + 1], second[TOKEN_LEN + 1], other[TOKEN_LEN + 1];

	passes_give_code(*state, NOW, first);
	passes_give_code(*state, NOW + 1, second);
	for (int i = 0; i < SESSION_CODES - 1; i++)
		passes_give_code(*state, NOW + 2 + i, other);
	assert_false(passes_take_code(*state, text_of(first), NOW + 100));
	assert_true(passes_take_code(*state, text_of(second), NOW + 100));
	assert_true(passes_take_code(*state, text_of(other), NOW + 100));
}

static void a_ticket_is_good_once_for_who_asked(void **state)
{
	struct caller asked = {SCOPE_OBSERVE, true, "viewer"}, got = {0};
	char ticket[TOKEN_LEN + 1];

	passes_give_ticket(*state, &asked, NOW, ticket);
	assert_true(passes_take_ticket(*state, text_of(ticket), NOW + 1, &got));
	assert_int_equal(got.scopes, SCOPE_OBSERVE);
	assert_true(got.has_credential);
	assert_string_equal(got.name, "viewer");
	assert_false(passes_take_ticket(*state, text_of(ticket), NOW + 1, &got));
}

static void a_ticket_is_good_for_half_a_minute(void **state)
{
	struct caller asked = {SCOPE_ALL, true, "page"}, got;
	char ticket[TOKEN_LEN + 1];

	passes_give_ticket(*state, &asked, NOW, ticket);
	assert_false(passes_take_ticket(*state, text_of(ticket), NOW + SESSION_TICKET_MS, &got));
	assert_true(passes_take_ticket(*state, text_of(ticket), NOW + SESSION_TICKET_MS - 1, &got));
}

static void a_code_is_no_ticket(void **state)
{
	struct caller caller;
	char code[TOKEN_LEN + 1];

	passes_give_code(*state, NOW, code);
	assert_false(passes_take_ticket(*state, text_of(code), NOW, &caller));
}

static void tickets_are_bounded(void **state)
{
	struct caller asked = {SCOPE_ALL, true, "page"}, got;
	char first[TOKEN_LEN + 1], last[TOKEN_LEN + 1];

	passes_give_ticket(*state, &asked, NOW, first);
	for (int i = 0; i < SESSION_TICKETS; i++)
		passes_give_ticket(*state, &asked, NOW + 1 + i, last);
	assert_false(passes_take_ticket(*state, text_of(first), NOW + 1, &got));
	assert_true(passes_take_ticket(*state, text_of(last), NOW + 1, &got));
}

static void a_session_is_good_for_a_week(void **state)
{
	char session[SESSION_LEN + 1];
	struct caller caller = {0};

	session_sign(key, NOW, session);
	assert_int_equal(strlen(session), SESSION_LEN);
	assert_true(session_check(key, text_of(session), NOW + SESSION_MS - 1, &caller));
	assert_int_equal(caller.scopes, SCOPE_ALL);
	assert_true(caller.has_credential);
	assert_false(session_check(key, text_of(session), NOW + SESSION_MS, &caller));
}

static void a_session_ends_with_its_key(void **state)
{
	static const unsigned char other[DIGEST_LEN] = "another";
	char session[SESSION_LEN + 1];
	struct caller caller;

	session_sign(key, NOW, session);
	assert_false(session_check(other, text_of(session), NOW, &caller));
}

static void no_character_of_a_session_can_be_changed(void **state)
{
	char session[SESSION_LEN + 1];
	struct caller caller;

	session_sign(key, NOW, session);
	for (size_t i = 0; i < SESSION_LEN; i++) {
		char was = session[i];

		session[i] = was == 'f' ? '0' : 'f';
		assert_false(session_check(key, text_of(session), NOW, &caller));
		session[i] = was;
	}
	assert_false(session_check(key, (struct text){session, SESSION_LEN - 1}, NOW, &caller));
	assert_false(session_check(key, TEXT(""), NOW, &caller));
	assert_true(session_check(key, text_of(session), NOW, &caller));
}

static void two_sessions_differ(void **state)
{
	char one[SESSION_LEN + 1], two[SESSION_LEN + 1];

	session_sign(key, NOW, one);
	session_sign(key, NOW, two);
	assert_string_not_equal(one, two);
}

static void the_throttle_hears_out_some_failures(void **state)
{
	struct throttle throttle = {0};

	for (int i = 0; i < THROTTLE_MOST; i++)
		assert_int_equal(throttle_fail(&throttle, 1000), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(throttle_fail(&throttle, 1000), THROTTLE_EACH_MS / 1000);
	assert_int_equal(throttle.failures, THROTTLE_MOST + 1000);
}

static void the_throttle_forgets_with_time(void **state)
{
	struct throttle throttle = {0};
	uint64_t now = 5000;

	for (int i = 0; i < THROTTLE_MOST + 500; i++)
		throttle_fail(&throttle, now);
	now += THROTTLE_EACH_MS;
	assert_int_equal(throttle_fail(&throttle, now), 0);
	assert_int_not_equal(throttle_fail(&throttle, now), 0);
	now += (uint64_t)THROTTLE_MOST * THROTTLE_EACH_MS;
	for (int i = 0; i < THROTTLE_MOST; i++)
		assert_int_equal(throttle_fail(&throttle, now), 0);
	assert_int_not_equal(throttle_fail(&throttle, now), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_code_is_good_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_code_is_good_for_ten_minutes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_wrong_code_is_no_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_empty_table_takes_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_oldest_code_makes_room, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_ticket_is_good_once_for_who_asked, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_ticket_is_good_for_half_a_minute, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_code_is_no_ticket, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tickets_are_bounded, set_up, tear_down),
		cmocka_unit_test(a_session_is_good_for_a_week),
		cmocka_unit_test(a_session_ends_with_its_key),
		cmocka_unit_test(no_character_of_a_session_can_be_changed),
		cmocka_unit_test(two_sessions_differ),
		cmocka_unit_test(the_throttle_hears_out_some_failures),
		cmocka_unit_test(the_throttle_forgets_with_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
