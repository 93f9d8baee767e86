/* test_request.c - asking, and keeping what is heard. */
#include "net/test_request.h"

#include "base/must.h"

static void on_head(void *self, const struct request_head *head)
{
	struct test_asker *w = self;

	w->heads++;
	w->status = head->status;
	w->retry_after_ms = head->retry_after_ms;
	snprintf(w->type, sizeof(w->type), "%.*s", TEXT_ARG(head->content_type));
	if (w->cancel_in_head) {
		request_cancel(w->request);
		w->done = true;
	}
}

static void on_heard(void *self, struct text bytes)
{
	struct test_asker *w = self;

	buf_add(&w->body, bytes);
	w->heard += bytes.len;
	if (w->cancel_in_body) {
		request_cancel(w->request);
		w->done = true;
	}
}

void asker_done(void *self, const char *why)
{
	struct test_asker *w = self;

	w->dones++;
	w->done = true;
	w->fault = request_fault(w->request);
	snprintf(w->why, sizeof(w->why), "%s", why ? why : "");
	request_cancel(w->request); /* is fine, and does nothing */
	w->request = NULL;          /* gone with this turn */
}

int asker_set_up(void **state)
{
	struct test_asker *w = must_zero(1, sizeof(*w));

	w->loop = loop_create();
	w->requests = requests_create(w->loop);
	buf_init(&w->body, 64 * MIB);
	*state = w;
	return 0;
}

int asker_tear_down(void **state)
{
	struct test_asker *w = *state;

	requests_destroy(w->requests);
	loop_destroy(w->loop);
	if (w->server.serve)
		server_finish(&w->server);
	buf_finish(&w->body);
	free(w);
	return 0;
}

struct request_options asker_serve(struct test_asker *w, void (*fn)(struct server *server))
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
		.done = asker_done,
	};
}

void asker_start(struct test_asker *w, const struct request_options *o)
{
	struct error why = {""};

	w->done = false;
	w->dones = 0;
	w->request = request_start(w->requests, o, &why);
	if (!w->request)
		fail_msg("%s", why.words);
	assert_int_equal(w->dones, 0);
}

void asker_run(struct test_asker *w, const struct request_options *o, const char *why)
{
	asker_start(w, o);
	assert_true(run_until(w->loop, &w->done));
	run_for(w->loop, 5);
	assert_int_equal(w->dones, 1);
	if (why[0] ? !strstr(w->why, why) : w->why[0])
		fail_msg("'%s' instead of '%s'", w->why, why);
}

void server_say_hello(struct server *s)
{
	if (server_await(s, "\r\n\r\n"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
		                   "Content-Length: 5\r\n\r\nhello"));
}
