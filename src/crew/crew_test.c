/* crew_test.c - sessions, told as programs tell of them. */
#include "crew/crew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "crew/peaks.h"

static struct signal_reader *reader;
static struct crew *crew;
static uint64_t seq;
static const char *asked_run; /* of which a question is open */

static void questions(void *self, crew_question_fn *each, void *of)
{
	(void)self;
	each(of, "unknown", &(struct crew_question){.id = "q0"});
	if (asked_run)
		each(of, asked_run,
		     &(struct crew_question){
			     .id = "q1", .words = TEXT("May it?"), .tool = TEXT("Bash")});
}

static void begin(void)
{
	crew = crew_create(&(struct crew_options){.questions = questions});
	asked_run = NULL;
	seq = 0;
}

static void end(void)
{
	crew_destroy(crew);
	crew = NULL;
}

static void hear_line(const char *line)
{
	struct signal s;
	struct error why;

	if (!signal_read(reader, text_of(line), &s, &why))
		fail_msg("%s: %s", why.words, line);
	crew_hear(crew, &s);
}

/* rest: members of the envelope, from the correlationId on. */
static void hear_as(const char *source, const char *type, double at, const char *rest)
{
	char line[8192];

	snprintf(line, sizeof(line),
	         "{\"seq\":%llu,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":%.0f,"
	         "\"source\":\"%s\",%s}",
	         (unsigned long long)++seq, type, at, source, rest);
	hear_line(line);
}

static void hear(const char *type, double at, const char *rest)
{
	hear_as("adapter:tap", type, at, rest);
}

#define RUN(id) "\"correlationId\":\"" id "\","
#define HOOK(name, more) "\"metadata\":{\"hook\":\"" name "\"" more "},"
#define CWD ",\"cwd\":\"/home/a/Check Out\",\"permission_mode\":\"plan\""
#define PAY(members) "\"payload\":{" members "}"
#define TOOL(id) "\"toolName\":\"Bash\",\"agentId\":\"claude\",\"callId\":\"" id "\""

static const char *state_of(const char *name)
{
	const struct crew_member *m = crew_find(crew, text_of(name));

	assert_non_null(m);
	return state_name(member_standing(m)->state);
}

static char *json_of(const char *name)
{
	struct buf out;
	char *json;

	buf_init(&out, MIB);
	crew_member_json(crew, crew_find(crew, text_of(name)), 2000000, true, &out);
	json = text_dup(buf_text(&out));
	buf_finish(&out);
	return json;
}

static void assert_json_has(const char *name, const char *part)
{
	char *json = json_of(name);

	if (!strstr(json, part))
		fail_msg("%s is not in %s", part, json);
	free(json);
}

static void start_session(void)
{
	hear("agent_state_change", 1000,
	     RUN("s1") HOOK("SessionStart", CWD)
	             PAY("\"agentId\":\"claude\",\"from\":\"idle\",\"to\":\"thinking\",\"reason\":"
	                 "\"startup\""));
}

static void ask_session(void)
{
	hear("task_dispatch", 2000,
	     RUN("s1") HOOK("UserPromptSubmit", CWD) PAY(
		     "\"taskId\":\"p1\",\"from\":\"user\",\"to\":\"claude\",\"description\":\"Mend "
		     "the till\\nand more\""));
}

static void test_identity(void **state)
{
	(void)state;
	begin();
	start_session();
	assert_string_equal(state_of("s1"), "idle");
	ask_session();
	assert_string_equal(state_of("s1"), "thinking");
	assert_json_has("s1", "\"handle\":\"check-out-1\"");
	assert_json_has("check-out-1", "\"project\":\"Check Out\",\"harness\":\"claude-code\"");
	assert_json_has("s1", "\"agent\":\"Claude Code\"");
	assert_json_has("s1", "\"title\":\"Mend the till\",\"titleFrom\":\"asked\"");
	assert_json_has("s1", "\"mode\":\"plan\"");
	hear("session.facts", 3000,
	     RUN("s1") PAY("\"title\":\"The till\",\"version\":\"2.1.325\",\"branch\":\"main\","
	                   "\"cwd\":\"/home/a/Check Out/src\""));
	assert_json_has("s1", "\"title\":\"The till\",\"titleFrom\":\"agent\"");
	assert_json_has("s1", "\"project\":\"Check Out\"");
	assert_json_has("s1", "\"folder\":\"/home/a/Check Out/src\"");
	/* Only the box says that a person gave it a title. */
	hear("session.title", 3500, RUN("s1") PAY("\"title\":\"False\""));
	assert_json_has("s1", "\"title\":\"The till\"");
	hear_as("signalbox", "session.title", 3600, RUN("s1") PAY("\"title\":\"Mine\""));
	assert_json_has("s1", "\"title\":\"Mine\",\"titleFrom\":\"person\"");
	hear_as("signalbox", "session.title", 3700, RUN("s1") PAY("\"title\":\"\""));
	assert_json_has("s1", "\"title\":\"The till\",\"titleFrom\":\"agent\"");
	end();
}

