/* chat.c - asking and stopping. */
#include "base/put.h"
#include "gateway/approve.h"
#include "gateway/asking.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/wishes.h"
#include "hub/hub.h"
#include "hub/person.h"

#define ANSWER_MAX (64 * KIB)

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

static void stop_named(void *self, struct text run)
{
	struct stopping *s = self;
	const struct back *back = s->call->gateway->desk.back;
	struct back_control control = {
		.run = run,
		.op = TEXT("cancel"),
		.who = client_who(s->call->view->client, TEXT("gateway")),
	};
	enum back_answer answer;
	struct error why;

	if (s->wanted.len && !text_equal(s->wanted, run))
		return;
	s->is_known = true;
	answer = back->control(back->self, &control, &why);
	if (answer == BACK_DONE || answer == BACK_TAKEN)
		put_text(&s->runs, NULL, run);
}

static void stop_run(void *self, struct run *run)
{
	struct stopping *s = self;

	if (s->wanted.len && !text_is(s->wanted, run->id))
		return;
	s->is_known = true;
	if (gateway_is_live(s->call->gateway, run))
		stop_named(s, text_of(run->id));
}

static void stop_all(struct stopping *s, const struct gateway_place *place)
{
	gateway_place_runs(place, stop_run, s);
	gateway_each_unheard(s->call->gateway, buf_text(&place->key), stop_named, s);
}

void gateway_stop_runs(const struct gateway_call *call, const struct gateway_place *place)
{
	struct stopping s = {call};

	buf_init(&s.runs, ANSWER_MAX);
	stop_all(&s, place);
	buf_finish(&s.runs);
}

static void stop(const struct gateway_call *call, struct text key, struct text run)
{
	struct stopping s = {call, run};
	struct gateway_place place;
	struct buf out;

	buf_init(&s.runs, ANSWER_MAX);
	gateway_find_place(call->gateway, key, json_text_at(call->params, "agentId"), &place);
	gateway_queue_drop(call->gateway, buf_text(&place.key), run, &s.runs);
	stop_all(&s, &place);
	if (run.len && !s.is_known && runs_find(call->gateway->options.runs, run)) {
		gateway_refuse_words(call, "runId does not match sessionKey");
	} else {
		put_aborted(&out, s.runs.len > 0, buf_text(&s.runs));
		gateway_answer_buf(call, &out);
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
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

static void send_later(const struct gateway_call *call, const struct gateway_place *place,
                       const struct gateway_wish *wish, bool is_first)
{
	if (is_first)
		gateway_stop_runs(call, place);
	if (gateway_queue_add(call, place, wish, is_first))
		say_status(call, wish->id, "started");
	else
		gateway_refuse(call,
		               &(struct gateway_fault){FAULT_UNAVAILABLE, "too many messages wait",
		                                       .retryable = true});
}

static void send_now(const struct gateway_call *call, const struct gateway_place *place,
                     const struct gateway_wish *wish)
{
	struct error why;
	enum back_answer answer = gateway_ask(call, place, wish, &why);

	if (answer == BACK_DONE)
		say_status(call, wish->id, "started");
	else
		gateway_refuse_back(call, answer, &why);
}

/* Why it cannot be sent; NULL: it can. */
static const char *fault_of(const struct gateway_call *call)
{
	struct text mode = json_text_at(call->params, "queueMode");

	if (yyjson_arr_size(yyjson_obj_get(call->params, "attachments")))
		return "attachments are not passed on";
	if (!text_trim(json_text_at(call->params, "message")).len)
		return "message or attachment required";
	if (text_is(mode, "steer"))
		return "queueMode steer is not supported: use followup or interrupt";
	if (text_is(mode, "collect"))
		return "queueMode collect is not supported: use followup or interrupt";
	return NULL;
}

static void send_wish(const struct gateway_call *call, const struct gateway_wish *wish)
{
	struct text mode = json_text_at(call->params, "queueMode");
	struct gateway_wish asked = *wish;
	struct gateway_place place;

	gateway_find_place(call->gateway, json_text_at(call->params, "sessionKey"),
	                   json_text_at(call->params, "agentId"), &place);
	asked.model = gateway_wished_model(call->gateway, buf_text(&place.key));
	if (mode.len && place.source.len && gateway_is_busy(call->gateway, &place))
		send_later(call, &place, &asked, text_is(mode, "interrupt"));
	else
		send_now(call, &place, &asked);
	gateway_place_finish(&place);
}

static bool may_be_command(const struct gateway_call *call)
{
	return !yyjson_is_true(yyjson_obj_get(call->params, "suppressCommandInterpretation"));
}

static void send_approve(const struct gateway_call *call, struct text id)
{
	say_status(call, id, "started");
	if (call->view->client->state != CLIENT_CLOSING)
		gateway_chat_approve(call);
}

void gateway_chat_send(const struct gateway_call *call)
{
	struct text message = json_text_at(call->params, "message");
	struct gateway_wish wish = {json_text_at(call->params, "idempotencyKey"), message};
	bool is_approve = may_be_command(call) && gateway_is_approve(message);
	const char *fault = is_approve ? NULL : fault_of(call), *status;

	if (text_is(text_trim(message), "/stop") && may_be_command(call)) {
		stop(call, json_text_at(call->params, "sessionKey"), TEXT(""));
		return;
	}
	if (fault) {
		gateway_refuse_words(call, fault);
		return;
	}
	status = gateway_sent_status(call->gateway, wish.id);
	if (status)
		say_status(call, wish.id, status);
	else if (is_approve)
		send_approve(call, wish.id);
	else
		send_wish(call, &wish);
}
