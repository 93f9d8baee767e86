/* request_fault_test.c - servers that are not there, lie, stall or never stop: each
 * has its words, and its end in time. */
#include "net/test_request.h"
#include "net/test_tls.h"

static struct authority authority;

static void nobody_there_is_told(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = {.url = "http://127.0.0.1:1/", .self = w, .done = asker_done};

	asker_run(w, &o, "127.0.0.1 port 1 cannot be reached: Connection refused");
	o.url = "http://no-such-name.invalid/";
	asker_run(w, &o, "the name no-such-name.invalid is not known");
}

static void what_is_no_request_is_not_begun(void **state)
{
	static const char *const headers[] = {"X: y\r\nZ: w", NULL};
	struct test_asker *w = *state;
	struct request_options o = {.url = "ws://localhost/", .self = w, .done = asker_done};
	struct error why;

	assert_null(request_start(w->requests, &o, &why));
	assert_non_null(strstr(why.words, "ws://"));
	o.url = "file:///etc/passwd";
	assert_null(request_start(w->requests, &o, &why));
	o.url = "http://localhost/";
	o.headers = headers;
	assert_null(request_start(w->requests, &o, &why));
	assert_non_null(strstr(why.words, "control character"));
	run_for(w->loop, 10);
	assert_int_equal(w->dones, 0);
}

static void say_redirect(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 302 Found\r\nLocation: http://evil.example/\x1b[1m\r\n"
		                   "Content-Length: 3\r\n\r\nabc"));
}

static void a_redirect_is_told_and_not_followed(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_redirect);

	asker_run(w, &o, "a redirect (302) to http://evil.example/");
	assert_int_equal(w->status, 302);
	assert_null(strchr(w->why, 0x1b));
	assert_int_equal(w->body.len, 0);
	assert_int_equal(w->server.conns, 1);
}

static void say_nothing(struct server *s)
{
	server_await(s, "\r\n\r\n");
}

static void say_garbage(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("SSH-2.0-OpenSSH_9.2p1\r\n\r\n"));
}

static void say_half(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
}

static void say_half_and_reset(struct server *s)
{
	struct test_asker *w = s->self;

	say_half(s);
	while (w->heard < 4 && !s->stop)
		usleep(200);
	server_reset(s);
}

static void say_bad_chunk(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"));
}

static void say_upgrade(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n"
		                   "Connection: Upgrade\r\n\r\nbytes"));
}

static void say_broken_line(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\n\rX: event\nbody"));
}

static void say_broken_line_alone(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\rX: event\n"));
}

static void answers_that_are_none_are_told(void **state)
{
	static const struct {
		void (*serve)(struct server *server);
		const char *why;
		const char *body;
	} table[] = {
		{say_nothing, "closed the connection without a response", ""},
		{say_garbage, "is not HTTP", ""},
		{say_half, "the connection to 127.0.0.1 broke", "half"},
		{say_half_and_reset, "the connection to 127.0.0.1 broke", "half"},
		{say_bad_chunk, "broke", ""},
		{say_upgrade, "an upgrade that nobody asked for", ""},
		{say_broken_line, "has a broken line", ""},
		{say_broken_line_alone, "has a broken line", ""},
	};
	struct test_asker *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct request_options o = asker_serve(w, table[i].serve);

		buf_clear(&w->body);
		w->heard = 0;
		asker_run(w, &o, table[i].why);
		assert_true(text_is(buf_text(&w->body), table[i].body));
		server_finish(&w->server);
		w->server = (struct server){0};
	}
}

static void say_lines_for_ever(struct server *s)
{
	if (server_await(s, "\r\n\r\n") && server_say(s, TEXT("HTTP/1.1 200 OK\r\n")))
		while (server_say(s,
		                  TEXT("X-Filler: 0123456789012345678901234567890123456789\r\n")))
			;
}

static void say_one_line_for_ever(struct server *s)
{
	if (server_await(s, "\r\n\r\n") && server_say(s, TEXT("HTTP/1.1 200 OK\r\nX-Filler: ")))
		while (server_say(s, TEXT("0123456789012345678901234567890123456789")))
			;
}

static void say_body_for_ever(struct server *s)
{
	if (server_await(s, "\r\n\r\n") && server_say(s, TEXT("HTTP/1.1 200 OK\r\n\r\n")))
		while (server_say(s, TEXT("0123456789012345678901234567890123456789")))
			;
}

static void a_head_without_end_is_cut_off(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_lines_for_ever);

	asker_run(w, &o, "the head of 127.0.0.1's response is longer than 64 KiB");
	assert_int_equal(w->heads, 0);
	server_finish(&w->server);
	w->server = (struct server){0};
	o = asker_serve(w, say_one_line_for_ever);
	asker_run(w, &o, "too long");
	assert_int_equal(w->heads, 0);
}

static void a_body_without_end_is_cut_off(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_body_for_ever);

	o.body_max = 100000;
	asker_run(w, &o, "the response of 127.0.0.1 is longer than 100000 bytes");
	assert_true(w->body.len <= 100000);
}

