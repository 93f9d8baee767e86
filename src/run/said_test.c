/* said_test.c - messages: the same in pieces and whole, saved and loaded, long and hostile. */
#include "run/said.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "base/utf8.h"
#include "run/hear.h"

static struct said *said;
static struct hearing hearing;
static struct signal_reader *lines;
static uint64_t seq;

static int set_up(void **state)
{
	said = said_create();
	hearing_init(&hearing);
	lines = signal_reader_create();
	seq = 0;
	return 0;
}

static int tear_down(void **state)
{
	said_destroy(said);
	hearing_finish(&hearing);
	signal_reader_destroy(lines);
	return 0;
}

static void take_event(void *self, const struct run_event *e)
{
	said_event(said, e, *(const uint64_t *)self);
}

static void hear_with(const char *type, const char *payload, const char *metadata)
{
	char *line = must_print("{\"seq\":%llu,\"id\":\"i\",\"type\":\"%s\",\"timestamp\":7,"
	                        "\"source\":\"me\",\"correlationId\":\"r\",\"payload\":%s,"
	                        "\"metadata\":%s}",
	                        (unsigned long long)++seq, type, payload, metadata);
	struct signal s;

	assert_true(signal_read(lines, text_of(line), &s, NULL));
	hear_signal(&hearing, &s, take_event, &seq);
	free(line);
}

static void hear(const char *type, const char *payload)
{
	hear_with(type, payload, "{}");
}

static void hear_frame(const char *event, const char *data)
{
	char *origin = must_print("{\"origin\":{\"dialect\":\"run\",\"frame\":{\"kind\":\"event\","
	                          "\"ts\":7,\"event\":\"%s\",\"data\":%s}}}",
	                          event, data);

	hear_with("x", "{}", origin);
	free(origin);
}

/* Freed by the caller. */
static char *page(uint64_t before, size_t count, size_t bytes)
{
	struct buf out;
	char *json;

	buf_init(&out, 256 * MIB);
	buf_add_char(&out, '{');
	said_json(said, &(struct said_page){before, count, bytes}, &out);
	buf_add_char(&out, '}');
	json = text_dup(buf_text(&out));
	buf_finish(&out);
	return json;
}

static char *all(void)
{
	return page(0, SAID_MESSAGES_MAX, 256 * MIB);
}

static char *saved(const struct said *of)
{
	struct buf out;
	char *json;

	buf_init(&out, 256 * MIB);
	said_save(of, &out);
	json = text_dup(buf_text(&out));
	buf_finish(&out);
	return json;
}

/* What is saved and loaded is the same, and counts the same. */
static void reload(void)
{
	char *before = saved(said), *after;
	yyjson_doc *doc = yyjson_read(before, strlen(before), 0);
	struct said *loaded = said_load(yyjson_doc_get_root(doc));

	assert_non_null(loaded);
	after = saved(loaded);
	assert_string_equal(before, after);
	assert_int_equal(loaded->size, said->size);
	assert_int_equal(loaded->open_count, said->open_count);
	said_destroy(said);
	said = loaded;
	yyjson_doc_free(doc);
	free(before);
	free(after);
}

static void messages_are(const char *want)
{
	char *got = all();

	assert_string_equal(got, want);
	free(got);
}

static const struct said_message *message(uint64_t number)
{
	list_each(&said->messages, l) {
		const struct said_message *m = list_of(l, const struct said_message, in_said);

		if (m->number == number)
			return m;
	}
	fail_msg("there is no message %llu", (unsigned long long)number);
	return NULL;
}

static void text_is_of(uint64_t number, const char *want)
{
	char *got = text_dup(said_text(&message(number)->text));

	assert_string_equal(got, want);
	free(got);
}

/* ---- what a message is ---- */

