/* conversation_test.c - sessions of several runs, and of several who speak in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "crew/inside.h"
#include "crew/prices.h"
#include "crew/spending.h"

static struct signal_reader *reader;
static struct spending *spending;
static struct prices *prices;
static struct crew *crew;
static uint64_t seq;

static struct crew *fresh_crew(void)
{
	return crew_create(&(struct crew_options){.spending = spending, .prices = prices});
}

static int set_up(void **state)
{
	(void)state;
	reader = signal_reader_create();
	spending = spending_create();
	prices = prices_own();
	crew = fresh_crew();
	seq = 0;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	crew_destroy(crew);
	prices_destroy(prices);
	spending_destroy(spending);
	signal_reader_destroy(reader);
	return 0;
}

/* without: a member that older checkpoints do not have, or NULL. */
static void restart_without(const char *without)
{
	struct buf saved;
	char *found;

	buf_init(&saved, CREW_SAVED_MAX);
	crew_save_begin(crew);
	while (crew_save_more(crew, &saved))
		;
	buf_add_char(&saved, '\0');
	found = without ? strstr(saved.at, without) : NULL;
	assert_true(found || !without);
	if (found)
		found[1] = '?';
	saved.len--;
	crew_destroy(crew);
	crew = fresh_crew();
	assert_true(crew_load(crew, buf_text(&saved)));
	buf_finish(&saved);
}

static void restart_crew(void)
{
	restart_without(NULL);
}

/* rest: members of the envelope, from the correlationId on. */
static void hear_as(const char *source, const char *type, double at, const char *rest)
{
	struct signal s;
	struct error why;
	char *line = must_print("{\"seq\":%llu,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":%.0f,"
	                        "\"source\":\"%s\",%s}",
	                        (unsigned long long)++seq, type, at, source, rest);

	if (!signal_read(reader, text_of(line), &s, &why))
		fail_msg("%s: %s", why.words, line);
	spending_hear(spending, &s);
	crew_hear(crew, &s);
	free(line);
}

#define RUN(id) "\"correlationId\":\"" id "\","
#define IN_MAIN(id) RUN(id) "\"metadata\":{\"session\":\"main\"},"
#define PAY(members) "\"payload\":{" members "}"

static const char *state_of(const char *name)
{
	const struct crew_member *m = crew_find(crew, text_of(name));

	assert_non_null(m);
	return state_name(member_standing(m)->state);
}

static void assert_json_has(const char *name, const char *part)
{
	struct buf out;

	buf_init(&out, MIB);
	crew_member_json(crew, crew_find(crew, text_of(name)), 2000000, true, &out);
	buf_add_char(&out, '\0');
	if (!strstr(out.at, part))
		fail_msg("%s is not in %s", part, out.at);
	buf_finish(&out);
}

/* Several runs of one conversation are one session. */
static void test_conversation(void **state)
{
	(void)state;
	hear_as("claw", "task_dispatch", 1000,
	        RUN("r1") "\"metadata\":{\"session\":\"main\"}," PAY(
			"\"to\":\"bot\",\"description\":\"x\""));
	hear_as("claw", "completion", 1100,
	        RUN("r1") "\"metadata\":{\"session\":\"main\"}," PAY(
			"\"taskId\":\"r1\",\"success\":true"));
	assert_string_equal(state_of("r1"), "idle");
	hear_as("claw", "task_dispatch", 2000,
	        RUN("r2") "\"metadata\":{\"session\":\"main\"}," PAY("\"to\":\"bot\""));
	assert_int_equal(crew_count(crew), 1);
	assert_ptr_equal(crew_find(crew, TEXT("r1")), crew_find(crew, TEXT("r2")));
	assert_json_has("r1", "\"run\":\"r2\"");
}

static void end_run(const char *run, double at)
{
	char rest[256];

	snprintf(rest, sizeof(rest),
	         "\"correlationId\":\"%s\",\"metadata\":{\"session\":\"main\"},"
	         "\"payload\":{\"taskId\":\"%s\",\"success\":true}",
	         run, run);
	hear_as("claw", "completion", at, rest);
}