/* A number is given once, also when its session is forgotten. */
static void test_handles(void **state)
{
	struct buf saved;
	char rest[512];

	(void)state;
	begin();
	for (unsigned i = 0; i < CREW_MAX + 3; i++) {
		snprintf(rest, sizeof(rest), "\"correlationId\":\"r%u\",%s", i,
		         HOOK("UserPromptSubmit", ",\"cwd\":\"/w/shop\"")
		                 PAY("\"taskId\":\"t\",\"from\":\"user\",\"to\":\"claude\""));
		hear("task_dispatch", 1000 + i, rest);
	}
	assert_int_equal(crew_count(crew), CREW_MAX);
	assert_null(crew_find(crew, TEXT("shop-1")));
	assert_non_null(crew_find(crew, TEXT("shop-4")));
	assert_non_null(crew_find(crew, TEXT("shop-4099")));
	buf_init(&saved, CREW_SAVED_MAX);
	crew_save_begin(crew);
	while (crew_save_more(crew, &saved))
		;
	end();
	begin();
	assert_true(crew_load(crew, buf_text(&saved)));
	hear("task_dispatch", 9000,
	     RUN("new") HOOK("UserPromptSubmit", ",\"cwd\":\"/w/shop\"") PAY(""));
	assert_non_null(crew_find(crew, TEXT("shop-4100")));
	buf_finish(&saved);
	end();
}

static void test_tools(void **state)
{
	(void)state;
	begin();
	start_session();
	ask_session();
	hear("tool_call", 3000,
	     RUN("s1") HOOK("PreToolUse", CWD)
	             PAY(TOOL("c1") ",\"input\":{\"command\":\"npm test\\nmore\"}"));
	hear("tool_call", 3010, RUN("s1") HOOK("PreToolUse", CWD) PAY(TOOL("c2")));
	hear("tool_result", 3100,
	     RUN("s1") HOOK("PostToolUse", CWD) PAY(TOOL("c2") ",\"success\":true"));
	assert_string_equal(state_of("s1"), "tool");
	assert_json_has(
		"s1", "\"name\":\"tool\",\"since\":3000,\"tool\":\"Bash\",\"target\":\"npm test\"");
	/* The transcript tells of it late: it does not open again. */
	hear("tool_call", 3011, RUN("s1") PAY(TOOL("c2")));
	hear("tool_result", 4000,
	     RUN("s1") HOOK("PostToolUseFailure", CWD) PAY(TOOL("c1") ",\"success\":false"));
	hear("error", 4000,
	     RUN("s1") HOOK("PostToolUseFailure", CWD)
	             PAY("\"message\":\"exit 1\",\"severity\":\"error\",\"agentId\":\"claude\""));
	assert_string_equal(state_of("s1"), "thinking");
	hear("agent_state_change", 5000,
	     RUN("s1") HOOK("Stop", CWD)
	             PAY("\"agentId\":\"claude\",\"from\":\"acting\",\"to\":\"done\""));
	assert_string_equal(state_of("s1"), "idle");
	end();
}

