/* hear_test.c - a run folded from its signals is the one that its frames show.
 *
 * Each signal goes both ways: its events are folded as the box does, and its frames are
 * written, read and folded as a screen does, which has nothing else.
 */
#include "run/hear.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "run/fold.h"
#include "run/translate.h"

static struct hearing hearing;
static struct fold by_signals, by_frames;
static struct signal_reader *lines;
static struct json_reader frames;
static struct buf scratch, shown;
static unsigned folded;

static int set_up(void **state)
{
	hearing_init(&hearing);
	fold_init(&by_signals);
	fold_init(&by_frames);
	lines = signal_reader_create();
	json_reader_init(&frames, TRANSLATE_FRAME_MAX);
	buf_init(&scratch, TRANSLATE_FRAME_MAX);
	buf_init(&shown, TRANSLATE_FRAME_MAX);
	folded = 0;
	return 0;
}

static int tear_down(void **state)
{
	hearing_finish(&hearing);
	fold_finish(&by_signals);
	fold_finish(&by_frames);
	signal_reader_destroy(lines);
	json_reader_finish(&frames);
	buf_finish(&scratch);
	buf_finish(&shown);
	return 0;
}

static void take(void *self, const struct run_event *e)
{
	struct run_event read;
	struct frame_pieces p;
	struct frame frame;

	fold_event(&by_signals, e);
	assert_true(translate_event(self, e, &scratch, &p));
	buf_clear(&shown);
	pieces_add(&p, false, 4711, &shown);
	if (!frame_read(&frame, &frames, buf_text(&shown), NULL)) {
		assert_int_equal(e->kind, RUN_UNREAD);
		return;
	}
	event_of_frame(&read, &frame);
	assert_int_equal(read.kind, e->kind);
	assert_int_equal(read.is_counted, e->is_counted);
	fold_event(&by_frames, &read);
}

static char *saved(const struct fold *fold)
{
	struct buf out;
	char *copy;

	buf_init(&out, 64 * MIB);
	fold_save(fold, &out);
	fold_json(fold, &out);
	copy = text_dup(buf_text(&out));
	buf_finish(&out);
	return copy;
}

static void assert_same(void)
{
	char *one = saved(&by_signals), *other = saved(&by_frames);

	assert_string_equal(one, other);
	free(one);
	free(other);
}

static void hear_line(struct text line)
{
	struct signal s;

	if (!signal_read(lines, line, &s, NULL))
		return;
	hear_signal(&hearing, &s, take, &s);
	assert_same();
	folded++;
}

static void hear(const char *type, const char *source, const char *payload)
{
	char *line = must_print("{\"seq\":1,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":%u,"
	                        "\"source\":\"%s\",\"correlationId\":\"r\",\"payload\":%s}",
	                        type, 1000 + 7 * folded, source, payload);

	hear_line(text_of(line));
	free(line);
}

static void hear_frame(const char *frame)
{
	char *line = must_print("{\"seq\":1,\"id\":\"i\",\"type\":\"x\",\"timestamp\":%u,"
	                        "\"source\":\"s\",\"correlationId\":\"r\",\"payload\":{},"
	                        "\"metadata\":{\"origin\":{\"dialect\":\"run\",\"frame\":%s}}}",
	                        1000 + 7 * folded, frame);

	hear_line(text_of(line));
	free(line);
}

/* ---- tests ---- */

static const char *const kinds[] = {
	"task_dispatch",
	"tool_call",
	"tool_result",
	"token_usage",
	"agent_state_change",
	"error",
	"completion",
	"text_delta",
	"thinking",
	"prompt",
	"answer",
	"prompt.closed",
	"prompt.settled",
	"prompt.told",
	"session.command",
	"user.click",
	"llm/delta",
	"llm/start",
	"llm/response",
	"runner/done",
	"runner/started",
	"runner/event-processed",
	"llm/worker-exit",
	"llm/request",
	"progress",
	"",
};

static const char *const payloads[] = {
	"{}",
	"{\"agentId\":\"a\",\"content\":\"h\\u00e9\\u0000\\n\\ud800\"}",
	"{\"agentId\":\"a\",\"from\":\"idle\",\"to\":\"acting\",\"reason\":\"r\"}",
	"{\"agentId\":\"a\",\"promptTokens\":18446744073709551615,\"completionTokens\":7,"
	"\"model\":\"m\"}",
	"{\"agentId\":\"a\",\"promptTokens\":3,\"completionTokens\":9000000000000000}",
	"{\"to\":\"b\",\"taskId\":\"t\",\"description\":\"do\",\"success\":false}",
	"{\"agentId\":\"a\",\"toolName\":\"Bash\",\"callId\":\"c\",\"input\":{\"x\":[1,\"]\"]},"
	"\"output\":{\"value\":\"v\"},\"success\":true,\"result\":\"r\",\"message\":\"m\"}",
	"{\"invokeid\":\"a\",\"session-id\":\"s\",\"text\":\"t\",\"type\":\"thinking-delta\","
	"\"coalesced\":4,\"usage\":{\"input-tokens\":1,\"output-tokens\":2.5},\"model\":\"n\","
	"\"elapsed-ms\":12.5,\"output-tps\":7,\"final-config\":[\"a\",1,\"b\"],"
	"\"config-after\":[\"x\",null,\"y\"],\"chart-id\":\"c\"}",
	"{\"invokeid\":\"\",\"session-id\":null,\"final-config\":\"over\",\"value\":1,"
	"\"by\":{\"user\":\"u\"},\"config-after\":[]}",
	"{\"command\":\"/approve a deny\",\"answer\":\"it is done\"}",
	"{\"agentId\":7,\"to\":\"\",\"content\":{},\"toolName\":[],\"output\":\"o\","
	"\"type\":\"multi\"}",
};

