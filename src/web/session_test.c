/* session_test.c - codes, tickets and sessions, with the time as an argument; and
 * how many wrong ones are heard out. */
#include "web/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>

#include "web/throttle.h"

static struct device_wish device;

#define NOW INT64_C(1700000000000)

#define USER 1000

static const unsigned char owner[DIGEST_LEN] = "one key", stranger[DIGEST_LEN] = "another";

static struct session_keys keys_of(void *passes)
{
	return (struct session_keys){owner, passes};
}

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

	passes_give_code(*state, NULL, NOW, code);
	assert_int_equal(strlen(code), TOKEN_LEN);
	assert_true(passes_take_code(*state, text_of(code), NOW + 1, &device));
	assert_false(passes_take_code(*state, text_of(code), NOW + 1, &device));
}

/* And a code that comes after it, in the same place of the table, is for a page again. */
static void a_code_says_what_it_is_for(void **state)
{
	const struct device_wish phone = {"phone", SCOPE_OBSERVE};
	char code[TOKEN_LEN + 1];

	passes_give_code(*state, NULL, NOW, code);
	assert_false(passes_await_device(*state, NOW));
	passes_give_code(*state, &phone, NOW, code);
	assert_true(passes_await_device(*state, NOW + SESSION_CODE_MS - 1));
	assert_false(passes_await_device(*state, NOW + SESSION_CODE_MS));
	assert_true(passes_take_code(*state, text_of(code), NOW + 1, &device));
	assert_false(passes_await_device(*state, NOW + 1));
	assert_string_equal(device.name, "phone");
	assert_int_equal(device.scopes, SCOPE_OBSERVE);
	for (int i = 0; i < SESSION_CODES; i++)
		passes_give_code(*state, &phone, NOW, code);
	passes_give_code(*state, NULL, NOW + 1, code);
	assert_true(passes_take_code(*state, text_of(code), NOW + 2, &device));
	assert_int_equal(device.scopes, 0);
}

static void a_code_is_good_for_ten_minutes(void **state)
{
	char code[TOKEN_LEN + 1];

	passes_give_code(*state, NULL, NOW, code);
	assert_false(passes_take_code(*state, text_of(code), NOW + SESSION_CODE_MS, &device));
	assert_true(passes_take_code(*state, text_of(code), NOW + SESSION_CODE_MS - 1, &device));
}

static void a_wrong_code_is_no_code(void **state)
{
	char code[TOKEN_LEN + 1];

	passes_give_code(*state, NULL, NOW, code);
	assert_false(passes_take_code(*state, TEXT(""), NOW, &device));
	assert_false(passes_take_code(*state, (struct text){code, TOKEN_LEN - 1}, NOW, &device));
	code[0] ^= 1;
	assert_false(passes_take_code(*state, text_of(code), NOW, &device));
}

static void an_empty_table_takes_nothing(void **state)
{
	struct caller caller;

	assert_false(passes_take_code(*state, TEXT(""), NOW, &device));
	assert_false(passes_take_ticket(*state, TEXT(""), USER, 0, &caller));
	assert_false(passes_take_ticket(*state, TEXT(""), USER, -1, &caller));
}

static void the_oldest_code_makes_room(void **state)
{
	char first[TOKEN_LEN + 1], second[TOKEN_LEN + 1], other[TOKEN_LEN + 1];

	passes_give_code(*state, NULL, NOW, first);
	passes_give_code(*state, NULL, NOW + 1, second);
	for (int i = 0; i < SESSION_CODES - 1; i++)
		passes_give_code(*state, NULL, NOW + 2 + i, other);
	assert_false(passes_take_code(*state, text_of(first), NOW + 100, &device));
	assert_true(passes_take_code(*state, text_of(second), NOW + 100, &device));
	assert_true(passes_take_code(*state, text_of(other), NOW + 100, &device));
}

static void a_ticket_is_good_once_for_who_asked(void **state)
{
	struct caller asked = {SCOPE_OBSERVE, true, "viewer"}, got = {0};
	char ticket[TOKEN_LEN + 1];

	passes_give_ticket(*state, &asked, USER, NOW, ticket);
	assert_true(passes_take_ticket(*state, text_of(ticket), USER, NOW + 1, &got));
	assert_int_equal(got.scopes, SCOPE_OBSERVE);
	assert_true(got.has_credential);
	assert_string_equal(got.name, "viewer");
	assert_false(passes_take_ticket(*state, text_of(ticket), USER, NOW + 1, &got));
}

static void a_ticket_is_good_for_half_a_minute(void **state)
{
	struct caller asked = {SCOPE_ALL, true, "page"}, got;
	char ticket[TOKEN_LEN + 1];

	passes_give_ticket(*state, &asked, USER, NOW, ticket);
	assert_false(
		passes_take_ticket(*state, text_of(ticket), USER, NOW + SESSION_TICKET_MS, &got));
	assert_true(passes_take_ticket(*state, text_of(ticket), USER, NOW + SESSION_TICKET_MS - 1,
	                               &got));
}