/* What a program prints of errors are lines like others, in whatever state it is. */
static void test_printed_errors(void **state)
{
	static const struct {
		const char *type, *rest, *before, *after;
	} cases[] = {
		{"task_dispatch", PAY("\"to\":\"make\""), "thinking", "answering"},
		{"text_delta", PAY("\"content\":\"cc\""), "answering", "answering"},
		{"tool_call", PAY(TOOL("c1")), "tool", "tool"}, /* it is open */
		{"prompt", PAY("\"prompt\":\"Now?\""), "asks", "answering"},
		{"agent_state_change", PAY("\"to\":\"waiting\""), "waits", "answering"},
		{"session.turn", PAY("\"state\":\"over\""), "idle", "answering"},
		{"completion", PAY("\"taskId\":\"r\",\"success\":true"), "finished", "answering"},
		{"error", PAY("\"message\":\"no credit\",\"severity\":\"error\""), "failed",
	         "answering"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char rest[512];

		begin();
		hear("text_delta", 900, RUN("r") PAY("\"content\":\"make\""));
		snprintf(rest, sizeof(rest), RUN("r") "%s", cases[i].rest);
		hear(cases[i].type, 1000, rest);
		if (strcmp(state_of("r"), cases[i].before) != 0)
			fail_msg("%s: %s", cases[i].type, state_of("r"));
		hear("error", 2000,
		     RUN("r") "\"metadata\":{\"printed\":true}," PAY(
			     "\"message\":\"Error: 1 test FAILED\",\"severity\":\"error\""));
		if (strcmp(state_of("r"), cases[i].after) != 0)
			fail_msg("%s: %s", cases[i].type, state_of("r"));
		end();
	}
}

/* A person pressed Escape: no hook says so. */
static void test_interrupted(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("tool_call", 3000, RUN("s1") HOOK("PreToolUse", CWD) PAY(TOOL("c1")));
	hear("session.turn", 3500, RUN("s1") PAY("\"state\":\"interrupted\""));
	assert_string_equal(state_of("s1"), "idle");
	hear("tool_call", 2990, RUN("s1") PAY(TOOL("c1")));
	assert_string_equal(state_of("s1"), "idle");
	end();
}

static void test_questions(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("tool_call", 3000, RUN("s1") HOOK("PreToolUse", CWD) PAY(TOOL("c1")));
	hear("tool_call", 3001,
	     RUN("s1") PAY("\"toolName\":\"Read\",\"callId\":\"c2\",\"agentId\":\"claude\""));
	hear("agent_state_change", 3100,
	     RUN("s1") HOOK("PermissionRequest", ",\"tool_name\":\"Bash\"")
	             PAY("\"agentId\":\"claude\",\"from\":\"acting\",\"to\":\"waiting\",\"reason\":"
	                 "\"permission\""));
	assert_string_equal(state_of("s1"), "asks");
	/* Another tool comes back meanwhile. */
	hear("tool_result", 3200,
	     RUN("s1") PAY("\"toolName\":\"Read\",\"callId\":\"c2\",\"success\":true"));
	assert_string_equal(state_of("s1"), "asks");
	assert_json_has("s1", "\"group\":\"waits\"");
	/* The registry says that it goes on: the tool runs. */
	hear("session.facts", 3300, RUN("s1") PAY("\"status\":\"busy\""));
	assert_string_equal(state_of("s1"), "tool");
	asked_run = "s1";
	assert_json_has("s1", "\"name\":\"asks\"");
	assert_json_has("s1", "\"prompt\":\"q1\",\"question\":\"May it?\",\"tool\":\"Bash\"");
	asked_run = NULL;
	/* Being idle for a minute is no question. */
	hear("agent_state_change", 4000, RUN("s1") HOOK("Stop", "") PAY("\"to\":\"done\""));
	hear("agent_state_change", 5000,
	     RUN("s1") HOOK("Notification", ",\"notification_type\":\"idle_prompt\"")
	             PAY("\"agentId\":\"claude\",\"from\":\"acting\",\"to\":\"waiting\""));
	assert_string_equal(state_of("s1"), "idle");
	end();
}

static void test_ends(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("session.gone", 3000, RUN("s1") PAY("\"why\":\"a lie\""));
	assert_string_equal(state_of("s1"), "thinking");
	hear_as("signalbox", "session.gone", 3000, RUN("s1") PAY("\"why\":\"its process ended\""));
	assert_string_equal(state_of("s1"), "gone");
	assert_json_has("s1", "\"why\":\"its process ended\"");
	assert_json_has("s1", "\"group\":\"failed\"");
	hear("task_dispatch", 4000, RUN("s1") PAY("\"to\":\"claude\""));
	assert_string_equal(state_of("s1"), "thinking");
	hear("error", 5000,
	     RUN("s1") HOOK("StopFailure", "")
	             PAY("\"message\":\"no credit\",\"severity\":\"error\""));
	hear("agent_state_change", 5100, RUN("s1") HOOK("SessionEnd", "") PAY("\"to\":\"idle\""));
	assert_string_equal(state_of("s1"), "failed");
	assert_json_has("s1", "\"why\":\"no credit\"");
	hear_as("adapter:tap:make", "completion", 6000,
	        RUN("m1") "\"metadata\":{\"exitCode\":2}," PAY(
			"\"taskId\":\"m1\",\"success\":false"));
	assert_json_has("m1", "\"exit\":2");
	assert_json_has("m1", "\"handle\":\"make-1\"");
	hear_as("local", "completion", 6000, RUN("m2") PAY("\"taskId\":\"m2\",\"success\":true"));
	assert_string_equal(state_of("m2"), "finished");
	hear_as("local", "completion", 6000,
	        RUN("m3") PAY("\"taskId\":\"m3\",\"success\":false,\"result\":\"cancelled\""));
	assert_json_has("m3", "\"name\":\"finished\",\"since\":6000,\"why\":\"cancelled\"");
	end();
}

static void test_subagents(void **state)
{
	(void)state;
	begin();
	ask_session();
	for (int i = 1; i <= 2; i++) {
		char rest[512];

		snprintf(rest, sizeof(rest),
		         RUN("s1") HOOK("SubagentStart", ",\"agent_id\":\"a%d\"")
		                 PAY("\"taskId\":\"a%d\",\"from\":\"claude\",\"to\":\"Explore\""),
		         i, i);
		hear("task_dispatch", 3000 + i, rest);
	}
	assert_int_equal(crew_find(crew, TEXT("s1"))->agent_count, 2);
	hear("agent_state_change", 3500, RUN("s1") HOOK("Stop", "") PAY("\"to\":\"done\""));
	assert_json_has("s1", "\"name\":\"waits\",\"since\":3500,\"why\":\"for its subagents\"");
	hear("agent_state_change", 3600,
	     RUN("s1") HOOK("PermissionRequest", ",\"agent_id\":\"a1\"")
	             PAY("\"agentId\":\"Explore\",\"to\":\"waiting\",\"reason\":\"permission\""));
	assert_string_equal(state_of("s1"), "asks");
	for (int i = 0; i <= 2; i++) { /* a0 never began */
		char rest[512];

		snprintf(rest, sizeof(rest),
		         RUN("s1") HOOK("SubagentStop", ",\"agent_id\":\"a%d\"")
		                 PAY("\"taskId\":\"a%d\",\"success\":true,\"agentId\":\"Explore\""),
		         i, i);
		hear("completion", 4000 + i, rest);
	}
	assert_int_equal(crew_find(crew, TEXT("s1"))->agent_count, 2);
	assert_string_equal(state_of("s1"), "idle");
	assert_json_has("s1", "\"name\":\"Explore\"");
	end();
}

static void test_plan_and_changes(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("agent.plan", 3000,
	     RUN("s1") PAY(
		     "\"whole\":true,\"items\":[{\"id\":\"1\",\"text\":\"a\",\"status\":"
		     "\"completed\"},{\"id\":\"2\",\"text\":\"b\",\"status\":\"in_progress\"}]"));
	assert_json_has("s1", "\"plan\":{\"done\":1,\"total\":2,\"now\":\"b\"}");
	hear("agent.plan", 3100,
	     RUN("s1") PAY(
		     "\"whole\":false,\"items\":[{\"id\":\"2\",\"status\":\"completed\"},{\"id\":"
		     "\"3\",\"text\":\"c\",\"status\":\"pending\"},{\"id\":\"1\",\"status\":"
		     "\"deleted\"}]"));
	assert_json_has("s1", "\"plan\":{\"done\":1,\"total\":2}");
	assert_true(crew_has_plan(crew, TEXT("s1"),
	                          TEXT("[{\"id\":\"3\",\"text\":\"c\",\"status\":\"pending\"},"
	                               "{\"id\":\"2\",\"text\":\"b\",\"status\":\"completed\"}]")));
	assert_false(
		crew_has_plan(crew, TEXT("s1"),
	                      TEXT("[{\"id\":\"3\",\"text\":\"c\",\"status\":\"completed\"},"
	                           "{\"id\":\"2\",\"text\":\"b\",\"status\":\"completed\"}]")));
	assert_false(
		crew_has_plan(crew, TEXT("s1"),
	                      TEXT("[{\"id\":\"2\",\"text\":\"b\",\"status\":\"completed\"}]")));
	assert_false(crew_has_plan(crew, TEXT("s1"), TEXT("[]"))); /* something is to be done */
	hear("agent.plan", 3110,
	     RUN("s1") PAY("\"whole\":false,\"items\":[{\"id\":\"3\",\"status\":\"completed\"}]"));
	assert_true(crew_has_plan(crew, TEXT("s1"), TEXT("[]")));
	hear("agent.plan", 3120,
	     RUN("s1") PAY("\"whole\":false,\"items\":[{\"id\":\"3\",\"status\":\"pending\"}]"));
	hear("agent.change", 3200,
	     RUN("s1") PAY("\"path\":\"/w/a.c\",\"kind\":\"create\",\"added\":5,\"removed\":0,"
	                   "\"callId\":\"c1\""));
	hear("agent.change", 3201,
	     RUN("s1") PAY("\"path\":\"/w/a.c\",\"kind\":\"create\",\"added\":5,\"removed\":0,"
	                   "\"callId\":\"c1\""));
	hear("agent.change", 3300,
	     RUN("s1") PAY("\"path\":\"/w/a.c\",\"kind\":\"update\",\"added\":1,\"removed\":2,"
	                   "\"callId\":\"c2\""));
	assert_json_has("s1", "\"changes\":{\"files\":1,\"added\":6,\"removed\":2}");
	assert_json_has("s1", "{\"path\":\"/w/a.c\",\"kind\":\"create\",\"added\":6,\"removed\":2,"
	                      "\"calls\":2}");
	end();
}

/* What is no agent's makes no session. */
static void test_others(void **state)
{
	(void)state;
	begin();
	hear_as("sensor", "temperature", 1000, RUN("t") PAY("\"v\":1"));
	hear_as("signalbox", "answer", 1000, RUN("u") PAY(""));
	hear_as("a", "task_dispatch", 1000, "\"correlationId\":\"x\\u0000y\"," PAY(""));
	assert_int_equal(crew_count(crew), 0);
	end();
}

static char *all_json(void)
{
	struct buf out;
	char *json;

	buf_init(&out, 8 * MIB);
	crew_json(crew, 2000000, CREW_MAX, &out);
	json = text_dup(buf_text(&out));
	buf_finish(&out);
	return json;
}

/* A checkpoint has the state of its beginning, and what is loaded goes on as if nothing was. */
static void test_saved(void **state)
{
	char *before, *after;
	struct buf saved;

	(void)state;
	begin();
	start_session();
	ask_session();
	hear("tool_call", 3000, RUN("s1") PAY(TOOL("c1") ",\"input\":{\"file_path\":\"/a\"}"));
	hear("tool_call", 3000, RUN("s1") PAY(TOOL("c2")));
	hear("tool_result", 3001, RUN("s1") PAY(TOOL("c2") ",\"success\":true"));
	hear("agent.plan", 3000, RUN("s1") PAY("\"whole\":true,\"items\":[{\"text\":\"a\"}]"));
	hear("agent.change", 3200,
	     RUN("s1") PAY("\"path\":\"/w/a\",\"added\":5,\"callId\":\"c1\""));
	hear("task_dispatch", 3300,
	     RUN("s1") "\"metadata\":{\"agent_id\":\"a1\"}," PAY(
		     "\"from\":\"claude\",\"to\":\"Explore\""));
	hear_as("claw", "text_delta", 1000,
	        RUN("r1") "\"metadata\":{\"session\":\"main\"}," PAY("\"agentId\":\"bot\""));
	before = all_json();
	buf_init(&saved, CREW_SAVED_MAX);
	crew_save_begin(crew);
	hear("session.turn", 4000, RUN("s1") PAY(""));
	while (crew_save_more(crew, &saved))
		;
	end();
	begin();
	assert_true(crew_load(crew, buf_text(&saved)));
	after = all_json();
	assert_string_equal(before, after);
	hear("tool_call", 3400, RUN("s1") PAY(TOOL("c2")));
	hear("tool_result", 3500, RUN("s1") PAY(TOOL("c1")));
	assert_string_equal(state_of("s1"), "thinking");
	free(before);
	free(after);
	buf_finish(&saved);
	end();
	begin();
	assert_false(crew_load(crew, TEXT("{\"handles\":{\"a\":3},\"members\":[{\"id\":\"x\"}]}")));
	assert_int_equal(crew_count(crew), 0);
	assert_false(crew_load(crew, TEXT("nonsense")));
	end();
}

static void save_and_load(void)
{
	struct buf saved;

	buf_init(&saved, CREW_SAVED_MAX);
	crew_save_begin(crew);
	while (crew_save_more(crew, &saved))
		;
	crew_destroy(crew);
	crew = crew_create(&(struct crew_options){.questions = questions});
	assert_true(crew_load(crew, buf_text(&saved)));
	buf_finish(&saved);
}

static void assert_most(const char *wanted)
{
	const struct peaks *p = crew_peaks(crew);
	struct buf out;

	buf_init(&out, KIB);
	buf_print(&out, "%u now", p->at_work);
	for (size_t i = 0; i < p->count; i++)
		buf_print(&out, ", %u:%u", p->all[i].hour, p->all[i].most);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, wanted);
	buf_finish(&out);
}

