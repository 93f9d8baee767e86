/* test_ws_client.c - talking, and keeping what is heard. */
#include "net/test_ws_client.h"

#include "base/must.h"
#include "net/ws.h"

static void on_open(void *self)
{
	struct talker *w = self;

	w->opens++;
	w->opened = true;
	if (w->take_in_open)
		w->taken = ws_client_take(w->client, &w->heard);
	if (w->leave_in_open) {
		ws_client_destroy(w->client);
		w->client = NULL;
		w->over = true;
	}
}

static void on_text(void *self, struct text message)
{
	struct talker *w = self;

	buf_add(&w->heard, message);
	buf_add_char(&w->heard, '|');
	if (w->leave_in_text) {
		ws_client_destroy(w->client);
		w->client = NULL;
		w->over = true;
	}
}

void talker_closed(void *self, uint16_t code, int status, const char *why)
{
	struct talker *w = self;

	w->closes++;
	w->code = code;
	w->status = status;
	snprintf(w->why, sizeof(w->why), "%s", why);
	w->over = true;
}

int talker_set_up(void **state)
{
	struct talker *w = must_zero(1, sizeof(*w));

	w->authority = *state;
	w->loop = loop_create();
	buf_init(&w->heard, 64 * MIB);
	*state = w;
	return 0;
}

void talker_leave(struct talker *w)
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

int talker_tear_down(void **state)
{
	struct talker *w = *state;

	talker_leave(w);
	loop_destroy(w->loop);
	buf_finish(&w->heard);
	free(w);
	return 0;
}

void talker_begin_with(struct talker *w, void (*fn)(struct server *server), unsigned ping_ms)
{
	struct ws_client_options o = {
		.url = w->url,
		.message_max = MIB,
		.send_max = MIB,
		.connect_ms = 30000,
		.ping_ms = ping_ms,
		.self = w,
		.open = on_open,
		.text = on_text,
		.closed = talker_closed,
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

void talker_begin(struct talker *w, void (*fn)(struct server *server))
{
	talker_begin_with(w, fn, 0);
}

void talker_expect(struct talker *w, unsigned code, int status, const char *why)
{
	assert_true(run_until(w->loop, &w->over));
	run_for(w->loop, 5);
	assert_int_equal(w->closes, 1);
	if (w->code != code || w->status != status || !strstr(w->why, why))
		fail_msg("%u, %d, '%s' instead of %u, %d, '%s'", w->code, w->status, w->why, code,
		         status, why);
	assert_false(ws_client_send(w->client, TEXT("too late")));
}

bool server_say_yes(struct server *s)
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

void server_say_back(struct server *s)
{
	static const struct ws_limits limits = {2 * MIB, 1};
	struct ws_reader reader;
	struct ws_news news = {0};
	enum ws_event event = WS_WAIT;
	struct buf out;

	if (!server_say_yes(s))
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

void server_say_frames(struct server *s)
{
	struct talker *w = s->self;

	if (server_say_yes(s) && server_say(s, (struct text){w->frames, w->frames_len}))
		server_await_close(s);
}

int talker_make_authority(void **state)
{
	static struct authority authority;

	authority_init(&authority);
	*state = &authority;
	return 0;
}

int talker_end_authority(void **state)
{
	authority_finish(*state);
	return 0;
}
