/* ws_client_fault_test.c - servers that refuse, lie, break off or fall silent: each
 * has its words. */
#include "net/test_ws_client.h"

static void say_answer(struct server *s)
{
	struct talker *w = s->self;

	if (server_await(s, "\r\n\r\n"))
		server_say(s, text_of(w->answer));
}

static void say_frames_and_reset(struct server *s)
{
	struct talker *w = s->self;

	if (server_say_yes(s) && server_say(s, (struct text){w->frames, w->frames_len}))
		server_await(s, "\x8a"); /* our pong */
	server_reset(s);
}

static void say_frames_and_end(struct server *s)
{
	struct talker *w = s->self;

	if (server_say_yes(s))
		server_say(s, (struct text){w->frames, w->frames_len});
}

static void say_head_for_ever(struct server *s)
{
	if (server_await(s, "\r\n\r\n") && server_say(s, TEXT("HTTP/1.1 101 Yes\r\n")))
		while (server_say(s, TEXT("X-Filler: 01234567890123456789\r\n")))
			;
}

static void be_silent(struct server *s)
{
	server_await_close(s);
}

static void say_yes_and_be_silent(struct server *s)
{
	if (server_say_yes(s))
		server_await_close(s);
}

static void only_a_good_certificate_is_taken(void **state)
{
	static const struct {
		enum test_fault fault;
		const char *why;
	} table[] = {
		{SELF_SIGNED, "the certificate of localhost is not trusted: self-signed"},
		{WRONG_HOST, "the certificate is not localhost's"},
		{EXPIRED, "the certificate of localhost is not trusted: certificate has expired"},
	};
	struct talker *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		w->server.tls = authority_serve(w->authority, table[i].fault);
		talker_begin(w, server_say_back);
		talker_expect(w, 1015, 0, table[i].why);
		assert_int_equal(w->opens, 0);
		talker_leave(w);
	}
}

static void say_no_tls(struct server *s)
{
	if (server_hear(s))
		server_say(s, TEXT("HTTP/1.1 400 This is plain HTTP\r\n\r\n"));
}

static void say_half_a_handshake(struct server *s)
{
	server_hear(s);
}

static void begin_tls(struct talker *w, void (*fn)(struct server *server))
{
	struct ws_client_options o = {.connect_ms = 5000, .message_max = 1, .self = w};

	w->server.serve = fn;
	w->server.self = w;
	assert_true(server_start(&w->server));
	snprintf(w->url, sizeof(w->url), "wss://127.0.0.1:%u/", w->server.port);
	o.url = w->url;
	o.closed = talker_closed;
	w->client = ws_client_create(w->loop, &o, NULL);
}

static void a_server_without_tls_is_told(void **state)
{
	struct talker *w = *state;

	begin_tls(w, say_no_tls);
	talker_expect(w, 1006, 0, "TLS with 127.0.0.1 failed: wrong version number");
	talker_leave(w);
	begin_tls(w, say_half_a_handshake);
	talker_expect(w, 1006, 0, "TLS with 127.0.0.1 failed");
}

static void say_goodbye_badly(struct server *s)
{
	server_say_yes(s);
	SSL_set_quiet_shutdown(s->ssl, 1);
}

static void an_end_without_goodbye_is_an_end(void **state)
{
	struct talker *w = *state;

	w->server.tls = authority_serve(w->authority, GOOD);
	talker_begin(w, say_goodbye_badly);
	talker_expect(w, 1006, 0, "the connection was lost: the peer closed the connection");
	assert_int_equal(w->opens, 1);
}

static void nobody_there_is_told(void **state)
{
	struct ws_client_options o = {.url = "ws://127.0.0.1:1/", .connect_ms = 5000};
	struct talker *w = *state;

	o.self = w;
	o.closed = talker_closed;
	w->client = ws_client_create(w->loop, &o, NULL);
	talker_expect(w, 1006, 0, "127.0.0.1 port 1 cannot be reached: Connection refused");
}

/* Pings for ever, and never looks at what comes back. */
static void ping_for_ever(struct server *s)
{
	static const char ping[127] = "\x89\x7d";

	if (server_say_yes(s))
		while (server_say(s, (struct text){ping, sizeof(ping)}))
			;
}

