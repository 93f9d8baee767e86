/* request_test.c - requests that are answered, streamed, cancelled and begun inside
 * each other's callbacks. */
#include "net/request.h"

#include "net/test_request.h"

static void an_answer_comes_with_its_head_and_body(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, server_say_hello);

	asker_run(w, &o, "");
	assert_int_equal(w->status, 200);
	assert_int_equal(w->heads, 1);
	assert_string_equal(w->type, "text/plain; charset=utf-8");
	assert_true(text_is(buf_text(&w->body), "hello"));
}

/* Says back what it heard, and shows a cookie that must not come again. */
static void say_back(struct server *s)
{
	char head[200];

	for (;;) {
		buf_clear(&s->heard);
		if (!server_await(s, "\r\n\r\n") ||
		    (server_heard(s, "Content-Length: 8") && !server_await(s, "the body")))
			return;
		snprintf(head, sizeof(head),
		         "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: %zu\r\n\r\n",
		         s->heard.len);
		if (!server_say(s, text_of(head)) || !server_say(s, buf_text(&s->heard)))
			return;
	}
}

static const char *body_of(struct test_asker *w)
{
	buf_add_char(&w->body, '\0');
	return w->body.at;
}

static void the_question_goes_out_as_it_was_put(void **state)
{
	static const char *const headers[] = {"Authorization: Bearer secret",
	                                      "Content-Type: application/json", NULL};
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_back);
	const char *said;

	o.headers = headers;
	o.body = TEXT("the body");
	asker_run(w, &o, "");
	said = body_of(w);
	assert_int_equal(strncmp(said, "POST /path?query HTTP/1.1\r\n", 27), 0);
	assert_non_null(strstr(said, "\r\nAuthorization: Bearer secret\r\n"));
	assert_non_null(strstr(said, "\r\nContent-Type: application/json\r\n"));
	assert_non_null(strstr(said, "\r\nUser-Agent: signalbox/"));
	assert_non_null(strstr(said, "\r\n\r\nthe body"));
	assert_null(strstr(said, "Expect"));
	assert_null(strstr(said, "Accept-Encoding"));
}

static void methods_are_what_one_says(void **state)
{
	/* What must not be sent twice has a connection of its own, so that is the first. */
	static const char *const methods[] = {"POST", "GET", "DELETE", "PUT", "PATCH"};
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_back);

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		buf_clear(&w->body);
		o.method = methods[i];
		asker_run(w, &o, "");
		assert_int_equal(strncmp(body_of(w), methods[i], strlen(methods[i])), 0);
		assert_null(strstr(w->body.at, "Cookie"));
	}
	/* A connection that is well is used again. */
	assert_int_equal(w->server.conns, 1);
	o.method = "HEAD";
	buf_clear(&w->body);
	asker_run(w, &o, "");
	assert_int_equal(w->status, 200);
	assert_int_equal(w->body.len, 0);
}

/* Piece by piece, each only when the one before was heard. */
static void say_slowly(struct server *s)
{
	struct test_asker *w = s->self;

	if (!server_await(s, "\r\n\r\n") ||
	    !server_say(s, TEXT("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")))
		return;
	for (size_t i = 0; i < 5; i++) {
		if (!server_say(s, TEXT("4\r\n")) || !server_say(s, TEXT("tick\r\n")))
			return;
		while (w->heard < 4 * (i + 1) && !s->stop)
			usleep(200);
	}
	server_say(s, TEXT("0\r\nX-Trailer: yes\r\n\r\n"));
}

static void a_stream_is_heard_as_it_comes(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_slowly);

	asker_run(w, &o, "");
	assert_true(text_is(buf_text(&w->body), "tickticktickticktick"));
	assert_int_equal(w->heads, 1);
}

static void say_early_hints(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 103 Early Hints\r\nContent-Type: text/wrong\r\n"
		                   "Retry-After: 9\r\n\r\n"
		                   "HTTP/1.1 429 Too Many\r\nRetry-After: 17\r\n"
		                   "Content-Length: 0\r\n\r\n"));
}

static void only_the_final_head_counts(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_early_hints);

	asker_run(w, &o, "");
	assert_int_equal(w->heads, 1);
	assert_int_equal(w->status, 429);
	assert_string_equal(w->type, "");
	assert_int_equal(w->retry_after_ms, 17000);
}