static void a_run_is_a_list_of_messages(void **state)
{
	hear("task_dispatch",
	     "{\"taskId\":\"t\",\"from\":\"user\",\"to\":\"ada\",\"description\":\"Go\"}");
	hear("thinking", "{\"agentId\":\"ada\",\"content\":\"Hm\"}");
	hear("text_delta", "{\"agentId\":\"ada\",\"content\":\"I \"}");
	hear("text_delta", "{\"agentId\":\"ada\",\"content\":\"look.\"}");
	hear("tool_call", "{\"agentId\":\"ada\",\"toolName\":\"Read\",\"callId\":\"c1\","
	                  "\"input\":{\"path\":\"a\"}}");
	hear("tool_call", "{\"agentId\":\"ada\",\"toolName\":\"Read\",\"callId\":\"c2\"}");
	hear("tool_call", "{\"agentId\":\"ada\",\"toolName\":\"\",\"callId\":\"c3\"}");
	hear("tool_result", "{\"agentId\":\"ada\",\"toolName\":\"Read\",\"callId\":\"c2\","
	                    "\"success\":false,\"output\":{\"value\":\"no\"}}");
	hear("text_delta", "{\"agentId\":\"ada\",\"content\":\"Done.\"}");
	hear("token_usage", "{\"agentId\":\"ada\",\"promptTokens\":1,\"completionTokens\":2,"
	                    "\"model\":\"m\"}");
	hear("completion", "{\"taskId\":\"t\",\"agentId\":\"ada\",\"success\":true,"
	                   "\"result\":\"Done.\"}");
	hear("error", "{\"agentId\":\"ada\",\"message\":\"Oh\",\"severity\":\"error\"}");
	messages_are(
		"{\"agents\":[],\"messages\":["
		"{\"number\":1,\"seq\":1,\"role\":\"user\",\"agent\":\"ada\",\"from\":\"user\","
		"\"open\":false,\"firstMs\":7,\"lastMs\":7,\"text\":\"Go\"},"
		"{\"number\":2,\"seq\":2,\"role\":\"assistant\",\"agent\":\"ada\",\"open\":false,"
		"\"firstMs\":7,\"lastMs\":7,\"thought\":\"Hm\",\"text\":\"I look.\",\"tools\":["
		"{\"name\":\"Read\",\"call\":\"c1\",\"input\":{\"path\":\"a\"},\"done\":false,"
		"\"failed\":false},"
		"{\"name\":\"Read\",\"call\":\"c2\",\"output\":{\"value\":\"no\"},\"done\":true,"
		"\"failed\":true},"
		"{\"name\":\"\",\"call\":\"c3\",\"done\":false,\"failed\":false}]},"
		"{\"number\":3,\"seq\":9,\"role\":\"assistant\",\"agent\":\"ada\",\"model\":\"m\","
		"\"open\":false,\"firstMs\":7,\"lastMs\":7,\"text\":\"Done.\"},"
		"{\"number\":4,\"seq\":12,\"role\":\"error\",\"agent\":\"ada\",\"open\":false,"
		"\"firstMs\":7,\"lastMs\":7,\"text\":\"Oh\"}],"
		"\"count\":4,\"more\":false,\"lost\":false}");
	reload();
}

static void an_answer_that_was_not_streamed_is_its_result(void **state)
{
	hear("completion", "{\"taskId\":\"t\",\"agentId\":\"ada\",\"success\":true,"
	                   "\"result\":\"Yes\"}");
	text_is_of(1, "Yes");
	assert_null(said_open(said));
	assert_true(said_is_finished(said));
}

static void an_ask_that_a_model_answers_under_its_own_name_is_over(void **state)
{
	hear("task_dispatch", "{\"from\":\"user\",\"to\":\"poet\",\"taskId\":\"r\"}");
	assert_false(said_is_finished(said));
	hear("text_delta", "{\"agentId\":\"llama\",\"content\":\"a\"}");
	reload();
	hear("completion", "{\"taskId\":\"r\",\"agentId\":\"llama\",\"success\":true}");
	assert_true(said_is_finished(said));
	/* Whoever said something ends by itself. */
	hear("task_dispatch", "{\"from\":\"user\",\"to\":\"poet\",\"taskId\":\"r\"}");
	hear("text_delta", "{\"agentId\":\"poet\",\"content\":\"b\"}");
	hear("completion", "{\"taskId\":\"r\",\"agentId\":\"llama\",\"success\":true}");
	assert_false(said_is_finished(said));
	hear("completion", "{\"taskId\":\"r\",\"agentId\":\"poet\",\"success\":true}");
	assert_true(said_is_finished(said));
}

