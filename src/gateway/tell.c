/* tell.c - the one table of signals and events of a gateway. */
#include "gateway/tell.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/heartbeat.h"
#include "gateway/keys.h"
#include "gateway/telling.h"
#include "gateway/transcript.h"
#include "net/loop.h"
#include "run/said.h"
#include "signal/kind.h"
#include "signal/signal.h"

#define RUNS_MAX 4096            /* that are told of; the memory of others is made anew */
#define GATHERED_MAX (256 * KIB) /* then it is told at once */
#define AGENT_TEXT_MAX (4 * KIB) /* a longer text is in `chat` alone, */
#define AGENT_TEXT_FULL MIB      /* or this one, with gateway.text: full */

/* ---- runs ---- */

static void run_free(struct told_run *run)
{
	list_remove(&run->in_dirty);
	buf_finish(&run->delta);
	buf_finish(&run->snapshot);
	buf_finish(&run->thought);
	free(run->id);
	free(run->key);
	free(run->agent);
	free(run);
}

void gateway_tell_forget(struct gateway *g)
{
	struct text id;
	size_t at = 0;
	void *run;

	while (map_next(&g->runs, &at, &id, &run))
		run_free(run);
	map_finish(&g->runs);
	map_init(&g->runs);
}

/* What is over needs no memory. */
static void drop(struct gateway *g, struct told_run *run)
{
	map_remove(&g->runs, text_of(run->id));
	run_free(run);
}

static struct told_run *run_make(struct gateway *g, const struct run *run)
{
	struct told_run *made = must_zero(1, sizeof(*made));
	struct buf key;

	if (g->runs.count >= RUNS_MAX)
		gateway_tell_forget(g);
	buf_init(&key, 2 * KIB);
	gateway_key_of_run(g, run, &key);
	made->id = must_dup(run->id);
	made->key = text_dup(buf_text(&key));
	made->agent = text_dup(gateway_key_agent(buf_text(&key)));
	buf_finish(&key);
	list_init(&made->in_dirty);
	buf_init(&made->delta, TELLING_MAX);
	buf_init(&made->snapshot, TELLING_MAX);
	buf_init(&made->thought, AGENT_TEXT_MAX);
	map_set(&g->runs, text_of(run->id), made);
	return made;
}

static const struct said_message *message_of(const struct said *said, uint64_t number)
{
	const struct link *l;

	for (l = said->messages.prev; l != &said->messages; l = l->prev) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->number == number)
			return m;
	}
	return NULL;
}

/* ---- text ---- */

static struct text text_now(const struct telling *t)
{
	const struct said_message *m = t->said ? message_of(t->said, t->run->message) : NULL;

	return m ? said_text(&m->text) : TEXT("");
}

static void flush_agent(struct telling *t)
{
	struct told_run *run = t->run;
	struct text text = text_now(t);
	bool is_full = t->g->options.config->text == GATEWAY_TEXT_FULL;
	struct buf data;

	run->agent_due = 0;
	if (!run->delta.len)
		return;
	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	if (text.len <= (is_full ? AGENT_TEXT_FULL : AGENT_TEXT_MAX))
		put_text(&data, "text", text);
	put_text(&data, "delta", buf_text(&run->delta));
	put_end(&data);
	telling_agent(t, "assistant", GATEWAY_OF_RUNS, buf_text(&data));
	buf_finish(&data);
	buf_clear(&run->delta);
}

static void flush_chat(struct telling *t)
{
	struct told_run *run = t->run;
	struct chat_words words = {.state = "delta",
	                           .text = text_now(t),
	                           .delta = buf_text(&run->snapshot),
	                           .is_delta = true,
	                           .replaces = run->is_broken};

	if (t->ear && words.text.len > AGENT_TEXT_MAX) /* it comes with each token */
		words.text = TEXT("");
	if (run->snapshot.len || (run->is_broken && words.text.len))
		telling_chat(t, &words);
	buf_clear(&run->snapshot);
	run->snapshot.full = run->is_broken = false;
	run->chat_due = 0;
}

