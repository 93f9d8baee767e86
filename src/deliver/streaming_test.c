/* streaming_test.c - each member of StreamingContext and AgentStreamingCallbacks, by name. */
#include "deliver/streaming.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "deliver/outbox.h"
#include "deliver/reply.h"
#include "signal/json.h"
#include "signal/signal.h"

static char told[4096];
static struct signal_reader *reader;
static uint64_t seq;

#define NOTE(...) snprintf(told + strlen(told), sizeof(told) - strlen(told), __VA_ARGS__)

/* ---- the agent's callbacks ---- */

static void on_assistant_message_start(void *self, int64_t now_ms)
{
	NOTE("onAssistantMessageStart\n");
}

static void on_assistant_message_end(void *self, int64_t now_ms)
{
	NOTE("onAssistantMessageEnd\n");
}

static void on_text_start(void *self, int64_t now_ms)
{
	NOTE("onTextStart\n");
}

static void on_text_delta(void *self, struct text delta, int64_t now_ms)
{
	NOTE("onTextDelta %.*s\n", TEXT_ARG(delta));
}

static void on_text_end(void *self, struct text full_text, int64_t now_ms)
{
	NOTE("onTextEnd %.*s\n", TEXT_ARG(full_text));
}

static void on_partial_reply(void *self, const struct payload *reply, int64_t now_ms)
{
	NOTE("onPartialReply %.*s %zu\n", TEXT_ARG(reply->text), reply->media_count);
}

static void on_reasoning_stream(void *self, struct text text, int64_t now_ms)
{
	NOTE("onReasoningStream %.*s\n", TEXT_ARG(text));
}

static void on_tool_start(void *self, struct text tool, yyjson_val *params, int64_t now_ms)
{
	NOTE("onToolStart %.*s %.*s\n", TEXT_ARG(tool), TEXT_ARG(json_text_at(params, "path")));
}

static void on_tool_end(void *self, struct text tool, yyjson_val *result, int64_t now_ms)
{
	NOTE("onToolEnd %.*s %.*s\n", TEXT_ARG(tool), TEXT_ARG(json_text(result)));
}

static const struct agent_streaming_callbacks all = {
	.on_assistant_message_start = on_assistant_message_start,
	.on_assistant_message_end = on_assistant_message_end,
	.on_text_start = on_text_start,
	.on_text_delta = on_text_delta,
	.on_text_end = on_text_end,
	.on_partial_reply = on_partial_reply,
	.on_reasoning_stream = on_reasoning_stream,
	.on_tool_start = on_tool_start,
	.on_tool_end = on_tool_end,
};

static struct signal read_signal(const char *type, const char *payload)
{
	char line[1024];
	struct signal s;
	bool good;

	snprintf(line, sizeof(line),
	         "{\"seq\":%llu,\"id\":\"a\",\"type\":\"%s\",\"timestamp\":1,\"source\":\"model\","
	         "\"correlationId\":\"r\",\"payload\":%s}",
	         (unsigned long long)++seq, type, payload);
	good = signal_read(reader, text_of(line), &s, NULL);
	assert_true(good);
	return s;
}

static void hear(struct broker *b, const char *type, const char *payload)
{
	struct signal s = read_signal(type, payload);

	broker_hear(b, &s, TEXT("r"), 7);
}

static int open_reader(void **state)
{
	told[0] = '\0';
	reader = signal_reader_create();
	return 0;
}

static int close_reader(void **state)
{
	signal_reader_destroy(reader);
	return 0;
}

static void every_callback_is_called(void **state)
{
	struct broker b;

	broker_init(&b, &all, NULL);
	hear(&b, "thinking", "{\"agentId\":\"m\",\"content\":\"hm\"}");
	hear(&b, "text_delta", "{\"agentId\":\"m\",\"content\":\"Let me \"}");
	hear(&b, "text_delta", "{\"agentId\":\"m\",\"content\":\"look.\"}");
	hear(&b, "tool_call",
	     "{\"agentId\":\"m\",\"toolName\":\"Read\",\"callId\":\"c\","
	     "\"input\":{\"path\":\"/a\"}}");
	hear(&b, "tool_result",
	     "{\"agentId\":\"m\",\"toolName\":\"Read\",\"callId\":\"c\",\"success\":true,"
	     "\"output\":\"b\"}");
	hear(&b, "text_delta", "{\"agentId\":\"m\",\"content\":\"It is b.\"}");
	hear(&b, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}");
	assert_string_equal(told, "onAssistantMessageStart\n"
	                          "onReasoningStream hm\n"
	                          "onTextStart\n"
	                          "onTextDelta Let me \n"
	                          "onPartialReply Let me  0\n"
	                          "onTextDelta look.\n"
	                          "onPartialReply Let me look. 0\n"
	                          "onTextEnd Let me look.\n"
	                          "onAssistantMessageEnd\n"
	                          "onToolStart Read /a\n"
	                          "onToolEnd Read b\n"
	                          "onAssistantMessageStart\n"
	                          "onTextStart\n"
	                          "onTextDelta It is b.\n"
	                          "onPartialReply It is b. 0\n"
	                          "onTextEnd It is b.\n"
	                          "onAssistantMessageEnd\n");
	assert_int_equal(b.end, BROKER_COMPLETED);
	broker_finish(&b);
}