static void what_is_being_said_is_open(void **state)
{
	hear("text_delta", "{\"agentId\":\"ada\",\"content\":\"a\"}");
	hear("text_delta", "{\"agentId\":\"bela\",\"content\":\"b\"}");
	assert_false(said_is_finished(said));
	assert_int_equal(said_open(said)->number, 2);
	reload();
	hear("completion", "{\"taskId\":\"t\",\"agentId\":\"bela\",\"success\":true}");
	assert_int_equal(said_open(said)->number, 1);
	hear("agent_state_change", "{\"agentId\":\"ada\",\"from\":\"acting\",\"to\":\"done\"}");
	assert_null(said_open(said));
	assert_true(said_is_finished(said));
	/* The completion that follows repeats nothing. */
	hear("completion", "{\"taskId\":\"t\",\"agentId\":\"ada\",\"success\":true,"
	                   "\"result\":\"a\"}");
	assert_int_equal(said->message_count, 2);
}

static void those_who_speak_at_once_do_not_mix(void **state)
{
	for (unsigned i = 0; i < 3; i++) {
		hear_with("text_delta", "{\"agentId\":\"Explore\",\"content\":\"x\"}",
		          "{\"agent_id\":\"one\"}");
		hear_with("text_delta", "{\"agentId\":\"Explore\",\"content\":\"y\"}",
		          "{\"agent_id\":\"two\"}");
	}
	text_is_of(1, "xxx");
	text_is_of(2, "yyy");
	assert_string_equal(message(2)->part, "two");
}

static void a_call_after_a_result_is_another_message(void **state)
{
	hear("tool_call", "{\"agentId\":\"a\",\"toolName\":\"X\"}");
	hear("tool_call", "{\"agentId\":\"b\",\"toolName\":\"X\"}");
	hear("tool_result", "{\"agentId\":\"b\",\"toolName\":\"X\",\"success\":true}");
	assert_int_equal(message(1)->done_count, 0);
	assert_int_equal(message(2)->done_count, 1);
	hear("tool_call", "{\"agentId\":\"b\",\"toolName\":\"Y\"}");
	assert_int_equal(message(3)->tool_count, 1);
	/* Its call was never heard. */
	hear("tool_result",
	     "{\"agentId\":\"b\",\"toolName\":\"Z\",\"success\":true,\"output\":{}}");
	assert_int_equal(message(4)->done_count, 1);
	assert_int_equal(said->open_count, 2);
	reload();
	hear("tool_result", "{\"agentId\":\"a\",\"toolName\":\"X\",\"success\":true}");
	assert_int_equal(message(1)->done_count, 1);
}

static void subagents_are_listed(void **state)
{
	hear("task_dispatch",
	     "{\"taskId\":\"t\",\"from\":\"user\",\"to\":\"claude\",\"description\":\"Go\"}");
	hear_with("task_dispatch", "{\"taskId\":\"a1\",\"from\":\"claude\",\"to\":\"Explore\"}",
	          "{\"agent_id\":\"a1\"}");
	hear_with("tool_call", "{\"agentId\":\"Explore\",\"toolName\":\"Grep\"}",
	          "{\"agent_id\":\"a1\",\"parent_tool_use_id\":\"toolu_1\"}");
	hear("task_dispatch",
	     "{\"taskId\":\"t2\",\"from\":\"claude\",\"to\":\"Plan\",\"description\":\"Plan it\"}");
	reload();
	hear_with("completion",
	          "{\"taskId\":\"a1\",\"agentId\":\"Explore\",\"success\":true,\"result\":\"42\"}",
	          "{\"agent_id\":\"a1\"}");
	hear_with("agent_state_change",
	          "{\"agentId\":\"Plan\",\"from\":\"acting\",\"to\":\"error\"}",
	          "{\"agent_id\":\"t2\"}");
	{
		char *got = page(1, 0, 0);

		assert_string_equal(
			got, "{\"agents\":["
			     "{\"id\":\"a1\",\"name\":\"Explore\",\"parent\":\"toolu_1\","
			     "\"task\":\"a1\",\"seq\":2,\"done\":true,\"failed\":false},"
			     "{\"id\":\"t2\",\"name\":\"Plan\",\"task\":\"Plan it\",\"seq\":4,"
			     "\"done\":true,\"failed\":true}],"
			     "\"messages\":[],\"count\":5,\"more\":false,\"lost\":false}");
		free(got);
	}
	text_is_of(5, "42");
	assert_string_equal(message(5)->part, "a1");
}

