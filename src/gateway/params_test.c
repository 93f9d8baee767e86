/* params_test.c - methods and their scopes, and the words for parameters that are refused.
 *
 * What is refused, tests/node/31-gateway-schema.mjs compares with an independent validator.
 */
#include "gateway/params.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "gateway/rule.h"
#include "gateway/spelling.h"
#include "parse/openclaw_names.h"
#include "signal/json.h"

static struct json_reader reader;
static struct error why;

static int start(void **state)
{
	json_reader_init(&reader, MIB);
	return 0;
}

static int stop(void **state)
{
	json_reader_finish(&reader);
	return 0;
}

static const char *said(const char *method, const char *params)
{
	yyjson_doc *doc = json_read(&reader, text_of(params), &why);
	bool is_good;

	assert_non_null(doc);
	is_good = gateway_params_check(text_of(method), yyjson_doc_get_root(doc), &why);
	return is_good ? "ok" : why.words;
}

struct said_row {
	const char *params, *words;
};

static void check_rows(const char *method, const struct said_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_string_equal(said(method, rows[i].params), rows[i].words);
}
#define CHECK_ROWS(method, rows) check_rows(method, rows, sizeof(rows) / sizeof(*(rows)))

#define CLIENT "{\"id\":\"cli\",\"version\":\"1\",\"platform\":\"linux\",\"mode\":\"cli\"}"
#define CONNECT "{\"minProtocol\":3,\"maxProtocol\":4,\"client\":" CLIENT

static void each_required_member_of_connect_is_missed(void **state)
{
	static const struct said_row rows[] = {
		{"{}", "must have required property 'minProtocol'"},
		{"{\"minProtocol\":3}", "must have required property 'maxProtocol'"},
		{"{\"minProtocol\":3,\"maxProtocol\":4}", "must have required property 'client'"},
		{"{\"minProtocol\":3,\"maxProtocol\":4,\"client\":{}}",
	         "at /client: must have required property 'id'"},
		{"{\"minProtocol\":3,\"maxProtocol\":4,\"client\":{\"id\":\"cli\"}}",
	         "at /client: must have required property 'version'"},
		{"{\"minProtocol\":3,\"maxProtocol\":4,\"client\":{\"id\":\"cli\",\"version\":"
	         "\"1\"}}",
	         "at /client: must have required property 'platform'"},
		{"{\"minProtocol\":3,\"maxProtocol\":4,\"client\":{\"id\":\"cli\",\"version\":\"1\""
	         ",\"platform\":\"l\"}}",
	         "at /client: must have required property 'mode'"},
		{CONNECT ",\"device\":{}}", "at /device: must have required property 'id'"},
		{CONNECT ",\"device\":{\"id\":\"i\",\"publicKey\":\"p\",\"signature\":\"s\","
	                 "\"signedAt\":1}}",
	         "at /device: must have required property 'nonce'"},
		{CONNECT "}", "ok"},
	};

	CHECK_ROWS("connect", rows);
}

