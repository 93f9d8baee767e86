/* socket.c - a client's connection: what comes in, and what its silence means. */
#include "base/clock.h"
#include "base/log.h"
#include "hub/acks.h"
#include "hub/inside.h"
#include "hub/person.h"
#include "journal/journal.h"
#include "net/account.h"
#include "net/inputs.h"

static void hear_event(struct client *c, enum ws_event event, const struct ws_news *news)
{
	switch (event) {
	case WS_TEXT:
		if (client_dialect(c)->is_held && account_is_limited(c->account))
			account_charge(c->account, clock_mono_ns());
		client_dialect(c)->hear(c, news->body);
		return;
	case WS_BINARY:
		if (client_dialect(c)->hear_binary)
			client_dialect(c)->hear_binary(c, news->body);
		else
			client_close(c, 1003, TEXT("text only"));
		return;
	case WS_PING:
		client_say_frame(c, WS_OP_PONG, news->body);
		return;
	case WS_CLOSE:
		client_close(c, news->code == 1005 ? 1000 : news->code, TEXT(""));
		return;
	case WS_BAD:
	case WS_SPOILT:
		client_close(c, news->code, TEXT(""));
		return;
	case WS_PONG:
	case WS_WAIT:
		return;
	}
}

/* --- who is too fast -------------------------------------------------------- */

unsigned client_emit_wait(const struct client *c)
{
	return account_is_limited(c->account) ? account_wait(c->account, clock_mono_ns()) : 0;
}

static bool is_too_fast(const struct client *c)
{
	return client_dialect(c)->is_held && client_emit_wait(c) != 0;
}

/* What one read may bring: short messages for about a quarter of a second, so that nobody
 * is deep in debt when it is held. */
static uint16_t input_max(const struct client *c)
{
	unsigned most = LOOP_INPUT / KIB, share = c->hub->options.accounts->limits.rate / 40;

	if (!client_dialect(c)->is_held || !account_is_limited(c->account) || share > most)
		return (uint16_t)most;
	return (uint16_t)(share ? share : 1);
}

void client_hold(struct client *c)
{
	struct hub *hub = c->hub;

	c->conn->input_max = input_max(c);
	if (!is_too_fast(c) || client_is_held(c))
		return;
	hub->options.accounts->counts.held++;
	conn_hush(c->conn, true);
	list_add(&hub->held, &client_person(c)->in_held);
	deadline_set(hub->options.loop, &hub->ease, DEADLINE_TICK_MS);
}

void hub_ease(struct deadline *deadline)
{
	struct hub *hub = list_of(deadline, struct hub, ease);

	list_each(&hub->held, l) {
		struct client *c = list_of(l, struct person, in_held)->client;

		if (is_too_fast(c))
			continue;
		list_remove(l);
		c->conn->input_max = input_max(c);
		client_unhush(c);
	}
	if (!list_is_empty(&hub->held))
		deadline_set(hub->options.loop, deadline, DEADLINE_TICK_MS);
}

/* --- who may speak ---------------------------------------------------------- */

/* A client that is owed too much is not read until it has taken some of it; and
 * nobody is while the disk cannot keep up, because what is not read is not lost. */
static bool may_speak(const struct client *c)
{
	return !client_is_slow(c) && !(c->acks && acks_is_full(c->acks)) && !c->hub->draining &&
	       !journal_is_behind(c->hub->options.journal) && !is_too_fast(c);
}

static void hush_if_needed(struct client *c)
{
	if (may_speak(c))
		return;
	if (account_is_limited(c->account))
		client_hold(c);
	conn_hush(c->conn, true);
	c->hub->waits_for_disk |= journal_is_behind(c->hub->options.journal);
}

void client_unhush(struct client *c)
{
	if (c->conn->hushed && may_speak(c))
		conn_hush(c->conn, false);
}