static void test_those_at_work_at_once(void **state)
{
	(void)state;
	begin();
	hear("task_dispatch", 1000, RUN("a") PAY("\"to\":\"a\""));
	assert_most("1 now, 0:1");
	hear("session.turn", 2000, RUN("a") PAY("\"state\":\"over\""));
	hear("task_dispatch", 3000, RUN("b") PAY("\"to\":\"b\""));
	assert_most("1 now, 0:1"); /* one after the other */
	hear("task_dispatch", 4000, RUN("a") PAY("\"to\":\"a\""));
	hear("task_dispatch", 4001, RUN("a") PAY("\"to\":\"a\""));
	assert_most("2 now, 0:2");
	hear("prompt", 5000, RUN("a") PAY("\"prompt\":\"Now?\"")); /* who waits for a person */
	hear("error", 5001, RUN("b") PAY("\"message\":\"x\",\"severity\":\"error\""));
	assert_most("0 now, 0:2");
	/* Its subagent works on when its own turn is over. */
	hear("tool_call", 3600e3, RUN("a") "\"metadata\":{\"agent_id\":\"sub\"}," PAY(TOOL("c9")));
	hear("session.turn", 3601e3, RUN("a") PAY("\"state\":\"over\""));
	assert_most("1 now, 0:2, 1:1");
	save_and_load();
	assert_most("1 now, 0:2, 1:1");
	hear_as("signalbox", "session.gone", 7200e3, RUN("a") PAY("\"why\":\"x\""));
	assert_most("0 now, 0:2, 1:1, 2:1");
	end();
}