static void flush(struct telling *t)
{
	flush_agent(t);
	flush_chat(t);
	list_remove(&t->run->in_dirty);
}

static void tell_apart(struct telling *t, struct text words)
{
	t->run->is_broken = text_now(t).len == words.len;
	buf_add(&t->run->delta, words);
	buf_add(&t->run->snapshot, words);
	flush(t);
}

/* When the next snapshot may be told: one costs as much as it is long. */
static unsigned chat_pause(const struct telling *t)
{
	const struct gateway_config *config = t->g->options.config;

	return pace_pause(text_now(t).len, config->snapshot_rate,
	                  gateway_watchers_of(t->g, text_of(t->run->key)), config->pace_ms);
}

static void gather(struct telling *t, struct text words)
{
	struct gateway *g = t->g;
	struct told_run *run = t->run;
	uint64_t now = loop_now_ms(g->options.loop);
	unsigned pace_ms = g->options.config->pace_ms;

	if (!words.len)
		return;
	if (t->ear) {
		tell_apart(t, words);
		return;
	}
	if (run->delta.len + words.len > GATHERED_MAX)
		flush_agent(t);
	buf_add(&run->delta, words);
	if (run->snapshot.len + words.len > GATHERED_MAX || !buf_add(&run->snapshot, words))
		run->is_broken = true;
	if (!run->agent_due)
		run->agent_due = now + pace_ms;
	if (!run->chat_due)
		run->chat_due = now + chat_pause(t);
	if (!pace_ms)
		flush_agent(t);
	if (list_is_empty(&run->in_dirty))
		list_add(&g->dirty, &run->in_dirty);
	pace_set(g->pace, pace_ms);
}

/* A message that begins does not go on where the last one ended, whoever has heard of that. */
static void hear_text(struct telling *t)
{
	const struct said_message *open = t->said ? said_open(t->said) : NULL;
	struct text words = json_text_at(t->payload, "content");
	uint64_t number = open ? open->number : 0;

	if (number != t->run->message) {
		bool is_first = t->run->message == 0;

		flush(t);
		t->run->message = number;
		t->run->is_broken = !is_first || (open && text_now(t).len == words.len &&
		                                  transcript_answer(t->said, open));
	}
	t->run->text_seq = t->run->seq;
	gather(t, words);
}

/* Of one that nobody listened to until it ended, the last that it said. */
static struct text last_words(const struct telling *t)
{
	const struct said_message *m;

	if (t->run->message || !t->said)
		return text_now(t);
	m = transcript_answer(t->said, NULL);
	return m ? said_text(&m->text) : TEXT("");
}

static void tell_run_due(struct gateway *g, struct told_run *run, uint64_t now)
{
	struct run *known = runs_find(g->options.runs, text_of(run->id));
	struct telling t = {.g = g, .run = run, .said = known ? known->said : NULL};

	if (run->agent_due && run->agent_due <= now)
		flush_agent(&t);
	if (run->chat_due && run->chat_due <= now && run->agent_due)
		run->chat_due = run->agent_due; /* both go in one send */
	else if (run->chat_due && run->chat_due <= now)
		flush_chat(&t);
	if (!run->agent_due && !run->chat_due)
		list_remove(&run->in_dirty);
}

void gateway_tell_due(struct gateway *g)
{
	uint64_t now = loop_now_ms(g->options.loop), next = UINT64_MAX;

	list_each(&g->dirty, l) {
		struct told_run *run = list_of(l, struct told_run, in_dirty);

		tell_run_due(g, run, now);
		if (run->agent_due && run->agent_due < next)
			next = run->agent_due;
		if (run->chat_due && run->chat_due < next)
			next = run->chat_due;
	}
	if (next != UINT64_MAX)
		pace_set(g->pace, next > now ? (unsigned)(next - now) : 1);
}

/* ---- the others ---- */