/* A message has its time and its share of what all may leave unfinished. */
static void note_input(struct client *c, bool was_whole)
{
	bool is_over = c->state == CLIENT_CLOSING;

	if (is_over)
		ws_finish(&c->ws);
	if (was_whole || is_over)
		input_end(c->conn);
	if (!is_over && !ws_is_idle(&c->ws))
		input_hold(c->conn, ws_held(&c->ws), c->hub->options.message_ms);
}

static void cut(struct conn *conn, enum conn_fault why)
{
	struct client *c = conn->self;

	ws_finish(&c->ws);
	if (c->state == CLIENT_CLOSING)
		client_end(c);
	else if (why == CONN_LATE)
		client_close(c, 1008, TEXT("the message took too long"));
	else
		client_close(c, 1013, TEXT("too much is unfinished"));
}

static void take_bytes(struct conn *conn, char *bytes, size_t n)
{
	struct client *c = conn->self;
	struct ws_news news;
	enum ws_event event;
	bool was_whole = false;

	c->progress = true;
	if (!client_dialect(c)->is_websocket)
		return;
	while (c->state != CLIENT_CLOSING &&
	       (event = ws_read(&c->ws, &bytes, &n, &news)) != WS_WAIT) {
		/* A ping amid the frames of a message ends nothing. */
		was_whole |= !c->ws.message_opcode;
		hear_event(c, event, &news);
	}
	if (c->parted)
		return;
	hush_if_needed(c);
	note_input(c, was_whole);
}

static void writable(struct conn *conn)
{
	struct client *c = conn->self;

	c->progress = true;
	client_work(c);
}

static void peer_left(struct conn *conn, const char *why)
{
	struct client *c = conn->self;

	log_debug("hub", "a %s client is gone: %s", client_dialect(c)->name, why);
	client_end(c);
}

static unsigned beat_ms(const struct client *c)
{
	unsigned ms = c->hub->options.ping_ms;

	/* Proxies and browsers want a word on an event stream twice as often. */
	return client_dialect(c)->is_websocket ? ms : ms / 2;
}

/* A WebSocket client shows life by any byte it sends, or by making room in a full
 * socket; an event stream, and one that we do not read, by taking what it is sent. */
static bool shows_life(const struct client *c)
{
	bool is_heard = client_dialect(c)->is_websocket && !c->conn->hushed;

	return c->progress || (!is_heard && !c->conn->wants_write) || client_is_held(c);
}

/* Once an interval. */
static void late(struct conn *conn)
{
	struct client *c = conn->self;
	bool alive = shows_life(c);

	if (c->state == CLIENT_CLOSING || (!alive && c->asked)) {
		client_end(c);
		return;
	}
	if (client_is_stranger(c)) {
		if (client_dialect(c)->late)
			client_dialect(c)->late(c);
		else
			client_close(c, 1008, TEXT("no credential came in time"));
		return;
	}
	c->asked = !alive;
	c->progress = false;
	client_dialect(c)->beat(c);
	if (!c->parted)
		conn_deadline(conn, client_dialect(c)->is_websocket && c->asked
		                            ? c->hub->options.pong_ms
		                            : beat_ms(c));
}

const struct conn_user client_conn_user = {
	.heard = take_bytes,
	.writable = writable,
	.gone = peer_left,
	.late = late,
	.cut = cut,
};

void client_start_beat(struct client *c)
{
	unsigned ms = beat_ms(c);

	if (client_is_stranger(c)) {
		conn_deadline(c->conn, client_dialect(c)->stranger_ms);
		return;
	}
	/* Spread over the interval, so that ten thousand do not beat as one. */
	conn_deadline(c->conn, ms / 2 + (unsigned)(c->hub->counts.joined * 7919 % (ms / 2 + 1)));
}

void client_ping(struct client *c)
{
	client_say_frame(c, WS_OP_PING, TEXT(""));
}

void client_go_away(struct client *c)
{
	client_close(c, 1001, TEXT("the server stops"));
}
