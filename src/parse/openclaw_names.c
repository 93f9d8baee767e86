/* openclaw_names.c - methods of the gateway protocol, what each needs, and codes of refusals. */
#include "parse/openclaw_names.h"

static const struct {
	const char *name;
	unsigned scope;
} methods[] = {
	[METHOD_HEALTH] = {"health", OPERATOR_READ},
	[METHOD_STATUS] = {"status", OPERATOR_READ},
	[METHOD_SYSTEM_PRESENCE] = {"system-presence", OPERATOR_READ},
	[METHOD_LAST_HEARTBEAT] = {"last-heartbeat", OPERATOR_READ},
	[METHOD_CHAT_SEND] = {"chat.send", OPERATOR_WRITE},
	[METHOD_CHAT_ABORT] = {"chat.abort", OPERATOR_WRITE},
	[METHOD_CHAT_HISTORY] = {"chat.history", OPERATOR_READ},
	[METHOD_AGENT] = {"agent", OPERATOR_WRITE},
	[METHOD_AGENT_WAIT] = {"agent.wait", OPERATOR_WRITE},
	[METHOD_SESSIONS_LIST] = {"sessions.list", OPERATOR_READ},
	[METHOD_SESSIONS_SUBSCRIBE] = {"sessions.subscribe", OPERATOR_READ},
	[METHOD_SESSIONS_DESCRIBE] = {"sessions.describe", OPERATOR_READ},
	[METHOD_SESSIONS_RESOLVE] = {"sessions.resolve", OPERATOR_READ},
	[METHOD_SESSIONS_MESSAGES_SUBSCRIBE] = {"sessions.messages.subscribe", OPERATOR_READ},
	[METHOD_SESSIONS_MESSAGES_UNSUBSCRIBE] = {"sessions.messages.unsubscribe", OPERATOR_READ},
	[METHOD_SESSIONS_CREATE] = {"sessions.create", OPERATOR_WRITE},
	[METHOD_SESSIONS_PATCH] = {"sessions.patch", OPERATOR_WRITE},
	[METHOD_SESSIONS_RESET] = {"sessions.reset", OPERATOR_ADMIN},
	[METHOD_SESSIONS_PREVIEW] = {"sessions.preview", OPERATOR_READ},
	[METHOD_AGENTS_LIST] = {"agents.list", OPERATOR_READ},
	[METHOD_COMMANDS_LIST] = {"commands.list", OPERATOR_READ},
	[METHOD_CONFIG_GET] = {"config.get", OPERATOR_READ},
	[METHOD_CHAT_STARTUP] = {"chat.startup", OPERATOR_READ},
	[METHOD_AGENT_IDENTITY_GET] = {"agent.identity.get", OPERATOR_READ},
	[METHOD_MODELS_AUTH_STATUS] = {"models.authStatus", OPERATOR_READ},
	[METHOD_MODELS_LIST] = {"models.list", OPERATOR_READ},
	[METHOD_EXEC_APPROVAL_LIST] = {"exec.approval.list", OPERATOR_APPROVALS},
	[METHOD_EXEC_APPROVAL_GET] = {"exec.approval.get", OPERATOR_APPROVALS},
	[METHOD_EXEC_APPROVAL_RESOLVE] = {"exec.approval.resolve", OPERATOR_APPROVALS},
	[METHOD_PLUGIN_APPROVAL_LIST] = {"plugin.approval.list", OPERATOR_APPROVALS},
	[METHOD_PLUGIN_APPROVAL_RESOLVE] = {"plugin.approval.resolve", OPERATOR_APPROVALS},
	[METHOD_APPROVAL_GET] = {"approval.get", OPERATOR_APPROVALS},
	[METHOD_APPROVAL_RESOLVE] = {"approval.resolve", OPERATOR_APPROVALS},
	[METHOD_QUESTION_LIST] = {"question.list", OPERATOR_QUESTIONS},
	[METHOD_QUESTION_GET] = {"question.get", OPERATOR_QUESTIONS},
	[METHOD_QUESTION_RESOLVE] = {"question.resolve", OPERATOR_QUESTIONS},
	[METHOD_DEVICE_PAIR_LIST] = {"device.pair.list", OPERATOR_PAIRING},
	[METHOD_DEVICE_PAIR_APPROVE] = {"device.pair.approve", OPERATOR_PAIRING},
	[METHOD_DEVICE_PAIR_REJECT] = {"device.pair.reject", OPERATOR_PAIRING},
	[METHOD_DEVICE_PAIR_REMOVE] = {"device.pair.remove", OPERATOR_PAIRING},
	[METHOD_EVENTS_SUBSCRIBE] = {"events.subscribe", OPERATOR_READ},
	[METHOD_EVENTS_POSITION] = {"events.position", OPERATOR_READ},
	[METHOD_CONNECT] = {"connect", 0},
};

