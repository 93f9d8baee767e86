/* heartbeat.c - the event `heartbeat`, and the newest of them. */
#include "gateway/heartbeat.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/inside.h"
#include "gateway/streams.h"
#include "signal/kind.h"
#include "signal/signal.h"

#define HEARTBEAT_MAX (64 * KIB)

struct heartbeat {
	struct gateway *g;
	struct runs_listener listener;
	char *last; /* the payload of the newest, or NULL */
};

static bool is_marked(yyjson_val *object)
{
	return yyjson_is_true(yyjson_obj_get(yyjson_obj_get(object, "_meta"), "heartbeat"));
}

bool heartbeat_is(const struct signal *s)
{
	if (s->kind != KIND_OTHER)
		return false;
	if (text_is(s->type, "heartbeat"))
		return true;
	return text_is(s->type, "event") && is_marked(yyjson_obj_get(s->envelope, "payload"));
}

bool heartbeat_runs(const struct signal *s)
{
	return is_marked(yyjson_obj_get(s->envelope, "metadata"));
}

bool heartbeat_put(const struct signal *s, struct buf *out)
{
	static const char *const without[] = {"_meta", "ts", NULL};

	buf_init(out, HEARTBEAT_MAX);
	put_object(out, NULL);
	put_i64(out, "ts", s->at_ms > 0 ? (int64_t)s->at_ms : 0);
	json_add_members(out, yyjson_obj_get(s->envelope, "payload"), without, ',');
	buf_add_char(out, '}');
	return !out->full;
}

static void tell_newest(const struct heartbeat *h)
{
	struct gateway_event e = {OPENCLAW_HEARTBEAT, GATEWAY_FOR_LIVE, .may_drop = true};

	e.payload = text_of(h->last);
	gateway_broadcast(h->g, &e);
}

static void hear(struct runs_listener *listener, struct run *run, const struct signal *s)
{
	struct heartbeat *h = list_of(listener, struct heartbeat, listener);
	struct buf out;

	(void)run;
	if (!heartbeat_is(s))
		return;
	if (heartbeat_put(s, &out)) {
		free(h->last);
		h->last = text_dup(buf_text(&out));
		if (h->g->view_count && s->seq > h->g->past_seq)
			tell_newest(h);
	}
	buf_finish(&out);
}

struct heartbeat *heartbeat_create(struct gateway *g)
{
	struct heartbeat *h = must_zero(1, sizeof(*h));

	h->g = g;
	h->listener.hear = hear;
	runs_listen(g->options.runs, &h->listener);
	return h;
}

void heartbeat_destroy(struct heartbeat *h)
{
	if (!h)
		return;
	list_remove(&h->listener.in_runs);
	free(h->last);
	free(h);
}

/* null: there was none since the box began. */
void gateway_last_heartbeat(const struct gateway_call *call)
{
	const struct heartbeat *h = call->gateway->heartbeat;

	gateway_answer(call, h->last ? text_of(h->last) : TEXT("null"));
}