static void signals_of_every_kind_fold_as_their_frames_do(void **state)
{
	const char *const sources[] = {"s", "signalbox"};

	for (size_t round = 0; round < 3; round++)
		for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
			for (size_t p = 0; p < sizeof(payloads) / sizeof(*payloads); p++)
				hear(kinds[k], sources[(k + p + round) % 2],
				     payloads[(p * 7 + round) %
				              (sizeof(payloads) / sizeof(*payloads))]);
	assert_int_equal(folded,
	                 3 * sizeof(kinds) / sizeof(*kinds) * sizeof(payloads) / sizeof(*payloads));
	assert_true(by_signals.errors > 10 && by_signals.invocation_count > 3);
}

static void times_of_every_size_are_the_same_times(void **state)
{
	static const char *const times[] = {"0",
	                                    "-0",
	                                    "-0.0",
	                                    "1e308",
	                                    "-1e308",
	                                    "0.1",
	                                    "1780000000000.25",
	                                    "18446744073709551615"};

	for (size_t i = 0; i < 2 * sizeof(times) / sizeof(*times); i++) {
		char *line = must_print("{\"seq\":1,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":%s,"
		                        "\"source\":\"s\",\"payload\":{\"content\":\"x\"}}",
		                        i % 3 ? "text_delta" : "completion",
		                        times[i * 5 % (sizeof(times) / sizeof(*times))]);

		hear_line(text_of(line));
		free(line);
	}
	assert_int_equal(folded, 2 * sizeof(times) / sizeof(*times));
}

static void frames_of_every_kind_fold_as_a_screen_reads_them(void **state)
{
	hear_frame("{}");
	hear_frame("{\"kind\":\"event\"}");
	hear_frame("{\"kind\":7,\"event\":\"llm/error\"}");
	hear_frame("{\"kind\":\"prompt\",\"prompt-id\":\"p\"}");
	hear_frame("{\"event\":\"runner/started\",\"ts\":4,\"data\":{\"session-id\":\"s\","
	           "\"chart-id\":\"c\"}}");
	hear_frame(
		"{\"seq\":null,\"event\":\"runner/start-config\",\"data\":{\"config\":[\"a\"]}}");
	hear_frame("{\"event\":\"runner/event-processed\",\"data\":{\"config-after\":[ \"a\"]}}");
	hear_frame("{\"kind\":\"phase\",\"config\":[\"a\",\"b\"],\"breadcrumb\":[\"x\"],"
	           "\"siblings\":[\"a\",2]}");
	hear_frame("{\"event\":\"runner/event-processed\","
	           "\"data\":{\"config-after\":[\"a\", \"b\"]}}");
	assert_int_equal(by_signals.breadcrumb.count, 0); /* it is written otherwise: a new one */
	hear_frame("{\"kind\":\"phase\",\"config\":7,\"siblings\":\"no\"}");
	hear_frame("{\"kind\":\"debug\",\"paused\":true,\"step-budget\":2,\"mode\":\"m\","
	           "\"config\":[\"d\"]}");
	hear_frame("{\"kind\":\"control\",\"op\":\"run-finished\",\"final-config\":[]}");
	assert_true(by_signals.finished);
	hear_frame("{\"kind\":\"control\",\"op\":\"else\"}");
	hear_frame("{\"kind\":\"event\",\"seq\":\"x\",\"ts\":\"y\",\"event\":\"llm/start\","
	           "\"data\":{\"invokeid\":\"i\",\"model\":\"m\"}}");
	assert_false(by_signals.finished);
	hear_frame("{\"kind\":\"answer\",\"ts\":99999}");
	hear("text_delta", "s", "{\"content\":\"nobody hears it: the agent has frames\"}");
	assert_int_equal(by_signals.events, 5);
	assert_true(by_signals.last_ts == 99999);
}

/* True when the file is there. */
static bool hear_file(const char *path, void (*one)(const char *line))
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (!file)
		return false;
	while ((n = getline(&line, &room, file)) > 0) {
		line[n - (line[n - 1] == '\n')] = '\0';
		one(line);
	}
	free(line);
	fclose(file);
	return true;
}

static void hear_signal_line(const char *line)
{
	hear_line(text_of(line));
}

static void recordings_fold_as_their_frames_do(void **state)
{
	static const char *const files[] = {
		"tests/fixtures/show/claude.ndjson",
		"tests/fixtures/show/crowd.ndjson",
		"tests/fixtures/show/demo.ndjson",
		"tests/fixtures/show/small.ndjson",
		"fuzz/corpus/run/frames",
		"fuzz/corpus/run/prompts",
		"fuzz/corpus/run/story",
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		assert_true(hear_file(files[i], hear_signal_line));
		hearing.is_dialect = false;
	}
	assert_true(folded > 50);
}

static void transcripts_fold_as_a_screen_reads_them(void **state)
{
	static const char *const files[] = {"../shared/vectors/runs/haiku-sample.jsonl",
	                                    "../shared/vectors/runs/debugger.jsonl"};

	assert_true(hear_file("tests/fixtures/top/world.jsonl", hear_frame));
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!hear_file(files[i], hear_frame))
			print_message("# %s is not there\n", files[i]);
	assert_true(folded > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(signals_of_every_kind_fold_as_their_frames_do),
		TEST(times_of_every_size_are_the_same_times),
		TEST(frames_of_every_kind_fold_as_a_screen_reads_them),
		TEST(recordings_fold_as_their_frames_do),
		TEST(transcripts_fold_as_a_screen_reads_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