static void connect_is_a_closed_object(void **state)
{
	static const struct said_row rows[] = {
		{"null", "must be object"},
		{"[]", "must be object"},
		{CONNECT ",\"zip\":1,\"zap\":2}", "at root: unexpected property 'zip'"},
		{CONNECT ",\"auth\":{\"tokn\":\"x\"}}", "at /auth: unexpected property 'tokn'"},
		{CONNECT ",\"caps\":\"x\"}", "at /caps: must be array"},
		{CONNECT ",\"caps\":[1,\"\"]}", "at /caps/0: must be string; "
	                                        "at /caps/1: must not have fewer than 1 "
	                                        "characters"},
		{CONNECT ",\"permissions\":{\"a\":1,\"b\":true,\"c/d\":\"x\"}}",
	         "at /permissions/a: must be boolean; at /permissions/c/d: must be boolean"},
		{"{\"minProtocol\":0,\"maxProtocol\":1.5,\"client\":" CLIENT "}",
	         "at /minProtocol: must be >= 1; at /maxProtocol: must be integer"},
		{"{\"minProtocol\":\"4\",\"maxProtocol\":4.0,\"client\":" CLIENT "}",
	         "at /minProtocol: must be integer"},
		{"{\"minProtocol\":4,\"maxProtocol\":4,\"client\":{\"id\":\"x\",\"version\":\"\","
	         "\"platform\":1,\"mode\":\"operator\"}}",
	         "at /client/id: must be equal to one of the allowed values; "
	         "at /client/version: must not have fewer than 1 characters; "
	         "at /client/platform: must be string; "
	         "at /client/mode: must be equal to one of the allowed values"},
		{CONNECT ",\"workerRuns\":{\"bundleHash\":\"x\",\"openclawVersion\":\"1\","
	                 "\"protocolFeatures\":[\"a\",\"b\",\"a\"]}}",
	         "at /workerRuns/bundleHash: must not have fewer than 64 characters; "
	         "at /workerRuns/bundleHash: must match pattern \"^[a-f0-9]{64}$\"; "
	         "at /workerRuns/protocolFeatures: must not have duplicate items"},
	};

	CHECK_ROWS("connect", rows);
	assert_false(gateway_params_check(TEXT("connect"), NULL, &why));
	assert_string_equal(why.words, "must be object");
}

#define SEND "{\"sessionKey\":\"main\",\"message\":\"x\",\"idempotencyKey\":\"y\","

static void chat_send_tells_what_is_wrong(void **state)
{
	static const struct said_row rows[] = {
		{SEND "\"deliver\":false}", "ok"},
		{SEND "\"__controlUiReconnectResume\":true}", "ok"},
		{SEND "\"__controlUiReconnectResume\":true,\"x\":1}",
	         "at root: unexpected property 'x'"},
		{"{}", "must have required property 'sessionKey'"},
		{SEND "\"fastMode\":3}",
	         "at /fastMode: must be boolean; at /fastMode: must be string; "
	         "at /fastMode: must be equal to constant; "
	         "at /fastMode: must match a schema in anyOf"},
		{SEND "\"fastMode\":\"auto\"}", "ok"},
		{SEND "\"queueMode\":\"x\"}",
	         "at /queueMode: must be equal to one of the allowed values"},
		{SEND "\"expectedPermissionMode\":\"x\"}",
	         "at /expectedPermissionMode: must be equal to constant; "
	         "at /expectedPermissionMode: must match a schema in anyOf; "
	         "at /expectedPermissionMode: must be null"},
		{SEND "\"expectedPermissionMode\":null}", "ok"},
		{SEND "\"expectedLeafEntryId\":[]}",
	         "at /expectedLeafEntryId: must be string; at /expectedLeafEntryId: must be null; "
	         "at /expectedLeafEntryId: must match a schema in anyOf"},
		{SEND "\"expectedToolOverrides\":{\"a\":1,\"mcpServers\":{\"x\":1}}}",
	         "at /expectedToolOverrides: unexpected property 'a'; "
	         "at /expectedToolOverrides/mcpServers/x: must be boolean; "
	         "at /expectedToolOverrides: must be null; "
	         "at /expectedToolOverrides: must match a schema in anyOf"},
		{SEND "\"intent\":{\"kind\":\"x\",\"version\":2}}",
	         "at /intent: must have required property 'issuedAtMs'; "
	         "at /intent/kind: must be equal to constant; "
	         "at /intent/version: must be equal to constant"},
		{SEND "\"toolBindings\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,"
	              "\"h\":1,\"i\":1,\"j\":1,\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,"
	              "\"q\":1}}",
	         "at /toolBindings: must not have more than 16 properties"},
		{SEND "\"attachments\":[{\"content\":[],\"other\":{}}]}", "ok"},
	};

	CHECK_ROWS("chat.send", rows);
}