static void a_reply_without_tokens_is_said_at_once(void **state)
{
	struct broker b;

	broker_init(&b, &all, NULL);
	hear(&b, "completion",
	     "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true,"
	     "\"result\":\"Yes.\"}");
	assert_non_null(strstr(told, "onTextDelta Yes.\n"));
	broker_finish(&b);
}

static void why_a_stream_ended_is_not_said(void **state)
{
	struct broker b;

	broker_init(&b, &all, NULL);
	hear(&b, "tool_call", "{\"agentId\":\"m\",\"toolName\":\"Read\",\"callId\":\"c\"}");
	hear(&b, "completion",
	     "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true,"
	     "\"result\":\"Stream completed (5 chunks)\"}");
	assert_int_equal(b.end, BROKER_COMPLETED);
	assert_null(strstr(told, "onTextDelta"));
	broker_finish(&b);
}

/* What would still fit after a piece that did not is left out, too: a text has no holes. */
static void a_message_that_is_too_long_ends_with_a_note(void **state)
{
	static const char note[] = "(the rest was left out: it is too long)";
	char piece[1000];
	struct broker b;
	int text;

	text = snprintf(piece, sizeof(piece), "{\"agentId\":\"m\",\"content\":\"%0800d\"}", 0);
	assert_true(text < (int)sizeof(piece));
	broker_init(&b, &all, NULL);
	for (size_t i = 0; i < BROKER_MESSAGE_MAX / 800 + 2; i++)
		hear(&b, "text_delta", piece);
	hear(&b, "text_delta", "{\"agentId\":\"m\",\"content\":\"END\"}");
	assert_true(b.message.len > BROKER_MESSAGE_MAX - 100 && b.message.len < BROKER_MESSAGE_MAX);
	assert_true(text_ends(buf_text(&b.message), text_of(note)));
	hear(&b, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}");
	hear(&b, "text_delta", "{\"agentId\":\"m\",\"content\":\"next\"}");
	broker_finish(&b);
}

#define DELTA(more) "{\"agentId\":\"m\",\"content\":\"See [a](https://h/a.png).\"" more "}"
#define MEDIA(urls) "{\"agentId\":\"m\",\"mediaUrls\":[" urls "]}"
#define DONE(more) "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true" more "}"

static void media_are_the_payloads_own(void **state)
{
	struct broker b;

	broker_init(&b, &all, NULL);
	hear(&b, "text_delta", DELTA(""));
	hear(&b, "tool_result",
	     "{\"agentId\":\"m\",\"toolName\":\"Read\",\"callId\":\"c\",\"success\":true,"
	     "\"mediaUrls\":[\"no\"]}");
	assert_null(strstr(told, " 1\n"));
	hear(&b, "agent.media", MEDIA("\"a.png\",7,\"b\\nc\",\"\",\"d.png\""));
	assert_non_null(strstr(told, "onPartialReply See [a](https://h/a.png). 2\n"));
	told[0] = '\0';
	hear(&b, "agent.media",
	     "{\"agentId\":\"m\",\"mediaUrl\":\"a.png\"},\"metadata\":{\"agent_id\":\"sub\"}");
	assert_string_equal(told, "");
	hear(&b, "completion", DONE(",\"mediaUrl\":\"e.png\""));
	assert_non_null(strstr(told, "onPartialReply See [a](https://h/a.png). 1\n"));
	broker_finish(&b);
}