static void say_limits(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\nX-RateLimit-Remaining: 4 \r\n"
		                   "Content-Length: 0\r\n\r\n"));
}

static void heard_field(void *self, struct text name, struct text value)
{
	struct test_asker *w = self;

	if (text_equal_nocase(name, TEXT("x-ratelimit-remaining")))
		buf_add(&w->body, value);
}

static void fields_of_a_platform_are_told(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_limits);

	o.field = heard_field;
	asker_run(w, &o, "");
	assert_true(text_is(buf_text(&w->body), "4"));
}

static void say_date(struct server *s)
{
	time_t then = time(NULL) + 100;
	char head[200], date[50];
	struct tm parts;

	gmtime_r(&then, &parts);
	strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &parts);
	snprintf(head, sizeof(head),
	         "HTTP/1.1 503 Later\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", date);
	if (server_await(s, "\r\n\r\n"))
		server_say(s, text_of(head));
}

static void patience_may_be_asked_for_by_date(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_date);

	asker_run(w, &o, "");
	assert_in_range(w->retry_after_ms, 80000, 100000);
}

static void say_nonsense_patience(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 503 Later\r\nRetry-After: 99999999999\r\n"
		                   "Content-Length: 0\r\n\r\n"));
}

static void patience_has_an_end(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_nonsense_patience);

	asker_run(w, &o, "");
	assert_int_equal(w->retry_after_ms, 86400000);
}

/* A stream without an end, until the client leaves. */
static void say_on(struct server *s)
{
	if (server_await(s, "\r\n\r\n") &&
	    server_say(s, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbegin")))
		server_await_close(s);
}

static void wait_for_close(struct test_asker *w)
{
	for (int i = 0; i < 10000 && !w->server.closes; i++)
		usleep(1000);
	assert_int_equal(w->server.closes, 1);
}

static void cancelling_closes_the_socket_at_once(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_on);
	bool heard = false;

	asker_start(w, &o);
	for (int i = 0; i < 10000 && !heard; i++) {
		run_for(w->loop, 1);
		heard = w->heard > 0;
	}
	assert_true(heard);
	request_cancel(w->request);
	/* The loop does not run any more, and the server sees the end all the same. */
	wait_for_close(w);
	run_for(w->loop, 20);
	assert_int_equal(w->dones, 0);
}

static void cancelling_inside_head_and_body_is_silent(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_on);

	w->cancel_in_head = true;
	asker_start(w, &o);
	assert_true(run_until(w->loop, &w->done));
	wait_for_close(w);
	w->server.closes = 0;
	w->cancel_in_head = false;
	w->cancel_in_body = true;
	asker_start(w, &o);
	assert_true(run_until(w->loop, &w->done));
	wait_for_close(w);
	run_for(w->loop, 20);
	assert_int_equal(w->dones, 0);
	assert_true(text_is(buf_text(&w->body), "begin"));
}

static void cancelling_at_any_time_is_fine(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_on), far = o;

	asker_start(w, &o);
	request_cancel(w->request);
	request_cancel(w->request);
	request_cancel(NULL);
	far.url = "http://a-name-that-is-not.invalid/";
	asker_start(w, &far);
	run_for(w->loop, 1);
	request_cancel(w->request);
	asker_start(w, &o);
	run_for(w->loop, 1);
	request_cancel(w->request);
	run_for(w->loop, 20);
	assert_int_equal(w->dones, 0);
}

/* One request begins another inside its body and cancels it inside its end. */
struct pair {
	struct test_asker *w;
	struct request_options inner;
	struct request *second;
	bool done;
};

static void begin_another(void *self, struct text bytes)
{
	struct pair *p = self;

	if (!p->second)
		p->second = request_start(p->w->requests, &p->inner, NULL);
	assert_non_null(p->second);
}

static void cancel_another(void *self, const char *why)
{
	struct pair *p = self;

	request_cancel(p->second);
	p->done = true;
}

