/* relay.c - what goes to the gateway behind us, and what comes back. */
#include "gateway/relay.h"

#include "base/put.h"
#include "bus/call.h"
#include "gateway/inside.h"
#include "gateway/methods.h"
#include "gateway/params.h"
#include "hub/hub.h"
#include "hub/person.h"

#define RELAYED_MAX 16 /* requests of one client that are not answered yet */
#define SAY_MAX (GATEWAY_SAY_MAX + 4 * KIB)

/* ---- which ---- */

/* These belong to the connection that they are asked on, of which the gateway behind us has one
 * for all; a name that ends in a dot stands for all that begin so. */
static const char *const bound[] = {
	"agent",
	"artifacts.download",
	"connect",
	"device.pair.setupCode",
	"exec.approval.waitDecision",
	"node.",
	"plugin.approval.waitDecision",
	"question.waitAnswer",
	"sessions.messages.",
	"sessions.subscribe",
	"sessions.viewers.set",
	"talk.",
	"terminal.",
	"worker.",
};

static bool is_bound(const struct gateway_method *method)
{
	if (method->scope == GATEWAY_SCOPE_DYNAMIC || method->scope == GATEWAY_SCOPE_NODE)
		return true;
	for (size_t i = 0; i < sizeof(bound) / sizeof(*bound); i++) {
		struct text name = text_of(bound[i]);

		if (name.at[name.len - 1] == '.' ? text_starts(method->name, name)
		                                 : text_equal(method->name, name))
			return true;
	}
	return false;
}

/* What a client needs for it; 0: it is never passed on. */
static enum operator_scope scope_of(const struct gateway_method *method)
{
	switch (method->scope) {
	case GATEWAY_SCOPE_READ:
		return OPERATOR_READ;
	case GATEWAY_SCOPE_WRITE:
		return OPERATOR_WRITE;
	case GATEWAY_SCOPE_APPROVALS:
		return OPERATOR_APPROVALS;
	case GATEWAY_SCOPE_QUESTIONS:
		return OPERATOR_QUESTIONS;
	case GATEWAY_SCOPE_ADMIN:
	case GATEWAY_SCOPE_PAIRING:
	case GATEWAY_SCOPE_TALK:
	case GATEWAY_SCOPE_TALK_SECRETS:
	case GATEWAY_SCOPE_NODE:
	case GATEWAY_SCOPE_DYNAMIC:
		break;
	}
	return 0;
}

/* ---- what comes back ---- */

static void refuse_unavailable(struct buf *out, struct text id, const char *why)
{
	openclaw_wire_refuse(out, id,
	                     &(struct gateway_fault){FAULT_UNAVAILABLE, why, .retryable = true});
}

static void say_answer(struct client *c, struct text id, const struct back_verdict *verdict)
{
	bool is_good = verdict->answer == BACK_DONE;
	struct buf out;

	buf_init(&out, SAY_MAX);
	if (is_good || verdict->json.len)
		openclaw_wire_pass(&out, id, is_good, verdict->json);
	else
		refuse_unavailable(&out, id, verdict->why->words);
	if (out.full) {
		buf_finish(&out);
		buf_init(&out, SAY_MAX);
		refuse_unavailable(&out, id, "the answer is too long");
	}
	client_say_frame(c, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

static void call_is_over(void *of, const struct back_verdict *verdict)
{
	struct person_wait *wait = of;

	say_answer(wait->client, wait->ref, verdict);
	client_end_wait(wait);
}

/* ---- passing on ---- */

static size_t count_waits(struct client *c)
{
	size_t count = 0;

	list_each(&client_person(c)->waits, l)
		count++;
	return count;
}

static void refuse_call(const struct gateway_call *call, enum back_answer answer,
                        const struct error *why)
{
	struct gateway_fault fault = {FAULT_UNAVAILABLE, why->words, .retryable = true};

	if (answer == BACK_NOT_SUPPORTED)
		fault = (struct gateway_fault){FAULT_INVALID_REQUEST, why->words};
	gateway_refuse(call, &fault);
}

static void pass_on(const struct gateway_call *call)
{
	struct client *c = call->view->client;
	const struct back *back = &client_options(c)->back;
	struct back_call out = {.source = text_of(call->gateway->options.config->relay),
	                        .method = call->method};
	struct error why = {"too many requests of this client wait for the gateway"};
	enum back_answer answer = BACK_CONFLICT;
	struct person_wait *wait;
	struct buf params;

	if (count_waits(c) >= RELAYED_MAX) {
		refuse_call(call, answer, &why);
		return;
	}
	buf_init(&params, GATEWAY_SAY_MAX);
	if (call->params && !yyjson_is_null(call->params))
		json_add(&params, call->params);
	else
		buf_add(&params, TEXT("{}"));
	out.params = buf_text(&params);
	wait = client_wait(c, call->id, call->method);
	out.ear = (struct back_ear){call_is_over, wait};
	if (!params.full)
		answer = back->call(back->self, &out, &why);
	buf_finish(&params);
	if (answer == BACK_TAKEN)
		return;
	client_end_wait(wait);
	refuse_call(call, answer, &why);
}

bool gateway_relay(const struct gateway_call *call)
{
	const struct gateway_method *method;
	struct error words;

	if (!call->gateway->options.config->relay || !gateway_method_find(call->method, &method))
		return false;
	if (is_bound(method)) {
		error_set(&words, "%.*s belongs to one connection and is not passed on",
		          TEXT_ARG(method->name));
		gateway_refuse_words(call, words.words);
		return true;
	}
	if (!scope_of(method))
		return false;
	if (!(call->view->scopes & scope_of(method)))
		gateway_refuse_scope(call, scope_of(method));
	else
		pass_on(call);
	return true;
}

void gateway_relay_names(const struct gateway_call *call, struct buf *out)
{
	const struct back *back = &client_options(call->view->client)->back;
	const char *relay = call->gateway->options.config->relay;

	for (size_t i = 0; relay && i < gateway_method_count; i++) {
		const struct gateway_method *method = &gateway_methods[i];
		struct back_call question = {
			.source = text_of(relay), .method = method->name, .is_question = true};
		struct error why;

		if (!is_bound(method) && scope_of(method) && !gateway_has_method(method->name) &&
		    back->call(back->self, &question, &why) == BACK_DONE)
			put_text(out, NULL, method->name);
	}
}