static void a_code_is_no_ticket(void **state)
{
	struct caller caller;
	char code[TOKEN_LEN + 1];

	passes_give_code(*state, NULL, NOW, code);
	assert_false(passes_take_ticket(*state, text_of(code), USER, NOW, &caller));
}

static void tickets_are_bounded(void **state)
{
	struct caller asked = {SCOPE_ALL, true, "page"}, got;
	char first[TOKEN_LEN + 1], last[TOKEN_LEN + 1];

	passes_give_ticket(*state, &asked, USER, NOW, first);
	for (int i = 0; i < SESSION_TICKETS; i++)
		passes_give_ticket(*state, &asked, USER, NOW + 1 + i, last);
	assert_false(passes_take_ticket(*state, text_of(first), USER, NOW + 1, &got));
	assert_true(passes_take_ticket(*state, text_of(last), USER, NOW + 1, &got));
}

static void a_ticket_is_void_once_another_user_showed_it(void **state)
{
	struct caller asked = {SCOPE_ALL, true, "page"}, got;
	char ticket[TOKEN_LEN + 1];

	passes_give_ticket(*state, &asked, USER, NOW, ticket);
	assert_false(passes_take_ticket(*state, text_of(ticket), USER + 1, NOW, &got));
	assert_false(passes_take_ticket(*state, text_of(ticket), USER, NOW, &got));
}

static void a_token_is_good_for_a_week(void **state)
{
	struct session_keys keys = keys_of(*state);
	struct caller caller = {0};
	struct session session;

	session_open(&keys, NOW, &session);
	assert_int_equal(strlen(session.token), SESSION_LEN);
	assert_int_equal(strlen(session.page), SESSION_LEN);
	assert_true(session_check(&keys, text_of(session.token), NOW + SESSION_MS - 1, &caller));
	assert_int_equal(caller.scopes, SCOPE_ALL);
	assert_true(caller.has_credential);
	assert_false(session_check(&keys, text_of(session.token), NOW + SESSION_MS, &caller));
}

static void the_half_that_the_page_keeps_is_no_token(void **state)
{
	struct session_keys keys = keys_of(*state);
	struct session session;
	struct caller caller;

	session_open(&keys, NOW, &session);
	assert_false(session_check(&keys, text_of(session.page), NOW, &caller));
}

static void a_token_ends_with_either_key(void **state)
{
	struct session_keys keys = keys_of(*state), others = {stranger, *state};
	struct session session;
	struct caller caller;

	session_open(&keys, NOW, &session);
	assert_false(session_check(&others, text_of(session.token), NOW, &caller));
	passes_renew(*state);
	assert_false(session_check(&keys, text_of(session.token), NOW, &caller));
}

static void no_character_of_a_token_can_be_changed(void **state)
{
	struct session_keys keys = keys_of(*state);
	struct session session;
	struct caller caller;

	session_open(&keys, NOW, &session);
	for (size_t i = 0; i < SESSION_LEN; i++) {
		char was = session.token[i];

		session.token[i] = was == 'f' ? '0' : 'f';
		assert_false(session_check(&keys, text_of(session.token), NOW, &caller));
		session.token[i] = was;
	}
	assert_false(
		session_check(&keys, (struct text){session.token, SESSION_LEN - 1}, NOW, &caller));
	assert_false(session_check(&keys, TEXT(""), NOW, &caller));
	assert_true(session_check(&keys, text_of(session.token), NOW, &caller));
}

static void two_sessions_differ(void **state)
{
	struct session_keys keys = keys_of(*state);
	struct session one, two;

	session_open(&keys, NOW, &one);
	session_open(&keys, NOW, &two);
	assert_string_not_equal(one.token, two.token);
	assert_string_not_equal(one.page, two.page);
}

/* ---- a page that comes back ---- */

/* What the page does, written apart from what it is held against. */
static void page_signs(const char *half, const char *text, char out[2 * DIGEST_LEN + 1])
{
	unsigned char mac[DIGEST_LEN];

	HMAC(EVP_sha256(), half + SESSION_ID_LEN, 2 * DIGEST_LEN, (const unsigned char *)text,
	     strlen(text), mac, NULL);
	for (int i = 0; i < DIGEST_LEN; i++)
		snprintf(out + 2 * (size_t)i, 3, "%02x", mac[i]);
}

struct visit_of_page {
	struct session_plea plea;
	struct session_proof proof;
	char answer[2 * DIGEST_LEN + 1];
};

/* Asks for a proof, believes it and makes the answer. */
static bool ask(const struct session_keys *keys, const char *half, struct visit_of_page *visit)
{
	char text[1024], proof[2 * DIGEST_LEN + 1];

	visit->plea = (struct session_plea){
		.id = {half, SESSION_ID_LEN},
		.origin = TEXT("http://127.0.0.1:7446"),
		.nonce = TEXT("0123abcd"),
	};
	if (!session_prove(keys, &visit->plea, NOW, &visit->proof))
		return false;
	snprintf(text, sizeof(text), "signalbox server http://127.0.0.1:7446 0123abcd %s ",
	         visit->proof.challenge);
	page_signs(half, text, proof);
	snprintf(text, sizeof(text), "signalbox answer http://127.0.0.1:7446 %s ",
	         visit->proof.challenge);
	page_signs(half, text, visit->answer);
	visit->plea.challenge = text_of(visit->proof.challenge);
	visit->plea.answer = text_of(visit->answer);
	return strcmp(proof, visit->proof.proof) == 0;
}