static void frames_of_agents_are_messages_too(void **state)
{
	hear_frame("llm/user-message", "{\"invokeid\":\"w\",\"text\":\"Go\"}");
	hear_frame("llm/start", "{\"invokeid\":\"w\",\"model\":\"m\"}");
	hear_frame("llm/delta", "{\"invokeid\":\"w\",\"type\":\"text-delta\",\"text\":\"Le\"}");
	hear_frame("llm/delta", "{\"invokeid\":\"w\",\"type\":\"text-delta\",\"text\":\"t\"}");
	hear_frame("llm/response",
	           "{\"invokeid\":\"w\",\"model\":\"m\",\"content\":["
	           "{\"type\":\"thinking\",\"thinking\":\"Hm\"},"
	           "{\"type\":\"text\",\"text\":\"Let\"},"
	           "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"Read\",\"input\":{\"p\":1}}]}");
	hear_frame("llm/tool-result", "{\"invokeid\":\"w\",\"tool\":\"Read\",\"is-error\":false,"
	                              "\"content-preview\":\"ok\"}");
	hear_frame("llm/response",
	           "{\"invokeid\":\"w\",\"content\":[{\"type\":\"text\",\"text\":\"Done\"}]}");
	hear_frame("runner/done", "{}");
	reload();
	text_is_of(1, "Go");
	text_is_of(2, "Let");
	text_is_of(3, "");
	assert_int_equal(message(3)->done_count, 1);
	text_is_of(4, "Done");
	assert_true(said_is_finished(said));
}

/* ---- in pieces, and whole ---- */

static unsigned next_random;

static unsigned below(unsigned n)
{
	next_random = next_random * 1103515245 + 12345;
	return next_random / 65536 % n;
}

static void say_piece(const char *agent, const char *type, struct text words)
{
	struct buf payload;

	buf_init(&payload, 64 * MIB);
	buf_print(&payload, "{\"agentId\":\"%s\",\"content\":", agent);
	buf_add_json(&payload, words);
	buf_add(&payload, TEXT("}"));
	buf_add_char(&payload, '\0');
	seq = 0;
	hear(type, payload.at);
	buf_finish(&payload);
}

static void say_words(const char *agent, const char *type, struct text words, bool whole)
{
	while (words.len) {
		size_t n = whole ? words.len : utf8_cut(words, 4 + below(9)).len;

		say_piece(agent, type, (struct text){words.at, n});
		words = (struct text){words.at + n, words.len - n};
		if (!whole && below(3) == 0)
			reload();
	}
}

/* The same steps for the same seed, whatever the pieces are. */
static void play(unsigned seed, bool whole)
{
	static const char *const agents[] = {"ada", "bela", "cleo"};
	static const char *const words[] = {"Grüße, ", "日本語のテキスト", "😀😀", "plain words "};
	static const char *const more[] = {"tool_call", "tool_result",   "completion",
	                                   "error",     "task_dispatch", "agent_state_change"};
	unsigned state = seed;

	for (unsigned i = 0; i < 40; i++) {
		const char *agent, *kind;
		char payload[160];

		next_random = state;
		agent = agents[below(3)];
		kind = below(2) ? "text_delta" : "thinking";
		state = next_random;
		say_words(agent, kind, text_of(words[state % 4]), whole);
		next_random = state;
		snprintf(payload, sizeof(payload),
		         "{\"agentId\":\"%s\",\"to\":\"%s\",\"toolName\":\"T\",\"success\":true,"
		         "\"message\":\"m\",\"description\":\"d\",\"taskId\":\"t\"}",
		         agent, below(2) ? "done" : "acting");
		seq = 0;
		if (below(3) == 0)
			hear(more[below(6)], payload);
		state = next_random;
	}
}

static void pieces_and_a_whole_are_the_same(void **state)
{
	for (unsigned seed = 1; seed <= 100; seed++) {
		char *whole, *pieces;

		play(seed, true);
		whole = saved(said);
		tear_down(NULL);
		set_up(NULL);
		play(seed, false);
		pieces = saved(said);
		assert_string_equal(pieces, whole);
		tear_down(NULL);
		set_up(NULL);
		free(whole);
		free(pieces);
	}
}

/* ---- ceilings ---- */

static void long_text(struct buf *out, size_t characters)
{
	static const char *const some[] = {"a", "é", "語", "😀"};

	buf_init(out, 16 * MIB);
	for (size_t i = 0; i < characters; i++)
		buf_add(out, text_of(some[i % 7 < 4 ? i % 7 : 0]));
}

