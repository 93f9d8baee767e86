/* openclaw.c - the line to a gateway: frames in and out, ticks, gaps, trust.
 *
 * A token goes to another machine only over TLS.  One that was found in OpenClaw's
 * own configuration goes only to a socket of this machine that belongs to our own
 * user: somebody else may hold the port.  The gateway keeps no past: what a gap in its
 * numbers can still be made up for is openclaw_sync.c's business.
 */
#include "source/openclaw/openclaw_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "net/peer.h"
#include "net/url.h"
#include "net/ws_client.h"
#include "parse/fault.h"
#include "parse/openclaw_past.h"
#include "parse/parse.h"
#include "source/backoff.h"
#include "source/found.h"
#include "source/openclaw/device.h"
#include "source/openclaw/openclaw_call.h"
#include "source/openclaw/openclaw_config.h"

#define CONNECT_MS 10000
#define HANDSHAKE_MS 15000
#define PING_MS 30000
#define SEND_MAX (4 * MIB)
#define CLOSE_PROTOCOL 1002
#define CLOSE_POLICY 1008
#define CLOSE_RESTART 1012

/* ---- loss ---- */

/* A gateway that can tell what became of them is asked when it is back. */
static void leave_runs(struct openclaw *o, const struct loss *loss)
{
	const char *why = loss->why ? loss->why : "the gateway closed the connection";

	if (loss->for_good || !openclaw_has(o, METHOD_SESSIONS_SUBSCRIBE))
		openclaw_end_runs(o->memory, why);
	else
		openclaw_cut_runs(o->memory, why);
}

void openclaw_lose(struct openclaw *o, const struct loss *loss)
{
	char *why = must_dup(loss->why);
	struct loss told = {why, loss->retry_after_ms, loss->for_good};

	if (!o->is_over) {
		o->is_over = true;
		deadline_clear(&o->patience);
		ws_client_destroy(o->client);
		o->client = NULL;
		fault_hide(why, o->token);
		openclaw_drop_waits(o);
		leave_runs(o, &told);
		if (o->step == STEP_LIVE)
			o->memory->lost_at_ms = clock_wall_ms();
		source_lost(o->source, &told);
	}
	free(why);
}

static void lose_for_good(struct openclaw *o, const char *why)
{
	openclaw_lose(o, &(struct loss){.why = why, .for_good = true});
}

static void openclaw_ran_out(struct deadline *deadline)
{
	struct openclaw *o = list_of(deadline, struct openclaw, patience);
	char words[96];

	if (o->step == STEP_LIVE)
		snprintf(words, sizeof(words), "the gateway was silent for more than %u s",
		         2 * o->tick_ms / 1000);
	else
		snprintf(words, sizeof(words), "the gateway did not %s within %d s",
		         o->step == STEP_CHALLENGE ? "send its challenge" : "say hello",
		         HANDSHAKE_MS / 1000);
	openclaw_lose(o, &(struct loss){.why = words});
}

/* A gateway that is not read cannot be called silent. */
static void expect_frame(struct openclaw *o)
{
	if (o->is_hushed)
		deadline_clear(&o->patience);
	else
		deadline_set(source_loop(o->source), &o->patience, 2 * o->tick_ms);
}

static void openclaw_is_closed(void *self, uint16_t code, int status, const char *why)
{
	struct openclaw *o = self;
	struct loss loss = {.for_good = fault_is_for_good(status)};
	char words[320];

	loss.why = words;
	if (status)
		snprintf(words, sizeof(words), "the upgrade was refused: %d%s%s", status,
		         why ? ": " : "", why ? why : "");
	else if (o->farewell)
		snprintf(words, sizeof(words), "the gateway shut down: %s", o->farewell);
	else if (code == CLOSE_RESTART)
		snprintf(words, sizeof(words), "the gateway restarts");
	else
		snprintf(words, sizeof(words), "connection lost (code %u%s%s)", code,
		         why && *why ? ": " : "", why ? why : "");
	if (o->step != STEP_LIVE && (code == CLOSE_PROTOCOL || code == CLOSE_POLICY))
		loss.for_good = true;
	loss.retry_after_ms = o->restart_ms;
	openclaw_lose(o, &loss);
}