/* --- time -------------------------------------------------------------------- */

static void be_silent(struct server *s)
{
	server_await_close(s);
}

static void say_a_little(struct server *s)
{
	if (server_await(s, "\r\n\r\n") && server_say(s, TEXT("HTTP/1.1 200 OK\r\n\r\nlittle")))
		server_await_close(s);
}

static void a_head_that_does_not_come_is_not_awaited(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, be_silent);

	o.head_ms = 100;
	asker_run(w, &o, "127.0.0.1 did not respond within 100 ms");
}

static void silence_in_the_body_has_an_end(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_a_little);

	o.head_ms = 30000;
	o.idle_ms = 150;
	asker_run(w, &o, "127.0.0.1 sent nothing for 150 ms");
	assert_true(text_is(buf_text(&w->body), "little"));
}

static void say_ticks(struct server *s)
{
	if (!server_await(s, "\r\n\r\n") || !server_say(s, TEXT("HTTP/1.1 200 OK\r\n\r\n")))
		return;
	for (int i = 0; i < 40 && server_say(s, TEXT("tick")); i++)
		usleep(25000);
}

static bool comes_whole(struct test_asker *w)
{
	struct request_options o = asker_serve(w, say_ticks);

	o.idle_ms = 600;
	buf_clear(&w->body);
	asker_start(w, &o);
	assert_true(run_until(w->loop, &w->done));
	server_finish(&w->server);
	w->server = (struct server){0};
	return w->why[0] == '\0' && w->body.len == 160;
}

/* A machine may stand still for so long, but not five times. */
static void a_body_that_moves_is_not_silent(void **state)
{
	struct test_asker *w = *state;
	bool whole = false;

	for (int i = 0; i < 5 && !whole; i++)
		whole = comes_whole(w);
	assert_true(whole);
}

static void the_whole_has_its_time_too(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_ticks);

	o.total_ms = 150;
	asker_run(w, &o, "the response of 127.0.0.1 timed out");
}

/* A listener whose queue is full does not answer at all. */
static void a_connection_that_does_not_come_is_not_awaited(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct test_asker *w = *state;
	struct request_options o = {
		.url = w->url, .self = w, .done = asker_done, .connect_ms = 150};
	int fds[8], fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(at);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(fd, 0), 0);
	getsockname(fd, (struct sockaddr *)&at, &len);
	for (int i = 0; i < 8; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(fds[i], (struct sockaddr *)&at, sizeof(at));
	}
	snprintf(w->url, sizeof(w->url), "http://127.0.0.1:%u/", ntohs(at.sin_port));
	asker_run(w, &o, "timed out");
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	close(fd);
}

/* --- TLS --------------------------------------------------------------------- */

static void only_a_good_certificate_is_taken(void **state)
{
	static const struct {
		enum test_fault fault;
		const char *why;
	} table[] = {
		{GOOD, ""},
		{SELF_SIGNED, "the certificate of localhost is not trusted: self-signed"},
		{WRONG_HOST, "the certificate is not localhost's"},
		{EXPIRED, "the certificate of localhost is not trusted: certificate has expired"},
	};
	struct test_asker *w = *state;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct request_options o;

		w->server.tls = authority_serve(&authority, table[i].fault);
		o = asker_serve(w, server_say_hello);
		asker_run(w, &o, table[i].why);
		assert_int_equal(w->heads, table[i].fault == GOOD);
		assert_int_equal(w->fault == REQUEST_UNTRUSTED, table[i].fault != GOOD);
		w->heads = 0;
		server_finish(&w->server);
		w->server = (struct server){0};
	}
}

static void say_no_tls(struct server *s)
{
	if (server_hear(s))
		server_say(s, TEXT("HTTP/1.1 400 This is plain HTTP\r\n\r\n"));
}

static void https_to_a_server_without_tls_is_told(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_no_tls);

	snprintf(w->url, sizeof(w->url), "https://127.0.0.1:%u/", w->server.port);
	asker_run(w, &o, "TLS with 127.0.0.1 failed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		asker_test(nobody_there_is_told),
		asker_test(what_is_no_request_is_not_begun),
		asker_test(a_redirect_is_told_and_not_followed),
		asker_test(answers_that_are_none_are_told),
		asker_test(a_head_without_end_is_cut_off),
		asker_test(a_body_without_end_is_cut_off),
		asker_test(a_head_that_does_not_come_is_not_awaited),
		asker_test(silence_in_the_body_has_an_end),
		asker_test(a_body_that_moves_is_not_silent),
		asker_test(the_whole_has_its_time_too),
		asker_test(a_connection_that_does_not_come_is_not_awaited),
		asker_test(only_a_good_certificate_is_taken),
		asker_test(https_to_a_server_without_tls_is_told),
	};
	int failed;

	authority_init(&authority);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	authority_finish(&authority);
	return failed;
}
