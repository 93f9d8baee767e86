/* gateway.c - the gateway dialect: who comes, what it says, what all are told now and then.
 *
 * Nobody is known before its first request, `connect`, has said who it is (connect.c).
 */
#include "gateway/gateway.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "gateway/asking.h"
#include "gateway/begun.h"
#include "gateway/follow.h"
#include "gateway/hall.h"
#include "gateway/haste.h"
#include "gateway/heartbeat.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/memo.h"
#include "gateway/pairing.h"
#include "gateway/pending.h"
#include "gateway/positions.h"
#include "gateway/presence.h"
#include "gateway/row.h"
#include "gateway/streams.h"
#include "gateway/tell.h"
#include "gateway/tokens.h"
#include "gateway/wait.h"
#include "gateway/wishes.h"
#include "hub/hub.h"
#include "journal/journal.h"
#include "net/loop.h"
#include "signal/signal.h"

#define GATEWAY_FRAME_MAX (25 * MIB) /* the most that gateway.max_payload may be */
#define CHALLENGE_MAX 512

/* ---- answers ---- */

void gateway_answer(const struct gateway_call *call, struct text payload)
{
	struct buf out;

	buf_init(&out, GATEWAY_SAY_MAX);
	openclaw_wire_answer(&out, call->id, payload);
	if (out.full)
		gateway_refuse(
			call, &(struct gateway_fault){FAULT_UNAVAILABLE, "the answer is too long"});
	else
		client_say_frame(call->view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

void gateway_refuse(const struct gateway_call *call, const struct gateway_fault *fault)
{
	struct buf out;

	buf_init(&out, GATEWAY_SAY_MAX);
	openclaw_wire_refuse(&out, call->id, fault);
	client_say_frame(call->view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

void gateway_refuse_words(const struct gateway_call *call, const char *words)
{
	gateway_refuse(call, &(struct gateway_fault){FAULT_INVALID_REQUEST, words});
}

/* ---- coming ---- */

static void make_id(char id[GATEWAY_ID])
{
	random_uuid(id);
	id[RANDOM_UUID_LEN] = '\0';
}

static void challenge(struct client *c, const struct http *http)
{
	struct gateway *g = client_of_dialect(c);
	struct gateway_view *view = client_view(c);
	struct buf out;

	(void)http;
	view->client = c;
	g->unknown = client_options(c)->ws;
	g->unknown.message_max = GATEWAY_FIRST_MAX;
	client_limit(c, &g->unknown);
	list_init(&view->in_room);
	list_init(&view->in_stream);
	gateway_hall_enter(view);
	view->nonce = must_zero(1, GATEWAY_ID);
	make_id(view->nonce);
	buf_init(&out, CHALLENGE_MAX);
	openclaw_wire_event(&out, OPENCLAW_CHALLENGE);
	put_object(&out, "payload");
	put_word(&out, "nonce", view->nonce);
	put_i64(&out, "ts", clock_wall_ms());
	put_list(&out, "capabilities");
	put_list_end(&out);
	put_end(&out);
	put_end(&out);
	client_say_frame(c, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

/* ---- hearing ---- */

static bool is_request(yyjson_val *frame, struct gateway_call *call)
{
	struct openclaw_head head;

	openclaw_wire_read(frame, &head);
	call->id = head.id;
	call->method = head.method;
	call->params = head.params;
	return head.kind == OPENCLAW_REQ && head.id.len && head.method.len;
}

static void hear_stranger(const struct gateway_call *call, bool is_good)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST,
	                              "invalid handshake: first request must be connect"};

	if (!is_good) {
		client_close(call->view->client, 1008, TEXT("invalid request frame"));
	} else if (openclaw_method_of(call->method) != METHOD_CONNECT) {
		gateway_refuse(call, &fault);
		client_close(call->view->client, 1008, text_of(fault.message));
	} else {
		gateway_connect(call);
	}
}

static void hear_frame(struct client *c, struct text message)
{
	struct gateway_call call = {client_of_dialect(c), client_view(c), .raw = message};
	yyjson_doc *doc = json_read(&call.gateway->reader, message, NULL);
	bool is_good = is_request(yyjson_doc_get_root(doc), &call);

	if (!call.view->stream) {
		hear_stranger(&call, is_good);
	} else if (!is_good) {
		call.id = call.id.len ? call.id : TEXT("invalid");
		gateway_refuse(&call, &(struct gateway_fault){FAULT_INVALID_REQUEST,
		                                              "invalid request frame"});
	} else {
		gateway_dispatch(&call);
	}
}

/* ---- what goes out ---- */

/* What was the past when the first of them came is folded. */
bool gateway_is_up(const struct gateway *g)
{
	return runs_seq(g->options.runs) >= g->past_seq;
}

static enum pump pump(struct client *c, size_t *budget)
{
	struct gateway_view *view = client_has_view(c);
	char *waiting = view->waiting;

	if (!view->stream)
		return PUMP_IDLE;
	gateway_pump_stream(view);
	gateway_wait_answer(view);
	if (!waiting || c->state == CLIENT_CLOSING)
		return gateway_positions_pump(view, budget);
	view->waiting = NULL;
	hear_frame(c, text_of(waiting));
	free(waiting);
	if (view->waiting && c->state != CLIENT_CLOSING && gateway_is_up(client_of_dialect(c)))
		return PUMP_MORE;
	return gateway_positions_pump(view, budget);
}

static void pump_all(struct gateway *g)
{
	list_each(&g->views, l)
		client_work(list_of(l, struct gateway_view, in_room)->client);
}

static void pace_is_due(void *self)
{
	gateway_tell_due(self);
}

static void tick(struct deadline *deadline)
{
	struct gateway *g = list_of(deadline, struct gateway, tick);
	struct gateway_event e = {OPENCLAW_TICK, GATEWAY_FOR_ALL, .may_drop = true};
	struct buf out;

	buf_init(&out, CHALLENGE_MAX);
	put_object(&out, NULL);
	put_i64(&out, "ts", clock_wall_ms());
	put_end(&out);
	e.payload = buf_text(&out);
	gateway_broadcast(g, &e);
	buf_finish(&out);
	if (++g->ticks % 2 == 0)
		gateway_tell_health(g);
	if (g->view_count)
		deadline_set(g->options.loop, &g->tick, g->options.config->tick_ms);
}

/* ---- joining and leaving ---- */

/* What was in the journal when the first of them came is the past. */
static void before_signal(struct runs_listener *listener, const struct run *run)
{
	gateway_positions_before(list_of(listener, struct gateway, listener), run);
}

static void hear_signal_of(struct runs_listener *listener, struct run *run, const struct signal *s)
{
	struct gateway *g = list_of(listener, struct gateway, listener);

	gateway_hear_generation(g, run, s);
	gateway_wait_hear(g, run, s);
	gateway_positions_hear(g, run, s);
	if (s->seq <= g->past_seq || !g->view_count)
		return;
	gateway_hear(g, run, s);
	gateway_follow_hear(g, run, s);
}

static void open_room(struct gateway *g)
{
	g->is_open = true;
	g->past_seq = journal_last_seq(g->options.journal);
	pending_begin(g);
	runs_watch(g->options.runs, true);
	runs_reach(g->options.runs);
	gateway_find_generations(g);
	runs_listen(g->options.runs, &g->listener);
	gateway_haste_begin(g->haste);
	deadline_set(g->options.loop, &g->tick, g->options.config->tick_ms);
}

static void close_room(struct gateway *g)
{
	g->is_open = g->presence_changed = false;
	runs_watch(g->options.runs, false);
	list_remove(&g->listener.in_runs);
	gateway_haste_end(g->haste);
	gateway_tell_forget(g);
	gateway_leave_sent(g);
	deadline_clear(&g->tick);
	deadline_clear(&g->gather);
}

void gateway_enter(struct gateway_view *view)
{
	struct gateway *g = gateway_of(view);

	if (!g->is_open)
		open_room(g);
	g->view_count++;
	free(view->nonce);
	view->waiting = NULL;
	list_remove(&view->in_room);
	list_add(&g->views, &view->in_room);
	gateway_join_stream(view);
	client_make_room(view->client, g->options.config->max_buffered);
	g->desk.back = &client_options(view->client)->back;
	g->known = client_options(view->client)->ws;
	g->known.message_max = g->config.max_payload;
	client_limit(view->client, &g->known);
}

/* It may be closed while it is told something: what others use goes at the end of the turn. */
static void leave(struct client *c)
{
	struct gateway_view *view = client_has_view(c);
	struct gateway *g = client_of_dialect(c);

	free(view->waiting);
	view->waiting = NULL;
	list_remove(&view->in_room);
	gateway_token_drop(view);
	if (!view->stream)
		return;
	gateway_follow_leave(view);
	gateway_wait_leave(view);
	gateway_positions_leave(view);
	gateway_leave_stream(view);
	gateway_drop_card(view);
	g->view_count--;
	gateway_presence_changed(g);
}

static void late(struct client *c)
{
	client_close(c, 1000, TEXT(""));
}

static void farewell(struct client *c)
{
	struct gateway_view *view = client_has_view(c);
	struct buf out;

	if (view && view->stream)
		gateway_pump_stream(view);
	if (view && view->stream && !view->stream->is_quiet) {
		buf_init(&out, CHALLENGE_MAX);
		openclaw_wire_event(&out, OPENCLAW_SHUTDOWN);
		put_object(&out, "payload");
		put_word(&out, "reason", "gateway stopping");
		if (view->protocol == GATEWAY_OLDEST)
			put_word(&out, "restartExpectedMs", NULL);
		put_end(&out);
		put_u64(&out, "seq", view->stream->seq + 1);
		put_end(&out);
		client_say_frame(c, WS_OP_TEXT, buf_text(&out));
		buf_finish(&out);
	}
	client_close(c, 1012, TEXT("service restart"));
}

static void news(void *of, const struct news *news)
{
	struct gateway *g = of;

	if (news->kind == NEWS_RUNS) {
		gateway_follow_tell(g);
		gateway_queue_look(g);
		pump_all(g);
		pending_tell_new(g);
	} else if (news->kind == NEWS_PROMPT) {
		pending_heard(g, news->prompt);
	} else if (news->kind == NEWS_CREW) {
		gateway_tell_sessions(g);
		gateway_queue_look(g);
	}
}

static void end_turn(void *of)
{
	struct gateway *g = of;

	gateway_positions_end_turn(g->positions);
	gateway_end_streams(g);
	if (g->is_open && !g->view_count)
		close_room(g);
}

/* ---- the room ---- */

void gateway_reload(struct gateway *g, const struct gateway_config *fresh)
{
	struct gateway_config old = g->config;
	const struct {
		const char *key;
		bool differs;
	} promised[] = {
		{"tick", old.tick_ms != fresh->tick_ms},
		{"max_payload", old.max_payload != fresh->max_payload},
		{"max_buffered", old.max_buffered != fresh->max_buffered},
	};

	for (size_t i = 0; i < sizeof(promised) / sizeof(*promised); i++)
		if (promised[i].differs)
			log_warn("gateway", "gateway.%s is another one, which needs a restart",
			         promised[i].key);
	g->config = *fresh;
	g->config.tick_ms = old.tick_ms;
	g->config.max_payload = old.max_payload;
	g->config.max_buffered = old.max_buffered;
	gateway_pairing_check(g);
}

struct gateway *gateway_create(const struct gateway_options *options)
{
	struct gateway *g = must_zero(1, sizeof(*g));

	g->options = *options;
	g->config = *options->config;
	g->options.config = &g->config;
	g->listener.before = before_signal;
	g->listener.hear = hear_signal_of;
	g->haste = gateway_haste_create(g);
	g->tick.fire = tick;
	g->gather.fire = gateway_tell_presence;
	g->presence_version = g->health_version = 1;
	g->began_ms = (double)clock_wall_ms();
	make_id(g->boot_id);
	g->patience.fire = gateway_hall_late;
	list_init(&g->hall);
	list_init(&g->views);
	list_init(&g->streams);
	list_init(&g->tokens);
	g->positions = gateway_positions_create();
	list_init(&g->dirty);
	list_init(&g->listener.in_runs);
	list_init(&g->sent_order);
	map_init(&g->runs);
	map_init(&g->sent);
	map_init(&g->cards);
	json_reader_init(&g->reader, GATEWAY_FRAME_MAX);
	buf_init(&g->scratch, GATEWAY_FRAME_MAX);
	g->desk.follows = gateway_follows_create();
	map_init(&g->desk.begun);
	list_init(&g->desk.just);
	map_init(&g->desk.wishes);
	list_init(&g->desk.wish_order);
	g->desk.queue = gateway_queue_create(g);
	g->desk.waits = gateway_waits_create(g);
	g->pace = pace_create(options->loop, pace_is_due, g);
	g->asks = pending_create();
	g->heartbeat = heartbeat_create(g);
	g->pairing = gateway_pairing_create(g);
	g->desk.memo = gateway_memo_open(g);
	return g;
}

void gateway_destroy(struct gateway *g)
{
	if (!g)
		return;
	gateway_memo_close(g->desk.memo);
	gateway_positions_destroy(g->positions);
	gateway_end_streams(g);
	deadline_clear(&g->patience);
	if (g->is_open)
		close_room(g);
	map_finish(&g->runs);
	gateway_forget_sent(g, UINT64_MAX);
	map_finish(&g->sent);
	map_finish(&g->cards);
	pace_destroy(g->pace);
	gateway_haste_destroy(g->haste);
	pending_destroy(g->asks);
	heartbeat_destroy(g->heartbeat);
	gateway_pairing_destroy(g->pairing);
	json_reader_finish(&g->reader);
	buf_finish(&g->scratch);
	gateway_follows_destroy(g->desk.follows);
	map_finish(&g->desk.begun);
	gateway_wishes_finish(g);
	gateway_forget_begun(g);
	gateway_queue_destroy(g->desk.queue);
	gateway_waits_destroy(g->desk.waits);
	free(g);
}

static const char *const anywhere[] = {"*", NULL};

const struct dialect dialect_gateway = {
	.name = "gateway",
	.path = "/ws/gateway",
	.pins = anywhere,
	.is_websocket = true,
	.is_held = true,
	.needs = SCOPE_OBSERVE | SCOPE_ANSWER | SCOPE_CONTROL | SCOPE_ADMIN,
	.stranger_ms = GATEWAY_HANDSHAKE_MS,
	.by_message = true,
	.view = sizeof(struct gateway_view),
	.settings = &gateway_settings,
	.welcome = challenge,
	.hear = hear_frame,
	.late = late,
	.beat = client_ping,
	.farewell = farewell,
	.pump = pump,
	.leave = leave,
	.news = news,
	.end_turn = end_turn,
};