/* ---- requests ---- */

uint64_t openclaw_request(struct openclaw *o, const char *method, struct text params)
{
	struct buf out;
	char id[24];
	bool sent;

	buf_init(&out, SEND_MAX);
	o->last_id++;
	snprintf(id, sizeof(id), "%llu", (unsigned long long)o->last_id);
	openclaw_wire_request(&out, text_of(id), method, params);
	sent = o->client && !out.full && (!o->payload_max || out.len <= o->payload_max) &&
	       ws_client_send(o->client, buf_text(&out));
	if (out.len) /* the connect request has the token in it */
		explicit_bzero(out.at, out.len);
	buf_finish(&out);
	return sent ? o->last_id : 0;
}

/* ---- events ---- */

/* Events of protocol 4 are numbered for this connection without holes.  In
 * protocol 3 the number is the gateway's own, and what we may not see leaves a
 * hole too: so that is only remarked. */
static void meet_gap(struct openclaw *o, uint64_t seq)
{
	char words[128];

	snprintf(words, sizeof(words), "the gateway's events %llu to %llu did not come",
	         (unsigned long long)o->seq + 1, (unsigned long long)seq - 1);
	source_bad(o->source, words);
	if (o->protocol >= 4)
		openclaw_sync_gap(o, seq - o->seq - 1);
}

static void take_seq(struct openclaw *o, yyjson_val *value)
{
	uint64_t seq = yyjson_get_uint(value);

	if (seq == 0)
		return;
	if (o->seq && seq > o->seq + 1)
		meet_gap(o, seq);
	if (seq > o->seq)
		o->seq = seq;
}

static void take_shutdown(struct openclaw *o, yyjson_val *payload)
{
	const char *reason = yyjson_get_str(yyjson_obj_get(payload, "reason"));
	uint64_t back_ms = yyjson_get_uint(yyjson_obj_get(payload, "restartExpectedMs"));

	free(o->farewell);
	o->farewell = must_dup(reason ? reason : "no reason given");
	o->restart_ms = back_ms < 3600000 ? (unsigned)back_ms : 3600000;
}

/* Documents have it without an envelope. */
static bool is_challenge(const struct openclaw_head *head)
{
	return openclaw_event_of(head->type) == OPENCLAW_CHALLENGE ||
	       openclaw_event_of(head->event) == OPENCLAW_CHALLENGE;
}

static void take_res(struct openclaw *o, yyjson_val *root, const struct openclaw_head *head)
{
	uint64_t id = 0;

	text_to_u64(head->id, &id);
	if (o->step == STEP_HELLO && id == o->last_id)
		openclaw_take_hello(o, root);
	else if (o->step == STEP_LIVE)
		openclaw_take_answer(o, id, root);
}

static void take_live_event(struct openclaw *o, const struct openclaw_head *head,
                            struct text message)
{
	enum openclaw_event event = openclaw_event_of(head->event);

	if (event == OPENCLAW_SHUTDOWN)
		take_shutdown(o, head->payload);
	if (o->is_over)
		return;
	openclaw_note(o, event, head->payload);
	/* That it still lives is told by nothing else happening. */
	if (event != OPENCLAW_TICK)
		parse_message(o->memory->parse, message);
	openclaw_note_question(o, event, head->payload);
}

static void take_frame(struct openclaw *o, yyjson_val *root, struct text message)
{
	struct openclaw_head head;

	openclaw_wire_read(root, &head);
	if (head.kind == OPENCLAW_RES) {
		bool was_live = o->step == STEP_LIVE;

		take_res(o, root, &head);
		if (o->step == STEP_LIVE && !was_live) { /* the state of the gateway is in it */
			parse_message(o->memory->parse, message);
			openclaw_sync(o);
		}
	} else if (is_challenge(&head)) {
		if (o->step == STEP_CHALLENGE)
			openclaw_take_challenge(o, head.payload ? head.payload : root);
	} else if (o->step == STEP_LIVE) {
		take_seq(o, yyjson_obj_get(root, "seq"));
		take_live_event(o, &head, message);
	}
}

