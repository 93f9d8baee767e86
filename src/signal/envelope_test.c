/* envelope_test.c - what is read where it lies, and what is declined. */
#include "signal/envelope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "signal/json.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define HEAD "\"id\":\"i\",\"type\":\"note\",\"timestamp\":7,\"source\":\"s\""
#define OF(payload) "{" HEAD ",\"payload\":" payload "}"
#define AT(timestamp) \
	"{\"id\":\"i\",\"type\":\"t\",\"timestamp\":" timestamp ",\"source\":\"s\",\"payload\":{}}"
#define TYPED(type, payload) \
	"{\"id\":\"i\",\"type\":\"" type "\",\"timestamp\":7,\"source\":\"s\"," \
	"\"payload\":" payload "}"
#define DELTA(payload) TYPED("text_delta", payload)
#define USAGE(payload) TYPED("token_usage", payload)

static struct members e;

/* From memory of just its length, so that a step beyond it is found out. */
static bool reads(struct text raw, bool checked)
{
	char *copy = must_alloc(raw.len);
	bool ok;

	if (raw.len)
		memcpy(copy, raw.at, raw.len);
	ok = envelope_read(&e, (struct text){copy, raw.len}, checked);
	free(copy);
	return ok;
}

static void assert_read(const char *raw)
{
	if (!reads(text_of(raw), true))
		fail_msg("declined: %s", raw);
}

static void assert_declined(const char *raw)
{
	if (reads(text_of(raw), true))
		fail_msg("read: %s", raw);
}

static void assert_text(struct text t, const char *wanted)
{
	if (!text_is(t, wanted))
		fail_msg("got %.*s, not %s", TEXT_ARG(t), wanted);
}

static void every_member_is_found(void **state)
{
	struct text raw =
		TEXT("{\"metadata\":{\"a\":[1]},\"source\":\"me\",\"timestamp\":1767225600000,"
	             "\"correlationId\":\"c\",\"type\":\"text_delta\",\"id\":\"i-1\","
	             "\"payload\":{\"content\":\"x\",\"agentId\":\"a\"}}");

	assert_true(envelope_read(&e, raw, true));
	assert_text(e.id, "i-1");
	assert_text(e.type, "text_delta");
	assert_text(e.source, "me");
	assert_text(e.correlation, "c");
	assert_text(e.metadata, "{\"a\":[1]}");
	assert_true(e.at_ms == 1767225600000.0);
	assert_int_equal(e.kind, KIND_TEXT_DELTA);
}

static void what_is_not_there_is_empty(void **state)
{
	struct text raw = TEXT(OF("{}"));

	assert_true(envelope_read(&e, raw, true));
	assert_null(e.correlation.at);
	assert_null(e.metadata.at);
	assert_int_equal(e.kind, KIND_OTHER);
}

static void plain_json_is_read(void **state)
{
	static const char *const plain[] = {
		"{ \"id\" : \"\", \"type\":\"\" ,\"timestamp\": 0,\"source\":\"\",\"payload\":{ }}",
		OF("{\"a\":{\"b\":[1,-2.5e+3,[],{},\"\",true,false,null]}}"),
		OF("{\"a\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\ud800\"}"),
		OF("{\"long enough for sixteen bytes\":\"and this, too, is longer than that\"}"),
		OF("{\"a\":\"Gr\xc3\xbc\xc3\x9f"
	           "e \xf0\x9f\x98\x80\"}"),
		OF("{\"a\":0,\"b\":-0,\"c\":0.5,\"d\":1E9,\"e\":123456789012345678901234567890}"),
	};

	for (size_t i = 0; i < COUNT(plain); i++)
		assert_read(plain[i]);
}

