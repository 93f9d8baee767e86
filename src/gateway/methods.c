/* methods.c - which methods there are, and what each needs. */
#include "gateway/methods.h"

#include "base/put.h"
#include "crew/crew.h"
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
		gateway_refuse(
			call, &(struct gateway_fault){FAULT_UNAVAILABLE, "the answer is too long"});
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

static void (*const heard[METHOD_ANSWERED])(const struct gateway_call *call) = {
	[METHOD_HEALTH] = health,
	[METHOD_STATUS] = status,
	[METHOD_SYSTEM_PRESENCE] = presence,
	[METHOD_LAST_HEARTBEAT] = gateway_last_heartbeat,
	[METHOD_CHAT_SEND] = gateway_chat_send,
	[METHOD_CHAT_ABORT] = gateway_chat_abort,
	[METHOD_CHAT_HISTORY] = gateway_chat_history,
	[METHOD_AGENT] = gateway_agent,
	[METHOD_AGENT_WAIT] = gateway_agent_wait,
	[METHOD_SESSIONS_LIST] = gateway_sessions_list,
	[METHOD_SESSIONS_SUBSCRIBE] = gateway_sessions_subscribe,
	[METHOD_SESSIONS_DESCRIBE] = gateway_sessions_describe,
	[METHOD_SESSIONS_RESOLVE] = gateway_sessions_resolve,
	[METHOD_SESSIONS_MESSAGES_SUBSCRIBE] = gateway_messages_subscribe,
	[METHOD_SESSIONS_MESSAGES_UNSUBSCRIBE] = gateway_messages_unsubscribe,
	[METHOD_SESSIONS_CREATE] = gateway_sessions_create,
	[METHOD_SESSIONS_PATCH] = gateway_sessions_patch,
	[METHOD_SESSIONS_RESET] = gateway_sessions_reset,
	[METHOD_SESSIONS_PREVIEW] = gateway_sessions_preview,
	[METHOD_AGENTS_LIST] = gateway_agents_list,
	[METHOD_COMMANDS_LIST] = commands,
	[METHOD_CONFIG_GET] = config,
	[METHOD_CHAT_STARTUP] = gateway_chat_startup,
	[METHOD_AGENT_IDENTITY_GET] = gateway_agent_identity,
	[METHOD_MODELS_AUTH_STATUS] = gateway_models_auth,
	[METHOD_MODELS_LIST] = gateway_models_list,
	[METHOD_EXEC_APPROVAL_LIST] = gateway_exec_list,
	[METHOD_EXEC_APPROVAL_GET] = gateway_exec_get,
	[METHOD_EXEC_APPROVAL_RESOLVE] = gateway_exec_resolve,
	[METHOD_PLUGIN_APPROVAL_LIST] = gateway_plugin_list,
	[METHOD_PLUGIN_APPROVAL_RESOLVE] = gateway_plugin_resolve,
	[METHOD_APPROVAL_GET] = gateway_approval_get,
	[METHOD_APPROVAL_RESOLVE] = gateway_approval_resolve,
	[METHOD_QUESTION_LIST] = gateway_question_list,
	[METHOD_QUESTION_GET] = gateway_question_get,
	[METHOD_QUESTION_RESOLVE] = gateway_question_resolve,
	[METHOD_DEVICE_PAIR_LIST] = gateway_pair_list,
	[METHOD_DEVICE_PAIR_APPROVE] = gateway_pair_approve,
	[METHOD_DEVICE_PAIR_REJECT] = gateway_pair_reject,
	[METHOD_DEVICE_PAIR_REMOVE] = gateway_pair_remove,
	[METHOD_EVENTS_SUBSCRIBE] = gateway_events_subscribe,
	[METHOD_EVENTS_POSITION] = gateway_events_position,
};

void gateway_method_names(struct buf *out)
{
	for (unsigned i = 0; i < METHOD_ANSWERED; i++)
		put_word(out, NULL, openclaw_method_name((enum openclaw_method)i));
}

void gateway_refuse_scope(const struct gateway_call *call, enum operator_scope scope)
{
	struct gateway_fault fault = {FAULT_FORBIDDEN};
	const char *name = operator_scope_name(scope);
	struct buf details;
	struct error words;

	error_set(&words, "missing scope: %s", name);
	fault.message = words.words;
	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", openclaw_code_name(FAULT_MISSING_SCOPE));
	put_word(&details, "missingScope", name);
	put_list(&details, "requiredScopes");
	put_word(&details, NULL, name);
	put_list_end(&details);
	put_end(&details);
	if (call->view->protocol == GATEWAY_OLDEST)
		fault.code = FAULT_INVALID_REQUEST;
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
	gateway_refuse_words(call, words.words);
}

static bool are_params_good(const struct gateway_call *call)
{
	struct error fault, words;

	if (gateway_params_check(call->method, call->params, &fault))
		return true;
	error_set(&words, "invalid %.*s params: %s", TEXT_ARG(call->method), fault.words);
	gateway_refuse_words(call, words.words);
	return false;
}

bool gateway_has_method(struct text name)
{
	return openclaw_method_of(name) < METHOD_ANSWERED;
}

/* What a method answers is of this moment; and what it found stays, because nothing is folded while
 * it works. */
static void catch_up(struct gateway *g)
{
	runs_reach(g->options.runs);
	crew_reach(g->options.crew);
	gateway_queue_look(g);
}

void gateway_dispatch(const struct gateway_call *call)
{
	enum openclaw_method method = openclaw_method_of(call->method);
	unsigned scope = openclaw_method_scope(method);

	catch_up(call->gateway);
	if (call->view->client->state == CLIENT_CLOSING)
		return;
	if (method >= METHOD_ANSWERED && !gateway_relay(call))
		refuse_method(call);
	else if (method >= METHOD_ANSWERED)
		return;
	else if (!(call->view->scopes & scope))
		gateway_refuse_scope(call, (enum operator_scope)scope);
	else if (are_params_good(call))
		heard[method](call);
}