static void a_page_comes_back_with_either_half(void **state)
{
	struct session_keys keys = keys_of(*state);
	struct session session, again;
	struct visit_of_page visit;

	session_open(&keys, NOW, &session);
	assert_true(ask(&keys, session.token, &visit));
	assert_true(session_resume(&keys, &visit.plea, NOW, &again));
	assert_string_equal(again.page, session.page);
	assert_string_equal(again.token, session.token);
	assert_true(ask(&keys, session.page, &visit));
	assert_true(session_resume(&keys, &visit.plea, NOW, &again));
	assert_string_equal(again.page, session.page);
}

static void the_pages_half_outlives_our_hold_on_the_port_and_the_token_does_not(void **state)
{
	struct session_keys keys = keys_of(*state);
	struct session session, again;
	struct visit_of_page visit;
	struct caller caller;

	session_open(&keys, NOW, &session);
	passes_renew(*state);
	assert_false(ask(&keys, session.token, &visit));
	assert_true(ask(&keys, session.page, &visit));
	assert_true(session_resume(&keys, &visit.plea, NOW, &again));
	assert_string_not_equal(again.token, session.token);
	assert_true(session_check(&keys, text_of(again.token), NOW, &caller));
}

static void nobody_without_the_key_can_prove_anything(void **state)
{
	struct session_keys keys = keys_of(*state), others = {stranger, *state};
	struct session session;
	struct visit_of_page visit;

	session_open(&keys, NOW, &session);
	assert_false(ask(&others, session.page, &visit));
}

static void an_answer_is_for_one_challenge_one_origin_and_half_a_minute(void **state)
{
	struct session_keys keys = keys_of(*state);
	struct session session, again;
	struct visit_of_page visit, second;
	struct session_plea plea;

	session_open(&keys, NOW, &session);
	assert_true(ask(&keys, session.page, &visit));
	assert_true(ask(&keys, session.page, &second));
	plea = visit.plea;
	plea.challenge = second.plea.challenge;
	assert_false(session_resume(&keys, &plea, NOW, &again));
	plea = visit.plea;
	plea.origin = TEXT("https://box.example:7446");
	assert_false(session_resume(&keys, &plea, NOW, &again));
	assert_false(session_resume(&keys, &visit.plea, NOW + SESSION_CHALLENGE_MS, &again));
	assert_true(session_resume(&keys, &visit.plea, NOW + SESSION_CHALLENGE_MS - 1, &again));
	passes_renew(*state);
	assert_false(session_resume(&keys, &visit.plea, NOW, &again));
}

static void a_session_does_not_come_back_after_its_week(void **state)
{
	struct session_keys keys = keys_of(*state);
	struct session session;
	struct visit_of_page visit;

	session_open(&keys, NOW - SESSION_MS, &session);
	assert_false(ask(&keys, session.page, &visit));
	assert_false(ask(&keys, session.token, &visit));
}

static void a_plea_that_makes_no_sense_is_refused(void **state)
{
	static const char spaces[] = "                                                ";
	struct session_keys keys = keys_of(*state);
	struct session_proof proof;
	struct session_plea plea = {.id = {spaces, SESSION_ID_LEN}, .nonce = TEXT("00")};
	struct session session;

	assert_false(session_prove(&keys, &plea, NOW, &proof));
	session_open(&keys, NOW, &session);
	plea.id = (struct text){session.page, SESSION_ID_LEN};
	assert_true(session_prove(&keys, &plea, NOW, &proof));
	plea.nonce = TEXT("");
	assert_false(session_prove(&keys, &plea, NOW, &proof));
	plea.nonce = TEXT("a b");
	assert_false(session_prove(&keys, &plea, NOW, &proof));
	plea.nonce = (struct text){session.page, SESSION_NONCE_LEN + 1};
	assert_false(session_prove(&keys, &plea, NOW, &proof));
	plea.challenge = plea.answer = TEXT("x");
	assert_false(session_resume(&keys, &plea, NOW, &session));
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
		cmocka_unit_test_setup_teardown(a_code_says_what_it_is_for, set_up, tear_down),
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
		cmocka_unit_test_setup_teardown(a_ticket_is_void_once_another_user_showed_it,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_token_is_good_for_a_week, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_half_that_the_page_keeps_is_no_token, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_token_ends_with_either_key, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_character_of_a_token_can_be_changed, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_page_comes_back_with_either_half, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(
			the_pages_half_outlives_our_hold_on_the_port_and_the_token_does_not, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(nobody_without_the_key_can_prove_anything, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(
			an_answer_is_for_one_challenge_one_origin_and_half_a_minute, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(a_session_does_not_come_back_after_its_week, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_plea_that_makes_no_sense_is_refused, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(two_sessions_differ, set_up, tear_down),
		cmocka_unit_test(the_throttle_hears_out_some_failures),
		cmocka_unit_test(the_throttle_forgets_with_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