static void hear_thought(struct telling *t)
{
	struct text words = json_text_at(t->payload, "content");
	struct buf data;

	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	if (!t->run->thought.full && buf_add(&t->run->thought, words))
		put_text(&data, "text", buf_text(&t->run->thought));
	put_text(&data, "delta", words);
	put_end(&data);
	telling_agent(t, "thinking", GATEWAY_OF_RUNS, buf_text(&data));
	buf_finish(&data);
}

static void put_value(struct buf *out, const char *key, yyjson_val *value)
{
	put_key(out, key);
	json_add(out, value);
}

static void hear_tool(struct telling *t)
{
	bool is_done = t->s->kind == KIND_TOOL_RESULT;
	yyjson_val *given = yyjson_obj_get(t->payload, is_done ? "output" : "input");
	struct buf data;

	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	put_word(&data, "phase", is_done ? "result" : "start");
	put_text(&data, "name", json_text_at(t->payload, "toolName"));
	put_text(&data, "toolCallId", json_text_at(t->payload, "callId"));
	if (is_done)
		put_bool(&data, "isError", !yyjson_get_bool(yyjson_obj_get(t->payload, "success")));
	if (given)
		put_value(&data, is_done ? "result" : "args", given);
	put_end(&data);
	if (!data.full)
		telling_agent(t, "tool", GATEWAY_OF_TOOLS, buf_text(&data));
	buf_finish(&data);
}

static void hear_usage(struct telling *t)
{
	struct buf data;

	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	put_u64(&data, "inputTokens", yyjson_get_uint(yyjson_obj_get(t->payload, "promptTokens")));
	put_u64(&data, "outputTokens",
	        yyjson_get_uint(yyjson_obj_get(t->payload, "completionTokens")));
	put_end(&data);
	telling_agent(t, "usage", GATEWAY_OF_RUNS, buf_text(&data));
	buf_finish(&data);
}

/* A stream of its own type. */
static void hear_other(struct telling *t)
{
	char stream[128];
	struct buf data;

	snprintf(stream, sizeof(stream), "%.*s", TEXT_ARG(t->s->type));
	buf_init(&data, TELLING_MAX);
	json_add(&data, t->payload);
	if (!data.full)
		telling_agent(t, stream, GATEWAY_OF_RUNS, buf_text(&data));
	buf_finish(&data);
}

static void tell_phase(struct telling *t, const char *phase, const char *when, struct text error)
{
	struct buf data;

	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	put_word(&data, "phase", phase);
	if (error.len)
		put_text(&data, "error", error);
	put_u64(&data, when, (uint64_t)t->run->at_ms);
	put_end(&data);
	telling_agent(t, "lifecycle", GATEWAY_OF_RUNS, buf_text(&data));
	buf_finish(&data);
}

static void begin(struct telling *t)
{
	if (t->run->is_begun)
		return;
	t->run->is_begun = true;
	t->run->message = 0;
	t->is_start = true;
	tell_phase(t, "start", "startedAt", TEXT(""));
	t->is_start = false;
}

/* A subagent's end does not end the run; that of what the run was asked for does. */
static bool ends_run(const struct telling *t)
{
	return text_is(json_text_at(t->payload, "taskId"), t->run->id) || !t->said ||
	       said_is_finished(t->said);
}

static void hear_completion(struct telling *t)
{
	bool is_good = yyjson_get_bool(yyjson_obj_get(t->payload, "success"));
	struct chat_words words = {.text = last_words(t)};

	if (!ends_run(t))
		return;
	begin(t);
	flush(t);
	tell_phase(t, "end", "endedAt", TEXT(""));
	words.state = is_good ? "final" : "aborted";
	words.reason = is_good ? "stop" : "rpc";
	telling_chat(t, &words);
	t->run->is_begun = false;
}

static void hear_error(struct telling *t)
{
	struct text message = json_text_at(t->payload, "message");
	struct chat_words words = {.state = "error", .text = last_words(t), .error = message};

	if (text_is(json_text_at(t->payload, "severity"), "warning")) {
		flush(t);
		hear_other(t);
		return;
	}
	begin(t);
	flush(t);
	tell_phase(t, "error", "endedAt", message);
	telling_chat(t, &words);
	t->run->is_begun = false;
}

