/* api_decide.c - POST /api/hooks/claude-code/decide: a hook that waits for a person.
 *
 * The payload is taken like that of any other hook.  Then, if there is something to wait
 * for, the answer begins at once and goes on with a space now and then, so that the hook
 * knows that the box is alive; what it is to print comes at the end.  A hook that leaves
 * before that takes its question with it.
 */
#include <stdlib.h>

#include "base/must.h"
#include "config/config.h"
#include "net/loop.h"
#include "web/inside.h"

#define BEAT_MS 5000
#define PAYLOAD_MAX (64 * MIB) /* whatever a tool is given is asked about */

struct decision {
	struct web *web;
	struct http *http;
	struct buf payload;
	void *held; /* NULL: nothing is waited for */
	struct deadline beat;
};

static void free_decision(struct decision *d)
{
	deadline_clear(&d->beat);
	buf_finish(&d->payload);
	free(d);
}

static void beats(struct deadline *deadline)
{
	struct decision *d = list_of(deadline, struct decision, beat);

	deadline_set(d->web->options.loop, &d->beat, BEAT_MS);
	http_more(d->http, TEXT(" "));
}

static void decided(void *of, struct text json)
{
	struct decision *d = of;

	http_more(d->http, json.len ? json : TEXT("{}"));
	http_answer_end(d->http);
	free_decision(d);
}

static void piece(void *self, struct http *http, struct text bytes)
{
	buf_add(&((struct decision *)self)->payload, bytes);
}

static void whole(void *self, struct http *http)
{
	struct decision *d = self;
	const struct web_tap *tap = &d->web->options.tap;
	struct error why;

	if (!tap->hook(tap->self, buf_text(&d->payload), true, &why)) {
		web_refuse(http, 400, why.words, NULL);
		free_decision(d);
		return;
	}
	d->held = tap->hold(tap->self, buf_text(&d->payload), decided, d);
	buf_finish(&d->payload);
	if (!d->held) {
		http_answer(http, 200, "application/json", TEXT("{}"), NULL);
		free_decision(d);
		return;
	}
	http_answer_begin(http, 200, "application/json", NULL);
	beats(&d->beat);
}

static void decider_left(void *self, struct http *http)
{
	struct decision *d = self;
	const struct web_tap *tap = &d->web->options.tap;

	if (d->held)
		tap->let_go(tap->self, d->held);
	free_decision(d);
}

void api_decide(struct call *call)
{
	static const struct http_handler handler = {
		.piece = piece, .whole = whole, .gone = decider_left};
	size_t max = PAYLOAD_MAX;
	struct decision *d;

	/* A question speaks for Claude Code: who has no credential emits none. */
	if (!call->caller.has_credential) {
		web_refuse(call->http, 401, "a token is needed for that",
		           "WWW-Authenticate: Bearer\r\n");
		return;
	}
	if (!api_hook_may_come(call))
		return;
	d = must_zero(1, sizeof(*d));
	d->web = call->web;
	d->http = call->http;
	d->beat.fire = beats;
	buf_init(&d->payload, max);
	http_accept(call->http, max, &handler, d);
}