static void openclaw_got_text(void *self, struct text message)
{
	struct openclaw *o = self;
	yyjson_val *root = yyjson_doc_get_root(json_read(&o->reader, message, NULL));

	if (o->is_over)
		return;
	if (o->step == STEP_LIVE)
		expect_frame(o);
	o->message = message;
	if (yyjson_is_obj(root))
		take_frame(o, root, message);
	else
		source_bad(o->source, "a frame that is no JSON object");
}

static void openclaw_made_signal(void *self, struct text envelope)
{
	struct openclaw_memory *m = self;
	struct text run;

	if (openclaw_heard(m, envelope, &run))
		openclaw_give(m, run, envelope);
	openclaw_expect_chat(m);
}

static void openclaw_met_bad(void *self, const char *why)
{
	source_bad(((struct openclaw_memory *)self)->source, why);
}

/* ---- trust ---- */

/* NULL when the token may go to whoever is at the other end. */
static const char *distrust(const struct openclaw *o)
{
	bool is_secure = text_starts(text_of(source_url(o->source)), TEXT("wss:"));
	struct peer peer;

	if (!o->token)
		return NULL;
	if (!ws_client_peer(o->client, &peer))
		return "who the gateway is cannot be told: the token was not sent";
	if (o->token_is_found && !(peer.is_loopback && peer.uid_known && peer.uid == geteuid()))
		return "the port is held by another user: the token was not sent";
	if (!peer.is_loopback && !is_secure)
		return "a token goes to another machine only over wss://";
	return NULL;
}

static void openclaw_is_open(void *self)
{
	struct openclaw *o = self;
	const char *why = distrust(o);

	if (why)
		lose_for_good(o, why);
}

/* The credential that was given, else what OpenClaw's own configuration says if
 * this source takes that, else what a gateway gave this device. */
static void find_token(struct openclaw *o)
{
	const char *credential = source_credential(o->source);

	o->token = credential ? must_dup(credential) : found_token(o->source);
	o->token_is_found = o->token && !credential;
}

/* A gateway sends approvals to devices. */
static bool find_device(struct openclaw *o, struct error *why)
{
	const char *granted;

	o->device = device_load(source_data_dir(o->source), why);
	if (!o->device)
		return false;
	granted = device_token(o->device, source_url(o->source));
	if (!o->token && granted) {
		o->token = must_dup(granted);
		o->by_device_token = true;
	}
	return true;
}

/* ---- life ---- */

static bool dial(struct openclaw *o, struct error *why)
{
	struct ws_client_options options = {
		.url = source_url(o->source),
		.message_max = OPENCLAW_FRAME_MAX,
		.send_max = SEND_MAX,
		.connect_ms = CONNECT_MS,
		.ping_ms = PING_MS,
		.self = o,
		.open = openclaw_is_open,
		.text = openclaw_got_text,
		.closed = openclaw_is_closed,
	};

	o->step = STEP_CHALLENGE;
	o->client = ws_client_create(source_loop(o->source), &options, why);
	if (o->client)
		deadline_set(source_loop(o->source), &o->patience, HANDSHAKE_MS);
	return o->client != NULL;
}

bool openclaw_redial(struct openclaw *o)
{
	struct error why;

	ws_client_destroy(o->client);
	o->client = NULL;
	if (dial(o, &why))
		return true;
	lose_for_good(o, why.words);
	return false;
}

