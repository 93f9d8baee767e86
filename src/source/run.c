/* run.c - an agent's own hub in the run dialect, to which we are one more screen.
 *
 * Its frames become signals; answers and controls go back on the same socket.  One that
 * we meet shows what it remembers first: where it stands, an open prompt, and its last
 * events.  The run is named by `runner/started`, which may be among the last of these,
 * so all of it is held back for a moment.  When we come back it shows them again: what
 * is known is passed over, up to the first event that is not.
 *
 * An answer that another screen gave is only heard of as an event without the prompt's
 * id.  So what is open is kept here by its invokeid.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/must.h"
#include "net/loop.h"
#include "net/ws_client.h"
#include "parse/parse.h"
#include "signal/json.h"
#include "source/backoff.h"
#include "source/fault.h"
#include "source/run_memory.h"
#include "source/transport.h"

#define SEND_MAX (1 * MIB)
#define HELD_MAX (4 * MIB)
#define HELD_MS 250
#define CONNECT_MS 10000
#define PING_MS 20000
#define CLOSE_NORMAL 1000
#define CLOSE_AWAY 1001
#define CLOSE_UNTRUSTED 1015

struct hub {
	struct source *source;
	struct run_memory *memory;
	struct ws_client *client;
	struct json_reader reader;
	bool holds;      /* what comes is held back */
	bool attaches;   /* no event came yet: states may be known */
	bool catches_up; /* events may be known */
	struct buf held; /* lengths and frames */
	struct deadline patience;
};

/* ---- prompts ---- */

/* False: it is open already, and was only shown again. */
static bool note_prompt(struct hub *hub, yyjson_val *root, uint64_t hash)
{
	struct run_memory *m = hub->memory;
	struct text id = json_text(yyjson_obj_get(root, "prompt-id"));
	struct run_asked *a = run_memory_find(m, id);

	if (a && a->hash == hash) {
		source_asks_again(hub->source, run_memory_run(m));
		return false;
	}
	if (a)
		run_memory_close(m, a);
	a = run_memory_ask(m, id, json_text(yyjson_obj_get(root, "invokeid")));
	a->hash = hash;
	source_asks_again(hub->source, run_memory_run(m)); /* it may have been answered before us */
	return run_memory_find(m, id) != NULL;
}

/* Somebody answered: us, or who stands before another screen. */
static void note_answered(struct hub *hub, yyjson_val *data)
{
	struct text invoke = json_text(yyjson_obj_get(data, "invokeid"));

	list_each(&hub->memory->prompts, l) {
		struct run_asked *a = list_of(l, struct run_asked, in_memory);

		if (invoke.len && !text_is(invoke, a->invoke))
			continue;
		source_withdrew(hub->source, text_of(a->id), "it was answered on another screen");
		run_memory_close(hub->memory, a);
		return;
	}
}

/* ---- frames ---- */

enum frame_kind { FRAME_OTHER, FRAME_EVENT, FRAME_PROMPT };

static enum frame_kind kind_of(yyjson_val *root)
{
	yyjson_val *kind = yyjson_obj_get(root, "kind");

	if (yyjson_equals_str(kind, "prompt"))
		return FRAME_PROMPT;
	return !kind || yyjson_equals_str(kind, "event") ? FRAME_EVENT : FRAME_OTHER;
}

static struct text started_session(yyjson_val *root)
{
	if (!yyjson_equals_str(yyjson_obj_get(root, "event"), "runner/started"))
		return (struct text){NULL, 0};
	return json_text(yyjson_obj_get(yyjson_obj_get(root, "data"), "session-id"));
}

static bool is_answered(yyjson_val *root)
{
	yyjson_val *event = yyjson_obj_get(root, "event");

	return yyjson_equals_str(event, "human-input/answer") ||
	       yyjson_equals_str(event, "human-input/cancelled");
}

/* Is it news? */
static bool note_frame(struct hub *hub, yyjson_val *root, struct text frame)
{
	uint64_t hash = run_memory_hash(hub->memory, frame);
	enum frame_kind kind = kind_of(root);

	if (kind == FRAME_PROMPT)
		return note_prompt(hub, root, hash);
	if (kind == FRAME_EVENT)
		hub->attaches = false;
	if ((kind == FRAME_EVENT ? hub->catches_up : hub->attaches) &&
	    run_memory_knows(hub->memory, hash))
		return false;
	run_memory_know(hub->memory, hash);
	if (kind != FRAME_EVENT)
		return true;
	hub->catches_up = false;
	run_memory_begin(hub->memory, started_session(root));
	if (is_answered(root))
		note_answered(hub, yyjson_obj_get(root, "data"));
	return true;
}

static void take(struct hub *hub, struct text frame)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(&hub->reader, frame, NULL));

	if (!yyjson_is_obj(root))
		source_bad(hub->source, "a frame that is no JSON object");
	else if (note_frame(hub, root, frame))
		parse_message(hub->memory->parse, frame);
}

/* ---- what is held back ---- */

static void release(struct hub *hub)
{
	uint32_t len;

	hub->holds = false;
	deadline_clear(&hub->patience);
	for (size_t at = 0; at < hub->held.len; at += sizeof(len) + len) {
		memcpy(&len, hub->held.at + at, sizeof(len));
		take(hub, (struct text){hub->held.at + at + sizeof(len), len});
	}
	buf_finish(&hub->held);
}

static void ran_out(struct deadline *deadline)
{
	struct hub *hub = list_of(deadline, struct hub, patience);

	release(hub);
	hub->attaches = false;
}

