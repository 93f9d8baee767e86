/* test_ws_client.h - our WebSocket client, a server of some temper, and what came of
 * it. */
#ifndef NET_TEST_WS_CLIENT_H
#define NET_TEST_WS_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/test_server.h"
#include "net/test_tls.h"
#include "net/ws.h"
#include "net/ws_client.h"

struct world {
	struct authority *authority;
	struct loop *loop;
	struct ws_client *client;
	struct server server;
	char url[100];
	const char *answer; /* of the server to the upgrade, when it is not a yes */
	const char *frames; /* that follow the yes */
	size_t frames_len;

	bool opened, over, leave_in_open, leave_in_text;
	unsigned opens, closes;
	struct buf heard; /* messages, each with a bar behind */
	unsigned code;
	int status;
	char why[300];
};

static inline void on_open(void *self)
{
	struct world *w = self;

	w->opens++;
	w->opened = true;
	if (w->leave_in_open) {
		ws_client_destroy(w->client);
		w->client = NULL;
		w->over = true;
	}
}

static inline void on_text(void *self, struct text message)
{
	struct world *w = self;

	buf_add(&w->heard, message);
	buf_add_char(&w->heard, '|');
	if (w->leave_in_text) {
		ws_client_destroy(w->client);
		w->client = NULL;
		w->over = true;
	}
}

static inline void on_closed(void *self, uint16_t code, int status, const char *why)
{
	struct world *w = self;

	w->closes++;
	w->code = code;
	w->status = status;
	snprintf(w->why, sizeof(w->why), "%s", why);
	w->over = true;
}

static inline int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	w->authority = *state;
	w->loop = loop_create();
	buf_init(&w->heard, 64 * MIB);
	*state = w;
	return 0;
}

static inline void leave(struct world *w)
{
	ws_client_destroy(w->client);
	w->client = NULL;
	run_for(w->loop, 5);
	if (w->server.serve)
		server_finish(&w->server);
	w->server = (struct server){0};
	w->over = w->opened = false;
	w->opens = w->closes = 0;
	buf_clear(&w->heard);
}

static inline int tear_down(void **state)
{
	struct world *w = *state;

	leave(w);
	loop_destroy(w->loop);
	buf_finish(&w->heard);
	free(w);
	return 0;
}

static inline void begin_with(struct world *w, void (*fn)(struct server *server), unsigned ping_ms)
{
	struct ws_client_options o = {
		.url = w->url,
		.message_max = MIB,
		.send_max = MIB,
		.connect_ms = 5000,
		.ping_ms = ping_ms,
		.self = w,
		.open = on_open,
		.text = on_text,
		.closed = on_closed,
	};
	struct error why = {""};

	w->server.serve = fn;
	w->server.self = w;
	assert_true(server_start(&w->server));
	snprintf(w->url, sizeof(w->url), "%s://localhost:%u/ws", w->server.tls ? "wss" : "ws",
	         w->server.port);
	w->client = ws_client_create(w->loop, &o, &why);
	assert_non_null(w->client);
	assert_false(ws_client_send(w->client, TEXT("too early")));
}

static inline void begin(struct world *w, void (*fn)(struct server *server))
{
	begin_with(w, fn, 0);
}

static inline void expect(struct world *w, unsigned code, int status, const char *why)
{
	assert_true(run_until(w->loop, &w->over));
	run_for(w->loop, 5);
	assert_int_equal(w->closes, 1);
	if (w->code != code || w->status != status || !strstr(w->why, why))
		fail_msg("%u, %d, '%s' instead of %u, %d, '%s'", w->code, w->status, w->why, code,
		         status, why);
	assert_false(ws_client_send(w->client, TEXT("too late")));
}

/* --- what servers do --------------------------------------------------------- */

static inline bool say_yes(struct server *s)
{
	char answer[200], accept[WS_ACCEPT_LEN + 1];
	const char *key;

	if (!server_await(s, "\r\n\r\n"))
		return false;
	key = memmem(s->heard.at, s->heard.len, "Sec-WebSocket-Key: ", 19);
	if (!key || !ws_accept((struct text){key + 19, 24}, accept))
		return false;
	snprintf(answer, sizeof(answer),
	         "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	         "Sec-WebSocket-Accept: %s\r\n\r\n",
	         accept);
	buf_clear(&s->heard);
	return server_say(s, text_of(answer));
}

/* Says back what comes; a close ends it. */
static inline void say_back(struct server *s)
{
	static const struct ws_limits limits = {2 * MIB, 1};
	struct ws_reader reader;
	struct ws_news news = {0};
	enum ws_event event = WS_WAIT;
	struct buf out;

	if (!say_yes(s))
		return;
	ws_init(&reader, &limits);
	buf_init(&out, 4 * MIB);
	while (event != WS_BAD && event != WS_CLOSE && server_hear(s)) {
		char *at = s->heard.at;
		size_t n = s->heard.len;

		while ((event = ws_read(&reader, &at, &n, &news)) == WS_TEXT)
			ws_add_frame(&out, WS_OP_TEXT, news.body);
		server_say(s, buf_text(&out));
		buf_clear(&out);
		buf_clear(&s->heard);
	}
	if (event == WS_CLOSE)
		s->closes++;
	buf_finish(&out);
	ws_finish(&reader);
}

static inline void say_answer(struct server *s)
{
	struct world *w = s->self;

	if (server_await(s, "\r\n\r\n"))
		server_say(s, text_of(w->answer));
}

static inline void say_frames(struct server *s)
{
	struct world *w = s->self;

	if (say_yes(s) && server_say(s, (struct text){w->frames, w->frames_len}))
		server_await_close(s);
}

static inline void say_frames_and_reset(struct server *s)
{
	struct world *w = s->self;

	if (say_yes(s) && server_say(s, (struct text){w->frames, w->frames_len}))
		server_await(s, "\x8a"); /* our pong */
	server_reset(s);
}

static inline void say_frames_and_end(struct server *s)
{
	struct world *w = s->self;

	if (say_yes(s))
		server_say(s, (struct text){w->frames, w->frames_len});
}

static inline void say_head_for_ever(struct server *s)
{
	if (server_await(s, "\r\n\r\n") && server_say(s, TEXT("HTTP/1.1 101 Yes\r\n")))
		while (server_say(s, TEXT("X-Filler: 01234567890123456789\r\n")))
			;
}

static inline void be_silent(struct server *s)
{
	server_await_close(s);
}

static inline void say_yes_and_be_silent(struct server *s)
{
	if (say_yes(s))
		server_await_close(s);
}

/* Yes, and never reads again. */
static inline void be_deaf(struct server *s)
{
	if (say_yes(s))
		while (!s->stop)
			usleep(1000);
}

#define FRAMES(w, literal) ((w)->frames = (literal), (w)->frames_len = sizeof(literal) - 1)

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
