/* asking.c - one ask, and which keys were asked with. */
#include "gateway/asking.h"

#include <stdlib.h>

#include "base/must.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "hub/hub.h"
#include "net/loop.h"
#include "run/sessions.h"

#define SENT_MAX 1000  /* keys that are known, ... */
#define SENT_MS 300000 /* ... for so long */

void gateway_refuse_back(const struct gateway_call *call, enum back_answer answer,
                         const struct error *why)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST, why->words};

	if (answer == BACK_CONFLICT || answer == BACK_SILENT || answer == BACK_UNSAVED) {
		fault.code = FAULT_UNAVAILABLE;
		fault.retryable = true;
	}
	gateway_refuse(call, &fault);
}

/* ---- keys that were sent ---- */

/* One whose run the journal may not have told of yet. */
struct gateway_sent {
	char *key;            /* of the session */
	uint64_t at_ms;       /* by the loop's clock */
	bool is_done;         /* no run comes of it */
	bool is_over;         /* the end of its run was told */
	bool is_watched;      /* it would have been heard */
	struct link in_order; /* gateway.sent_order */
	char id[];
};

static void forget_sent(struct gateway *g, struct gateway_sent *sent)
{
	map_remove(&g->sent, text_of(sent->id));
	list_remove(&sent->in_order);
	free(sent->key);
	free(sent);
}

void gateway_forget_sent(struct gateway *g, uint64_t before_ms)
{
	list_each(&g->sent_order, l) {
		struct gateway_sent *sent = list_of(l, struct gateway_sent, in_order);

		if (sent->at_ms >= before_ms)
			return;
		forget_sent(g, sent);
	}
}

static struct gateway_sent *note_sent(struct gateway *g, struct text id, struct text key)
{
	struct gateway_sent *sent = must_zero(1, sizeof(*sent) + id.len + 1);
	uint64_t now = loop_now_ms(g->options.loop);
	struct gateway_sent *known;

	gateway_forget_sent(g, now > SENT_MS ? now - SENT_MS : 0);
	known = map_get(&g->sent, id);
	if (known)
		forget_sent(g, known);
	if (g->sent.count >= SENT_MAX)
		forget_sent(g, list_of(g->sent_order.next, struct gateway_sent, in_order));
	memcpy(sent->id, id.at, id.len);
	sent->key = text_dup(key);
	sent->at_ms = now;
	sent->is_watched = true;
	list_add(&g->sent_order, &sent->in_order);
	map_set(&g->sent, id, sent);
	return sent;
}

void gateway_note_done(struct gateway *g, struct text id, struct text key)
{
	note_sent(g, id, key)->is_done = true;
}

void gateway_sent_ended(struct gateway *g, struct text id)
{
	struct gateway_sent *sent = map_get(&g->sent, id);

	if (sent)
		sent->is_over = true;
}

void gateway_leave_sent(struct gateway *g)
{
	list_each(&g->sent_order, l)
		list_of(l, struct gateway_sent, in_order)->is_watched = false;
}

enum gateway_sent_life gateway_sent_life(const struct gateway *g, struct text id)
{
	const struct gateway_sent *sent = map_get(&g->sent, id);

	if (!sent || sent->is_done || (!sent->is_watched && !sent->is_over))
		return SENT_UNKNOWN;
	return sent->is_over ? SENT_OVER : SENT_LIVES;
}

static bool is_unheard(const struct gateway *g, const struct gateway_sent *sent, struct text key)
{
	return text_is(key, sent->key) && !sent->is_done &&
	       !runs_find(g->options.runs, text_of(sent->id));
}

void gateway_each_unheard(const struct gateway *g, struct text key,
                          void (*each)(void *self, struct text run), void *self)
{
	list_each(&g->sent_order, l) {
		const struct gateway_sent *sent = list_of(l, struct gateway_sent, in_order);

		if (is_unheard(g, sent, key))
			each(self, text_of(sent->id));
	}
}

bool gateway_is_asked(const struct gateway *g, struct text key)
{
	list_each(&g->sent_order, l) {
		const struct gateway_sent *sent = list_of(l, struct gateway_sent, in_order);

		if (is_unheard(g, sent, key))
			return true;
	}
	return false;
}

const char *gateway_sent_status(struct gateway *g, struct text id)
{
	const struct gateway_sent *sent = map_get(&g->sent, id);
	const struct run *run;

	if (sent && sent->is_done)
		return "ok";
	run = runs_find(g->options.runs, id);
	if (!run)
		return sent || gateway_queue_has(g, id) ? "in_flight" : NULL;
	return crew_seq(g->options.crew) < run->first_seq || gateway_is_live(g, run) ? "in_flight"
	                                                                             : "ok";
}

bool gateway_sent_key(struct gateway *g, struct text id, struct buf *key)
{
	const struct gateway_sent *sent = map_get(&g->sent, id);
	const struct run *run = runs_find(g->options.runs, id);

	if (sent)
		buf_add(key, text_of(sent->key));
	else if (run)
		gateway_key_of_run(g, run, key);
	return sent || run;
}

/* ---- asking ---- */

enum back_answer gateway_ask(const struct gateway_call *call, const struct gateway_place *place,
                             const struct gateway_wish *wish, struct error *why)
{
	const struct back *back = call->gateway->desk.back;
	struct back_ask ask = {
		.source = buf_text(&place->source),
		.run = wish->id,
		.prompt = wish->message,
		.model = wish->model,
		.session = place->session ? text_of(place->session->key) : buf_text(&place->name),
	};
	char run[BACK_RUN_MAX + 1];
	enum back_answer answer = BACK_UNKNOWN;

	error_set(why, "there is no such agent");
	if (ask.source.len)
		answer = back->ask(back->self, &ask, run, why);
	if (answer == BACK_DONE)
		note_sent(call->gateway, text_of(run), buf_text(&place->key));
	return answer;
}