const char *openclaw_method_name(enum openclaw_method method)
{
	return method < METHODS ? methods[method].name : NULL;
}

enum openclaw_method openclaw_method_of(struct text name)
{
	unsigned i = 0;

	while (i < METHODS && !text_is(name, methods[i].name))
		i++;
	return (enum openclaw_method)i;
}

unsigned openclaw_method_scope(enum openclaw_method method)
{
	return method < METHODS ? methods[method].scope : 0;
}

static const char *const codes[] = {
	[FAULT_INVALID_REQUEST] = "INVALID_REQUEST",
	[FAULT_UNAVAILABLE] = "UNAVAILABLE",
	[FAULT_NOT_PAIRED] = "NOT_PAIRED",
	[FAULT_FORBIDDEN] = "FORBIDDEN",
	[FAULT_MISSING_SCOPE] = "MISSING_SCOPE",
	[FAULT_PROTOCOL_MISMATCH] = "PROTOCOL_MISMATCH",
	[FAULT_AUTH_TOKEN_MISSING] = "AUTH_TOKEN_MISSING",
	[FAULT_AUTH_TOKEN_MISMATCH] = "AUTH_TOKEN_MISMATCH",
	[FAULT_AUTH_DEVICE_TOKEN_MISMATCH] = "AUTH_DEVICE_TOKEN_MISMATCH",
	[FAULT_AUTH_RATE_LIMITED] = "AUTH_RATE_LIMITED",
	[FAULT_PAIRING_REQUIRED] = "PAIRING_REQUIRED",
	[FAULT_DEVICE_IDENTITY_REQUIRED] = "DEVICE_IDENTITY_REQUIRED",
	[FAULT_DEVICE_AUTH_DEVICE_ID_MISMATCH] = "DEVICE_AUTH_DEVICE_ID_MISMATCH",
	[FAULT_DEVICE_AUTH_SIGNATURE_EXPIRED] = "DEVICE_AUTH_SIGNATURE_EXPIRED",
	[FAULT_DEVICE_AUTH_NONCE_MISMATCH] = "DEVICE_AUTH_NONCE_MISMATCH",
	[FAULT_DEVICE_AUTH_SIGNATURE_INVALID] = "DEVICE_AUTH_SIGNATURE_INVALID",
	[FAULT_APPROVAL_NOT_FOUND] = "APPROVAL_NOT_FOUND",
	[FAULT_APPROVAL_ALREADY_RESOLVED] = "APPROVAL_ALREADY_RESOLVED",
	[FAULT_APPROVAL_ALLOW_ALWAYS_UNAVAILABLE] = "APPROVAL_ALLOW_ALWAYS_UNAVAILABLE",
	[FAULT_QUESTION_NOT_FOUND] = "QUESTION_NOT_FOUND",
	[FAULT_QUESTION_INVALID_ANSWER] = "QUESTION_INVALID_ANSWER",
	[FAULT_QUESTION_ALREADY_TERMINAL] = "QUESTION_ALREADY_TERMINAL",
};

const char *openclaw_code_name(enum openclaw_code code)
{
	return code < FAULTS ? codes[code] : NULL;
}

enum openclaw_code openclaw_code_of(struct text name)
{
	unsigned i = 0;

	while (i < FAULTS && !text_is(name, codes[i]))
		i++;
	return (enum openclaw_code)i;
}
