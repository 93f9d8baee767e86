/* session_test.c - which signals say that their run is a session. */
#include "signal/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct session_said said;
static yyjson_doc *payload, *metadata;

static void drop(void)
{
	yyjson_doc_free(payload);
	yyjson_doc_free(metadata);
	payload = metadata = NULL;
}

static int finish(void **state)
{
	drop();
	return 0;
}

static void hear(const char *source, const char *type, const char *says, const char *besides)
{
	drop();
	payload = yyjson_read(says, strlen(says), 0);
	metadata = yyjson_read(besides, strlen(besides), 0);
	session_read(&said, &(struct session_signal){text_of(type), text_of(source),
	                                             yyjson_doc_get_root(payload),
	                                             yyjson_doc_get_root(metadata)});
}

static void adapters_tell_of_sessions(void **state)
{
	const char *const sources[] = {"adapter:tap", "adapter:transcript", "local/adapter:mine"};

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		hear(sources[i], "tool_call", "{}", "{}");
		assert_true(said.is_told);
		assert_int_equal(said.key.len, 0);
	}
}

static void plain_signals_do_not(void **state)
{
	const char *const sources[] = {"demo", "http", "adapter", "local/x", "user", ""};

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		hear(sources[i], "task_dispatch", "{\"agentId\":\"ada\",\"sessionKey\":\"\"}",
		     "{\"agent_id\":\"p\"}");
		assert_false(said.is_told);
		assert_false(said.has_names);
	}
	session_read(&said, &(struct session_signal){TEXT("x"), TEXT("demo"), NULL, NULL});
	assert_false(said.is_told);
}

static void a_conversation_is_one_of_its_source(void **state)
{
	hear("claw", "text_delta", "{\"sessionKey\":\"agent:main:x\"}", "{}");
	assert_true(said.is_told && !said.has_names);
	assert_true(text_is(said.owner, "claw") && text_is(said.key, "agent:main:x"));
	hear("user", "task_dispatch", "{}", "{\"sourceId\":\"llama\",\"session\":\"k\"}");
	assert_true(said.is_told);
	assert_true(text_is(said.owner, "llama") && text_is(said.key, "k"));
}

static void who_has_no_credential_names_no_other_source(void **state)
{
	hear("local/x", "text_delta", "{\"sessionKey\":\"k\"}", "{\"sourceId\":\"llama\"}");
	assert_true(text_is(said.owner, "local/x"));
	assert_true(session_is_strange(TEXT("llama"), TEXT("local/x")));
	assert_false(session_is_strange(TEXT("local/y"), TEXT("local/x")));
	assert_false(session_is_strange(TEXT("local/y"), TEXT("llama")));
}

static void an_ask_is_a_session(void **state)
{
	hear("user", "task_dispatch", "{\"to\":\"llama3\"}", "{\"sourceId\":\"llama\"}");
	assert_true(said.is_told);
	hear("http", "task_dispatch", "{\"to\":\"llama3\"}", "{\"sourceId\":\"llama\"}");
	assert_false(said.is_told);
	hear("user", "text_delta", "{}", "{\"sourceId\":\"llama\"}");
	assert_false(said.is_told);
}

static void a_dialect_with_sessions_names_subagents(void **state)
{
	hear("hub", "text_delta", "{}", "{\"origin\":{\"dialect\":\"run\",\"frame\":{}}}");
	assert_true(said.is_told && said.has_names);
	hear("hub", "text_delta", "{}", "{\"origin\":\"run\"}");
	assert_false(said.is_told);
}

static void some_types_tell_of_sessions_alone(void **state)
{
	hear("opencode", "session.facts", "{}", "{}");
	assert_true(said.is_told);
	hear("opencode", "session.turn", "{}", "{}");
	assert_true(said.is_told);
	hear("signalbox", "session.gone", "{}", "{}");
	assert_false(said.is_told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(adapters_tell_of_sessions, finish),
		cmocka_unit_test_teardown(plain_signals_do_not, finish),
		cmocka_unit_test_teardown(a_conversation_is_one_of_its_source, finish),
		cmocka_unit_test_teardown(who_has_no_credential_names_no_other_source, finish),
		cmocka_unit_test_teardown(an_ask_is_a_session, finish),
		cmocka_unit_test_teardown(a_dialect_with_sessions_names_subagents, finish),
		cmocka_unit_test_teardown(some_types_tell_of_sessions_alone, finish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