static void pongs_that_nobody_reads_have_a_ceiling(void **state)
{
	struct talker *w = *state;

	talker_begin(w, ping_for_ever);
	talker_expect(w, 1006, 0, "the peer pings and does not read");
}

static void what_no_server_says_is_refused(void **state)
{
	static const struct {
		struct text frames;
		const char *why;
	} table[] = {
		{{"\x81\x85\1\2\3\4hello", 11}, "an invalid WebSocket frame"},
		{{"\xf1\x01x", 3}, "an invalid WebSocket frame"},
		{{"HTTP/1.1 200 OK\r\n\r\n", 19}, "an invalid WebSocket frame"},
		{{"\x81\x01\xff", 3}, "is not UTF-8"},
		{{"\x82\x01\xff", 3}, "a binary message"},
		{{"\x81\x7f\0\0\0\0\x10\0\0\0", 10}, "more than 1048576 bytes"},
	};
	struct talker *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		w->frames = table[i].frames.at;
		w->frames_len = table[i].frames.len;
		talker_begin(w, server_say_frames);
		talker_expect(w, 1006, 0, table[i].why);
		talker_leave(w);
	}
}

static void a_connection_that_breaks_is_told(void **state)
{
	struct talker *w = *state;

	FRAMES(w, "\x89\x01p");
	talker_begin(w, say_frames_and_reset);
	talker_expect(w, 1006, 0, "the connection was lost: Connection reset by peer");
	talker_leave(w);
	FRAMES(w, "\x81\x02hi\x81\x7e\x10");
	talker_begin(w, say_frames_and_end);
	talker_expect(w, 1006, 0, "the connection was lost: the peer closed the connection");
	assert_true(text_is(buf_text(&w->heard), "hi|"));
	talker_leave(w);
	FRAMES(w, "\x88\x00");
	talker_begin(w, server_say_frames);
	talker_expect(w, 1005, 0, "the peer closed (1005)");
}

static void a_refused_upgrade_says_why(void **state)
{
	static const struct {
		const char *answer;
		int status;
		const char *why;
	} table[] = {
		{"HTTP/1.1 401 No\r\nContent-Length: 3\r\n\r\nbad", 401, "credential"},
		{"HTTP/1.1 403 No\r\n\r\n", 403, "forbids"},
		{"HTTP/1.1 302 No\r\nLocation: https://x.example/\r\n\r\n", 302, "x.example"},
		{"HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	         "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
	         0, "Sec-WebSocket-Accept"},
		{"hello\r\n\r\n", 0, "not HTTP"},
		{"", 0, "the peer closed the connection"},
	};
	struct talker *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		w->answer = table[i].answer;
		talker_begin(w, say_answer);
		talker_expect(w, 1006, table[i].status, table[i].why);
		assert_int_equal(w->opens, 0);
		talker_leave(w);
	}
	talker_begin(w, say_head_for_ever);
	talker_expect(w, 1006, 0, "the response is longer than 16 KiB");
}

static void silence_has_an_end(void **state)
{
	struct ws_client_options o = {.connect_ms = 500, .message_max = 1, .closed = talker_closed};
	struct talker *w = *state;

	talker_begin_with(w, say_yes_and_be_silent, 250);
	talker_expect(w, 1006, 0, "the peer was silent for 500 ms");
	assert_int_equal(w->opens, 1);
	ws_client_destroy(w->client);
	/* The same server's port, but nobody who answers. */
	w->server.serve = be_silent;
	snprintf(w->url, sizeof(w->url), "ws://127.0.0.1:%u/ws", w->server.port);
	w->over = false;
	w->closes = 0;
	o.url = w->url;
	o.self = w;
	w->client = ws_client_create(w->loop, &o, NULL);
	talker_expect(w, 1006, 0, "127.0.0.1 did not answer in time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		talker_test(only_a_good_certificate_is_taken),
		talker_test(a_server_without_tls_is_told),
		talker_test(an_end_without_goodbye_is_an_end),
		talker_test(nobody_there_is_told),
		talker_test(pongs_that_nobody_reads_have_a_ceiling),
		talker_test(what_no_server_says_is_refused),
		talker_test(a_connection_that_breaks_is_told),
		talker_test(a_refused_upgrade_says_why),
		talker_test(silence_has_an_end),
	};

	return cmocka_run_group_tests(tests, talker_make_authority, talker_end_authority);
}
