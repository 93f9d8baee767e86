/* translate_test.c - what signals are in the run dialect, to the byte. */
#include "run/translate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"

static struct hearing hearing;
static struct signal_reader *reader;
static struct buf scratch, merged, session;
static uint64_t number, own;

static int set_up(void **state)
{
	hearing_init(&hearing);
	reader = signal_reader_create();
	buf_init(&scratch, TRANSLATE_FRAME_MAX);
	buf_init(&merged, 4 * MIB);
	buf_init(&session, 4 * MIB);
	number = own = 0;
	return 0;
}

static int tear_down(void **state)
{
	hearing_finish(&hearing);
	signal_reader_destroy(reader);
	buf_finish(&scratch);
	buf_finish(&merged);
	buf_finish(&session);
	return 0;
}

static void take(void *self, const struct run_event *e)
{
	struct frame_pieces p;

	assert_true(translate_event(self, e, &scratch, &p));
	number += p.is_numbered;
	own += p.is_numbered;
	pieces_add(&p, true, 100 + number, &merged);
	pieces_add(&p, false, own, &session);
	buf_add_char(&merged, '\n');
	buf_add_char(&session, '\n');
}

static void hear_line(const char *line)
{
	struct signal s;
	struct error why;

	if (!signal_read(reader, text_of(line), &s, &why))
		fail_msg("%s: %s", why.words, line);
	hear_signal(&hearing, &s, take, &s);
}

static void hear(const char *type, const char *payload)
{
	char *line = must_print("{\"seq\":1,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":5,"
	                        "\"source\":\"src\",\"correlationId\":\"r\",\"payload\":%s}",
	                        type, payload);

	hear_line(line);
	free(line);
}

/* What screens of the run got since the last look. */
static void assert_frames(const char *wanted)
{
	buf_add_char(&session, '\0');
	assert_string_equal(session.at, wanted);
	buf_clear(&session);
	buf_clear(&merged);
}

#define EVENT(seq, name, data) \
	"{\"kind\":\"event\",\"seq\":" #seq ",\"ts\":5,\"event\":\"" name "\",\"data\":{" data \
	"}}\n"
#define WHO "\"invokeid\":\"a\",\"session-id\":\"r\""

static void a_task_is_a_message_and_a_start(void **state)
{
	hear("task_dispatch", "{\"taskId\":\"t\",\"from\":\"u\",\"to\":\"a\","
	                      "\"description\":\"do\\tit\"}");
	assert_frames(EVENT(1, "llm/user-message", "\"text\":\"do\\tit\"," WHO)
	                      EVENT(2, "llm/start", WHO));
}

static void who_did_not_start_is_started_once(void **state)
{
	hear("text_delta", "{\"agentId\":\"a\",\"content\":\"Hi\"}");
	assert_frames(EVENT(1, "llm/start", WHO) EVENT(
		2, "llm/delta", "\"type\":\"text-delta\",\"text\":\"Hi\"," WHO));
	hear("thinking", "{\"agentId\":\"a\",\"content\":\"hm\"}");
	assert_frames(EVENT(3, "llm/delta", "\"type\":\"thinking-delta\",\"text\":\"hm\"," WHO));
	hear("thinking", "{\"content\":\"x\"}");
	assert_frames(EVENT(4, "llm/start", "\"invokeid\":\"src\",\"session-id\":\"r\"")
	                      EVENT(5, "llm/delta",
	                            "\"type\":\"thinking-delta\",\"text\":\"x\","
	                            "\"invokeid\":\"src\",\"session-id\":\"r\""));
}