static void an_error_ends_it_and_a_warning_does_not(void **state)
{
	struct broker b;

	broker_init(&b, &all, NULL);
	hear(&b, "error", "{\"message\":\"slow\",\"severity\":\"warning\"}");
	assert_int_equal(b.end, BROKER_GOES_ON);
	hear(&b, "completion", "{\"agentId\":\"m\",\"taskId\":\"another\",\"success\":true}");
	assert_int_equal(b.end, BROKER_GOES_ON);
	hear(&b, "error", "{\"message\":\"broken\",\"severity\":\"error\"}");
	assert_int_equal(b.end, BROKER_FAILED);
	assert_int_equal(b.why.len, 6);
	broker_finish(&b);
}

/* ---- the context of a reply ---- */

static uint64_t on_its_way;

static void reply_sends(void *self, enum dispatch_kind kind, uint64_t number,
                        const struct payload *payload)
{
	NOTE("%s %.*s\n", kind == DISPATCH_BLOCK ? "block" : "final", TEXT_ARG(payload->text));
	for (size_t i = 0; i < payload->media_count; i++)
		NOTE("%s %.*s\n", payload->is_voice ? "voice" : "media",
		     TEXT_ARG(payload->media[i]));
	on_its_way = number;
}

static bool has_left = true;

static bool reply_gives_up(void *self, uint64_t number)
{
	NOTE("given up\n");
	return has_left;
}

static void reply_types(void *self, bool shows)
{
	NOTE(shows ? "typing\n" : "typed\n");
}

static const struct outbox_line fake_line;
static bool takes_media = true;
static enum reply_tells tells_tools;

static struct reply *make_reply(enum channel_mode mode)
{
	struct reply_options o = {.mode = mode,
	                          .takes_media = takes_media,
	                          .tells_tools = tells_tools,
	                          .failed = "Sorry.",
	                          .send = reply_sends,
	                          .give_up = reply_gives_up,
	                          .type = reply_types};
	struct chunk_limit limit = {CHUNK_POINTS, 200, 0};
	struct streaming_context target = {.channel = "fake",
	                                   .peer_id = "ada",
	                                   .thread_id = "t",
	                                   .reply_to_id = "m",
	                                   .out_adapter = &fake_line};

	chunk_resolve(&o.chunking, &limit, NULL, NULL, NULL);
	gather_resolve(&o.coalescing, &(struct gather_levels){NULL, NULL, NULL}, &limit,
	               &o.chunking);
	typing_init(&target.typing_signaler, TYPING_INSTANT, 6000);
	return reply_create(&o, &target);
}

static void reply_to(struct reply *r, const char *type, const char *payload, int64_t now_ms)
{
	struct signal s = read_signal(type, payload);

	reply_hear(r, &s, TEXT("r"), now_ms);
	reply_work(r, now_ms);
}

static void a_context_has_all_that_a_stage_gave_it(void **state)
{
	struct reply *r = make_reply(CHANNEL_BLOCKS);
	struct streaming_context *c = reply_context(r);

	assert_string_equal(c->channel, "fake");
	assert_string_equal(c->peer_id, "ada");
	assert_string_equal(c->thread_id, "t");
	assert_string_equal(c->reply_to_id, "m");
	assert_ptr_equal(c->out_adapter, &fake_line);
	assert_true(c->streaming_enabled);
	assert_false(c->draft_mode);
	c->on_typing(c, true);
	c->on_tool_start(c, TEXT("Read"), 1);
	c->on_partial(c, &(struct payload){.text = TEXT("Hello.")}, 2);
	reply_work(r, 1500);
	assert_string_equal(told, "typing\nblock Hello.\ntyping\n");
	reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id1 id2"), 1501);
	assert_int_equal(c->sent_count, 2);
	assert_string_equal(c->sent_message_ids[1], "id2");
	reply_destroy(r);
}

static void say_at(struct reply *r, const char *words, int64_t now_ms)
{
	char payload[128];

	snprintf(payload, sizeof(payload), "{\"agentId\":\"m\",\"content\":\"%s\"}", words);
	reply_to(r, "text_delta", payload, now_ms);
}

static void a_pause_within_a_token_of_silence_sends_nothing(void **state)
{
	static const char *const halves[][2] = {
		{"NO_", "REPLY"}, {" N", "O_REPLY"}, {"NO_REPLY", "."}, {"HEART", "BEAT_OK"}};

	for (unsigned i = 0; i < sizeof(halves) / sizeof(*halves); i++) {
		struct reply *r = make_reply(CHANNEL_BLOCKS);

		say_at(r, halves[i][0], 1);
		reply_work(r, 60000);
		say_at(r, halves[i][1], 60001);
		reply_to(r, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}",
		         60002);
		assert_null(strstr(told, "block"));
		assert_null(strstr(told, "final"));
		assert_true(reply_is_over(r));
		reply_destroy(r);
	}
}