static void what_is_not_plain_is_declined(void **state)
{
	static const char *const odd[] = {
		"",
		"{",
		"}",
		"{}",
		"[]",
		"null",
		" " OF("{}"),
		OF("{}") " ",
		OF("{}") "}",
		OF("[]"),
		OF("null"),
		OF("\"\""),
		"{" HEAD "}",
		"{" HEAD ",\"payload\":{},}",
		"{" HEAD ",\"payload\":{},\"payload\":{}}",      /* twice */
		"{" HEAD ",\"payload\":{},\"id\":\"j\"}",        /* twice */
		"{" HEAD ",\"payload\":{},\"seq\":1}",           /* to be cut */
		"{" HEAD ",\"payload\":{},\"other\":1}",         /* unknown */
		"{" HEAD ",\"payload\":{},\"metadata\":1}",      /* of another type */
		"{" HEAD ",\"payload\":{},\"correlationId\":1}", /* of another type */
		"{" HEAD ",\"payload\":{},\"correlationId\":null}",
		"{" HEAD ",\"payload\":{},\"correlation\":\"c\"}",
		"{" HEAD ",\"payload\":{}\n}",     /* two lines */
		"{" HEAD ",\"p\\u0061yload\":{}}", /* an escaped name */
		"{\"id\":\"i\\u0000\",\"type\":\"t\",\"timestamp\":1,\"source\":\"s\","
		"\"payload\":{}}",
		"{\"id\":\"i\\n\",\"type\":\"t\",\"timestamp\":1,\"source\":\"s\",\"payload\":{}}",
		AT("1.5"),
		AT("01"),
		AT(""),
		AT("1234567890123456"), /* one digit too many */
	};

	for (size_t i = 0; i < COUNT(odd); i++)
		assert_declined(odd[i]);
	assert_false(envelope_read(&e, (struct text){NULL, 0}, true));
}

static void what_is_not_json_is_declined(void **state)
{
	static const char *const bad[] = {
		"{\"a\":\"\x01\"}",
		"{\"a\":\"\n\"}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12g4\"}",
		"{\"a\":\"\\u12\"}",
		"{\"a\":\"\xff\"}",
		"{\"a\":\"\xc3\"}",
		"{\"a\":\"\xed\xa0\x80\"}",
		"{\"a\":01}",
		"{\"a\":1.}",
		"{\"a\":.5}",
		"{\"a\":1e}",
		"{\"a\":1e+}",
		"{\"a\":-}",
		"{\"a\":+1}",
		"{\"a\":tru}",
		"{\"a\":True}",
		"{\"a\":nul}",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{,\"a\":1}",
		"{a:1}",
		"{'a':1}",
		"{\"a\":[1,]}",
		"{\"a\":[,1]}",
		"{\"a\":[1 2]}",
		"{\"a\":[1}}",
		"{\"a\":{1}}",
		"{\"a\":1 \"b\":2}",
		"{\"a\":{]}",
		"{\"a\":\"unfinished}",
	};

	for (size_t i = 0; i < COUNT(bad); i++) {
		char *raw = must_print("{" HEAD ",\"payload\":%s}", bad[i]);

		assert_declined(raw);
		free(raw);
	}
}

static void a_piece_of_it_is_declined(void **state)
{
	struct text whole = TEXT(OF("{\"a\":[1,2.5e3,{\"b\":\"c\\u00e4\\n\"}],\"d\":true}"));

	assert_true(reads(whole, true));
	for (size_t n = 0; n < whole.len; n++)
		assert_false(reads((struct text){whole.at, n}, true));
	for (size_t n = 1; n < whole.len; n++)
		assert_false(reads((struct text){whole.at + n, whole.len - n}, true));
}

/* Pieces that end with a brace get past the first look. */
static void a_piece_with_a_brace_behind_it_is_declined(void **state)
{
	struct text whole = TEXT(OF("{\"a\":[1,2.5e3,{\"b\":\"c\\u00e4\\n\"}],\"d\":true}"));
	char copy[256];

	for (size_t n = 0; n < whole.len - 1; n++) {
		memcpy(copy, whole.at, n);
		copy[n] = '}';
		assert_false(reads((struct text){copy, n + 1}, true));
	}
}

/* Whatever byte is changed: what is read is JSON to a parser that knows all of it. */
static void no_change_makes_it_read_what_is_not_json(void **state)
{
	static const char bytes[] = "\"\\{}[]:,0-.eE+tfnu \n\t\0\x1f\x80\xc3\xff"
				    "a";
	struct text whole =
		TEXT(OF("{\"a\":[1,-2.5e3,{\"b\":\"c\\u00e4\\n\"}],\"d\":true,\"e\":null}"));
	struct json_reader reader;
	unsigned count = 0;
	char copy[256];

	json_reader_init(&reader, MIB);
	for (size_t at = 0; at < whole.len; at++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			memcpy(copy, whole.at, whole.len);
			copy[at] = bytes[i];
			if (!reads((struct text){copy, whole.len}, true))
				continue;
			assert_non_null(json_read(&reader, (struct text){copy, whole.len}, NULL));
			count++;
		}
	}
	json_reader_finish(&reader);
	assert_in_range(count, whole.len, whole.len * sizeof(bytes));
}