static void a_completion_tells_what_was_said_and_used(void **state)
{
	hear("text_delta", "{\"agentId\":\"a\",\"content\":\"Hel\"}");
	hear("text_delta", "{\"agentId\":\"a\",\"content\":\"lo\"}");
	hear("token_usage", "{\"agentId\":\"a\",\"promptTokens\":3,\"completionTokens\":2,"
	                    "\"model\":\"m\"}");
	buf_clear(&session);
	hear("completion", "{\"taskId\":\"t\",\"agentId\":\"a\",\"success\":true,"
	                   "\"result\":\"stop\"}");
	assert_frames(EVENT(4, "llm/response",
	                    "\"content\":[{\"type\":\"text\",\"text\":\"Hello\"}],"
	                    "\"stop-reason\":\"end_turn\",\"usage\":{\"input-tokens\":3,"
	                    "\"output-tokens\":2},\"model\":\"m\",\"elapsed-ms\":0," WHO)
	                      EVENT(5, "llm/worker-exit", "\"reason\":\"done\"," WHO));
	hear("completion", "{\"taskId\":\"t\",\"agentId\":\"a\",\"success\":true,"
	                   "\"result\":\"42\"}");
	assert_frames(EVENT(6, "llm/start", WHO)
	                      EVENT(7, "llm/response",
	                            "\"content\":[{\"type\":\"text\",\"text\":\"42\"}],"
	                            "\"stop-reason\":\"end_turn\",\"elapsed-ms\":0," WHO)
	                              EVENT(8, "llm/worker-exit", "\"reason\":\"done\"," WHO));
}

static void a_failure_is_told_once_and_stays_one(void **state)
{
	hear("error", "{\"agentId\":\"a\",\"message\":\"no\",\"severity\":\"error\"}");
	hear("completion", "{\"taskId\":\"t\",\"agentId\":\"a\",\"success\":false}");
	assert_frames(EVENT(1, "llm/start", WHO) EVENT(2, "llm/error", "\"message\":\"no\"," WHO)
	                      EVENT(3, "llm/worker-exit", "\"reason\":\"error\"," WHO));
	hear("completion", "{\"taskId\":\"t\",\"agentId\":\"a\",\"success\":false}");
	assert_frames(EVENT(4, "llm/start", WHO)
	                      EVENT(5, "llm/error", "\"message\":\"it failed\"," WHO)
	                              EVENT(6, "llm/worker-exit", "\"reason\":\"error\"," WHO));
}

static void tools_are_used_and_give_something(void **state)
{
	hear("text_delta", "{\"agentId\":\"a\",\"content\":\"Look:\"}");
	buf_clear(&session);
	hear("tool_call", "{\"toolName\":\"ls\",\"agentId\":\"a\",\"callId\":\"c\","
	                  "\"input\":{ \"path\" : \"/\\u0041\" }}");
	assert_frames(EVENT(3, "llm/response",
	                    "\"content\":[{\"type\":\"text\",\"text\":\"Look:\"},"
	                    "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"ls\","
	                    "\"input\":{ \"path\" : \"/\\u0041\" }}],"
	                    "\"stop-reason\":\"tool_use\",\"elapsed-ms\":0," WHO));
	hear("tool_result", "{\"toolName\":\"ls\",\"agentId\":\"a\",\"success\":false,"
	                    "\"output\":{\"value\":\"none\"}}");
	assert_frames(EVENT(4, "llm/tool-result",
	                    "\"tool\":\"ls\",\"is-error\":true,\"content-preview\":\"none\"," WHO));
	hear("tool_result", "{\"toolName\":\"ls\",\"agentId\":\"a\",\"success\":true,"
	                    "\"output\":{\"a\":[1]}}");
	assert_frames(EVENT(
		5, "llm/tool-result",
		"\"tool\":\"ls\",\"is-error\":false,\"content-preview\":\"{\\\"a\\\":[1]}\"," WHO));
}

#define SIBLINGS "[\"idle\",\"thinking\",\"acting\",\"waiting\",\"done\",\"error\"]"