static void the_beginning_of_such_a_token_is_sent_with_the_rest(void **state)
{
	struct reply *r = make_reply(CHANNEL_BLOCKS);

	say_at(r, "NO", 1);
	reply_work(r, 5000);
	say_at(r, "W I see.", 6000);
	assert_null(strstr(told, "block"));
	reply_work(r, 7000);
	assert_non_null(strstr(told, "block NOW I see.\n"));
	reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), 7001);
	/* Behind what has left, too; at the end it is what was said. */
	say_at(r, " N", 8000);
	reply_work(r, 20000);
	assert_null(strstr(told, "N\n"));
	reply_to(r, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}", 20001);
	assert_non_null(strstr(told, "N\n"));
	reply_destroy(r);
}

static void what_accumulates_is_one_message_at_the_end(void **state)
{
	struct reply *r = make_reply(CHANNEL_ACCUMULATES);

	reply_begin(r, 0);
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"One.\"}", 1);
	reply_to(r, "tool_call", "{\"agentId\":\"m\",\"toolName\":\"Read\",\"callId\":\"c\"}", 2);
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"Two.\"}", 3);
	reply_to(r, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}", 4);
	assert_string_equal(told, "typing\nfinal One.\n\nTwo.\n");
	assert_false(reply_is_over(r));
	reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), 5);
	assert_true(reply_is_over(r));
	assert_non_null(strstr(told, "typed\n"));
	assert_true(text_is(reply_tools(r), "{\"name\":\"Read\"}"));
	reply_destroy(r);
}

static void media_leave_behind_what_was_said_and_once(void **state)
{
	struct reply *r = make_reply(CHANNEL_BLOCKS);

	told[0] = '\0';
	reply_begin(r, 0);
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"One.\"}", 1);
	reply_to(r, "agent.media", MEDIA("\"a.png\""), 2);
	reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), 3);
	reply_to(r, "agent.media", MEDIA("\"a.png\",\"note.ogg\""), 4);
	reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), 5);
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"Two.\"}", 6);
	reply_to(r, "completion", DONE(",\"mediaUrls\":[\"a.png\",\"b.png\"]"), 7);
	for (int i = 8; i < 12; i++)
		reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), i);
	assert_string_equal(told, "typing\n"
	                          "block One.\n"
	                          "block \n"
	                          "media a.png\n"
	                          "block Two.\n"
	                          "block \n"
	                          "media b.png\n"
	                          "block \n" /* what is heard was held back */
	                          "media note.ogg\n"
	                          "typed\n");
	assert_true(reply_is_over(r));
	reply_destroy(r);
}

static void media_go_with_the_final_or_not_at_all(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct reply *r;

		takes_media = i == 0;
		r = make_reply(CHANNEL_ACCUMULATES);
		told[0] = '\0';
		reply_begin(r, 0);
		reply_to(r, "agent.media",
		         "{\"agentId\":\"m\",\"mediaUrl\":\"n.ogg\",\"audioAsVoice\":true}", 1);
		reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"One.\"}", 2);
		reply_to(r, "completion", DONE(",\"mediaUrls\":[\"n.ogg\"]"), 3);
		assert_string_equal(told, i == 0 ? "typing\nfinal One.\nvoice n.ogg\n"
		                                 : "typing\nfinal One.\n");
		reply_destroy(r);
	}
	takes_media = true;
}

static void an_agent_that_fails_says_so_where_something_was_sent(void **state)
{
	struct reply *r = make_reply(CHANNEL_BLOCKS);

	reply_begin(r, 0);
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"One.\"}", 1);
	reply_work(r, 1100);
	reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), 1101);
	reply_to(r, "error", "{\"message\":\"broken\",\"severity\":\"error\"}", 1200);
	assert_non_null(strstr(told, "final Sorry.\n"));
	reply_destroy(r);
	told[0] = '\0';
	r = make_reply(CHANNEL_BLOCKS);
	reply_begin(r, 0);
	reply_fail(r, TEXT("nobody is there"), 1);
	reply_work(r, 2);
	assert_true(reply_is_over(r) && reply_has_failed(r));
	assert_null(strstr(told, "final"));
	reply_destroy(r);
}

