/* request_test.c - requests to servers that behave well, badly and worse. */
#include "net/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/test_server.h"

struct world {
	struct loop *loop;
	struct requests *requests;
	struct request *request;
	struct server server;
	char url[100];

	int status;
	unsigned heads, dones, retry_after_ms;
	char type[100];
	struct buf body;
	bool done, cancel_in_head, cancel_in_body;
	char why[300];
};

static void on_head(void *self, const struct request_head *head)
{
	struct world *w = self;

	w->heads++;
	w->status = head->status;
	w->retry_after_ms = head->retry_after_ms;
	snprintf(w->type, sizeof(w->type), "%.*s", TEXT_ARG(head->content_type));
	if (w->cancel_in_head)
		request_cancel(w->request);
}

static void on_heard(void *self, struct text bytes)
{
	struct world *w = self;

	buf_add(&w->body, bytes);
	if (w->cancel_in_body)
		request_cancel(w->request);
}

static void on_done(void *self, const char *why)
{
	struct world *w = self;

	w->dones++;
	w->done = true;
	snprintf(w->why, sizeof(w->why), "%s", why ? why : "");
	request_cancel(w->request);
}

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	w->loop = loop_create();
	w->requests = requests_create(w->loop);
	buf_init(&w->body, 64 * MIB);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	requests_destroy(w->requests);
	loop_destroy(w->loop);
	if (w->server.serve)
		server_finish(&w->server);
	buf_finish(&w->body);
	free(w);
	return 0;
}

static struct request_options serve(struct world *w, void (*fn)(struct server *server))
{
	w->server.serve = fn;
	w->server.self = w;
	assert_true(server_start(&w->server));
	snprintf(w->url, sizeof(w->url), "http://127.0.0.1:%u/path?query", w->server.port);
	return (struct request_options){
		.url = w->url,
		.self = w,
		.head = on_head,
		.heard = on_heard,
		.done = on_done,
	};
}

static void run(struct world *w, const struct request_options *o)
{
	struct error why;

	w->request = request_start(w->requests, o, &why);
	assert_non_null(w->request);
	assert_int_equal(w->dones, 0);
	assert_true(run_until(w->loop, &w->done));
	run_for(w->loop, 5);
	assert_int_equal(w->dones, 1);
}

static void say_hello(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
		                   "Content-Length: 5\r\n\r\nhello"));
}

static void an_answer_comes_with_its_head_and_body(void **state)
{
	struct world *w = *state;
	struct request_options o = serve(w, say_hello);

	run(w, &o);
	assert_string_equal(w->why, "");
	assert_int_equal(w->status, 200);
	assert_int_equal(w->heads, 1);
	assert_string_equal(w->type, "text/plain; charset=utf-8");
	assert_true(text_is(buf_text(&w->body), "hello"));
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(an_answer_comes_with_its_head_and_body),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
