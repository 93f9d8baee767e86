/* discord_gate.c - the gateway: a WebSocket that tells what happens.
 *
 * It says hello, we say who we are or which session goes on, and then heartbeats go out and events
 * come in.  A heartbeat that is not answered means that nobody is there.  Discord is told only
 * of events that are on the disk; others come again with the session.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "deliver/discord/discord_inside.h"
#include "net/url.h"
#include "net/ws_client.h"

/* GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT */
#define INTENTS (1U << 0 | 1U << 9 | 1U << 12 | 1U << 15)
#define GATE_QUERY "/?v=10&encoding=json"
#define GATE_CONNECT_MS 15000
#define GREET_MS 30000
#define PING_MS 120000
#define GATE_SEND_MAX (64 * KIB)
#define GATE_AGAIN_MS 1000 /* doubling to ... */
#define GATE_AGAIN_MOST_MS 60000
#define IDENTIFY_MS 5500          /* between two sessions that begin */
#define FINAL_MS (15 * 60 * 1000) /* of what only a person can mend */
#define LIMIT_MOST_MS (24 * 3600 * 1000)
#define INTERVAL_LEAST_MS 100
#define INTERVAL_MOST_MS 300000
#define GOODBYE 4000 /* with 1000 the session would be over */

enum gate_state { GATE_WAITS, GATE_ASKS, GATE_DIALS, GATE_GREETS, GATE_LIVE };

struct discord_gate {
	struct discord_chat *chat;
	enum gate_state state;
	struct ws_client *ws;
	struct json_reader reader; /* of frames */
	struct deadline due, beat;
	unsigned interval_ms, fails;
	bool is_acked, is_denied;
	int64_t kept_seq;    /* all events up to it are on the disk */
	int64_t identify_ms; /* when a session began last */
	char failed[256];    /* the words that were logged last */
};

/* ---- the end of a connection ---- */

static void leave_gate(struct discord_gate *g)
{
	ws_client_destroy(g->ws);
	g->ws = NULL;
	deadline_clear(&g->beat);
	deadline_clear(&g->due);
	g->state = GATE_WAITS;
	g->chat->options.wake(g->chat->options.self);
}

static void come_again(struct discord_gate *g, unsigned after_ms)
{
	leave_gate(g);
	deadline_set(g->chat->options.loop, &g->due, after_ms);
}

static void gate_log(struct discord_gate *g, const char *why)
{
	if (strcmp(why, g->failed) != 0)
		log_warn("deliver", "Discord does not answer: %s", why);
	snprintf(g->failed, sizeof(g->failed), "%s", why);
}

static void gate_fail(struct discord_gate *g, const char *why)
{
	unsigned wait = GATE_AGAIN_MS << (g->fails < 6 ? g->fails : 6);

	g->fails++;
	g->is_denied = false;
	wait = wait < GATE_AGAIN_MOST_MS ? wait : GATE_AGAIN_MOST_MS;
	gate_log(g, why);
	come_again(g, wait + (unsigned)discord_draw(g->chat, wait / 10 + 1));
}

/* Only a person can mend it. */
static void gate_give_up(struct discord_gate *g, const char *why)
{
	g->is_denied = true;
	gate_log(g, why);
	come_again(g, FINAL_MS);
}

/* ---- what we say ---- */

static void note_kept(struct discord_gate *g)
{
	const struct channel_options *o = &g->chat->options;

	if (!o->kept || o->kept(o->self))
		g->kept_seq = g->chat->place.seq;
}

static void gate_send(struct discord_gate *g, const struct buf *out)
{
	if (!ws_client_send(g->ws, buf_text(out)))
		gate_fail(g, "the gateway takes nothing");
}

static void say_beat(struct discord_gate *g)
{
	struct buf out;

	note_kept(g);
	buf_init(&out, KIB);
	put_object(&out, NULL);
	put_u64(&out, "op", DISCORD_HEARTBEAT);
	if (g->kept_seq)
		put_i64(&out, "d", g->kept_seq);
	else
		put_word(&out, "d", NULL);
	put_end(&out);
	gate_send(g, &out);
	buf_finish(&out);
}