static struct openclaw_memory *recall(struct source *source)
{
	void **slot = source_memory(source);
	struct openclaw_memory *m = *slot;
	struct parse_options p = {
		.source = source_id(source),
		.event_max = OPENCLAW_FRAME_MAX,
		.signal = openclaw_made_signal,
		.bad = openclaw_met_bad,
	};

	if (m)
		return m;
	m = must_zero(1, sizeof(*m));
	m->source = source;
	list_init(&m->runs);
	openclaw_begin_questions(m);
	p.self = m;
	m->parse = parse_create(parse_find(TEXT("openclaw")), &p);
	*slot = m;
	source_each_run(source, openclaw_recall_run, m);
	openclaw_expect_chat(m);
	return m;
}

static void openclaw_forget(void *memory)
{
	struct openclaw_memory *m = memory;

	if (source_is_stopping(m->source))
		openclaw_drop_runs(m);
	openclaw_end_runs(m, "the source is gone");
	openclaw_forget_heard(m);
	if (!source_is_stopping(m->source))
		openclaw_settle(m->parse, true);
	deadline_clear(&m->owed);
	askings_forget(&m->questions);
	parse_destroy(m->parse);
	free(m);
}

static void close_openclaw(void *self)
{
	struct openclaw *o = self;
	bool was_over = o->is_over;

	o->is_over = true;
	ws_client_destroy(o->client);
	o->client = NULL;
	openclaw_drop_waits(o);
	if (source_is_stopping(o->source))
		openclaw_drop_runs(o->memory);
	if (!was_over)
		openclaw_end_runs(o->memory, "the source was disconnected");
	if (!was_over && o->step == STEP_LIVE)
		o->memory->lost_at_ms = clock_wall_ms();
	o->memory->line = NULL;
	openclaw_stop_sync(o);
	deadline_clear(&o->patience);
	device_destroy(o->device);
	json_reader_finish(&o->reader);
	if (o->token)
		explicit_bzero(o->token, strlen(o->token));
	free(o->token);
	map_finish(&o->listed);
	free(o->main_session);
	free(o->agent);
	free(o->farewell);
	free(o->note);
	free(o);
}

static void *open_openclaw(struct source *source, struct error *why)
{
	struct openclaw *o = must_zero(1, sizeof(*o));

	o->source = source;
	o->memory = recall(source);
	o->memory->line = o;
	o->patience.fire = openclaw_ran_out;
	list_init(&o->waits);
	map_init(&o->listed);
	json_reader_init(&o->reader, OPENCLAW_FRAME_MAX);
	find_token(o);
	if (find_device(o, why) && dial(o, why))
		return o;
	close_openclaw(o);
	return NULL;
}

/* What it has no room for meanwhile, the gateway tells by the gap in its numbers. */
static void openclaw_hush(void *self, bool hush)
{
	struct openclaw *o = self;

	if (o->is_over || o->step != STEP_LIVE)
		return;
	o->is_hushed = hush;
	ws_client_hush(o->client, hush);
	expect_frame(o);
	openclaw_time_runs(o);
}

/* By its name anywhere, or by its port. */
static bool openclaw_recognises(struct text url)
{
	struct url parsed;

	return (url_parse(&parsed, url, NULL) && parsed.port == OPENCLAW_PORT) ||
	       text_has_nocase(url, TEXT("openclaw"));
}

const struct transport transport_openclaw = {
	.protocol = "openclaw",
	.label = "an OpenClaw gateway",
	.schemes = source_schemes_ws,
	.recognises = openclaw_recognises,
	.credential = "token",
	.has_main_session = true,
	.works_on = true,
	.parser = "openclaw",
	.keeps_origin = true,
	.open = open_openclaw,
	.close = close_openclaw,
	.ask = openclaw_ask,
	.cancel = openclaw_cancel,
	.can = openclaw_can,
	.reply = openclaw_reply,
	.call = openclaw_call,
	.forget = openclaw_forget,
	.hush = openclaw_hush,
	.own_credential = openclaw_own_token,
	.owner = "OpenClaw",
	.retry = &backoff_openclaw,
};