/* An older run ends while a newer one of the conversation is at work, also after a restart. */
static void test_outrun(void **state)
{
	(void)state;
	for (int is_loaded = 0; is_loaded < 2; is_loaded++) {
		crew_destroy(crew);
		crew = fresh_crew();
		hear_as("claw", "task_dispatch", 1000, IN_MAIN("r1") PAY("\"to\":\"bot\""));
		hear_as("claw", "task_dispatch", 1100, IN_MAIN("r2") PAY("\"to\":\"bot\""));
		hear_as("claw", "tool_call", 1200,
		        IN_MAIN("r2") PAY("\"toolName\":\"Bash\",\"callId\":\"c1\""));
		if (is_loaded)
			restart_crew();
		end_run("r1", 1300);
		assert_string_equal(state_of("r1"), "tool");
		end_run("r2", 1400);
		assert_string_equal(state_of("r1"), "idle");
		/* Words that are told late do not open a run that is over. */
		hear_as("claw", "text_delta", 1350, IN_MAIN("r2") PAY("\"content\":\"x\""));
		hear_as("claw", "text_delta", 1500, IN_MAIN("r1") PAY("\"content\":\"x\""));
		assert_string_equal(state_of("r1"), "answering");
		end_run("r1", 1600);
		assert_string_equal(state_of("r1"), "idle");
		/* Who is gone is gone with all its runs. */
		hear_as("claw", "thinking", 1700, IN_MAIN("r2") PAY(""));
		hear_as("signalbox", "session.gone", 1800, RUN("r1") PAY("\"why\":\"x\""));
		assert_string_equal(state_of("r1"), "gone");
	}
}

/* Of a checkpoint that does not say which runs are at work, any end counts. */
static void test_older_checkpoint(void **state)
{
	(void)state;
	hear_as("claw", "task_dispatch", 1000, IN_MAIN("r1") PAY("\"to\":\"bot\""));
	hear_as("claw", "task_dispatch", 1100, IN_MAIN("r2") PAY("\"to\":\"bot\""));
	restart_without("\"open\":3");
	assert_string_equal(state_of("r1"), "thinking");
	end_run("r1", 1300);
	assert_string_equal(state_of("r1"), "idle");
}

/* Which runs are at work is known when the oldest is forgotten. */
static void test_outrun_among_many(void **state)
{
	char rest[256];

	(void)state;
	for (int i = 0; i <= MEMBER_RUNS_MAX; i++) {
		snprintf(rest, sizeof(rest),
		         "\"correlationId\":\"r%d\",\"metadata\":{\"session\":\"main\"},"
		         "\"payload\":{}",
		         i);
		hear_as("claw", "task_dispatch", 1000 + i, rest);
	}
	end_run("r63", 2000);
	assert_string_equal(state_of("r1"), "thinking");
	end_run("r64", 2100);
	assert_string_equal(state_of("r1"), "idle");
}

/* What a conversation spent is what its runs spent. */
static void test_spent_by_all_runs(void **state)
{
	(void)state;
	hear_as("claw", "token_usage", 1000,
	        IN_MAIN("r1") PAY("\"promptTokens\":12,\"completionTokens\":1,\"contextTokens\":9,"
	                          "\"model\":\"m\""));
	hear_as("claw", "token_usage", 1100,
	        IN_MAIN("r2") PAY("\"promptTokens\":30,\"completionTokens\":1,\"contextTokens\":7,"
	                          "\"model\":\"m\""));
	assert_int_equal(crew_count(crew), 1);
	assert_json_has("r1", "\"usage\":{\"input\":42,\"output\":2,");
	assert_json_has("r1", "\"context\":{\"used\":7}");
	assert_json_has("r1", "\"models\":[{\"key\":\"m\",\"input\":42,");
}