static void put_token(const struct discord_gate *g, struct buf *out)
{
	put_text(out, "token", text_of(g->chat->token));
}

static void say_who(struct discord_gate *g, struct buf *out)
{
	put_u64(out, "op", DISCORD_IDENTIFY);
	put_object(out, "d");
	put_token(g, out);
	put_u64(out, "intents", INTENTS);
	put_object(out, "properties");
	put_word(out, "os", "linux");
	put_word(out, "browser", "signalbox");
	put_word(out, "device", "signalbox");
	put_end(out);
	put_end(out);
	g->identify_ms = discord_now(g->chat);
}

static void say_session(struct discord_gate *g, struct buf *out)
{
	note_kept(g);
	put_u64(out, "op", DISCORD_RESUME);
	put_object(out, "d");
	put_token(g, out);
	put_word(out, "session_id", g->chat->place.session);
	put_i64(out, "seq", g->kept_seq);
	put_end(out);
}

static void say_hello(struct discord_gate *g)
{
	struct buf out;

	buf_init(&out, 4 * KIB);
	put_object(&out, NULL);
	if (g->chat->place.session[0])
		say_session(g, &out);
	else
		say_who(g, &out);
	put_end(&out);
	g->state = GATE_GREETS;
	deadline_set(g->chat->options.loop, &g->due, GREET_MS);
	gate_send(g, &out);
	explicit_bzero(out.at, out.len);
	buf_finish(&out);
}

/* ---- events ---- */

static void gate_is_live(struct discord_gate *g)
{
	g->state = GATE_LIVE;
	g->fails = 0;
	g->failed[0] = '\0';
	deadline_clear(&g->due);
}

static void take_ready(struct discord_gate *g, yyjson_val *ready)
{
	struct discord_chat *d = g->chat;
	struct text url = json_text_at(ready, "resume_gateway_url");
	bool is_safe = !strncmp(d->base, "http://", 7) || text_starts(url, TEXT("wss://"));

	discord_read_self(yyjson_obj_get(ready, "user"), &d->bot);
	if (!is_safe || !discord_place_begin(&d->place, json_text_at(ready, "session_id"), url))
		discord_place_end(&d->place);
	g->kept_seq = 0;
	gate_is_live(g);
	log_info("deliver", "Discord: the bot is %s", d->bot.name);
	discord_past_begin(d->past, yyjson_arr_size(yyjson_obj_get(ready, "guilds")));
}

static void take_press(struct discord_gate *g, yyjson_val *interaction)
{
	const struct channel_options *o = &g->chat->options;
	struct discord_pressed words;
	struct channel_press press;

	if (o->pressed && discord_read_press(interaction, &words, &press))
		o->pressed(o->self, &press);
}

static void take_threads(struct discord_gate *g, yyjson_val *list)
{
	yyjson_val *one;
	size_t at, count;

	yyjson_arr_foreach(yyjson_obj_get(list, "threads"), at, count, one)
	{
		discord_past_thread(g->chat->past, one);
	}
}

static void take_dispatch(struct discord_gate *g, const struct discord_frame *f)
{
	struct discord_past *past = g->chat->past;

	if (f->seq >= 0)
		g->chat->place.seq = f->seq;
	if (text_is(f->event, "READY"))
		take_ready(g, f->data);
	else if (text_is(f->event, "RESUMED"))
		gate_is_live(g);
	else if (text_is(f->event, "MESSAGE_CREATE"))
		discord_past_take(past, f->data);
	else if (text_is(f->event, "INTERACTION_CREATE"))
		take_press(g, f->data);
	else if (text_is(f->event, "GUILD_CREATE"))
		discord_past_guild(past, f->data);
	else if (text_is(f->event, "THREAD_CREATE"))
		discord_past_thread(past, f->data);
	else if (text_is(f->event, "THREAD_LIST_SYNC"))
		take_threads(g, f->data);
}