static void the_newest_of_a_long_text_are_kept(void **state)
{
	const struct said_text *t;
	struct text kept;
	struct buf words;

	long_text(&words, SAID_TEXT_MAX + 12345);
	for (unsigned whole = 0; whole < 2; whole++) {
		struct text rest = buf_text(&words);

		while (rest.len) {
			size_t n = whole ? rest.len : utf8_cut(rest, 4000).len;

			say_piece("ada", "text_delta", (struct text){rest.at, n});
			rest = (struct text){rest.at + n, rest.len - n};
		}
		t = &message(1)->text;
		kept = said_text(t);
		assert_true(t->is_cut);
		assert_true(t->room < 3 * kept.len);
		assert_true(utf8_is_valid(kept));
		assert_int_equal(utf8_count(kept), SAID_TEXT_MAX);
		assert_memory_equal(kept.at, words.at + words.len - kept.len, kept.len);
		reload();
		say_piece("ada", "text_delta", TEXT("é"));
		kept = said_text(&message(1)->text);
		assert_int_equal(utf8_count(kept), SAID_TEXT_MAX);
		assert_memory_equal(kept.at + kept.len - 2, "é", 2);
		tear_down(NULL);
		set_up(NULL);
	}
	buf_finish(&words);
}

static void a_text_that_just_fits_is_whole(void **state)
{
	struct buf words;

	long_text(&words, SAID_TEXT_MAX);
	say_piece("ada", "text_delta", buf_text(&words));
	assert_false(message(1)->text.is_cut);
	assert_int_equal(said_text(&message(1)->text).len, words.len);
	say_piece("ada", "text_delta", TEXT("x"));
	assert_true(message(1)->text.is_cut);
	buf_finish(&words);
}

static void the_oldest_messages_go_first(void **state)
{
	for (unsigned i = 0; i < SAID_MESSAGES_MAX + 10; i++)
		hear("error", "{\"agentId\":\"a\",\"message\":\"m\",\"severity\":\"error\"}");
	assert_int_equal(said->message_count, SAID_MESSAGES_MAX);
	assert_int_equal(list_of(said->messages.next, struct said_message, in_said)->number, 11);
	reload();
}

static void a_run_has_a_limit_in_bytes(void **state)
{
	struct buf words;

	long_text(&words, SAID_TEXT_MAX);
	for (unsigned i = 0; i < 40; i++) {
		say_piece("ada", "text_delta", buf_text(&words));
		hear("tool_call", "{\"agentId\":\"ada\",\"toolName\":\"X\"}");
		assert_true(said->size <= SAID_RUN_MAX + 2 * words.len);
	}
	assert_true(said->message_count < 40);
	assert_int_equal(said->number, 40);
	buf_finish(&words);
}

static void a_long_input_is_cut_and_says_so(void **state)
{
	struct buf payload;
	char *got;

	buf_init(&payload, MIB);
	buf_add(&payload, TEXT("{\"agentId\":\"a\",\"toolName\":\"X\",\"input\":{\"a\":\""));
	for (unsigned i = 0; i < 2 * SAID_TOOL_MAX / 3; i++)
		buf_add(&payload, TEXT("語"));
	buf_add(&payload, TEXT("\"}}"));
	buf_add_char(&payload, '\0');
	hear("tool_call", payload.at);
	reload();
	got = all();
	assert_true(strlen(got) < SAID_TOOL_MAX + 500);
	assert_true(utf8_is_valid(text_of(got)));
	assert_non_null(strstr(got, "\"input\":\"{\\\"a\\\":\\\"語"));
	assert_non_null(strstr(got, "\"inputCut\":true"));
	free(got);
	buf_finish(&payload);
}

