/* openclaw_wire_test.c - frames and keys of the gateway protocol, from both ends. */
#include "parse/openclaw_wire.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "base/base64url.h"
#include "base/hex.h"
#include "base/put.h"
#include "parse/openclaw_key.h"
#include "signal/json.h"

struct written {
	struct buf out;
	yyjson_doc *doc;
	struct openclaw_head head;
};

static void read_back(struct written *w)
{
	w->doc = yyjson_read(w->out.at, w->out.len, 0);
	assert_non_null(w->doc);
	openclaw_wire_read(yyjson_doc_get_root(w->doc), &w->head);
}

static void written_finish(struct written *w)
{
	yyjson_doc_free(w->doc);
	buf_finish(&w->out);
}

static void a_request_is_read_as_it_was_written(void **state)
{
	struct written w = {0};

	buf_init(&w.out, KIB);
	openclaw_wire_request(&w.out, TEXT("7"), "chat.send", TEXT("{\"message\":\"hello\"}"));
	read_back(&w);
	assert_int_equal(w.head.kind, OPENCLAW_REQ);
	assert_true(text_is(w.head.id, "7"));
	assert_true(text_is(w.head.method, "chat.send"));
	assert_true(text_is(json_text_at(w.head.params, "message"), "hello"));
	written_finish(&w);
}

static void an_answer_is_good_and_a_refusal_says_why(void **state)
{
	struct written w = {0};
	struct gateway_fault fault = {FAULT_UNAVAILABLE, "not now", TEXT("{\"a\":1}"), true};

	buf_init(&w.out, KIB);
	openclaw_wire_answer(&w.out, TEXT("7"), TEXT("{\"a\":1}"));
	read_back(&w);
	assert_int_equal(w.head.kind, OPENCLAW_RES);
	assert_true(w.head.is_good);
	assert_int_equal(yyjson_get_int(yyjson_obj_get(w.head.payload, "a")), 1);
	written_finish(&w);
	buf_init(&w.out, KIB);
	openclaw_wire_refuse(&w.out, TEXT("8"), &fault);
	read_back(&w);
	assert_true(text_is(w.head.id, "8"));
	assert_false(w.head.is_good);
	assert_true(text_is(json_text_at(w.head.error, "code"), "UNAVAILABLE"));
	assert_true(yyjson_is_true(yyjson_obj_get(w.head.error, "retryable")));
	assert_int_equal(
		yyjson_get_int(yyjson_obj_get(yyjson_obj_get(w.head.error, "details"), "a")), 1);
	written_finish(&w);
}

static void every_event_has_a_name_of_its_own(void **state)
{
	for (unsigned i = 0; i < OPENCLAW_EVENTS; i++) {
		const char *name = openclaw_event_name((enum openclaw_event)i);

		assert_non_null(name);
		assert_int_equal(openclaw_event_of(text_of(name)), i);
	}
	assert_null(openclaw_event_name(OPENCLAW_EVENTS));
	assert_int_equal(openclaw_event_of(TEXT("")), OPENCLAW_EVENTS);
	assert_int_equal(openclaw_event_of(TEXT("chats")), OPENCLAW_EVENTS);
}

static void every_method_and_code_has_a_name_of_its_own(void **state)
{
	for (unsigned i = 0; i < METHODS; i++) {
		const char *name = openclaw_method_name((enum openclaw_method)i);

		assert_non_null(name);
		assert_int_equal(openclaw_method_of(text_of(name)), i);
		assert_int_equal(!openclaw_method_scope((enum openclaw_method)i),
		                 i == METHOD_CONNECT);
	}
	for (unsigned i = 0; i < FAULTS; i++) {
		const char *name = openclaw_code_name((enum openclaw_code)i);

		assert_non_null(name);
		assert_int_equal(openclaw_code_of(text_of(name)), i);
	}
	assert_int_equal(openclaw_method_of(TEXT("chat")), METHODS);
	assert_int_equal(openclaw_code_of(TEXT("")), FAULTS);
	assert_null(openclaw_method_name(METHODS));
	assert_null(openclaw_code_name(FAULTS));
}

static void what_is_no_frame_is_of_no_kind(void **state)
{
	struct openclaw_head head;
	yyjson_doc *doc = yyjson_read("{\"type\":4,\"id\":[]}", 17, 0);

	openclaw_wire_read(NULL, &head);
	assert_int_equal(head.kind, OPENCLAW_KINDS);
	openclaw_wire_read(yyjson_doc_get_root(doc), &head);
	assert_int_equal(head.kind, OPENCLAW_KINDS);
	assert_int_equal(head.id.len, 0);
	yyjson_doc_free(doc);
}

/* ---- keys ---- */

/* RFC 8032, 7.1, test 2. */
#define SEED "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
#define PUBLIC "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
#define SIGNATURE \
	("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" \
	 "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")

static void what_one_signs_the_other_believes(void **state)
{
	unsigned char seed[OPENCLAW_KEY_BYTES], key[OPENCLAW_KEY_BYTES], wanted[64], made[64];
	unsigned char other[OPENCLAW_KEY_BYTES];

	assert_true(hex_read(TEXT(SEED), seed, sizeof(seed)));
	assert_true(hex_read(TEXT(PUBLIC), other, sizeof(other)));
	assert_true(hex_read(text_of(SIGNATURE), wanted, sizeof(wanted)));
	assert_true(openclaw_key_public(seed, key));
	assert_memory_equal(key, other, sizeof(key));
	assert_true(openclaw_key_sign(seed, TEXT("\x72"), made));
	assert_memory_equal(made, wanted, sizeof(made));
	assert_true(openclaw_key_signed(key, TEXT("\x72"), made));
	assert_false(openclaw_key_signed(key, TEXT("\x73"), made));
	key[0] ^= 1;
	assert_false(openclaw_key_signed(key, TEXT("\x72"), made));
}

static void expect_key(const char *spelt, bool is_one)
{
	unsigned char key[OPENCLAW_KEY_BYTES], wanted[OPENCLAW_KEY_BYTES];
	bool found = openclaw_key_read(text_of(spelt), key);

	assert_int_equal(found, is_one);
	assert_true(hex_read(TEXT(PUBLIC), wanted, sizeof(wanted)));
	if (found)
		assert_memory_equal(key, wanted, sizeof(key));
}

#define STD "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="
#define BEGIN "-----BEGIN PUBLIC KEY-----\n"
#define END "\n-----END PUBLIC KEY-----"

static void a_public_key_is_read_in_each_spelling(void **state)
{
	expect_key("PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw", true);
	expect_key(STD, true);
	expect_key(BEGIN "MCowBQYDK2VwAyEA" STD END "\n", true);
	expect_key(BEGIN "MCowBQYDK2VwAyEA\r\n" STD END, true);
	expect_key("", false);
	expect_key(BEGIN END, false);
	expect_key(BEGIN STD END, false);
	expect_key("MCowBQYDK2VwAyEA" STD, false);
	expect_key(BEGIN "MCowBQYDK2VuAyEA" STD END, false); /* X25519 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_read_as_it_was_written),
		cmocka_unit_test(an_answer_is_good_and_a_refusal_says_why),
		cmocka_unit_test(every_event_has_a_name_of_its_own),
		cmocka_unit_test(every_method_and_code_has_a_name_of_its_own),
		cmocka_unit_test(what_is_no_frame_is_of_no_kind),
		cmocka_unit_test(what_one_signs_the_other_believes),
		cmocka_unit_test(a_public_key_is_read_in_each_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