static void who_stopped_an_agent_is_not_told_that_it_failed(void **state)
{
	struct reply *r = make_reply(CHANNEL_BLOCKS);

	reply_begin(r, 0);
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"One.\"}", 1);
	reply_work(r, 1100);
	reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), 1101);
	reply_cancel(r);
	reply_work(r, 1102);
	assert_string_equal(told, "typing\nblock One.\ntyped\n");
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\" Two.\"}", 1110);
	reply_to(r, "error", "{\"message\":\"cancelled\",\"severity\":\"error\"}", 1200);
	assert_true(reply_is_over(r) && reply_was_stopped(r));
	assert_string_equal(told, "typing\nblock One.\ntyped\n");
	reply_destroy(r);
}

static void typing_does_not_go_on_in_a_channel_that_was_lost(void **state)
{
	struct reply *r = make_reply(CHANNEL_ACCUMULATES);

	reply_begin(r, 0);
	reply_lose_channel(r);
	reply_work(r, 1);
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"One.\"}", 7000);
	assert_string_equal(told, "typing\ntyped\n");
	reply_to(r, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}", 7001);
	assert_string_equal(told, "typing\ntyped\nfinal One.\n");
	reply_destroy(r);
}

static void a_block_that_was_refused_goes_with_the_final(void **state)
{
	struct reply *r = make_reply(CHANNEL_BLOCKS);

	reply_begin(r, 0);
	reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"One.\"}", 1);
	reply_work(r, 1100);
	reply_settle(r, on_its_way, PIPELINE_REFUSED, TEXT(""), 1101);
	reply_to(r, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}", 1200);
	assert_non_null(strstr(told, "final One.\n"));
	reply_destroy(r);
}

static void a_block_that_did_not_leave_in_time_goes_with_the_final(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct reply *r = make_reply(CHANNEL_BLOCKS);

		told[0] = '\0';
		has_left = i == 1;
		reply_begin(r, 0);
		reply_to(r, "text_delta", "{\"agentId\":\"m\",\"content\":\"One.\"}", 1);
		reply_work(r, 1100);
		reply_to(r, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}",
		         1200);
		reply_work(r, 1100 + DISPATCH_BLOCK_MS);
		assert_non_null(strstr(told, "block One.\n"));
		assert_non_null(strstr(told, "given up\n"));
		assert_int_equal(strstr(told, "final One.\n") == NULL, has_left);
		reply_destroy(r);
	}
	has_left = true;
}

static void what_is_said_behind_too_many_tools_goes_with_the_final(void **state)
{
	static const char call[] =
		"{\"agentId\":\"m\",\"toolName\":\"Read\",\"callId\":\"c\",\"success\":true}";
	bool is_told = false;
	struct reply *r;

	tells_tools = REPLY_TELLS_NAMES;
	r = make_reply(CHANNEL_BLOCKS);
	tells_tools = REPLY_TELLS_NOTHING;
	reply_begin(r, 0);
	for (unsigned i = 0; i <= DISPATCH_WAITING_MAX; i++) {
		reply_to(r, "tool_call", call, 1);
		reply_to(r, "tool_result", call, 1);
	}
	say_at(r, "One.", 2);
	reply_work(r, 1100);
	reply_to(r, "completion", "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}", 1200);
	while (!reply_is_over(r)) {
		told[0] = '\0';
		reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), 1201);
		is_told |= strstr(told, "final One.\n") != NULL;
	}
	assert_true(is_told);
	reply_destroy(r);
}

/* ---- a draft, by a clock of its own ---- */

enum { TOKEN_MS = 20, THROTTLE_MS = 1000, TOKEN_CHARS = 6 };

static struct {
	unsigned said; /* tokens */
	unsigned requests, edits;
	int64_t now_ms, answers_ms; /* when the platform answers; 0: nothing is under way */
	int64_t final_ms;           /* likewise, the last one */
	bool is_edit;
} slow;

/* Whatever leaves has every token that came. */
static bool draft_leaves(void *self, const struct draft_step *step)
{
	const int64_t *takes_ms = self;

	assert_int_equal(slow.answers_ms, 0);
	assert_int_equal(step->text.len, slow.said * TOKEN_CHARS - 1);
	slow.requests++;
	slow.is_edit = step->act == DRAFT_EDITS;
	slow.edits += slow.is_edit;
	slow.answers_ms = slow.now_ms + *takes_ms;
	return true;
}

static void last_edit_leaves(void *self, enum dispatch_kind kind, uint64_t number,
                             const struct payload *payload)
{
	assert_int_equal(kind, DISPATCH_FINAL);
	assert_int_equal(payload->text.len, slow.said * TOKEN_CHARS - 1);
	on_its_way = number;
	slow.requests++;
	slow.final_ms = slow.now_ms + *(const int64_t *)self;
}

