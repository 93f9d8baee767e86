/* api_discover.c - what is found on this machine, and OpenClaw's token.
 *
 * A look takes a moment, so the answer is owed; whoever leaves before it comes is
 * forgotten. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "web/inside.h"

#define BODY_MAX (4 * KIB) /* of a body that says nothing */

struct discover_owed {
	struct web *web;
	struct http *http;
	bool rescan;
	struct buf body; /* which has nothing to say */
	void *ask;       /* NULL: the request is not whole yet */
};

static void free_owed(struct discover_owed *o)
{
	buf_finish(&o->body);
	free(o);
}

static void found(void *of, struct text json)
{
	struct discover_owed *o = of;

	http_answer(o->http, 200, "application/json", json, NULL);
	free_owed(o);
}

static void take_piece(void *self, struct http *http, struct text bytes)
{
	struct discover_owed *o = self;

	buf_add(&o->body, bytes);
}

static void is_whole(void *self, struct http *http)
{
	struct discover_owed *o = self;
	const struct web_discovery *d = &o->web->options.discovery;

	if (routes_is_nothing(buf_text(&o->body))) {
		o->ask = d->ask(d->self, o->rescan, found, o);
		return;
	}
	web_refuse(http, 400, ROUTES_NOTHING, NULL);
	free_owed(o);
}

static void is_gone(void *self, struct http *http)
{
	struct discover_owed *o = self;
	const struct web_discovery *d = &o->web->options.discovery;

	if (o->ask)
		d->forget(d->self, o->ask);
	free_owed(o);
}

static void look_for_services(struct call *call, bool rescan)
{
	static const struct http_handler handler = {
		.piece = take_piece, .whole = is_whole, .gone = is_gone};
	struct discover_owed *o = must_zero(1, sizeof(*o));

	o->web = call->web;
	o->http = call->http;
	o->rescan = rescan;
	buf_init(&o->body, BODY_MAX);
	http_accept(call->http, BODY_MAX, &handler, o);
}

void api_discover(struct call *call)
{
	look_for_services(call, false);
}

void api_rescan(struct call *call)
{
	look_for_services(call, true);
}

/* A page of ours says that it is one, in a way that no other page can. */
static bool is_our_page(const struct call *call)
{
	struct text origin = http_field(call->http, "Origin");

	if (http_has_field(call->http, "Origin"))
		return guard_guest(&call->web->guard, origin) < 0; /* then it is ours */
	return text_is(http_field(call->http, "Sec-Fetch-Site"), "same-origin");
}

/* The one credential of a source that is ever shown, because the documents say so:
 * to an admin, from our own origin, and to nobody else. */
void api_openclaw_token(struct call *call)
{
	const struct web_discovery *d = &call->web->options.discovery;
	struct buf out;
	char *token;

	if (!is_our_page(call)) {
		web_refuse(call->http, 403, "Forbidden origin", NULL);
		return;
	}
	token = d->openclaw_token(d->self);
	buf_init(&out, 64 * KIB);
	if (token) {
		put_object(&out, NULL);
		put_bool(&out, "ok", true);
		put_word(&out, "token", token);
		buf_add(&out, TEXT("}\n"));
		explicit_bzero(token, strlen(token));
	} else {
		put_object(&out, NULL);
		put_bool(&out, "ok", false);
		put_end(&out);
		buf_add_char(&out, '\n');
	}
	web_answer(call->http, &out);
	explicit_bzero(out.at, out.len);
	buf_finish(&out);
	free(token);
}