static void history_has_limits(void **state)
{
	static const struct said_row rows[] = {
		{"{\"sessionKey\":\"main\",\"limit\":0}", "at /limit: must be >= 1"},
		{"{\"sessionKey\":\"main\",\"limit\":1001}", "at /limit: must be <= 1000"},
		{"{\"sessionKey\":\"main\",\"limit\":\"5\"}", "at /limit: must be integer"},
		{"{\"sessionKey\":\"main\",\"limit\":1e999}", "at /limit: must be integer"},
		{"{\"sessionKey\":\"main\",\"limit\":5}", "ok"},
		{"{\"sessionKey\":\"main\",\"inputRunIds\":[\"a\",\"a\"]}",
	         "at /inputRunIds: must not have duplicate items"},
		{"{\"sessionKey\":\"main\",\"inputRunIds\":[]}",
	         "at /inputRunIds: must not have fewer than 1 items"},
	};

	CHECK_ROWS("chat.history", rows);
}

static void a_method_may_have_several_forms(void **state)
{
	static const struct said_row rows[] = {
		{"{\"id\":\"x\",\"answers\":{\"answers\":{\"a\":[\"x\"]}}}", "ok"},
		{"{\"id\":\"x\",\"answers\":{\"answers\":{\"A\":7}}}", "ok"},
		{"{\"id\":\"x\",\"cancel\":true}", "ok"},
		{"{\"id\":\"x\"}", "must have required property 'answers'; must have required "
	                           "property 'cancel'; must match a schema in anyOf"},
		{"{\"id\":\"x\",\"cancel\":false}",
	         "must have required property 'answers'; at root: unexpected property 'cancel'; "
	         "at /cancel: must be equal to constant; must match a schema in anyOf"},
	};

	CHECK_ROWS("question.resolve", rows);
	assert_string_equal(said("models.list", "{\"preparedOnly\":true,\"refresh\":true}"),
	                    "must not be valid");
	assert_string_equal(said("models.list", "{\"preparedOnly\":true,\"refresh\":false}"), "ok");
	assert_string_equal(said("approval.get", "{\"id\":\"..\"}"),
	                    "at /id: must match pattern \"^(?!\\.{1,2}$)(?:[^\\uD800-\\uDFFF]|"
	                    "[\\uD800-\\uDBFF][\\uDC00-\\uDFFF])+$\"");
}

static void no_parameters_are_an_empty_object(void **state)
{
	static const char *const methods[] = {
		"health",
		"status",
		"system-presence",
		"last-heartbeat",
		"sessions.list",
		"sessions.subscribe",
		"exec.approval.list",
		"plugin.approval.list",
		"config.get",
		"events.subscribe",
		"events.position",
		"device.pair.list",
	};

	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++) {
		assert_true(gateway_params_check(text_of(methods[i]), NULL, &why));
		assert_string_equal(said(methods[i], "null"), "ok");
		assert_string_equal(said(methods[i], "{}"), "ok");
		assert_string_equal(said(methods[i], "{\"x\":1}"),
		                    "at root: unexpected property 'x'");
		assert_string_equal(said(methods[i], "[]"), "must be object");
	}
	assert_string_equal(said("events.subscribe", "{\"after\":7}"), "at /after: must be string");
	assert_false(gateway_params_check(TEXT("chat.abort"), NULL, NULL));
	assert_string_equal(said("wizard.start", "{}"), "unknown method");
	assert_string_equal(said("no.such", "{}"), "unknown method");
}

static void long_names_and_many_members_are_bounded(void **state)
{
	struct buf text;

	buf_init(&text, MIB);
	buf_print(&text, "{\"");
	for (int i = 0; i < 100; i++)
		buf_print(&text, "\xc3\xa4");
	buf_print(&text, "\":1}%c", 0);
	assert_string_equal(said("health", text.at), "at root: unexpected property '"
	                                             "ääääääääääääääääääääääääääääääää'");
	buf_clear(&text);
	buf_print(&text, "{\"probe\":true");
	for (int i = 0; i < 2000; i++)
		buf_print(&text, ",\"probe\":true");
	buf_print(&text, "}%c", 0);
	assert_string_equal(said("health", text.at), "must not have more than 1024 properties");
	buf_finish(&text);
}