static void platform_answers(struct reply *r)
{
	if (slow.final_ms && slow.now_ms >= slow.final_ms)
		reply_settle(r, on_its_way, PIPELINE_ACCEPTED, TEXT("id"), slow.now_ms);
	if (!slow.answers_ms || slow.now_ms < slow.answers_ms)
		return;
	slow.answers_ms = 0;
	if (slow.is_edit)
		reply_live_edited(r, DRAFT_EDITED);
	else
		reply_live_there(r, 1);
	reply_work(r, slow.now_ms);
}

static void say_token(struct reply *r)
{
	slow.said++;
	reply_to(r, "text_delta",
	         slow.said == 1 ? "{\"agentId\":\"m\",\"content\":\"12345\"}"
	                        : "{\"agentId\":\"m\",\"content\":\" 12345\"}",
	         slow.now_ms);
}

/* Requests for a reply of so long, at a platform that takes so long for each. */
static unsigned requests_for(int64_t lasts_ms, int64_t takes_ms)
{
	struct reply_options o = {.mode = CHANNEL_DRAFTS,
	                          .draft = {{CHUNK_POINTS, 100000, 0}, THROTTLE_MS, 30},
	                          .self = &takes_ms,
	                          .send = last_edit_leaves,
	                          .give_up = reply_gives_up,
	                          .type = reply_types,
	                          .live = draft_leaves};
	struct streaming_context target = {.channel = "fake", .peer_id = "ada"};
	struct reply *r;

	memset(&slow, 0, sizeof(slow));
	typing_init(&target.typing_signaler, TYPING_NEVER, 6000);
	r = reply_create(&o, &target);
	reply_begin(r, 0);
	for (; !reply_is_over(r); slow.now_ms++) {
		platform_answers(r);
		if (slow.now_ms < lasts_ms && slow.now_ms % TOKEN_MS == 0)
			say_token(r);
		if (slow.now_ms == lasts_ms)
			reply_to(r, "completion",
			         "{\"agentId\":\"m\",\"taskId\":\"r\",\"success\":true}",
			         slow.now_ms);
		if (slow.now_ms >= reply_due(r))
			reply_work(r, slow.now_ms);
	}
	reply_destroy(r);
	return slow.requests;
}

static void a_reply_has_few_requests_and_each_has_all_tokens(void **state)
{
	static const int64_t lasts_ms[] = {500, 2000, 9990, 30000}, takes_ms[] = {1, 250, 1700};

	for (unsigned i = 0; i < sizeof(lasts_ms) / sizeof(*lasts_ms); i++)
		for (unsigned k = 0; k < sizeof(takes_ms) / sizeof(*takes_ms); k++) {
			int64_t pace_ms = takes_ms[k] > THROTTLE_MS ? takes_ms[k] : THROTTLE_MS;
			unsigned asked = requests_for(lasts_ms[i], takes_ms[k]);

			assert_in_range(asked, 1, lasts_ms[i] / THROTTLE_MS + 2);
			assert_true(slow.edits + 1 >= lasts_ms[i] / pace_ms);
		}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_reader, close_reader)
	const struct CMUnitTest tests[] = {
		TEST(every_callback_is_called),
		TEST(a_reply_without_tokens_is_said_at_once),
		TEST(why_a_stream_ended_is_not_said),
		TEST(a_message_that_is_too_long_ends_with_a_note),
		TEST(media_are_the_payloads_own),
		TEST(an_error_ends_it_and_a_warning_does_not),
		TEST(a_context_has_all_that_a_stage_gave_it),
		TEST(a_pause_within_a_token_of_silence_sends_nothing),
		TEST(the_beginning_of_such_a_token_is_sent_with_the_rest),
		TEST(what_accumulates_is_one_message_at_the_end),
		TEST(media_leave_behind_what_was_said_and_once),
		TEST(media_go_with_the_final_or_not_at_all),
		TEST(an_agent_that_fails_says_so_where_something_was_sent),
		TEST(who_stopped_an_agent_is_not_told_that_it_failed),
		TEST(typing_does_not_go_on_in_a_channel_that_was_lost),
		TEST(a_block_that_was_refused_goes_with_the_final),
		TEST(a_block_that_did_not_leave_in_time_goes_with_the_final),
		TEST(what_is_said_behind_too_many_tools_goes_with_the_final),
		TEST(a_reply_has_few_requests_and_each_has_all_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