/* Names that are cut to nothing are none, so that what is saved can be loaded. */
static void test_hostile_names(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("tool_call", 3000,
	     RUN("s1") "\"metadata\":{\"agent_id\":\"\\u0000y\"}," PAY(TOOL("c1")));
	assert_int_equal(crew_find(crew, TEXT("s1"))->agent_count, 0);
	hear_as("x", "text_delta", 3000, RUN("s2") PAY("\"agentId\":\"\\u0000\""));
	hear("agent.plan", 3000,
	     RUN("s1") PAY("\"items\":[{\"id\":\"a\\u0000b\",\"text\":\"1\"},{\"id\":"
	                   "\"a\\u0000c\",\"text\":\"2\"}]"));
	hear("agent.change", 3100, RUN("s1") PAY("\"path\":\"/a\",\"added\":999999999"));
	hear("agent.change", 3200, RUN("s1") PAY("\"path\":\"/a\",\"added\":999999999"));
	for (int i = 0; i < 2; i++) {
		assert_json_has("check-out-1", "\"total\":1");
		assert_json_has("check-out-1", "\"path\":\"/a\",\"added\":1000000000");
		save_and_load();
	}
	end();
}

/* A person who interrupts a session interrupts its subagents, too. */
static void test_interrupted_subagents(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("task_dispatch", 3000,
	     RUN("s1") HOOK("SubagentStart", ",\"agent_id\":\"a1\"")
	             PAY("\"taskId\":\"a1\",\"from\":\"claude\",\"to\":\"Explore\""));
	hear("agent_state_change", 3100,
	     RUN("s1") HOOK("PermissionRequest", ",\"agent_id\":\"a1\"")
	             PAY("\"agentId\":\"Explore\",\"to\":\"waiting\""));
	assert_string_equal(state_of("s1"), "asks");
	hear("session.turn", 3200, RUN("s1") PAY("\"state\":\"interrupted\""));
	assert_json_has("s1", "\"group\":\"idle\"");
	end();
}