/* A source that was asked answers under the name of its model, and is one agent. */
static void test_asked_source(void **state)
{
	(void)state;
	hear_as("user", "task_dispatch", 1000,
	        RUN("r1") PAY("\"to\":\"parrot\",\"taskId\":\"r1\""));
	hear_as("parrot", "text_delta", 1100,
	        RUN("r1") PAY("\"agentId\":\"model-a\",\"content\":\"hm\""));
	assert_string_equal(state_of("r1"), "answering");
	hear_as("parrot", "completion", 1200,
	        RUN("r1") PAY("\"agentId\":\"model-a\",\"taskId\":\"r1\",\"success\":true"));
	assert_string_equal(state_of("r1"), "finished");
}

/* An agent of the run dialect has a word of its own for the end. */
static void test_run_end(void **state)
{
	(void)state;
	hear_as("agent:poem", "text_delta", 1000,
	        RUN("r1") PAY("\"agentId\":\"poet\",\"content\":\"hm\""));
	assert_string_equal(state_of("r1"), "answering");
	hear_as("agent:poem", "run-finished", 1100, RUN("r1") PAY("\"op\":\"run-finished\""));
	assert_string_equal(state_of("r1"), "finished");
	hear_as("agent:poem", "run-finished", 1200, RUN("r2") PAY("\"op\":\"run-finished\""));
	assert_null(crew_find(crew, TEXT("r2")));
}

/* One that was asked under a name can be asked again, and has not finished; a program that has
 * ended has. */
static void test_named_ask(void **state)
{
	static const char ask[] = "\"correlationId\":\"r1\","
				  "\"payload\":{\"to\":\"parrot\",\"taskId\":\"r1\"},"
				  "\"metadata\":{\"sourceId\":\"parrot\",\"session\":\"talk\"}";

	(void)state;
	for (int i = 0; i < 2; i++) {
		hear_as("user", "task_dispatch", 1000 * i + 1000, ask);
		hear_as("parrot", "text_delta", 1000 * i + 1100,
		        RUN("r1") PAY("\"agentId\":\"model-a\""));
		assert_string_equal(state_of("r1"), "answering");
		hear_as("parrot", "completion", 1000 * i + 1200,
		        RUN("r1") PAY("\"agentId\":\"model-a\",\"taskId\":\"r1\","
		                      "\"success\":true"));
		assert_string_equal(state_of("r1"), "idle");
		restart_crew();
	}
	hear_as("parrot", "completion", 3000,
	        RUN("r1") "\"metadata\":{\"exitCode\":0}," PAY(
			"\"agentId\":\"model-a\",\"taskId\":\"r1\",\"success\":true"));
	assert_string_equal(state_of("r1"), "finished");
}

/* Its other agents are subagents, and the next ask may be for another model. */
static void test_agents_of_asked_source(void **state)
{
	static const char *const models[] = {"model-a", "model-b"};
	char rest[512];

	(void)state;
	for (int i = 0; i < 2; i++) {
		hear_as("user", "task_dispatch", 1000 * i + 1000,
		        RUN("r1") PAY("\"to\":\"parrot\",\"taskId\":\"p\""));
		if (i)
			hear_as("parrot", "text_delta", 2050,
			        RUN("r1") PAY("\"agentId\":\"helper\""));
		assert_string_equal(state_of("r1"), "thinking");
		snprintf(rest, sizeof(rest), RUN("r1") PAY("\"agentId\":\"%s\""), models[i]);
		hear_as("parrot", "text_delta", 1000 * i + 1100, rest);
		restart_crew();
		hear_as("parrot", "tool_call", 1000 * i + 1200,
		        RUN("r1") PAY("\"agentId\":\"helper\",\"toolName\":\"Read\""));
		assert_string_equal(state_of("r1"), "answering");
		assert_int_equal(crew_find(crew, TEXT("r1"))->agent_count, 1);
		snprintf(rest, sizeof(rest),
		         RUN("r1") PAY("\"agentId\":\"%s\",\"taskId\":\"p\",\"success\":true"),
		         models[i]);
		hear_as("parrot", "completion", 1000 * i + 1300, rest);
		assert_string_equal(state_of("r1"), "idle");
	}
}

/* One that speaks under its own name has no other. */
static void test_agents_of_own_name(void **state)
{
	(void)state;
	hear_as("parrot", "text_delta", 1000, RUN("r1") PAY("\"agentId\":\"parrot\""));
	hear_as("parrot", "tool_call", 1100,
	        RUN("r1") PAY("\"agentId\":\"helper\",\"toolName\":\"Read\""));
	assert_string_equal(state_of("r1"), "answering");
}