static void callbacks_may_begin_and_cancel_others(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, server_say_hello);
	struct pair p = {.w = w, .inner = o};

	o.self = &p;
	o.head = NULL;
	o.heard = begin_another;
	o.done = cancel_another;
	asker_start(w, &o);
	assert_true(run_until(w->loop, &p.done));
	run_for(w->loop, 20);
	assert_int_equal(w->dones, 0);
	/* And one that is left alone comes to its end. */
	o = p.inner;
	asker_run(w, &o, "");
	assert_true(text_is(buf_text(&w->body), "hello"));
}

static void what_is_under_way_ends_silently_with_all(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_on);

	for (int i = 0; i < 5; i++)
		asker_start(w, &o);
	run_for(w->loop, 30);
	requests_destroy(w->requests);
	requests_destroy(NULL);
	w->requests = NULL;
	run_for(w->loop, 20);
	assert_int_equal(w->dones, 0);
}

/* More than the sockets hold, so that a client that does not read is felt. */
static void say_much(struct server *s)
{
	static char much[16384];

	memset(much, 'm', sizeof(much));
	if (!server_await(s, "\r\n\r\n") ||
	    !server_say(s, TEXT("HTTP/1.1 200 OK\r\nContent-Length: 16777216\r\n\r\n")))
		return;
	for (int i = 0; i < 1024 && server_say(s, (struct text){much, sizeof(much)}); i++)
		;
}

static void hush_at_first(void *self, struct text bytes)
{
	struct test_asker *w = self;

	if (w->heard == 0)
		request_hush(w->request, true);
	w->heard += bytes.len;
}

static void a_hushed_request_waits_and_goes_on(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_much);

	o.heard = hush_at_first;
	o.idle_ms = 1000;
	asker_start(w, &o);
	for (int i = 0; i < 10000 && !w->heard; i++)
		run_for(w->loop, 1);
	/* Longer than silence may last, but it is ours. */
	run_for(w->loop, 1500);
	assert_in_range(w->heard, 1, 65536);
	assert_false(w->done);
	request_hush(w->request, false);
	assert_true(run_until(w->loop, &w->done));
	assert_string_equal(w->why, "");
	assert_int_equal(w->heard, 16777216);
}

static void a_request_can_be_hushed_before_its_head_came(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_much);

	asker_start(w, &o);
	request_hush(w->request, true);
	run_for(w->loop, 100);
	assert_int_equal(w->heard, 0);
	request_hush(w->request, false);
	assert_true(run_until(w->loop, &w->done));
	assert_string_equal(w->why, "");
	assert_int_equal(w->status, 200);
	assert_int_equal(w->heard, 16777216);
}

/* Going on gives what libcurl held back, and then it is enough. */
static void cancelling_while_going_on_is_fine(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_much);

	asker_start(w, &o);
	for (int i = 0; i < 10000 && !w->heard; i++)
		run_for(w->loop, 1);
	request_hush(w->request, true);
	run_for(w->loop, 20);
	w->cancel_in_body = true;
	request_hush(w->request, false);
	assert_true(run_until(w->loop, &w->done));
	run_for(w->loop, 20);
	assert_int_equal(w->dones, 0);
}

#define CROWD 100
#define ROUNDS 20

/* Talks to all of a crowd at once, a word to each in turn. */
static void say_to_all(struct server *s)
{
	static const struct text word = {"word ", 5};
	int conns[CROWD] = {s->conn}, last = 1;
	char bytes[4096];

	while (last < CROWD && !s->stop)
		if ((conns[last] = accept(s->fd, NULL, NULL)) >= 0)
			last++;
	for (int i = 0; i < last; i++)
		if (recv(conns[i], bytes, sizeof(bytes), 0) > 0)
			send(conns[i], "HTTP/1.1 200 OK\r\n\r\n", 19, MSG_NOSIGNAL);
	for (int round = 0; round < ROUNDS && !s->stop; round++) {
		for (int i = 0; i < last; i++)
			send(conns[i], word.at, word.len, MSG_NOSIGNAL);
		usleep(5000);
	}
	for (int i = 1; i < last; i++)
		close(conns[i]);
}

static void count(void *self, struct text bytes)
{
	struct test_asker *w = self;

	w->heard += bytes.len;
}

static void count_done(void *self, const char *why)
{
	struct test_asker *w = self;

	assert_null(why);
	w->done = ++w->dones == CROWD;
}

