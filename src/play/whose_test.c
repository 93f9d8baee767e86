/* whose_test.c - which session a signal is of, by what was said before. */
#include "play/whose.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

struct heard {
	const char *source, *run, *type, *payload, *metadata;
};

static struct whose whose;

static int start(void **state)
{
	whose_init(&whose);
	return 0;
}

static int finish(void **state)
{
	whose_finish(&whose);
	return 0;
}

/* The figure of it: `PART@SESSION`; "": it is of no session. */
static void is_of(const struct heard *h, const char *wanted)
{
	const char *says = h->payload ? h->payload : "{}";
	yyjson_doc *payload = yyjson_read(says, strlen(says), 0);
	yyjson_doc *metadata =
		h->metadata ? yyjson_read(h->metadata, strlen(h->metadata), 0) : NULL;
	struct cue cue = {
		.type = text_of(h->type ? h->type : "text_delta"),
		.source = text_of(h->source),
		.correlation = text_of(h->run),
		.payload = yyjson_doc_get_root(payload),
	};
	char found[4096];

	whose_cast(&whose, &cue, yyjson_doc_get_root(metadata));
	snprintf(found, sizeof(found), "%.*s%s%.*s", TEXT_ARG(cue.part), cue.session.len ? "@" : "",
	         TEXT_ARG(cue.session));
	assert_string_equal(found, wanted);
	yyjson_doc_free(payload);
	yyjson_doc_free(metadata);
}

#define IS_OF(wanted, ...) is_of(&(struct heard){__VA_ARGS__}, wanted)

static void plain_signals_are_of_no_session(void **state)
{
	IS_OF("", "demo", "run", "task_dispatch", "{\"agentId\":\"ada\"}");
	IS_OF("", "demo", "run");
	IS_OF("", "claw", "");
	IS_OF("p", "demo", "run", NULL, NULL, "{\"agent_id\":\"p\"}");
}

static void a_session_of_an_adapter_is_its_run(void **state)
{
	IS_OF("@s", "adapter:tap", "s");
	IS_OF("p@s", "adapter:tap", "s", NULL, NULL, "{\"agent_id\":\"p\"}");
	IS_OF("@s", "adapter:tap", "s", NULL, "{\"agentId\":\"another\"}");
	IS_OF("", "adapter:tap", "");
}

static void runs_of_a_conversation_are_one_session(void **state)
{
	const char *key = "{\"agentId\":\"main\",\"sessionKey\":\"k\"}";

	IS_OF("@r1", "claw", "r1", NULL, key);
	IS_OF("@r1", "claw", "r1");
	IS_OF("@r1", "claw", "r2", NULL, key);
	IS_OF("@r1", "claw", "r2");
	IS_OF("@r1", "claw", "", "prompt", key);
	IS_OF("@r3", "claw", "r3", NULL, "{\"sessionKey\":\"other\"}");
	IS_OF("@r4", "claw-2", "r4", NULL, key); /* of another source it is another */
}

static void an_ask_is_a_session_and_so_is_what_answers_it(void **state)
{
	const char *to = "{\"from\":\"user\",\"to\":\"llama3\"}";

	IS_OF("@r1", "user", "r1", "task_dispatch", to, "{\"sourceId\":\"llama\"}");
	IS_OF("@r1", "llama", "r1", NULL, "{\"agentId\":\"llama3:8b\"}");
	IS_OF("@r2", "user", "r2", "task_dispatch", to, "{\"sourceId\":\"llama\"}");
	IS_OF("@r2", "llama", "r2", NULL, "{\"agentId\":\"llama3:8b\"}");
	IS_OF("@r1", "llama", "r1", "completion", "{\"agentId\":\"llama3:8b\"}");
	IS_OF("", "llama", "r3", NULL, "{\"agentId\":\"llama3:8b\"}");
}

static void a_conversation_that_goes_on_is_the_one_that_began(void **state)
{
	const char *first = "{\"sourceId\":\"llama\"}",
		   *next = "{\"sourceId\":\"llama\",\"session\":\"k\"}";

	IS_OF("@r1", "user", "r1", "task_dispatch", "{}", next);
	IS_OF("@r1", "user", "r2", "task_dispatch", "{}", next);
	IS_OF("@r1", "llama", "r2");
	IS_OF("@r3", "user", "r3", "task_dispatch", "{}", first);
	IS_OF("@r3", "llama", "r3", NULL, "{\"sessionKey\":\"k\"}"); /* it stays who it was */
	IS_OF("@r3", "llama", "r3", NULL, "{\"sessionKey\":\"k2\"}");
	IS_OF("@r3", "llama", "r4", NULL, "{\"sessionKey\":\"k2\"}");
	IS_OF("@r3", "llama", "r3", NULL, "{\"sessionKey\":\"k3\"}"); /* a second is none */
	IS_OF("@r5", "llama", "r5", NULL, "{\"sessionKey\":\"k3\"}");
}