/* Nobody waits in a session that is gone. */
static void test_question_of_the_dead(void **state)
{
	(void)state;
	begin();
	ask_session();
	asked_run = "s1";
	assert_json_has("s1", "\"name\":\"asks\"");
	hear_as("signalbox", "session.gone", 3000, RUN("s1") PAY("\"why\":\"killed\""));
	assert_json_has("s1", "\"name\":\"gone\",\"since\":3000,\"why\":\"killed\"");
	end();
}

/* A clock that is ahead keeps no session alive, and a time that is none changes nothing. */
static void test_times_ahead(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("text_delta", 1e300, RUN("s1") PAY("\"agentId\":\"claude\""));
	assert_string_equal(state_of("s1"), "thinking");
	hear("text_delta", 4e12, RUN("s1") PAY("\"agentId\":\"claude\""));
	assert_string_equal(state_of("s1"), "answering");
	hear_as("signalbox", "session.gone", 5000, RUN("s1") PAY("\"why\":\"killed\""));
	assert_string_equal(state_of("s1"), "gone");
	end();
}

/* Another process takes up a session that ended: it lives. */
static void test_resumed(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("session.facts", 2100, RUN("s1") PAY("\"pid\":7,\"status\":\"busy\""));
	hear_as("signalbox", "session.gone", 3000, RUN("s1") PAY("\"why\":\"killed\""));
	hear("session.facts", 3100, RUN("s1") PAY("\"pid\":7,\"status\":\"idle\""));
	assert_string_equal(state_of("s1"), "gone");
	hear("session.facts", 3200, RUN("s1") PAY("\"pid\":8,\"status\":\"idle\""));
	assert_string_equal(state_of("s1"), "idle");
	end();
}