static void methods_have_scopes(void **state)
{
	const struct gateway_method *method;

	assert_true(gateway_method_find(TEXT("chat.send"), &method));
	assert_int_equal(method->scope, GATEWAY_SCOPE_WRITE);
	assert_true(method->is_ours);
	assert_true(gateway_method_find(TEXT("cron.add"), &method));
	assert_int_equal(method->scope, GATEWAY_SCOPE_ADMIN);
	assert_false(method->is_ours);
	assert_null(method->rules);
	assert_true(gateway_method_find(TEXT("agent"), &method));
	assert_int_equal(method->scope, GATEWAY_SCOPE_DYNAMIC);
	assert_false(gateway_method_find(TEXT("agen"), &method));
	assert_false(gateway_method_find(TEXT("agent.waits"), &method));
	assert_false(gateway_method_find(TEXT(""), &method));
	assert_int_equal(gateway_method_count, 412);
	for (size_t i = 0; i < gateway_method_count; i++) {
		assert_true(gateway_method_find(gateway_methods[i].name, &method));
		assert_ptr_equal(method, &gateway_methods[i]);
	}
}

/* Where the parameters decide, we ask for the right to write. */
static void methods_of_ours_need_what_the_schema_says(void **state)
{
	static const unsigned scopes[] = {
		[GATEWAY_SCOPE_READ] = OPERATOR_READ,
		[GATEWAY_SCOPE_WRITE] = OPERATOR_WRITE,
		[GATEWAY_SCOPE_ADMIN] = OPERATOR_ADMIN,
		[GATEWAY_SCOPE_APPROVALS] = OPERATOR_APPROVALS,
		[GATEWAY_SCOPE_QUESTIONS] = OPERATOR_QUESTIONS,
		[GATEWAY_SCOPE_PAIRING] = OPERATOR_PAIRING,
		[GATEWAY_SCOPE_DYNAMIC] = OPERATOR_WRITE,
	};
	size_t ours = 1; /* connect */

	for (unsigned i = 0; i < METHOD_ANSWERED; i++) {
		const char *name = openclaw_method_name((enum openclaw_method)i);
		const struct gateway_method *method;

		assert_true(gateway_method_find(text_of(name), &method));
		assert_true(method->is_ours);
		assert_int_equal(openclaw_method_scope((enum openclaw_method)i),
		                 scopes[method->scope]);
		ours++;
	}
	for (size_t i = 0; i < gateway_method_count; i++)
		ours -= gateway_methods[i].is_ours;
	assert_int_equal(ours, 0);
}

static void spellings(void **state)
{
	assert_true(spelling_is_slug(TEXT("a-b")));
	assert_false(spelling_is_slug(TEXT("-ab")));
	assert_false(spelling_is_slug(TEXT("")));
	assert_true(spelling_is_word(TEXT("a_9")));
	assert_false(spelling_is_word(TEXT("9a")));
	assert_false(spelling_is_word(TEXT("")));
	assert_false(spelling_is_digest(TEXT("abc")));
	assert_true(spelling_is_digest(
		TEXT("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")));
	assert_true(spelling_is_id(TEXT("...")));
	assert_false(spelling_is_id(TEXT(".")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_required_member_of_connect_is_missed),
		cmocka_unit_test(connect_is_a_closed_object),
		cmocka_unit_test(chat_send_tells_what_is_wrong),
		cmocka_unit_test(history_has_limits),
		cmocka_unit_test(a_method_may_have_several_forms),
		cmocka_unit_test(no_parameters_are_an_empty_object),
		cmocka_unit_test(long_names_and_many_members_are_bounded),
		cmocka_unit_test(methods_have_scopes),
		cmocka_unit_test(methods_of_ours_need_what_the_schema_says),
		cmocka_unit_test(spellings),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