static void a_crowd_is_heard_whole(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_to_all);

	o.heard = count;
	o.done = count_done;
	for (int i = 0; i < CROWD; i++)
		assert_non_null(request_start(w->requests, &o, NULL));
	assert_true(run_until(w->loop, &w->done));
	assert_int_equal(w->heads, CROWD);
	assert_int_equal(w->heard, CROWD * ROUNDS * 5);
}

#define HELD 60 /* requests that wait for their answers, as long polls do */

/* Leaves so many waiting, and answers two more if they come on one connection. */
static void say_to_the_last(struct server *s)
{
	static const struct text answer = {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 40};
	int conns[HELD + 1] = {s->conn}, last = 1;
	char bytes[4096];

	if (s->conns > 1)
		return;
	while (last <= HELD && !s->stop)
		if ((conns[last] = accept(s->fd, NULL, NULL)) >= 0)
			last++;
	for (int i = 0; i < 2 && last > HELD; i++)
		if (recv(conns[HELD], bytes, sizeof(bytes), 0) > 0)
			send(conns[HELD], answer.at, answer.len, MSG_NOSIGNAL);
	for (int i = 1; i < last; i++)
		close(conns[i]);
}

static void a_connection_is_kept_beside_many_in_use(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, say_to_the_last);
	struct request_options held = {.url = w->url};

	for (int i = 0; i < HELD; i++)
		assert_non_null(request_start(w->requests, &held, NULL));
	run_for(w->loop, 50);
	asker_run(w, &o, "");
	asker_run(w, &o, "");
}

static void loopback_is_asked_without_a_proxy(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, server_say_hello);

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	asker_run(w, &o, "");
	unsetenv("http_proxy");
	assert_int_equal(w->status, 200);
}

#define BEATS 30

static void count_beat(void *self)
{
	((struct test_asker *)self)->heard++;
}

static void beat_and_answer(struct server *s)
{
	if (!server_await(s, "\r\n\r\n"))
		return;
	for (int i = 0; i < BEATS; i++) {
		usleep(100 * 1000);
		server_say(s, TEXT("HTTP/1.1 102 Processing\r\n\r\n"));
	}
	server_say(s, TEXT("HTTP/1.1 204 No Content\r\n\r\n"));
}

/* It takes 3 s in all, and never 2 without a word. */
static void who_says_that_it_comes_is_waited_for(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, beat_and_answer);

	o.head_ms = 2000;
	o.beat = count_beat;
	asker_run(w, &o, "");
	assert_int_equal(w->status, 204);
	assert_int_equal(w->heard, BEATS);
}

static void a_fault_has_its_kind(void **state)
{
	struct test_asker *w = *state;
	struct request_options o = asker_serve(w, server_say_hello);

	o.path = "/nonexistent/sock";
	asker_run(w, &o, "cannot be reached");
	assert_int_equal(w->fault, REQUEST_UNREACHABLE);
	o.path = NULL;
	o.body_max = 2;
	asker_run(w, &o, "longer than 2 bytes");
	assert_int_equal(w->fault, REQUEST_BROKEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		asker_test(an_answer_comes_with_its_head_and_body),
		asker_test(the_question_goes_out_as_it_was_put),
		asker_test(methods_are_what_one_says),
		asker_test(a_stream_is_heard_as_it_comes),
		asker_test(only_the_final_head_counts),
		asker_test(fields_of_a_platform_are_told),
		asker_test(patience_may_be_asked_for_by_date),
		asker_test(patience_has_an_end),
		asker_test(cancelling_closes_the_socket_at_once),
		asker_test(cancelling_inside_head_and_body_is_silent),
		asker_test(cancelling_at_any_time_is_fine),
		asker_test(callbacks_may_begin_and_cancel_others),
		asker_test(what_is_under_way_ends_silently_with_all),
		asker_test(a_hushed_request_waits_and_goes_on),
		asker_test(a_request_can_be_hushed_before_its_head_came),
		asker_test(cancelling_while_going_on_is_fine),
		asker_test(a_crowd_is_heard_whole),
		asker_test(a_connection_is_kept_beside_many_in_use),
		asker_test(loopback_is_asked_without_a_proxy),
		asker_test(who_says_that_it_comes_is_waited_for),
		asker_test(a_fault_has_its_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