static void a_state_is_a_phase_and_an_event(void **state)
{
	const char *change = "{\"agentId\":\"a\",\"from\":\"idle\",\"to\":\"acting\"}";
	const char *event = "\"event-name\":\"agent_state_change\",\"config-before\":"
			    "[\"a\",\"idle\"],\"config-after\":[\"a\",\"acting\"],"
			    "\"session-id\":\"r\"";
	char *wanted = must_print(
		"{\"kind\":\"phase\",\"ts\":5,\"config\":[\"a\",\"acting\"],\"breadcrumb\":"
		"[\"a\",\"acting\"],\"siblings\":" SIBLINGS
		"}\n" EVENT(1, "runner/event-processed", "%s")
			EVENT(2, "runner/event-processed", "%s"),
		event, event);

	hear("agent_state_change", change);
	hear("agent_state_change", change); /* no phase: it is the same */
	assert_frames(wanted);
	free(wanted);
}

static void people_are_seen_to_be_asked_and_to_answer(void **state)
{
	hear("prompt", "{\"id\":\"q\",\"type\":\"multi\",\"prompt\":\"Which?\",\"options\":[1]}");
	hear_line("{\"seq\":1,\"id\":\"i\",\"type\":\"answer\",\"timestamp\":5,\"source\":"
	          "\"signalbox\",\"correlationId\":\"r\",\"payload\":{\"prompt\":\"p\","
	          "\"type\":\"multi\",\"invokeid\":\"a\",\"value\":[1],\"by\":{\"user\":\"u\"}}}");
	hear_line("{\"seq\":1,\"id\":\"i\",\"type\":\"prompt.told\",\"timestamp\":5,\"source\":"
	          "\"signalbox\",\"correlationId\":\"r\",\"payload\":{\"prompt\":\"p\"}}");
	hear_line("{\"seq\":1,\"id\":\"i\",\"type\":\"prompt.closed\",\"timestamp\":5,\"source\":"
	          "\"signalbox\",\"correlationId\":\"r\",\"payload\":{\"prompt\":\"p\","
	          "\"type\":\"text\",\"state\":\"expired\",\"why\":\"late\"}}");
	hear_line("{\"seq\":1,\"id\":\"i\",\"type\":\"prompt.settled\",\"timestamp\":5,\"source\":"
	          "\"signalbox\",\"correlationId\":\"r\",\"payload\":{\"prompt\":\"p\","
	          "\"type\":\"select\",\"by\":\"agent\",\"decision\":\"allow\"}}");
	assert_frames(EVENT(1, "human-input/start",
	                    "\"kind\":\"multi-select\",\"prompt\":\"Which?\",\"session-id\":\"r\"")
	                      EVENT(2, "human-input/answer",
	                            "\"kind\":\"multi-select\",\"answer\":[1],"
	                            "\"by\":{\"user\":\"u\"}," WHO)
	                              EVENT(3, "human-input/cancelled",
	                                    "\"kind\":\"text\",\"reason\":\"late\","
	                                    "\"session-id\":\"r\"")
	                                      EVENT(4, "human-input/settled",
	                                            "\"kind\":\"select\",\"by\":\"agent\","
	                                            "\"decision\":\"allow\","
	                                            "\"session-id\":\"r\""));
}

static void any_other_is_an_event_of_its_name(void **state)
{
	hear("build/done", "{ \"ok\" : true }");
	hear("answer", "{\"forged\":1}");
	hear("user.click", "{\"target\":\"t\"}");
	assert_frames("{\"kind\":\"event\",\"seq\":1,\"ts\":5,\"event\":\"build/done\",\"data\":"
	              "{ \"ok\" : true }}\n" EVENT(2, "answer", "\"forged\":1")
	                      EVENT(3, "user.click", "\"target\":\"t\""));
}

/* --- agents of this dialect ------------------------------------------------ */

static void hear_frame(const char *frame)
{
	char *line = must_print("{\"seq\":1,\"id\":\"i\",\"type\":\"x\",\"timestamp\":5,"
	                        "\"source\":\"src\",\"correlationId\":\"r\",\"payload\":{},"
	                        "\"metadata\":{\"origin\":{\"dialect\":\"run\"%s%s}}}",
	                        *frame ? ",\"frame\":" : "", frame);

	hear_line(line);
	free(line);
}