/* In a dialect whose subagents have names, the source itself speaks for the session. */
static void test_session_itself(void **state)
{
	static const char origin[] = ",\"metadata\":{\"origin\":{\"dialect\":\"run\"}}";
	char rest[512];

	(void)state;
	snprintf(rest, sizeof(rest), RUN("r1") PAY("\"agentId\":\"poet\"") "%s", origin);
	hear_as("local/agent:r1", "text_delta", 1000, rest);
	snprintf(rest, sizeof(rest), RUN("r1") PAY("\"agentId\":\"critic\"") "%s", origin);
	hear_as("local/agent:r1", "text_delta", 1100, rest);
	assert_int_equal(crew_find(crew, TEXT("r1"))->agent_count, 1);
	snprintf(rest, sizeof(rest),
	         RUN("r1") PAY("\"agentId\":\"agent:r1\",\"taskId\":\"r1\",\"success\":true") "%s",
	         origin);
	hear_as("local/agent:r1", "completion", 1200, rest);
	assert_string_equal(state_of("r1"), "finished");
}

/* Which of them are somebody on the stage is remembered. */
static void test_figures(void **state)
{
	(void)state;
	hear_as("adapter:tap", "text_delta", 1000, RUN("r3") PAY("\"agentId\":\"claude\""));
	hear_as("parrot", "text_delta", 1000, RUN("r1") PAY("\"agentId\":\"parrot\""));
	hear_as("claw", "text_delta", 1000, RUN("r2") PAY("\"sessionKey\":\"k\""));
	restart_crew();
	assert_json_has("r1", "\"figure\":false");
	assert_json_has("r2", "\"figure\":true");
	restart_without("\"figure\":true"); /* as an older version saved it */
	assert_json_has("r3", "\"figure\":true");
}

static void test_many_runs(void **state)
{
	char rest[256];

	(void)state;
	for (int i = 0; i < 70; i++) {
		snprintf(rest, sizeof(rest),
		         "\"correlationId\":\"r%d\",\"metadata\":{\"session\":\"main\"},"
		         "\"payload\":{}",
		         i);
		hear_as("claw", "task_dispatch", 1000 + i, rest);
	}
	for (int i = 0; i < 2; i++) {
		assert_json_has("claw-1", "\"run\":\"r69\"");
		assert_non_null(crew_find(crew, TEXT("r6")));
		assert_null(crew_find(crew, TEXT("r5")));
		restart_crew();
	}
}

#define SPAWNED(key, by) \
	"\"metadata\":{\"session\":\"" key "\",\"spawnedBy\":\"" by "\"}," PAY("\"to\":\"acting\"")

/* A conversation that another began is its child, whichever is heard of first. */
static void test_children(void **state)
{
	struct buf changed, removed;

	(void)state;
	hear_as("claw", "agent_state_change", 1000, RUN("r2") SPAWNED("helper", "main"));
	assert_json_has("r2", "\"parent\":\"main\"");
	buf_init(&changed, MIB);
	buf_init(&removed, MIB);
	crew_take_changed(crew, 1000, &changed, &removed);
	buf_clear(&changed);
	hear_as("other", "thinking", 1100, IN_MAIN("r9") PAY(""));
	assert_json_has("r2", "\"parent\":\"main\"");
	crew_take_changed(crew, 1000, &changed, &removed);
	buf_clear(&changed);
	hear_as("claw", "thinking", 1200, IN_MAIN("r1") PAY(""));
	assert_json_has("r2", "\"parent\":\"r1\"");
	crew_take_changed(crew, 1000, &changed, &removed);
	buf_add_char(&changed, '\0');
	assert_non_null(strstr(changed.at, "\"parent\":\"r1\""));
	hear_as("claw", "thinking", 1300, IN_MAIN("r3") PAY(""));
	restart_crew();
	assert_json_has("r2", "\"parent\":\"r1\"");
	/* Nobody is the child of itself, or of those of whom it may not speak. */
	hear_as("claw", "agent_state_change", 1400, RUN("r3") SPAWNED("main", "main"));
	assert_null(crew_parent(crew, crew_find(crew, TEXT("r1"))));
	hear_as("local/x", "agent_state_change", 1500, RUN("evil") SPAWNED("k", "r1"));
	assert_null(crew_parent(crew, crew_find(crew, TEXT("evil"))));
	buf_finish(&changed);
	buf_finish(&removed);
}

