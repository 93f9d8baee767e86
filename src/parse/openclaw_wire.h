/* openclaw_wire.h - frames of the gateway protocol, for both of its ends; pure.
 *
 * We are clients of gateways (source/openclaw, and parse/openclaw.c reads what they say) and a
 * gateway ourselves (gateway/).  What a frame is, what it is called and how it is written stands
 * here, once.
 */
#ifndef PARSE_OPENCLAW_WIRE_H
#define PARSE_OPENCLAW_WIRE_H

#include <yyjson.h>

#include "base/buf.h"
#include "parse/openclaw_names.h"

/* Protocols that we speak. */
#define OPENCLAW_OLDEST 3
#define OPENCLAW_NEWEST 4

enum openclaw_kind { OPENCLAW_REQ, OPENCLAW_RES, OPENCLAW_EVENT, OPENCLAW_KINDS };

/* ---- reading ---- */

/* What is not there is empty or NULL. */
struct openclaw_head {
	enum openclaw_kind kind; /* OPENCLAW_KINDS: none of them */
	struct text type;        /* as it was written: documents have the name of an event there */
	struct text id, method, event;
	yyjson_val *params, *payload, *error;
	bool is_good; /* an answer that is no refusal */
};
void openclaw_wire_read(yyjson_val *frame, struct openclaw_head *out);

/* ---- writing ---- */

void openclaw_wire_request(struct buf *out, struct text id, const char *method, struct text params);

/* A refusal. */
struct gateway_fault {
	enum openclaw_code code;
	const char *message;
	struct text details; /* JSON, or empty */
	bool retryable;
};
void openclaw_wire_answer(struct buf *out, struct text id, struct text payload);
void openclaw_wire_refuse(struct buf *out, struct text id, const struct gateway_fault *fault);
/* Likewise, with what another gateway answered: a payload, or an error. */
void openclaw_wire_pass(struct buf *out, struct text id, bool is_good, struct text json);

/* ---- events ---- */

enum openclaw_event {
	OPENCLAW_CHALLENGE,
	OPENCLAW_AGENT,
	OPENCLAW_CHAT,
	OPENCLAW_PRESENCE,
	OPENCLAW_TICK,
	OPENCLAW_HEALTH,
	OPENCLAW_HEARTBEAT,
	OPENCLAW_SESSIONS_CHANGED,
	OPENCLAW_SESSION_MESSAGE,
	OPENCLAW_EXEC_REQUESTED,
	OPENCLAW_EXEC_RESOLVED,
	OPENCLAW_PLUGIN_REQUESTED,
	OPENCLAW_PLUGIN_RESOLVED,
	OPENCLAW_QUESTION_REQUESTED,
	OPENCLAW_QUESTION_RESOLVED,
	OPENCLAW_SHUTDOWN,
	OPENCLAW_PAIR_REQUESTED,
	OPENCLAW_PAIR_RESOLVED,
	OPENCLAW_GAP, /* of ours alone, as the next one */
	OPENCLAW_POSITION,
	OPENCLAW_OURS, /* all before are events that we send, too */
	OPENCLAW_CRON = OPENCLAW_OURS,
	OPENCLAW_SESSION,
	OPENCLAW_SESSION_TOOL,
	OPENCLAW_SYSTEM_PRESENCE,
	OPENCLAW_CHAT_METADATA,
	OPENCLAW_EVENTS, /* none of them */
};
const char *openclaw_event_name(enum openclaw_event event);
enum openclaw_event openclaw_event_of(struct text name);

/* Begins a frame in an empty buffer: its payload comes next, and then put_end(). */
void openclaw_wire_event(struct buf *out, enum openclaw_event event);

#endif