static void assert_both(const char *in_session, const char *in_merged)
{
	buf_add_char(&merged, '\0');
	assert_string_equal(merged.at, in_merged);
	assert_frames(in_session);
}

static void what_an_agent_sent_comes_back_to_the_byte(void **state)
{
	hear_frame("{\"kind\":\"event\", \"seq\" : 7 ,\"ts\":1.0,\"event\":\"e\"}");
	assert_both("{\"kind\":\"event\", \"seq\" : 7 ,\"ts\":1.0,\"event\":\"e\"}\n",
	            "{\"kind\":\"event\", \"seq\" : 101 ,\"ts\":1.0,\"event\":\"e\"}\n");
	hear_frame("{\"ts\":1,\"event\":\"e\\\"}\",\"kind\":\"event\"}");
	assert_both("{\"ts\":1,\"event\":\"e\\\"}\",\"kind\":\"event\",\"seq\":2}\n",
	            "{\"ts\":1,\"event\":\"e\\\"}\",\"kind\":\"event\",\"seq\":102}\n");
	hear_frame("{\"event\":\"e\",\"data\":{\"seq\":5}}");
	assert_both("{\"event\":\"e\",\"data\":{\"seq\":5},\"seq\":3}\n",
	            "{\"event\":\"e\",\"data\":{\"seq\":5},\"seq\":103}\n");
	hear_frame("{\"seq\":{\"a\":\"}\"},\"event\":\"e\"}");
	assert_both("{\"seq\":4,\"event\":\"e\"}\n", "{\"seq\":104,\"event\":\"e\"}\n");
	hear_frame("{}");
	assert_both("", "");
}

#define PROCESSED(n, config) \
	"{\"kind\":\"event\",\"seq\":" #n \
	",\"event\":\"runner/event-processed\",\"data\":{\"config-after\":" config "}}"
#define PHASE(config) "{\"kind\":\"phase\",\"ts\":5,\"config\":" config "}\n"

/* As the agent's own hub would: before the event, and once for each configuration. */
static void a_phase_is_made_of_what_an_agent_tells_of_itself(void **state)
{
	hear_frame("{\"kind\":\"event\",\"seq\":1,\"event\":\"runner/start-config\",\"data\":"
	           "{\"config\":[\"run\"]}}");
	assert_frames(PHASE("[\"run\"]") "{\"kind\":\"event\",\"seq\":1,\"event\":"
	                                 "\"runner/start-config\",\"data\":"
	                                 "{\"config\":[\"run\"]}}\n");
	hear_frame(PROCESSED(2, "[\"run\"]"));
	assert_frames(PROCESSED(2, "[\"run\"]") "\n");
	hear_frame(PROCESSED(3, "[\"run\",\"plan\"]"));
	assert_frames(PHASE("[\"run\",\"plan\"]") PROCESSED(3, "[\"run\",\"plan\"]") "\n");
	/* One that it tells itself is not told again. */
	hear_frame("{\"kind\":\"phase\",\"ts\":9,\"config\":[\"done\"],\"siblings\":[]}");
	assert_frames("{\"kind\":\"phase\",\"ts\":9,\"config\":[\"done\"],\"siblings\":[]}\n");
	hear_frame(PROCESSED(4, "[\"done\"]"));
	hear_frame(PROCESSED(5, "\"no list\""));
	assert_frames(PROCESSED(4, "[\"done\"]") "\n" PROCESSED(5, "\"no list\"") "\n");
}