/* The process that holds its file is found late: it goes on with what it does. */
static void test_holder_is_found(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear("session.facts", 2100, RUN("s1") PAY("\"pid\":7"));
	hear("tool_call", 3000, RUN("s1") PAY(TOOL("c1")));
	hear("session.facts", 3100, RUN("s1") "\"metadata\":{\"from\":\"file\"}," PAY("\"pid\":8"));
	assert_string_equal(state_of("s1"), "tool");
	assert_int_equal(crew_find(crew, TEXT("s1"))->pid, 8);
	hear("session.facts", 3200,
	     RUN("s1") "\"metadata\":{\"from\":\"registry\"}," PAY("\"pid\":9"));
	assert_string_equal(state_of("s1"), "idle");
	end();
}

/* A handle is its session's, whatever others call their runs. */
static void test_intruders(void **state)
{
	(void)state;
	begin();
	ask_session();
	hear_as("local/x", "task_dispatch", 3000, RUN("check-out-1") PAY("\"to\":\"x\""));
	assert_string_equal(crew_find(crew, TEXT("check-out-1"))->id, "s1");
	hear_as("local/x", "task_dispatch", 3000, RUN("check-out-2") PAY("\"to\":\"x\""));
	hear("task_dispatch", 4000,
	     RUN("s2") HOOK("UserPromptSubmit", CWD) PAY("\"taskId\":\"p\",\"to\":\"claude\""));
	assert_string_equal(crew_find(crew, TEXT("check-out-3"))->id, "s2");
	/* Without a credential nobody speaks of the session of another. */
	hear_as("local/x", "completion", 9000,
	        RUN("s1") PAY("\"taskId\":\"s1\",\"success\":true,\"agentId\":\"claude\""));
	assert_string_equal(state_of("s1"), "thinking");
	end();
}

