/* tell.c - the one table of signals and events of a gateway. */
#include "gateway/tell.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/came.h"
#include "gateway/came_chat.h"
#include "gateway/heartbeat.h"
#include "gateway/keys.h"
#include "gateway/telling.h"
#include "gateway/transcript.h"
#include "net/loop.h"
#include "run/hear.h"
#include "run/said.h"
#include "signal/kind.h"
#include "signal/session.h"
#include "signal/signal.h"

#define RUNS_MAX 4096 /* that are told of; the memory of others is made anew */

/* ---- runs ---- */

static bool has_words(const struct said *said)
{
	if (said)
		list_each(&said->messages, l)
			if (list_of(l, struct said_message, in_said)->role == SAID_ASSISTANT)
				return true;
	return false;
}

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
	made->knows_chat = !has_words(run->said);
	list_init(&made->in_dirty);
	buf_init(&made->delta, TELLING_MAX);
	buf_init(&made->snapshot, TELLING_MAX);
	buf_init(&made->thought, TELLING_TEXT_MAX);
	map_set(&g->runs, text_of(run->id), made);
	return made;
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

/* What the box said to somebody who wrote to an agent's session. */
static void hear_command(struct telling *t)
{
	telling_chat(t, &(struct chat_words){.state = "final",
	                                     .text = json_text_at(t->payload, "answer")});
}

/* A stream of its own type. */
static void hear_other(struct telling *t)
{
	char stream[128];
	struct buf data;

	if (t->came.payload) {
		came_tell_others(t);
		return;
	}
	if (session_is_command(t->s->type, t->s->source)) {
		hear_command(t);
		return;
	}
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

/* A gateway has its own word, or none. */
static struct text reason_of(const struct telling *t, bool is_good)
{
	if (t->came.protocol)
		return json_text_at(yyjson_obj_get(t->s->envelope, "metadata"), "stopReason");
	return is_good ? TEXT("stop") : TEXT("rpc");
}

static void hear_completion(struct telling *t)
{
	bool is_good = yyjson_get_bool(yyjson_obj_get(t->payload, "success"));
	struct chat_words words = {.text = telling_last_words(t), .reason = reason_of(t, is_good)};

	if (!ends_run(t))
		return;
	begin(t);
	telling_flush(t);
	tell_phase(t, "end", "endedAt", TEXT(""));
	words.state = is_good ? "final" : "aborted";
	telling_chat(t, &words);
	t->run->is_begun = false;
}

static void hear_error(struct telling *t)
{
	struct text message = json_text_at(t->payload, "message");
	struct chat_words words = {
		.state = "error", .text = telling_last_words(t), .error = message};

	if (text_is(json_text_at(t->payload, "severity"), "warning")) {
		telling_flush(t);
		hear_other(t);
		return;
	}
	begin(t);
	telling_flush(t);
	tell_phase(t, "error", "endedAt", message);
	telling_chat(t, &words);
	t->run->is_begun = false;
}

/* Of the run's life, but by its own phase: clients take names of states for ends. */
static void hear_state(struct telling *t)
{
	static const char *const without[] = {"phase", NULL};
	struct buf data;

	if (came_begins(t) && !t->run->is_begun) {
		begin(t);
		return;
	}
	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	put_word(&data, "phase", "state");
	json_add_members(&data, t->payload, without, ',');
	buf_add_char(&data, '}');
	if (!data.full)
		telling_agent(t, "lifecycle", GATEWAY_OF_RUNS, buf_text(&data));
	buf_finish(&data);
}

/* What was gathered for others stays so. */
static void tell_rest(struct telling *t)
{
	if (came_bit(t) != t->run->delta_but)
		telling_flush(t);
	came_tell(t);
}

void telling_signal(struct telling *t)
{
	static void (*const hear[KIND_COUNT])(struct telling * t) = {
		[KIND_TEXT_DELTA] = telling_words,   [KIND_THINKING] = hear_thought,
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

	came_find(t);
	t->run->at_ms = t->s->at_ms > 0 ? t->s->at_ms : 0;
	if (run_is_told(t->s)) {
		tell_rest(t);
		return;
	}
	t->but = came_bit(t);
	if (kind != KIND_TEXT_DELTA && kind != KIND_COMPLETION && kind != KIND_ERROR)
		telling_flush(t);
	if (begins[kind])
		begin(t);
	if (hear[kind])
		hear[kind](t);
	else
		hear_other(t);
	came_tell(t);
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
	if (s->kind != KIND_THINKING && !run_is_told(s)) {
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

	if (!told)
		return;
	telling_flush(&t);
	came_catch_up(&t);
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

		words.text = telling_text_now(&t);
		if (!run->is_begun || !words.text.len ||
		    !gateway_sees_session(view, text_of(run->key)))
			continue;
		buf_init(&out, TELLING_MAX);
		openclaw_wire_event(&out, OPENCLAW_CHAT);
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