static void other_frames_pass_untouched_and_prompts_not_at_all(void **state)
{
	static const char *const frames[] = {
		"{\"kind\":\"phase\",\"seq\":3,\"config\":[]}",
		"{ \"kind\":\"debug\",\"paused\":true}",
		"{\"kind\":\"model-catalog\",\"aliases\":[]}",
		"{\"kind\":\"control\",\"op\":\"run-finished\",\"final-config\":\"[:done]\"}",
	};

	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		char *wanted = must_print("%s\n", frames[i]);

		hear_frame(frames[i]);
		assert_both(wanted, wanted);
		free(wanted);
	}
	hear_frame("{\"kind\":\"prompt\",\"prompt-id\":\"q\"}");
	hear_frame(""); /* a second signal of the same frame */
	hear("text_delta", "{\"agentId\":\"a\",\"content\":\"of somebody else\"}");
	assert_both("", "");
}

/* What is ours in it: a phase before an event, and a number where the agent gave none. */
static void drop_ours(const char *line)
{
	const char *end = memchr(session.at, '\n', session.len);
	size_t len = end ? (size_t)(end - session.at) + 1 : 0;
	char *seq, member[32];

	if (len && len < session.len)
		buf_drop(&session, len);
	snprintf(member, sizeof(member), ",\"seq\":%llu", (unsigned long long)own);
	seq = memmem(session.at, session.len, member, strlen(member));
	if (!seq || strstr(line, "\"seq\":"))
		return;
	len = (size_t)(seq - session.at) + strlen(member);
	memmove(seq, session.at + len, session.len - len);
	session.len -= strlen(member);
}

static void the_vectors_come_back_to_the_byte(void **state)
{
	static const char *const names[] = {"haiku-sample", "debugger"};
	char path[128], line[64 * 1024];

	for (size_t i = 0; i < 2; i++) {
		FILE *file;
		unsigned lines = 0;

		snprintf(path, sizeof(path), "../shared/vectors/runs/%s.jsonl", names[i]);
		file = fopen(path, "r");
		if (!file) {
			print_message("# skipped: %s is not there\n", path);
			skip();
			return;
		}
		while (fgets(line, sizeof(line), file)) {
			size_t len = strcspn(line, "\n");

			line[len] = '\0';
			hear_frame(line);
			line[len] = '\n';
			if (session.len == 0)
				continue; /* a prompt */
			drop_ours(line);
			assert_frames(line);
			lines++;
		}
		assert_true(lines > 5);
		fclose(file);
	}
}

/* --- what is remembered ---------------------------------------------------- */

static void load_what_is_saved(void)
{
	struct buf saved;
	yyjson_doc *doc;

	buf_init(&saved, MIB);
	hearing_save(&hearing, &saved);
	hearing_finish(&hearing);
	hearing_init(&hearing);
	doc = yyjson_read(saved.at, saved.len, 0);
	assert_true(hearing_load(&hearing, yyjson_doc_get_root(doc)));
	yyjson_doc_free(doc);
	buf_finish(&saved);
}

static char *save_after_names(int first, int step)
{
	struct buf saved;
	char *found;

	hearing_finish(&hearing);
	hearing_init(&hearing);
	for (int i = first; i >= 0 && i < 40; i += step) {
		char *payload = must_print("{\"agentId\":\"a%d\",\"content\":\"x\"}", i);

		hear("text_delta", payload);
		free(payload);
	}
	buf_init(&saved, MIB);
	hearing_save(&hearing, &saved);
	found = text_dup(buf_text(&saved));
	buf_finish(&saved);
	return found;
}

static void whoever_came_first_the_same_names_are_the_same_bytes(void **state)
{
	char *up = save_after_names(0, 1), *down = save_after_names(39, -1);

	assert_non_null(strstr(up, "\"a39\""));
	assert_string_equal(up, down);
	free(up);
	free(down);
}