static void test_changed(void **state)
{
	struct buf changed, removed;

	(void)state;
	begin();
	buf_init(&changed, MIB);
	buf_init(&removed, MIB);
	start_session();
	assert_true(crew_take_changed(crew, 0, &changed, &removed));
	assert_true(text_has_nocase(buf_text(&changed), TEXT("check-out-1")));
	buf_clear(&changed);
	buf_clear(&removed);
	assert_false(crew_take_changed(crew, 0, &changed, &removed));
	assert_true(text_equal(buf_text(&changed), TEXT("[]")));
	buf_clear(&changed);
	buf_clear(&removed);
	crew_touch(crew, TEXT("s1"));
	assert_true(crew_take_changed(crew, 0, &changed, &removed));
	assert_true(text_equal(buf_text(&removed), TEXT("[]")));
	buf_finish(&changed);
	buf_finish(&removed);
	end();
}

/* What does not fit into the checkpoint is kept from the next one on, and a list has what fits. */
static void test_too_much(void **state)
{
	char rest[600];
	struct buf list;

	begin();
	for (unsigned i = 0; i < 60 * MEMBER_AGENTS_MAX; i++) {
		snprintf(rest, sizeof(rest),
		         "\"correlationId\":\"s%u\",\"metadata\":{\"agent_id\":\"a%u\"},"
		         "\"payload\":{\"agentId\":\"%0120u\",\"toolName\":\"%0250u\"}",
		         i / MEMBER_AGENTS_MAX, i, i, i);
		hear("tool_call", 1000, rest);
	}
	buf_init(&list, 100 * KIB);
	crew_json(crew, 2000, 200, &list);
	assert_false(list.full);
	assert_true(list.len > 50 * KIB && list.at[list.len - 1] == ']');
	buf_finish(&list);
	for (unsigned times = 0; times < 2; times++)
		save_and_load();
	assert_int_equal(crew_count(crew), 60);
	end();
}

static void test_compacted(void **state)
{
	begin();
	start_session();
	ask_session();
	hear("agent_state_change", 5000,
	     RUN("s1") HOOK("SessionStart", CWD) PAY("\"to\":\"idle\",\"reason\":\"compact\""));
	assert_string_equal(state_of("s1"), "thinking");
	hear("agent_state_change", 6000, RUN("s1") HOOK("Stop", CWD) PAY("\"to\":\"done\""));
	hear("agent_state_change", 7000,
	     RUN("s1") HOOK("SessionStart", CWD) PAY("\"to\":\"idle\",\"reason\":\"compact\""));
	assert_string_equal(state_of("s1"), "idle");
	end();
}

static void note_silent(void *self, const struct crew_member *m)
{
	unsigned *count = self;

	assert_string_equal(m->id, "a");
	(*count)++;
}

static void test_silent(void **state)
{
	unsigned count = 0;

	begin();
	hear("thinking", 1000, RUN("a") PAY(""));
	hear("session.facts", 1000, RUN("b") PAY("\"pid\":5,\"status\":\"busy\""));
	hear("agent_state_change", 1000, RUN("c") PAY("\"to\":\"idle\""));
	crew_each_silent(crew, 0, note_silent, &count);
	assert_int_equal(count, 0);
	crew_each_silent(crew, 3, note_silent, &count);
	assert_int_equal(count, 1);
	hear("thinking", 1000, RUN("a") PAY(""));
	crew_each_silent(crew, 3, note_silent, &count);
	assert_int_equal(count, 1);
	end();
}

static int open_reader(void **state)
{
	(void)state;
	reader = signal_reader_create();
	return 0;
}

static int close_reader(void **state)
{
	(void)state;
	signal_reader_destroy(reader);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_handles),
		cmocka_unit_test(test_tools),
		cmocka_unit_test(test_printed_errors),
		cmocka_unit_test(test_those_at_work_at_once),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_subagents),
		cmocka_unit_test(test_plan_and_changes),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_saved),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_interrupted_subagents),
		cmocka_unit_test(test_question_of_the_dead),
		cmocka_unit_test(test_times_ahead),
		cmocka_unit_test(test_resumed),
		cmocka_unit_test(test_holder_is_found),
		cmocka_unit_test(test_intruders),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_compacted),
	};

	return cmocka_run_group_tests(tests, open_reader, close_reader);
}
