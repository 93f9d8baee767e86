/* handle.c - peers that speak Wyoming: who comes in, what it says, and its end. */
#include "voice/handle.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "net/loop.h"
#include "voice/handle_inside.h"

/* ---- coming and going ---- */

/* Its connection may be gone already. */
static void end_guest(struct handle_guest *guest)
{
	handle_stop_ask(guest);
	conn_close(guest->conn);
	guest->conn = NULL;
	list_remove(&guest->in_all);
	guest->handle->count--;
	wyoming_reader_finish(&guest->reader);
	buf_finish(&guest->out);
	free(guest);
}

static bool is_allowed(const struct peer *peer, const struct handle_place *place)
{
	if (peer->is_unix || peer->is_loopback)
		return peer->uid_known && peer->uid == geteuid();
	for (size_t i = 0; i < place->allow_count; i++)
		if (peer_is_at(peer, place->allow[i]))
			return true;
	return false;
}

static bool lets_in(const struct handle *handle, const struct conn *conn, struct peer *peer)
{
	const struct handle_options *options = &handle->options;
	struct handle_place place;

	return conn_peer(conn, peer) && options->place(options->self, conn, &place) &&
	       is_allowed(peer, &place);
}

/* ---- out ---- */

static void send_waiting(struct handle_guest *guest)
{
	if (guest->conn && guest->out.len)
		buf_drop(&guest->out, conn_send(guest->conn, guest->out.at, guest->out.len));
}

/* Within a call of the bus or of its reader: it is lost at the end of the turn. */
static void send_written(struct handle_guest *guest)
{
	if (guest->out.full && guest->conn)
		conn_fail(guest->conn);
	else
		send_waiting(guest);
}

void handle_send_text(struct handle_guest *guest, const char *type, struct text text)
{
	handle_write_text(&guest->out, type, text);
	send_written(guest);
}

static void on_writable(struct conn *conn)
{
	send_waiting(conn->self);
}

/* ---- in ---- */

static void on_describe(struct handle_guest *guest, const struct wyoming_event *event)
{
	const struct handle_options *options = &guest->handle->options;
	struct handle_place place;

	(void)event;
	if (!options->place(options->self, guest->conn, &place))
		return;
	handle_write_info(&guest->out, place.source);
	send_written(guest);
}

static void on_ping(struct handle_guest *guest, const struct wyoming_event *event)
{
	struct text text = wyoming_text(event, "text");

	handle_send_text(guest, "pong", text.len <= HANDLE_TEXT_MAX ? text : (struct text){0});
}

static void take_said(struct handle_guest *guest, const struct wyoming_event *event)
{
	if (!handle_is_asking(guest))
		conn_deadline(guest->conn, HANDLE_IDLE_MS);
	if (handle_is_wish(event->type))
		handle_ask(guest, event);
	else if (text_is(event->type, "describe"))
		on_describe(guest, event);
	else if (text_is(event->type, "ping"))
		on_ping(guest, event);
}

/* False: it does not speak Wyoming. */
static bool take_events(struct handle_guest *guest)
{
	struct wyoming_event event;
	enum wyoming_read read;
	struct error why;

	while ((read = wyoming_read(&guest->reader, &event, &why)) == WYOMING_EVENT)
		take_said(guest, &event);
	if (read == WYOMING_BROKEN)
		log_debug("voice", "a peer does not speak Wyoming: %s", why.words);
	return read != WYOMING_BROKEN;
}

static void on_heard(struct conn *conn, char *bytes, size_t n)
{
	struct handle_guest *guest = conn->self;

	if (!wyoming_reader_add(&guest->reader, (struct text){bytes, n}) || !take_events(guest))
		end_guest(guest);
}

static void on_gone(struct conn *conn, const char *why)
{
	struct handle_guest *guest = conn->self;

	(void)why;
	guest->conn = NULL; /* it frees itself */
	end_guest(guest);
}

static void on_late(struct conn *conn)
{
	struct handle_guest *guest = conn->self;

	if (handle_is_asking(guest))
		handle_fail_ask(guest, "it takes too long");
	else
		end_guest(guest);
}

static const struct conn_user user = {
	.heard = on_heard,
	.writable = on_writable,
	.gone = on_gone,
	.late = on_late,
};

/* At most one line a second: strangers may come as often as they like. */
static void turn_away(struct handle *handle, struct conn *conn, const struct peer *peer)
{
	uint64_t now_ms = loop_now_ms(handle->options.loop);
	char name[PEER_NAME_MAX];

	conn_close(conn);
	if (now_ms < handle->quiet_ms)
		return;
	handle->quiet_ms = now_ms + 1000;
	peer_name(peer, name);
	log_warn("voice", "%s wanted to speak Wyoming and was turned away", name);
}

void handle_take(struct handle *handle, struct conn *conn)
{
	struct handle_guest *guest;
	struct peer peer = {0};

	if (!lets_in(handle, conn, &peer) || handle->count >= HANDLE_GUESTS_MAX) {
		turn_away(handle, conn, &peer);
		return;
	}
	guest = must_zero(1, sizeof(*guest));
	guest->handle = handle;
	guest->conn = conn;
	wyoming_reader_init(&guest->reader);
	buf_init(&guest->out, HANDLE_OUT_MAX);
	peer_name(&peer, guest->name);
	list_add(&handle->guests, &guest->in_all);
	handle->count++;
	conn_vouch(conn);
	conn_hand(conn, &user, guest);
	conn_deadline(conn, HANDLE_IDLE_MS);
}

/* ---- answers ---- */

static struct handle_guest *find_asking(const struct handle *handle, struct text run)
{
	list_each(&handle->guests, l) {
		struct handle_guest *guest = list_of(l, struct handle_guest, in_all);

		if (handle_is_asking(guest) && text_is(run, guest->ask.run))
			return guest;
	}
	return NULL;
}

static void on_signal(struct bus_listener *listener, const struct signal *s)
{
	struct handle *handle = list_of(listener, struct handle, ear);
	struct handle_guest *guest =
		s->correlation.len ? find_asking(handle, s->correlation) : NULL;
	struct signal whole;

	if (guest && signal_read(handle->reader, s->line, &whole, NULL))
		handle_hear(guest, &whole);
}

/* ---- the room ---- */

struct handle *handle_create(const struct handle_options *options)
{
	struct handle *handle = must_zero(1, sizeof(*handle));

	handle->options = *options;
	handle->reader = signal_reader_create();
	handle->ear = (struct bus_listener){.name = "wyoming", .heard = on_signal};
	list_init(&handle->guests);
	bus_add_listener(options->bus, &handle->ear);
	return handle;
}

void handle_destroy(struct handle *handle)
{
	if (!handle)
		return;
	bus_remove_listener(handle->options.bus, &handle->ear);
	while (!list_is_empty(&handle->guests))
		end_guest(list_of(handle->guests.next, struct handle_guest, in_all));
	signal_reader_destroy(handle->reader);
	free(handle);
}