/* It is known whose frames these are: the run begins here, or goes on. */
static bool tells_run(struct hub *hub, struct text frame)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(&hub->reader, frame, NULL));
	struct text session = started_session(root);

	if (kind_of(root) != FRAME_EVENT)
		return false;
	if (session.len && !run_memory_knows(hub->memory, run_memory_hash(hub->memory, frame)))
		run_memory_begin(hub->memory, session);
	return session.len || run_memory_knows(hub->memory, run_memory_hash(hub->memory, frame));
}

static void got_text(void *self, struct text frame)
{
	struct hub *hub = self;
	uint32_t len = (uint32_t)frame.len;
	bool is_clear;

	if (!hub->holds) {
		take(hub, frame);
		return;
	}
	is_clear = tells_run(hub, frame);
	if (hub->held.len + sizeof(len) + frame.len > hub->held.max) {
		release(hub);
		take(hub, frame);
		return;
	}
	buf_add(&hub->held, (struct text){(const char *)&len, sizeof(len)});
	buf_add(&hub->held, frame);
	if (is_clear)
		release(hub);
}

/* ---- the line ---- */

static void is_open(void *self)
{
	struct hub *hub = self;

	hub->holds = hub->attaches = hub->catches_up = true;
	deadline_set(source_loop(hub->source), &hub->patience, HELD_MS);
	source_live(hub->source);
}

static void is_closed(void *self, uint16_t code, int status, const char *why)
{
	struct hub *hub = self;
	struct loss loss = {.why = why, .for_good = fault_is_for_good(status)};

	if (hub->holds)
		release(hub);
	if (code == CLOSE_UNTRUSTED)
		loss.for_good = true;
	if (code == CLOSE_NORMAL || code == CLOSE_AWAY)
		loss.why = NULL;
	source_lost(hub->source, &loss);
}

static void close_hub(void *self)
{
	struct hub *hub = self;

	deadline_clear(&hub->patience);
	ws_client_destroy(hub->client);
	json_reader_finish(&hub->reader);
	buf_finish(&hub->held);
	free(hub);
}

static void *open_hub(struct source *source, struct error *why)
{
	struct hub *hub = must_zero(1, sizeof(*hub));
	struct ws_client_options options = {
		.url = source_url(source),
		.message_max = RUN_FRAME_MAX,
		.send_max = SEND_MAX,
		.connect_ms = CONNECT_MS,
		.ping_ms = PING_MS,
		.self = hub,
		.open = is_open,
		.text = got_text,
		.closed = is_closed,
	};

	hub->source = source;
	hub->memory = run_memory_of(source);
	hub->patience.fire = ran_out;
	json_reader_init(&hub->reader, RUN_FRAME_MAX);
	buf_init(&hub->held, HELD_MAX);
	hub->client = ws_client_create(source_loop(source), &options, why);
	if (hub->client)
		return hub;
	close_hub(hub);
	return NULL;
}

/* ---- the way back ---- */

static bool send_buf(struct hub *hub, struct buf *out, struct error *why)
{
	bool sent = !out->full && ws_client_send(hub->client, buf_text(out));

	buf_finish(out);
	return sent || error_set(why, "the hub does not take anything now");
}

static bool reply(void *self, const struct source_reply *reply, struct error *why)
{
	struct hub *hub = self;
	struct run_asked *a = run_memory_find(hub->memory, reply->id);
	struct buf out;

	if (!a && hub->holds)
		return error_set(why, "the hub has not said what is open");
	if (!a || !text_equal(reply->run, run_memory_run(hub->memory)))
		return true; /* over there it is over */
	buf_init(&out, SEND_MAX);
	buf_add(&out, TEXT("{\"kind\":\"answer\",\"prompt-id\":"));
	buf_add_json(&out, reply->id);
	buf_add(&out, reply->value.len ? TEXT(",\"value\":") : TEXT(",\"cancelled\":true"));
	buf_add(&out, reply->value);
	buf_add_char(&out, '}');
	if (!send_buf(hub, &out, why))
		return false;
	run_memory_close(hub->memory, a);
	return true;
}

static bool is_op(struct text op)
{
	static const char *const ops[] = {"pause", "step",         "continue",
	                                  "arm",   "ui-interrupt", "ui-quit"};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (text_is(op, ops[i]))
			return true;
	return false;
}

static bool is_ours(const struct hub *hub, struct text run)
{
	return text_equal(run, run_memory_run(hub->memory)) ||
	       text_equal(run, source_id(hub->source));
}

static bool can(void *self, struct text run, struct text op)
{
	return is_ours(self, run) && is_op(op);
}

static enum source_answer control(void *self, const struct source_control *c, struct error *why)
{
	struct hub *hub = self;
	struct buf out;

	if (!is_ours(hub, c->run))
		return SOURCE_UNKNOWN;
	if (!c->frame.len && !is_op(c->op)) {
		error_set(why, "a hub of the run dialect has no '%.*s'", TEXT_ARG(c->op));
		return SOURCE_NOT_SUPPORTED;
	}
	buf_init(&out, SEND_MAX);
	if (c->frame.len)
		buf_add(&out, c->frame);
	else
		buf_print(&out, "{\"kind\":\"control\",\"op\":\"%.*s\"", TEXT_ARG(c->op));
	if (!c->frame.len && c->n)
		buf_print(&out, ",\"n\":%llu", (unsigned long long)c->n);
	if (!c->frame.len)
		buf_add_char(&out, '}');
	return send_buf(hub, &out, why) ? SOURCE_DONE : SOURCE_CONFLICT;
}

static void hush(void *self, bool hush)
{
	ws_client_hush(((struct hub *)self)->client, hush);
}

const struct transport transport_run = {
	.protocol = "run",
	.parser = "escapement",
	.open = open_hub,
	.close = close_hub,
	.control = control,
	.can = can,
	.reply = reply,
	.keeps_origin = true,
	.forget = run_memory_forget,
	.hush = hush,
	.retry = &backoff_run,
};