static const struct {
	const char *type, *payload;
} story[] = {
	{"task_dispatch", "{\"taskId\":\"t\",\"from\":\"u\",\"to\":\"a\"}"},
	{"agent_state_change", "{\"agentId\":\"a\",\"from\":\"idle\",\"to\":\"acting\"}"},
	{"text_delta", "{\"agentId\":\"a\",\"content\":\"one \\u0000\\\"\"}"},
	{"thinking", "{\"agentId\":\"b\",\"content\":\"two\"}"},
	{"token_usage", "{\"agentId\":\"a\",\"promptTokens\":1,\"completionTokens\":2,"
                        "\"model\":\"m\"}"},
	{"agent_state_change", "{\"agentId\":\"a\",\"from\":\"idle\",\"to\":\"acting\"}"},
	{"tool_call", "{\"agentId\":\"a\",\"toolName\":\"t\"}"},
	{"error", "{\"agentId\":\"b\",\"message\":\"m\",\"severity\":\"error\"}"},
	{"completion", "{\"agentId\":\"b\",\"taskId\":\"t\",\"success\":false}"},
	{"completion", "{\"agentId\":\"a\",\"taskId\":\"t\",\"success\":true}"},
};

static void a_restart_between_any_two_signals_changes_nothing(void **state)
{
	size_t n = sizeof(story) / sizeof(story[0]);
	char *wanted;

	for (size_t i = 0; i < n; i++)
		hear(story[i].type, story[i].payload);
	wanted = text_dup(buf_text(&session));
	for (size_t cut = 0; cut <= n; cut++) {
		buf_clear(&session);
		hearing_finish(&hearing);
		hearing_init(&hearing);
		number = own = 0;
		for (size_t i = 0; i < n; i++) {
			if (i == cut)
				load_what_is_saved();
			hear(story[i].type, story[i].payload);
		}
		assert_true(text_is(buf_text(&session), wanted));
	}
	free(wanted);
}

static void what_is_kept_has_a_ceiling(void **state)
{
	char payload[4096];

	for (unsigned i = 0; i < 4 * HEAR_NAMES_MAX; i++) {
		snprintf(payload, sizeof(payload),
		         "{\"agentId\":\"n%u\",\"content\":\"\u00e9%0*d\"}", i, 3000, 7);
		hear("text_delta", payload);
		assert_true(hearing.names.count <= HEAR_NAMES_MAX);
		assert_true(hearing.said <= HEAR_SAID_MAX);
		buf_clear(&session);
		buf_clear(&merged);
	}
}

static void runs_have_a_name_that_can_be_said(void **state)
{
	static char long_name[TRANSLATE_RUN_MAX + 1];
	struct signal s = {.source = TEXT("s")};

	assert_true(text_is(run_of_signal(&s), "s"));
	s.correlation = TEXT("c");
	assert_true(text_is(run_of_signal(&s), "c"));
	s.source = TEXT("signalbox");
	assert_true(text_is(run_of_signal(&s), "c"));
	s.correlation = TEXT("");
	assert_int_equal(run_of_signal(&s).len, 0);
	s.source = TEXT("stage");
	assert_int_equal(run_of_signal(&s).len, 0);
	s.correlation = (struct text){long_name, sizeof(long_name)};
	assert_int_equal(run_of_signal(&s).len, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_task_is_a_message_and_a_start),
		TEST(who_did_not_start_is_started_once),
		TEST(a_completion_tells_what_was_said_and_used),
		TEST(a_failure_is_told_once_and_stays_one),
		TEST(tools_are_used_and_give_something),
		TEST(a_state_is_a_phase_and_an_event),
		TEST(people_are_seen_to_be_asked_and_to_answer),
		TEST(any_other_is_an_event_of_its_name),
		TEST(a_phase_is_made_of_what_an_agent_tells_of_itself),
		TEST(what_an_agent_sent_comes_back_to_the_byte),
		TEST(other_frames_pass_untouched_and_prompts_not_at_all),
		TEST(the_vectors_come_back_to_the_byte),
		TEST(whoever_came_first_the_same_names_are_the_same_bytes),
		TEST(a_restart_between_any_two_signals_changes_nothing),
		TEST(what_is_kept_has_a_ceiling),
		TEST(runs_have_a_name_that_can_be_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
