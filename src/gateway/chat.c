/* chat.c - asking and stopping. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "hub/hub.h"
#include "hub/person.h"
#include "net/loop.h"
#include "run/sessions.h"

#define ANSWER_MAX (64 * KIB)
#define SENT_MAX 1000  /* keys that are known, ... */
#define SENT_MS 300000 /* ... for so long */

static void refuse_back(const struct gateway_call *call, enum back_answer answer,
                        const struct error *why)
{
	struct gateway_fault fault = {"INVALID_REQUEST", why->words};

	if (answer == BACK_CONFLICT || answer == BACK_SILENT || answer == BACK_UNSAVED) {
		fault.code = "UNAVAILABLE";
		fault.retryable = true;
	}
	gateway_refuse(call, &fault);
}

/* ---- chat.abort ---- */

static void put_aborted(struct buf *out, bool has_stopped, struct text runs)
{
	buf_init(out, ANSWER_MAX);
	put_object(out, NULL);
	put_bool(out, "ok", true);
	put_bool(out, "aborted", has_stopped);
	put_list(out, "runIds");
	buf_add(out, runs);
	put_list_end(out);
	put_end(out);
}

struct stopping {
	const struct gateway_call *call;
	struct text wanted; /* the id of one; empty: all */
	struct buf runs;
	bool is_known;
};

static void stop_run(void *self, struct run *run)
{
	struct stopping *s = self;
	const struct back *back = &client_options(s->call->view->client)->back;
	struct back_control control = {
		.run = text_of(run->id),
		.op = TEXT("cancel"),
		.who = client_who(s->call->view->client, TEXT("gateway")),
	};
	enum back_answer answer;
	struct error why;

	if (s->wanted.len && !text_is(s->wanted, run->id))
		return;
	s->is_known = true;
	if (!gateway_is_live(s->call->gateway, run))
		return;
	answer = back->control(back->self, &control, &why);
	if (answer == BACK_DONE || answer == BACK_TAKEN)
		put_text(&s->runs, NULL, text_of(run->id));
}

static void stop(const struct gateway_call *call, struct text key, struct text run)
{
	struct stopping s = {call, run};
	struct gateway_place place;
	struct buf out;

	buf_init(&s.runs, ANSWER_MAX);
	gateway_find_place(call->gateway, key, json_text_at(call->params, "agentId"), &place);
	gateway_place_runs(&place, stop_run, &s);
	if (run.len && !s.is_known && runs_find(call->gateway->options.runs, run)) {
		gateway_refuse(call, &(struct gateway_fault){"INVALID_REQUEST",
		                                             "runId does not match sessionKey"});
	} else {
		put_aborted(&out, s.runs.len > 0, buf_text(&s.runs));
		gateway_answer(call, buf_text(&out));
		buf_finish(&out);
	}
	gateway_place_finish(&place);
	buf_finish(&s.runs);
}

void gateway_chat_abort(const struct gateway_call *call)
{
	stop(call, json_text_at(call->params, "sessionKey"), json_text_at(call->params, "runId"));
}

/* ---- chat.send ---- */

static void say_status(const struct gateway_call *call, struct text run, const char *status)
{
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_text(&out, "runId", run);
	put_word(&out, "status", status);
	put_end(&out);
	gateway_answer(call, buf_text(&out));
	buf_finish(&out);
}

/* A key that was sent, whose run the journal may not have told of yet. */
struct gateway_sent {
	char *key;
	uint64_t at_ms;
	struct link in_order; /* gateway.sent_order */
};

static void forget_sent(struct gateway *g, struct gateway_sent *sent)
{
	map_remove(&g->sent, text_of(sent->key));
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

static void note_sent(struct gateway *g, struct text key)
{
	struct gateway_sent *sent = must_zero(1, sizeof(*sent));
	uint64_t now = loop_now_ms(g->options.loop);

	gateway_forget_sent(g, now > SENT_MS ? now - SENT_MS : 0);
	if (g->sent.count >= SENT_MAX)
		forget_sent(g, list_of(g->sent_order.next, struct gateway_sent, in_order));
	sent->key = text_dup(key);
	sent->at_ms = now;
	list_add(&g->sent_order, &sent->in_order);
	map_set(&g->sent, key, sent);
}

/* The same key again is the same run. */
static bool was_sent(const struct gateway_call *call, struct text key)
{
	const struct run *run = runs_find(call->gateway->options.runs, key);

	crew_reach(call->gateway->options.crew);
	if (!run && !map_get(&call->gateway->sent, key))
		return false;
	say_status(call, key, !run || gateway_is_live(call->gateway, run) ? "in_flight" : "ok");
	return true;
}

static void send_ask(const struct gateway_call *call, const struct gateway_place *place)
{
	const struct back *back = &client_options(call->view->client)->back;
	struct back_ask ask = {
		.source = buf_text(&place->source),
		.run = json_text_at(call->params, "idempotencyKey"),
		.prompt = json_text_at(call->params, "message"),
		.session = place->session ? text_of(place->session->key) : place->rest,
	};
	char run[BACK_RUN_MAX + 1];
	struct error why = {"there is no such agent"};
	enum back_answer answer = BACK_UNKNOWN;

	if (ask.source.len)
		answer = back->ask(back->self, &ask, run, &why);
	if (answer != BACK_DONE) {
		refuse_back(call, answer, &why);
		return;
	}
	note_sent(call->gateway, text_of(run));
	say_status(call, text_of(run), "started");
}

void gateway_chat_send(const struct gateway_call *call)
{
	struct text key = json_text_at(call->params, "sessionKey");
	struct text message = json_text_at(call->params, "message");
	struct text id = json_text_at(call->params, "idempotencyKey");
	struct gateway_place place;

	if (text_is(text_trim(message), "/stop")) {
		stop(call, key, TEXT(""));
		return;
	}
	if (!text_trim(message).len) {
		gateway_refuse(call, &(struct gateway_fault){"INVALID_REQUEST",
		                                             "message or attachment required"});
		return;
	}
	if (was_sent(call, id))
		return;
	gateway_find_place(call->gateway, key, json_text_at(call->params, "agentId"), &place);
	send_ask(call, &place);
	gateway_place_finish(&place);
}