/* Of the run's life, but by its own phase: clients take names of states for ends. */
static void hear_state(struct telling *t)
{
	static const char *const without[] = {"phase", NULL};
	struct buf data;

	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	put_word(&data, "phase", "state");
	json_add_members(&data, t->payload, without, ',');
	buf_add_char(&data, '}');
	if (!data.full)
		telling_agent(t, "lifecycle", GATEWAY_OF_RUNS, buf_text(&data));
	buf_finish(&data);
}

void telling_signal(struct telling *t)
{
	static void (*const hear[KIND_COUNT])(struct telling * t) = {
		[KIND_TEXT_DELTA] = hear_text,       [KIND_THINKING] = hear_thought,
		[KIND_TOOL_CALL] = hear_tool,        [KIND_TOOL_RESULT] = hear_tool,
		[KIND_TOKEN_USAGE] = hear_usage,     [KIND_ERROR] = hear_error,
		[KIND_COMPLETION] = hear_completion, [KIND_AGENT_STATE_CHANGE] = hear_state,
		[KIND_TASK_DISPATCH] = begin,
	};
	static const bool begins[KIND_COUNT] = {
		[KIND_TASK_DISPATCH] = true, [KIND_TEXT_DELTA] = true,  [KIND_THINKING] = true,
		[KIND_TOOL_CALL] = true,     [KIND_TOOL_RESULT] = true,
	};
	enum signal_kind kind = t->s->kind;

	t->run->at_ms = t->s->at_ms > 0 ? t->s->at_ms : 0;
	if (kind != KIND_TEXT_DELTA && kind != KIND_COMPLETION && kind != KIND_ERROR)
		flush(t);
	if (begins[kind])
		begin(t);
	if (hear[kind])
		hear[kind](t);
	else
		hear_other(t);
}

void gateway_hear(struct gateway *g, struct run *run, const struct signal *s)
{
	struct told_run *known = map_get(&g->runs, text_of(run->id));
	struct telling t = {g, known ? known : run_make(g, run), run->said, s,
	                    yyjson_obj_get(s->envelope, "payload")};

	if (heartbeat_is(s)) {
		if (!t.run->is_begun)
			drop(g, t.run);
		return;
	}
	t.run->seq = run->signals;
	t.run->is_heartbeat = heartbeat_runs(s);
	if (s->kind != KIND_THINKING) {
		buf_clear(&t.run->thought);
		t.run->thought.full = false;
	}
	telling_signal(&t);
	if (!t.run->is_begun)
		drop(g, t.run);
}

/* ---- to one ---- */

void gateway_tell_now(struct gateway *g, const struct run *run)
{
	struct told_run *told = map_get(&g->runs, text_of(run->id));
	struct telling t = {.g = g, .run = told, .said = run->said};

	if (told)
		flush(&t);
}

void gateway_tell_anew(struct gateway_view *view)
{
	struct gateway *g = gateway_of(view);
	struct text id;
	size_t at = 0;
	void *of;

	while (map_next(&g->runs, &at, &id, &of)) {
		struct told_run *run = of;
		struct run *known = runs_find(g->options.runs, id);
		struct telling t = {.g = g, .run = run, .said = known ? known->said : NULL};
		struct chat_words words = {.state = "delta", .is_delta = true, .replaces = true};
		struct buf out;

		words.text = text_now(&t);
		if (!run->is_begun || !words.text.len ||
		    !gateway_sees_session(view, text_of(run->key)))
			continue;
		buf_init(&out, TELLING_MAX);
		put_object(&out, NULL);
		put_word(&out, "type", "event");
		put_word(&out, "event", "chat");
		put_key(&out, "payload");
		telling_put_chat(&out, run, &words, view->protocol);
		put_end(&out);
		if (!out.full)
			client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
		buf_finish(&out);
		if (view->client->state == CLIENT_CLOSING)
			return;
	}
}