static void take_hello(struct discord_gate *g, yyjson_val *hello)
{
	int64_t ms = yyjson_get_sint(yyjson_obj_get(hello, "heartbeat_interval"));

	if (ms < INTERVAL_LEAST_MS || ms > INTERVAL_MOST_MS) {
		gate_fail(g, "the gateway's hello makes no sense");
		return;
	}
	g->interval_ms = (unsigned)ms;
	g->is_acked = true;
	deadline_set(g->chat->options.loop, &g->beat,
	             (unsigned)discord_draw(g->chat, g->interval_ms));
	say_hello(g);
}

static void session_is_invalid(struct discord_gate *g, bool goes_on)
{
	if (!goes_on) {
		log_info("deliver", "Discord no longer has the session: the history is read");
		discord_place_end(&g->chat->place);
	}
	come_again(g, 1000 + (unsigned)discord_draw(g->chat, 4000));
}

static void gate_heard(void *self, struct text message)
{
	struct discord_gate *g = self;
	struct discord_frame f;

	if (!discord_read_frame(&g->reader, message, &f))
		return;
	switch (f.op) {
	case DISCORD_DISPATCH:
		take_dispatch(g, &f);
		break;
	case DISCORD_HEARTBEAT:
		say_beat(g);
		break;
	case DISCORD_RECONNECT:
		come_again(g, 1);
		break;
	case DISCORD_INVALID_SESSION:
		session_is_invalid(g, yyjson_is_true(f.data));
		break;
	case DISCORD_HELLO:
		take_hello(g, f.data);
		break;
	case DISCORD_ACK:
		g->is_acked = true;
		break;
	default:
		break;
	}
}

/* ---- the connection ---- */

static void gate_met_bad(void *self, const char *why)
{
	(void)self;
	log_warn("deliver", "Discord: a frame of the gateway is left out: %s", why);
}

static void gate_closed(void *self, uint16_t code, int status, const char *why)
{
	struct discord_gate *g = self;
	struct discord_close means = discord_read_close(code);

	(void)status;
	if (means.ends_session)
		discord_place_end(&g->chat->place);
	if (means.is_final)
		gate_give_up(g, means.words);
	else
		gate_fail(g, why);
}

static void dial_gate(struct discord_gate *g, struct text url)
{
	bool is_plain = !strncmp(g->chat->base, "http://", 7);
	struct ws_client_options o = {
		.message_max = DISCORD_FRAME_MAX,
		.send_max = GATE_SEND_MAX,
		.connect_ms = GATE_CONNECT_MS,
		.ping_ms = PING_MS,
		.goodbye = GOODBYE,
		.self = g,
		.text = gate_heard,
		.bad = gate_met_bad,
		.closed = gate_closed,
	};
	struct error why = {"the token goes by wss:// only"};
	char *whole;

	url = url_base(url);
	whole = must_print("%.*s" GATE_QUERY, TEXT_ARG(url));
	o.url = whole;
	if (is_plain || text_starts(url, TEXT("wss://")))
		g->ws = ws_client_create(g->chat->options.loop, &o, &why);
	free(whole);
	g->state = GATE_DIALS;
	deadline_set(g->chat->options.loop, &g->due, GREET_MS);
	if (g->ws)
		return;
	discord_place_end(&g->chat->place);
	gate_fail(g, why.words);
}

/* ---- before it ---- */

static void go_on_gate(struct discord_gate *g);

/* False: it was told why not, and it is tried again. */
static bool was_answered(struct discord_gate *g, const struct discord_reply *r)
{
	if (r->fate == DISCORD_REFUSED && r->status == 401)
		gate_give_up(g, "it refuses the token (401: Unauthorized)");
	else if (r->fate != DISCORD_DONE)
		gate_fail(g, r->why.words);
	return r->fate == DISCORD_DONE;
}

