/* openclaw_wire.c - frames of the gateway protocol: reader, writer and names. */
#include "parse/openclaw_wire.h"

#include "base/put.h"
#include "signal/json.h"

static const char *const kinds[] = {"req", "res", "event"};

static const struct text events[] = {
	[OPENCLAW_CHALLENGE] = TEXT("connect.challenge"),
	[OPENCLAW_AGENT] = TEXT("agent"),
	[OPENCLAW_CHAT] = TEXT("chat"),
	[OPENCLAW_PRESENCE] = TEXT("presence"),
	[OPENCLAW_TICK] = TEXT("tick"),
	[OPENCLAW_HEALTH] = TEXT("health"),
	[OPENCLAW_HEARTBEAT] = TEXT("heartbeat"),
	[OPENCLAW_SESSIONS_CHANGED] = TEXT("sessions.changed"),
	[OPENCLAW_SESSION_MESSAGE] = TEXT("session.message"),
	[OPENCLAW_EXEC_REQUESTED] = TEXT("exec.approval.requested"),
	[OPENCLAW_EXEC_RESOLVED] = TEXT("exec.approval.resolved"),
	[OPENCLAW_PLUGIN_REQUESTED] = TEXT("plugin.approval.requested"),
	[OPENCLAW_PLUGIN_RESOLVED] = TEXT("plugin.approval.resolved"),
	[OPENCLAW_QUESTION_REQUESTED] = TEXT("question.requested"),
	[OPENCLAW_QUESTION_RESOLVED] = TEXT("question.resolved"),
	[OPENCLAW_SHUTDOWN] = TEXT("shutdown"),
	[OPENCLAW_PAIR_REQUESTED] = TEXT("device.pair.requested"),
	[OPENCLAW_PAIR_RESOLVED] = TEXT("device.pair.resolved"),
	[OPENCLAW_POSITION] = TEXT("signalbox.position"),
	[OPENCLAW_GAP] = TEXT("signalbox.gap"),
	[OPENCLAW_CRON] = TEXT("cron"),
	[OPENCLAW_SESSION] = TEXT("session"),
	[OPENCLAW_SESSION_TOOL] = TEXT("session.tool"),
	[OPENCLAW_SYSTEM_PRESENCE] = TEXT("system-presence"),
	[OPENCLAW_CHAT_METADATA] = TEXT("chat.metadata.changed"),
};

const char *openclaw_event_name(enum openclaw_event event)
{
	return event < OPENCLAW_EVENTS ? events[event].at : NULL;
}

enum openclaw_event openclaw_event_of(struct text name)
{
	unsigned i = 0;

	while (i < OPENCLAW_EVENTS && !text_equal(name, events[i]))
		i++;
	return (enum openclaw_event)i;
}

/* ---- reading ---- */

static enum openclaw_kind kind_of(struct text type)
{
	unsigned i = 0;

	while (i < OPENCLAW_KINDS && !text_is(type, kinds[i]))
		i++;
	return (enum openclaw_kind)i;
}

void openclaw_wire_read(yyjson_val *frame, struct openclaw_head *out)
{
	*out = (struct openclaw_head){
		.type = json_text_at(frame, "type"),
		.id = json_text_at(frame, "id"),
		.method = json_text_at(frame, "method"),
		.event = json_text_at(frame, "event"),
		.params = yyjson_obj_get(frame, "params"),
		.payload = yyjson_obj_get(frame, "payload"),
		.error = yyjson_obj_get(frame, "error"),
		.is_good = yyjson_is_true(yyjson_obj_get(frame, "ok")),
	};
	out->kind = kind_of(out->type);
}

/* ---- writing ---- */

static void begin(struct buf *out, enum openclaw_kind kind)
{
	put_object(out, NULL);
	put_word(out, "type", kinds[kind]);
}

static void begin_answer(struct buf *out, struct text id, bool is_good)
{
	begin(out, OPENCLAW_RES);
	put_text(out, "id", id);
	put_bool(out, "ok", is_good);
}

void openclaw_wire_request(struct buf *out, struct text id, const char *method, struct text params)
{
	begin(out, OPENCLAW_REQ);
	put_text(out, "id", id);
	put_word(out, "method", method);
	put_json(out, "params", params);
	put_end(out);
}

void openclaw_wire_pass(struct buf *out, struct text id, bool is_good, struct text json)
{
	begin_answer(out, id, is_good);
	if (json.len)
		put_json(out, is_good ? "payload" : "error", json);
	put_end(out);
}

void openclaw_wire_answer(struct buf *out, struct text id, struct text payload)
{
	openclaw_wire_pass(out, id, true, payload);
}

void openclaw_wire_refuse(struct buf *out, struct text id, const struct gateway_fault *fault)
{
	begin_answer(out, id, false);
	put_object(out, "error");
	put_word(out, "code", openclaw_code_name(fault->code));
	put_word(out, "message", fault->message);
	if (fault->details.len)
		put_json(out, "details", fault->details);
	if (fault->retryable)
		put_bool(out, "retryable", true);
	put_end(out);
	put_end(out);
}

void openclaw_wire_event(struct buf *out, enum openclaw_event event)
{
	begin(out, OPENCLAW_EVENT);
	put_text(out, "event", events[event]);
}
