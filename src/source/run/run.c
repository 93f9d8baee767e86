/* run.c - an agent's own hub in the run dialect, to which we are one more screen.
 *
 * Its frames become signals (run_show.c); answers and controls go back on the same socket.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/must.h"
#include "base/put.h"
#include "net/loop.h"
#include "net/ws_client.h"
#include "parse/fault.h"
#include "parse/parse.h"
#include "signal/json.h"
#include "source/backoff.h"
#include "source/run/run_hub.h"
#include "source/transport.h"

#define SEND_MAX (1 * MIB)
#define HELD_MAX (4 * MIB)
#define CONNECT_MS 10000
#define PING_MS 20000
#define CLOSE_NORMAL 1000
#define CLOSE_AWAY 1001
#define CLOSE_UNTRUSTED 1015

#define LOOK_BACK 64 /* events before our place that a parser without a memory is fed */

/* ---- the line ---- */

static void run_is_open(void *self)
{
	struct run_hub *hub = self;

	run_show_begin(hub);
	source_live(hub->source);
}

static void run_got_text(void *self, struct text frame)
{
	run_show_hear(self, frame);
}

static void run_is_closed(void *self, uint16_t code, int status, const char *why)
{
	struct run_hub *hub = self;
	struct loss loss = {.why = why, .for_good = fault_is_for_good(status)};

	run_show_end(hub);
	if (code == CLOSE_UNTRUSTED)
		loss.for_good = true;
	if (code == CLOSE_NORMAL || code == CLOSE_AWAY)
		loss.why = NULL;
	source_lost(hub->source, &loss);
}

static void close_hub(void *self)
{
	struct run_hub *hub = self;

	deadline_clear(&hub->patience);
	ws_client_destroy(hub->client);
	json_reader_finish(&hub->reader);
	buf_finish(&hub->held);
	free(hub->renamed);
	free(hub);
}

/* Before our place, so that it comes too and is known by its bytes. */
static char *url_since(const struct source *source, const struct run_memory *m)
{
	const char *url = source_url(source);
	uint64_t back = m->is_fresh ? LOOK_BACK : 1;
	uint64_t since = m->place.seq > back ? m->place.seq - back : 0;

	if (!m->place.has_seq || strstr(url, "since="))
		return must_dup(url);
	return must_print("%s%csince=%llu", url, strchr(url, '?') ? '&' : '?',
	                  (unsigned long long)since);
}

static void *open_hub(struct source *source, struct error *why)
{
	struct run_hub *hub = must_zero(1, sizeof(*hub));
	struct run_memory *memory = run_memory_of(source);
	char *url = url_since(source, memory);
	struct ws_client_options options = {
		.url = url,
		.message_max = RUN_FRAME_MAX,
		.send_max = SEND_MAX,
		.connect_ms = CONNECT_MS,
		.ping_ms = PING_MS,
		.self = hub,
		.open = run_is_open,
		.text = run_got_text,
		.closed = run_is_closed,
	};

	hub->source = source;
	hub->memory = memory;
	json_reader_init(&hub->reader, RUN_FRAME_MAX);
	buf_init(&hub->held, HELD_MAX);
	hub->client = ws_client_create(source_loop(source), &options, why);
	free(url);
	if (hub->client)
		return hub;
	close_hub(hub);
	return NULL;
}

/* ---- the way back ---- */

static bool send_buf(struct run_hub *hub, struct buf *out, struct error *why)
{
	bool sent = !out->full && ws_client_send(hub->client, buf_text(out));

	buf_finish(out);
	return sent || error_set(why, "the hub does not take anything now");
}

static bool run_reply(void *self, const struct back_outcome *reply, struct error *why)
{
	struct run_hub *hub = self;
	struct run_asked *a = run_memory_find(hub->memory, reply->id);
	struct buf out;

	if (!a && hub->holds)
		return error_set(why, "the hub has not said what is open");
	if (!a || !text_equal(reply->run, run_memory_run(hub->memory)))
		return true; /* over there it is over */
	buf_init(&out, SEND_MAX);
	put_object(&out, NULL);
	put_word(&out, "kind", "answer");
	put_text(&out, "prompt-id", reply->id);
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
	static const char *const ops[] = {"pause", "step", "continue", "arm", "interrupt", "quit"};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (text_is(op, ops[i]))
			return true;
	return false;
}

static bool run_is_ours(const struct run_hub *hub, struct text run)
{
	return text_equal(run, run_memory_run(hub->memory)) ||
	       text_equal(run, source_id(hub->source));
}

static bool can_do(void *self, struct text run, struct text op)
{
	return run_is_ours(self, run) && is_op(op);
}

static enum back_answer run_control(void *self, const struct back_control *c, struct error *why)
{
	struct run_hub *hub = self;
	struct buf out;

	if (!run_is_ours(hub, c->run))
		return BACK_UNKNOWN;
	if (!c->frame.len && !is_op(c->op)) {
		error_set(why, "a hub of the run dialect has no '%.*s'",
		          TEXT_ARG(back_wire_of(c->op)));
		return BACK_NOT_SUPPORTED;
	}
	buf_init(&out, SEND_MAX);
	if (c->frame.len)
		buf_add(&out, c->frame);
	else {
		put_object(&out, NULL);
		put_word(&out, "kind", "control");
		put_text(&out, "op", back_wire_of(c->op));
	}
	if (!c->frame.len && c->n)
		put_u64(&out, "n", c->n);
	if (!c->frame.len)
		buf_add_char(&out, '}');
	return send_buf(hub, &out, why) ? BACK_DONE : BACK_CONFLICT;
}

static void run_hush(void *self, bool hush)
{
	ws_client_hush(((struct run_hub *)self)->client, hush);
}

const struct transport transport_run = {
	.protocol = "run",
	.label = "a hub of runs, such as Escapement's",
	.schemes = source_schemes_ws,
	.credential = "key",
	.parser = "escapement",
	.open = open_hub,
	.close = close_hub,
	.control = run_control,
	.can = can_do,
	.reply = run_reply,
	.keeps_origin = true,
	.forget = run_memory_forget,
	.hush = run_hush,
	.retry = &backoff_run,
};