static void took_self(void *self, const struct discord_reply *r)
{
	struct discord_gate *g = self;

	if (!was_answered(g, r))
		return;
	if (discord_read_self(discord_read_body(&g->chat->reader, r->body), &g->chat->bot))
		go_on_gate(g);
	else
		gate_fail(g, "it does not say who the bot is");
}

static void took_gateway(void *self, const struct discord_reply *r)
{
	struct discord_gate *g = self;
	yyjson_val *root, *limit;
	int64_t wait;

	if (!was_answered(g, r))
		return;
	root = discord_read_body(&g->chat->reader, r->body);
	limit = yyjson_obj_get(root, "session_start_limit");
	wait = yyjson_get_sint(yyjson_obj_get(limit, "reset_after"));
	if (limit && yyjson_get_sint(yyjson_obj_get(limit, "remaining")) <= 0 && wait > 0) {
		gate_log(g, "no more sessions may begin today");
		come_again(g, (unsigned)(wait < LIMIT_MOST_MS ? wait : LIMIT_MOST_MS));
	} else if (json_text_at(root, "url").len) {
		dial_gate(g, json_text_at(root, "url"));
	} else {
		gate_fail(g, "it does not say where its gateway is");
	}
}

static void ask_gate(struct discord_gate *g, const char *path,
                     void (*done)(void *, const struct discord_reply *))
{
	g->state = GATE_ASKS;
	discord_start(g->chat, &(struct discord_ask){.way = {DISCORD_TO_BEGIN, text_of(path)},
	                                             .method = "GET",
	                                             .path = path,
	                                             .may_repeat = true,
	                                             .waits = true,
	                                             .self = g,
	                                             .done = done});
}

static void go_on_gate(struct discord_gate *g)
{
	int64_t since = discord_now(g->chat) - g->identify_ms;

	if (!g->chat->bot.id[0])
		ask_gate(g, "/users/@me", took_self);
	else if (g->chat->place.session[0])
		dial_gate(g, text_of(g->chat->place.url));
	else if (g->identify_ms && since < IDENTIFY_MS)
		come_again(g, (unsigned)(IDENTIFY_MS - since));
	else
		ask_gate(g, "/gateway/bot", took_gateway);
}

/* ---- time ---- */

static void gate_is_due(struct deadline *deadline)
{
	struct discord_gate *g = list_of(deadline, struct discord_gate, due);

	if (g->state == GATE_WAITS)
		go_on_gate(g);
	else
		gate_fail(g, "the gateway says nothing more");
}

static void beat_is_due(struct deadline *deadline)
{
	struct discord_gate *g = list_of(deadline, struct discord_gate, beat);

	if (!g->is_acked) {
		log_warn("deliver", "Discord: the gateway does not answer: it is called again");
		come_again(g, 1);
		return;
	}
	g->is_acked = false;
	deadline_set(g->chat->options.loop, &g->beat, g->interval_ms);
	say_beat(g);
}

enum channel_state discord_gate_state(const struct discord_gate *g, struct error *why)
{
	error_set(why, "%s", g->state == GATE_LIVE ? "" : g->failed);
	if (g->state == GATE_LIVE || !g->failed[0])
		return g->state == GATE_LIVE ? CHANNEL_CONNECTED : CHANNEL_CONNECTING;
	return g->is_denied ? CHANNEL_DENIED : CHANNEL_GONE;
}

struct discord_gate *discord_gate_create(struct discord_chat *d)
{
	struct discord_gate *g = must_zero(1, sizeof(*g));

	g->chat = d;
	g->kept_seq = d->place.seq;
	g->due.fire = gate_is_due;
	g->beat.fire = beat_is_due;
	json_reader_init(&g->reader, DISCORD_FRAME_MAX);
	deadline_set(d->options.loop, &g->due, 1);
	return g;
}

void discord_gate_destroy(struct discord_gate *g)
{
	ws_client_destroy(g->ws);
	deadline_clear(&g->beat);
	deadline_clear(&g->due);
	json_reader_finish(&g->reader);
	free(g);
}