static void where_subagents_have_names_the_first_is_the_session(void **state)
{
	const char *origin = "{\"origin\":{\"dialect\":\"run\"}}";

	IS_OF("@s", "hub", "s", "phase", "{}", origin);
	IS_OF("@s", "hub", "s", NULL, "{\"agentId\":\"model\"}", origin);
	IS_OF("poet@s", "hub", "s", NULL, "{\"agentId\":\"poet\"}", origin);
	IS_OF("critic@s", "hub", "s", "task_dispatch", "{\"to\":\"critic\"}", origin);
	IS_OF("@s", "hub", "s", NULL, "{\"agentId\":\"model\"}", origin);
	IS_OF("@t", "hub", "t", NULL, "{\"agentId\":\"poet\"}", origin);
	IS_OF("@t", "hub", "t", "completion", "{\"agentId\":\"hub\"}", origin);
	IS_OF("@u", "local/agent:u", "u", NULL, "{\"agentId\":\"poet\"}", origin);
	IS_OF("@u", "local/agent:u", "u", "completion", "{\"agentId\":\"agent:u\"}", origin);
}

static void strangers_are_of_no_session_of_others(void **state)
{
	IS_OF("@s", "claw", "s", NULL, "{\"sessionKey\":\"k\"}");
	IS_OF("", "local/x", "s", NULL, "{\"agentId\":\"main\",\"sessionKey\":\"k\"}");
	IS_OF("@t", "local/x", "t", NULL, "{\"sessionKey\":\"k\"}");
	IS_OF("@t", "local/y", "t", NULL, "{\"agentId\":\"main\"}");
}

static void the_box_tells_of_sessions_that_are_forgotten(void **state)
{
	IS_OF("@s", "signalbox", "s", "session.gone");
	IS_OF("", "signalbox", "s", "prompt.closed");
	IS_OF("", "claw", "s"); /* that made none */
	IS_OF("", "signalbox", "", "session.gone");
}

/* Those that are used stay, and what is too long is known while it says so itself. */
static void so_many_are_remembered(void **state)
{
	static char name[EPISODE_WORDS_MAX + 2];
	char run[16];

	for (int i = 0; i < 2 * WHOSE_MAX; i++) {
		snprintf(run, sizeof(run), "r%d", i);
		IS_OF("@first", "claw", "first", NULL, "{\"sessionKey\":\"k\"}");
		IS_OF("@first", "claw", "second", NULL, "{\"sessionKey\":\"k\"}");
		is_of(&(struct heard){"adapter:x", run},
		      (snprintf(name, sizeof(name), "@%s", run), name));
	}
	assert_true(whose.runs.count <= WHOSE_MAX && whose.keys.count <= WHOSE_MAX);
	memset(name, 's', sizeof(name) - 1);
	name[0] = '@';
	is_of(&(struct heard){"adapter:x", name + 1}, name);
	is_of(&(struct heard){"claw", name + 1}, "");
}

static void what_is_saved_comes_back(void **state)
{
	struct episodes *all[] = {&whose.runs, &whose.keys, &whose.sessions};
	struct buf saved[3];

	IS_OF("@r1", "claw", "r1", NULL, "{\"agentId\":\"main\",\"sessionKey\":\"k\"}");
	for (size_t i = 0; i < 3; i++) {
		buf_init(&saved[i], MIB);
		episodes_save_begin(all[i]);
		while (episodes_save_some(all[i], &saved[i]))
			;
	}
	whose_finish(&whose);
	whose_init(&whose);
	for (size_t i = 0; i < 3; i++) {
		yyjson_doc *doc = yyjson_read(saved[i].at, saved[i].len, 0);

		episodes_load(all[i], yyjson_doc_get_root(doc));
		yyjson_doc_free(doc);
		buf_finish(&saved[i]);
	}
	IS_OF("@r1", "claw", "r1");
	IS_OF("@r1", "claw", "r2", NULL, "{\"sessionKey\":\"k\"}");
	IS_OF("poet@r1", "claw", "r1", NULL, "{\"agentId\":\"poet\"}",
	      "{\"origin\":{\"dialect\":\"run\"}}");
}

int main(void)
{
#define EACH(name) cmocka_unit_test_setup_teardown(name, start, finish)
	const struct CMUnitTest tests[] = {
		EACH(plain_signals_are_of_no_session),
		EACH(a_session_of_an_adapter_is_its_run),
		EACH(runs_of_a_conversation_are_one_session),
		EACH(an_ask_is_a_session_and_so_is_what_answers_it),
		EACH(a_conversation_that_goes_on_is_the_one_that_began),
		EACH(where_subagents_have_names_the_first_is_the_session),
		EACH(strangers_are_of_no_session_of_others),
		EACH(the_box_tells_of_sessions_that_are_forgotten),
		EACH(so_many_are_remembered),
		EACH(what_is_saved_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
