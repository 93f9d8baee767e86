/* methods.c - which methods there are, and what each needs. */
#include "gateway/methods.h"

#include "base/put.h"
#include "gateway/approvals.h"
#include "gateway/asking.h"
#include "gateway/heartbeat.h"
#include "gateway/inside.h"
#include "gateway/pair_tell.h"
#include "gateway/params.h"
#include "gateway/positions.h"
#include "gateway/presence.h"
#include "gateway/questions.h"
#include "gateway/relay.h"
#include "hub/hub.h"

#define DETAILS_MAX 512
#define SHORT_MAX (256 * KIB)

/* ---- the short ones ---- */

void gateway_answer_buf(const struct gateway_call *call, const struct buf *payload)
{
	if (payload->full)
		gateway_refuse(call,
		               &(struct gateway_fault){"UNAVAILABLE", "the answer is too long"});
	else
		gateway_answer(call, buf_text(payload));
}

static void health(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, SHORT_MAX);
	put_object(&out, NULL);
	gateway_put_health(call->gateway, &out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

static void presence(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, SHORT_MAX);
	put_list(&out, NULL);
	gateway_put_presence(call->gateway, &out);
	put_list_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

static void status(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, SHORT_MAX);
	put_object(&out, NULL);
	put_word(&out, "version", SIGNALBOX_VERSION);
	put_u64(&out, "clients", call->gateway->view_count);
	put_u64(&out, "runs", runs_count(call->gateway->options.runs));
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

static void put_command(struct buf *out, const char *name, const char *description, bool has_args)
{
	put_object(out, NULL);
	put_word(out, "name", name);
	put_word(out, "description", description);
	put_word(out, "source", "native");
	put_word(out, "scope", "text");
	put_bool(out, "acceptsArgs", has_args);
	put_end(out);
}

/* What may be written in the place of a message. */
static void commands(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, SHORT_MAX);
	put_object(&out, NULL);
	put_list(&out, "commands");
	put_command(&out, "stop", "Stops what is being said.", false);
	put_command(&out, "approve", "Decides on a request: ID allow-once, allow-always or deny.",
	            true);
	put_list_end(&out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* What is written while an agent speaks waits for its end: clients ask here whether they may steer
 * it instead. */
static void put_settings(struct buf *out, const char *key)
{
	put_object(out, key);
	put_object(out, "messages");
	put_object(out, "queue");
	put_word(out, "mode", "followup");
	put_end(out);
	put_end(out);
	put_end(out);
}

/* Little of ours is a gateway's; clients want the members. */
static void config(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, SHORT_MAX);
	put_object(&out, NULL);
	put_word(&out, "path", "signalbox");
	put_bool(&out, "exists", true);
	put_bool(&out, "valid", true);
	put_settings(&out, "config");
	put_settings(&out, "runtimeConfig");
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* ---- the table ---- */

static const struct {
	const char *name;
	enum operator_scope scope;
	void (*hear)(const struct gateway_call *call);
} methods[] = {
	{"health", OPERATOR_READ, health},
	{"status", OPERATOR_READ, status},
	{"system-presence", OPERATOR_READ, presence},
	{"last-heartbeat", OPERATOR_READ, gateway_last_heartbeat},
	{"chat.send", OPERATOR_WRITE, gateway_chat_send},
	{"chat.abort", OPERATOR_WRITE, gateway_chat_abort},
	{"chat.history", OPERATOR_READ, gateway_chat_history},
	{"agent", OPERATOR_WRITE, gateway_agent},
	{"agent.wait", OPERATOR_WRITE, gateway_agent_wait},
	{"sessions.list", OPERATOR_READ, gateway_sessions_list},
	{"sessions.subscribe", OPERATOR_READ, gateway_sessions_subscribe},
	{"sessions.describe", OPERATOR_READ, gateway_sessions_describe},
	{"sessions.resolve", OPERATOR_READ, gateway_sessions_resolve},
	{"sessions.messages.subscribe", OPERATOR_READ, gateway_messages_subscribe},
	{"sessions.messages.unsubscribe", OPERATOR_READ, gateway_messages_unsubscribe},
	{"sessions.create", OPERATOR_WRITE, gateway_sessions_create},
	{"sessions.patch", OPERATOR_WRITE, gateway_sessions_patch},
	{"sessions.reset", OPERATOR_ADMIN, gateway_sessions_reset},
	{"sessions.preview", OPERATOR_READ, gateway_sessions_preview},
	{"agents.list", OPERATOR_READ, gateway_agents_list},
	{"commands.list", OPERATOR_READ, commands},
	{"config.get", OPERATOR_READ, config},
	{"chat.startup", OPERATOR_READ, gateway_chat_startup},
	{"agent.identity.get", OPERATOR_READ, gateway_agent_identity},
	{"models.authStatus", OPERATOR_READ, gateway_models_auth},
	{"models.list", OPERATOR_READ, gateway_models_list},
	{"exec.approval.list", OPERATOR_APPROVALS, gateway_exec_list},
	{"exec.approval.get", OPERATOR_APPROVALS, gateway_exec_get},
	{"exec.approval.resolve", OPERATOR_APPROVALS, gateway_exec_resolve},
	{"plugin.approval.list", OPERATOR_APPROVALS, gateway_plugin_list},
	{"plugin.approval.resolve", OPERATOR_APPROVALS, gateway_plugin_resolve},
	{"approval.get", OPERATOR_APPROVALS, gateway_approval_get},
	{"approval.resolve", OPERATOR_APPROVALS, gateway_approval_resolve},
	{"question.list", OPERATOR_QUESTIONS, gateway_question_list},
	{"question.get", OPERATOR_QUESTIONS, gateway_question_get},
	{"question.resolve", OPERATOR_QUESTIONS, gateway_question_resolve},
	{"device.pair.list", OPERATOR_PAIRING, gateway_pair_list},
	{"device.pair.approve", OPERATOR_PAIRING, gateway_pair_approve},
	{"device.pair.reject", OPERATOR_PAIRING, gateway_pair_reject},
	{"device.pair.remove", OPERATOR_PAIRING, gateway_pair_remove},
	{"events.subscribe", OPERATOR_READ, gateway_events_subscribe},
	{"events.position", OPERATOR_READ, gateway_events_position},
};
#define METHODS (sizeof(methods) / sizeof(*methods))

void gateway_method_names(struct buf *out)
{
	for (size_t i = 0; i < METHODS; i++)
		put_word(out, NULL, methods[i].name);
}

void gateway_refuse_scope(const struct gateway_call *call, enum operator_scope scope)
{
	struct gateway_fault fault = {"FORBIDDEN"};
	const char *name = operator_scope_name(scope);
	struct buf details;
	struct error words;

	error_set(&words, "missing scope: %s", name);
	fault.message = words.words;
	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", "MISSING_SCOPE");
	put_word(&details, "missingScope", name);
	put_list(&details, "requiredScopes");
	put_word(&details, NULL, name);
	put_list_end(&details);
	put_end(&details);
	if (call->view->protocol == GATEWAY_OLDEST)
		fault.code = "INVALID_REQUEST";
	else
		fault.details = buf_text(&details);
	gateway_refuse(call, &fault);
	buf_finish(&details);
}

/* Protocol 4 looks at scopes first: what is not known needs the highest. */
static void refuse_method(const struct gateway_call *call)
{
	struct error words;

	if (call->view->protocol > GATEWAY_OLDEST && !(call->view->scopes & OPERATOR_ADMIN)) {
		gateway_refuse_scope(call, OPERATOR_ADMIN);
		return;
	}
	error_set(&words, "unknown method: %.*s", TEXT_ARG(call->method));
	gateway_refuse(call, &(struct gateway_fault){"INVALID_REQUEST", words.words});
}

static bool are_params_good(const struct gateway_call *call)
{
	struct error fault, words;

	if (gateway_params_check(call->method, call->params, &fault))
		return true;
	error_set(&words, "invalid %.*s params: %s", TEXT_ARG(call->method), fault.words);
	gateway_refuse(call, &(struct gateway_fault){"INVALID_REQUEST", words.words});
	return false;
}

static size_t find_method(struct text name)
{
	size_t i = 0;

	while (i < METHODS && !text_is(name, methods[i].name))
		i++;
	return i;
}

bool gateway_has_method(struct text name)
{
	return find_method(name) < METHODS;
}

void gateway_dispatch(const struct gateway_call *call)
{
	size_t i = find_method(call->method);

	gateway_queue_look(call->gateway);
	if (i == METHODS && !gateway_relay(call))
		refuse_method(call);
	else if (i == METHODS)
		return;
	else if (!(call->view->scopes & methods[i].scope))
		gateway_refuse_scope(call, methods[i].scope);
	else if (are_params_good(call))
		methods[i].hear(call);
}