static void depth_has_a_limit(void **state)
{
	char deep[2 * ENVELOPE_DEPTH_MAX + 2];

	for (size_t n = ENVELOPE_DEPTH_MAX - 2; n <= ENVELOPE_DEPTH_MAX - 1; n++) {
		char *raw;

		memset(deep, '[', n);
		memset(deep + n, ']', n);
		deep[2 * n] = '\0';
		raw = must_print("{" HEAD ",\"payload\":{\"a\":%s}}", deep);
		assert_int_equal(reads(text_of(raw), true), n == ENVELOPE_DEPTH_MAX - 2);
		free(raw);
	}
}

static void a_payload_keeps_its_schema(void **state)
{
	assert_read(DELTA("{\"agentId\":\"a\",\"content\":\"x\\n\",\"index\":3}"));
	assert_read(DELTA("{ \"content\" : \"x\" , \"agentId\" : \"a\" }"));
	assert_declined(DELTA("{\"agentId\":\"a\",\"content\":1}"));
	assert_declined(DELTA("{\"agentId\":\"a\",\"content\":\"x\",\"index\":0.5}"));
	assert_declined(DELTA("{\"agentId\":\"a\",\"content\":\"x\",\"contents\":\"\"}"));
	assert_declined(DELTA("{\"agentId\":\"a\",\"content\":\"x\",\"conten\":\"\"}"));
	assert_declined(DELTA("{\"agentId\":\"a\"}"));
	assert_true(reads(TEXT(DELTA("{\"agentId\":\"a\",\"content\":1}")), false));
	assert_true(reads(TEXT(DELTA("{}")), false));
}

static void numbers_keep_their_schema(void **state)
{
#define TOKENS "\"agentId\":\"a\",\"promptTokens\":1,\"completionTokens\":2"
	assert_read(USAGE("{" TOKENS ",\"cost\":0.0125}"));
	assert_read(USAGE("{" TOKENS ",\"cost\":0}"));
	assert_declined(USAGE("{" TOKENS ",\"cost\":-1}"));
	assert_declined(USAGE("{" TOKENS ",\"cost\":1e999}"));
	assert_declined(USAGE("{" TOKENS ",\"cost\":1E5}"));
	assert_declined(USAGE("{" TOKENS ",\"cost\":\"1\"}"));
	assert_declined(USAGE("{" TOKENS ",\"cost\":true}"));
}

/* The schema is that of the type, which comes too late then. */
static void a_payload_before_its_type_is_declined(void **state)
{
	const char *raw =
		"{\"id\":\"i\",\"payload\":{},\"type\":\"x\",\"timestamp\":1,\"source\":\"s\"}";

	assert_declined(raw);
	assert_true(reads(text_of(raw), false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_is_found),
		cmocka_unit_test(what_is_not_there_is_empty),
		cmocka_unit_test(plain_json_is_read),
		cmocka_unit_test(what_is_not_plain_is_declined),
		cmocka_unit_test(what_is_not_json_is_declined),
		cmocka_unit_test(a_piece_of_it_is_declined),
		cmocka_unit_test(a_piece_with_a_brace_behind_it_is_declined),
		cmocka_unit_test(no_change_makes_it_read_what_is_not_json),
		cmocka_unit_test(depth_has_a_limit),
		cmocka_unit_test(a_payload_keeps_its_schema),
		cmocka_unit_test(numbers_keep_their_schema),
		cmocka_unit_test(a_payload_before_its_type_is_declined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