/* Nobody without a credential takes over a conversation, or says whose doing it is. */
static void test_strangers(void **state)
{
	(void)state;
	hear_as("claw", "thinking", 1000, IN_MAIN("r1") PAY(""));
	hear_as("local/x", "task_dispatch", 1100,
	        RUN("evil") "\"metadata\":{\"sourceId\":\"claw\",\"session\":\"main\"}," PAY(
			"\"to\":\"x\""));
	assert_int_equal(crew_count(crew), 2);
	assert_json_has("r1", "\"run\":\"r1\"");
	hear_as("local/x", "text_delta", 1200, RUN("r1") PAY("\"agentId\":\"evil\""));
	hear_as("claw", "tool_call", 1300,
	        IN_MAIN("r1") PAY("\"toolName\":\"Bash\",\"callId\":\"c1\",\"agentId\":\"bot\""));
	assert_string_equal(state_of("r1"), "tool");
	/* One that is in no conversation yet is not drawn into another's. */
	hear_as("claw", "thinking", 1400, RUN("r2") PAY(""));
	hear_as("local/x", "thinking", 1500, RUN("r2") PAY("\"sessionKey\":\"k\""));
	hear_as("local/x", "thinking", 1600, RUN("evil2") PAY("\"sessionKey\":\"k\""));
	assert_int_equal(crew_count(crew), 4);
	assert_json_has("r2", "\"run\":\"r2\"");
}

static void test_command(void **state)
{
	static const char command[] =
		"\"metadata\":{\"session\":\"main\",\"sourceId\":\"bot\"}," PAY(
			"\"command\":\"/approve a deny\",\"answer\":\"no\"");
	char first[256], second[256];

	(void)state;
	snprintf(first, sizeof(first), RUN("k1") "%s", command);
	snprintf(second, sizeof(second), RUN("k2") "%s", command);
	hear_as("signalbox", "session.command", 500, first);
	assert_null(crew_find(crew, TEXT("k1")));
	hear_as("bot", "task_dispatch", 1000,
	        IN_MAIN("r1") PAY("\"taskId\":\"r1\",\"to\":\"bot\",\"description\":\"go\""));
	hear_as("signalbox", "session.command", 2000, second);
	assert_ptr_equal(crew_find(crew, TEXT("k2")), crew_find(crew, TEXT("r1")));
	assert_string_equal(member_run(crew_find(crew, TEXT("r1"))), "r1");
	assert_string_equal(state_of("k2"), "thinking");
	hear_as("bot", "completion", 3000,
	        IN_MAIN("r1") PAY("\"taskId\":\"r1\",\"agentId\":\"bot\",\"success\":true"));
	hear_as("signalbox", "session.command", 4000, second);
	restart_crew();
	assert_string_equal(state_of("k2"), "idle");
	assert_string_equal(member_run(crew_find(crew, TEXT("k2"))), "r1");
}

int main(void)
{
#define CONVERSATION(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CONVERSATION(test_conversation),
		CONVERSATION(test_outrun),
		CONVERSATION(test_older_checkpoint),
		CONVERSATION(test_outrun_among_many),
		CONVERSATION(test_spent_by_all_runs),
		CONVERSATION(test_asked_source),
		CONVERSATION(test_named_ask),
		CONVERSATION(test_run_end),
		CONVERSATION(test_agents_of_asked_source),
		CONVERSATION(test_agents_of_own_name),
		CONVERSATION(test_session_itself),
		CONVERSATION(test_figures),
		CONVERSATION(test_many_runs),
		CONVERSATION(test_children),
		CONVERSATION(test_command),
		CONVERSATION(test_strangers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