static void many_speakers_and_tools_have_limits(void **state)
{
	char payload[80];

	for (unsigned i = 0; i < 2 * SAID_OPEN_MAX; i++) {
		snprintf(payload, sizeof(payload), "{\"agentId\":\"a%u\",\"toolName\":\"T%u\"}", i,
		         i);
		hear("tool_call", payload);
	}
	assert_int_equal(said->speaker_count, SAID_OPEN_MAX);
	assert_int_equal(said->open_count, SAID_OPEN_MAX);
	for (unsigned i = 0; i < SAID_TOOLS_MAX + 1; i++)
		hear("tool_call", "{\"agentId\":\"z\",\"toolName\":\"T\"}");
	assert_int_equal(message(said->number)->tool_count, 1);
	for (unsigned i = 0; i < SAID_AGENTS_MAX + 5; i++) {
		snprintf(payload, sizeof(payload), "{\"agent_id\":\"p%u\"}", i);
		hear_with("thinking", "{\"agentId\":\"x\",\"content\":\"y\"}", payload);
	}
	assert_int_equal(said->agent_count, SAID_AGENTS_MAX);
	reload();
}

/* ---- pages ---- */

/* Each of them begins before any has said much, so none is trimmed when another begins. */
static void many_who_speak_at_once_stay_within_the_limit(void **state)
{
	char *words = must_alloc(SAID_TEXT_MAX), *payload;

	memset(words, 'x', SAID_TEXT_MAX - 1);
	words[SAID_TEXT_MAX - 1] = 0;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 200; i++) {
			payload = must_print("{\"agentId\":\"a%u\",\"content\":\"%s\"}", i,
			                     round ? words : "y");
			hear("text_delta", payload);
			free(payload);
			assert_true(said->size <= SAID_RUN_MOST);
		}
	assert_true(said->size > SAID_RUN_MAX);
	free(words);
}

static void a_page_is_the_newest_before_a_number(void **state)
{
	char *got;

	for (unsigned i = 0; i < 5; i++)
		hear("error", "{\"agentId\":\"a\",\"message\":\"m\",\"severity\":\"error\"}");
	got = page(0, 2, MIB);
	assert_null(strstr(got, "\"number\":3,"));
	assert_non_null(strstr(got, "\"number\":4,"));
	assert_non_null(strstr(got, "\"more\":true"));
	free(got);
	got = page(4, 100, MIB);
	assert_non_null(strstr(got, "\"number\":1,"));
	assert_null(strstr(got, "\"number\":4,"));
	assert_non_null(strstr(got, "\"more\":false"));
	free(got);
	got = page(0, 100, 1);
	assert_non_null(strstr(got, "[{\"number\":5,"));
	free(got);
}

/* Two messages of one agent, with nothing between them, are two. */
static void messages_with_ids_are_not_joined(void **state)
{
	hear_with("text_delta", "{\"agentId\":\"a\",\"content\":\"I look.\",\"index\":0}",
	          "{\"message_id\":\"m1\"}");
	hear_with("text_delta", "{\"agentId\":\"a\",\"content\":\" Still.\",\"index\":1}",
	          "{\"message_id\":\"m1\"}");
	hear_with("text_delta", "{\"agentId\":\"a\",\"content\":\"Done.\",\"index\":0}",
	          "{\"message_id\":\"m2\"}");
	assert_int_equal(said->message_count, 2);
	assert_true(text_is(
		said_text(&list_of(said->messages.next, struct said_message, in_said)->text),
		"I look. Still."));
	assert_true(text_is(
		said_text(&list_of(said->messages.prev, struct said_message, in_said)->text),
		"Done."));
}

int main(void)
{
#define SAID_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		SAID_TEST(a_run_is_a_list_of_messages),
		SAID_TEST(an_answer_that_was_not_streamed_is_its_result),
		SAID_TEST(an_ask_that_a_model_answers_under_its_own_name_is_over),
		SAID_TEST(what_is_being_said_is_open),
		SAID_TEST(messages_with_ids_are_not_joined),
		SAID_TEST(those_who_speak_at_once_do_not_mix),
		SAID_TEST(a_call_after_a_result_is_another_message),
		SAID_TEST(subagents_are_listed),
		SAID_TEST(frames_of_agents_are_messages_too),
		SAID_TEST(pieces_and_a_whole_are_the_same),
		SAID_TEST(the_newest_of_a_long_text_are_kept),
		SAID_TEST(a_text_that_just_fits_is_whole),
		SAID_TEST(the_oldest_messages_go_first),
		SAID_TEST(a_run_has_a_limit_in_bytes),
		SAID_TEST(a_long_input_is_cut_and_says_so),
		SAID_TEST(many_speakers_and_tools_have_limits),
		SAID_TEST(many_who_speak_at_once_stay_within_the_limit),
		SAID_TEST(a_page_is_the_newest_before_a_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
