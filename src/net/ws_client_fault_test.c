/* ws_client_fault_test.c - servers that refuse, lie, break off or fall silent: each
 * has its words. */
#include "net/test_ws_client.h"

static void only_a_good_certificate_is_taken(void **state)
{
	static const struct {
		enum fault fault;
		const char *why;
	} table[] = {
		{SELF_SIGNED, "the certificate of localhost is not trusted: self-signed"},
		{WRONG_HOST, "the certificate is not localhost's"},
		{EXPIRED, "the certificate of localhost is not trusted: certificate has expired"},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		w->server.tls = authority_serve(w->authority, table[i].fault);
		begin(w, say_back);
		expect(w, 1015, 0, table[i].why);
		assert_int_equal(w->opens, 0);
		leave(w);
	}
}

static void what_no_server_says_is_refused(void **state)
{
	static const struct {
		struct text frames;
		const char *why;
	} table[] = {
		{{"\x81\x85\1\2\3\4hello", 11}, "is no WebSocket frame"},
		{{"\xf1\x01x", 3}, "is no WebSocket frame"},
		{{"HTTP/1.1 200 OK\r\n\r\n", 19}, "is no WebSocket frame"},
		{{"\x81\x01\xff", 3}, "is not UTF-8"},
		{{"\x82\x01\xff", 3}, "a binary message"},
		{{"\x81\x7f\0\0\0\0\x10\0\0\0", 10}, "more than 1048576 bytes"},
	};
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		w->frames = table[i].frames.at;
		w->frames_len = table[i].frames.len;
		begin(w, say_frames);
		expect(w, 1006, 0, table[i].why);
		leave(w);
	}
}

static void a_connection_that_breaks_is_told(void **state)
{
	struct world *w = *state;

	FRAMES(w, "\x89\x01p");
	begin(w, say_frames_and_reset);
	expect(w, 1006, 0, "the connection was lost: Connection reset by peer");
	leave(w);
	FRAMES(w, "\x81\x02hi\x81\x7e\x10");
	begin(w, say_frames_and_end);
	expect(w, 1006, 0, "the connection was lost: the peer closed the connection");
	assert_true(text_is(buf_text(&w->heard), "hi|"));
	leave(w);
	FRAMES(w, "\x88\x00");
	begin(w, say_frames);
	expect(w, 1005, 0, "the peer closed (1005)");
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
	struct world *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		w->answer = table[i].answer;
		begin(w, say_answer);
		expect(w, 1006, table[i].status, table[i].why);
		assert_int_equal(w->opens, 0);
		leave(w);
	}
	begin(w, say_head_for_ever);
	expect(w, 1006, 0, "head is longer than 16 KiB");
}

static void silence_has_an_end(void **state)
{
	struct ws_client_options o = {.connect_ms = 100, .message_max = 1, .closed = on_closed};
	struct world *w = *state;

	begin_with(w, say_yes_and_be_silent, 250);
	expect(w, 1006, 0, "nothing was heard for 500 ms");
	assert_int_equal(w->opens, 1);
	ws_client_destroy(w->client);
	/* The same server's port, but nobody who answers. */
	w->server.serve = be_silent;
	w->over = false;
	w->closes = 0;
	o.url = w->url;
	o.self = w;
	w->client = ws_client_create(w->loop, &o, NULL);
	expect(w, 1006, 0, "localhost did not answer in time");
}

static int make_authority(void **state)
{
	static struct authority authority;

	authority_init(&authority);
	*state = &authority;
	return 0;
}

static int end_authority(void **state)
{
	authority_finish(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(only_a_good_certificate_is_taken),
		world_test(what_no_server_says_is_refused),
		world_test(a_connection_that_breaks_is_told),
		world_test(a_refused_upgrade_says_why),
		world_test(silence_has_an_end),
	};

	return cmocka_run_group_tests(tests, make_authority, end_authority);
}
