/* test_request.h - one request, the server it goes to, and what came of it. */
#ifndef NET_TEST_REQUEST_H
#define NET_TEST_REQUEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/must.h"
#include "net/request.h"
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
	_Atomic size_t heard; /* bytes of the body, for the server to wait for */
	char why[300];
};

static inline void on_head(void *self, const struct request_head *head)
{
	struct world *w = self;

	w->heads++;
	w->status = head->status;
	w->retry_after_ms = head->retry_after_ms;
	snprintf(w->type, sizeof(w->type), "%.*s", TEXT_ARG(head->content_type));
	if (w->cancel_in_head) {
		request_cancel(w->request);
		w->done = true;
	}
}

static inline void on_heard(void *self, struct text bytes)
{
	struct world *w = self;

	buf_add(&w->body, bytes);
	w->heard += bytes.len;
	if (w->cancel_in_body) {
		request_cancel(w->request);
		w->done = true;
	}
}

static inline void on_done(void *self, const char *why)
{
	struct world *w = self;

	w->dones++;
	w->done = true;
	snprintf(w->why, sizeof(w->why), "%s", why ? why : "");
	request_cancel(w->request); /* is fine, and does nothing */
}

static inline int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	w->loop = loop_create();
	w->requests = requests_create(w->loop);
	buf_init(&w->body, 64 * MIB);
	*state = w;
	return 0;
}

static inline int tear_down(void **state)
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

/* Options for a request to a server that serves like this. */
static inline struct request_options serve(struct world *w, void (*fn)(struct server *server))
{
	w->server.serve = fn;
	w->server.self = w;
	assert_true(server_start(&w->server));
	snprintf(w->url, sizeof(w->url), "%s:%u/path?query",
	         w->server.tls ? "https://localhost" : "http://127.0.0.1", w->server.port);
	return (struct request_options){
		.url = w->url,
		.self = w,
		.head = on_head,
		.heard = on_heard,
		.done = on_done,
	};
}

static inline void start(struct world *w, const struct request_options *o)
{
	struct error why = {""};

	w->done = false;
	w->dones = 0;
	w->request = request_start(w->requests, o, &why);
	if (!w->request)
		fail_msg("%s", why.words);
	assert_int_equal(w->dones, 0);
}

/* Until it is done; why is told when that is not what was expected. */
static inline void run(struct world *w, const struct request_options *o, const char *why)
{
	start(w, o);
	assert_true(run_until(w->loop, &w->done));
	run_for(w->loop, 5);
	assert_int_equal(w->dones, 1);
	if (why[0] ? !strstr(w->why, why) : w->why[0])
		fail_msg("'%s' instead of '%s'", w->why, why);
}

static inline void say_hello(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
		                   "Content-Length: 5\r\n\r\nhello"));
}

#define world_test(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
