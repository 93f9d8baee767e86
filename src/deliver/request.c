/* request.c - a NexusRequest as JSON. */
#include "deliver/request.h"

#include <stdlib.h>

#include "base/put.h"

const char *nexus_stage_name(enum nexus_stage stage)
{
	static const char *const names[NEXUS_STAGES] = {
		[NEXUS_RECEIVE] = "receiveEvent",     [NEXUS_IDENTITY] = "resolveIdentity",
		[NEXUS_ACCESS] = "resolveAccess",     [NEXUS_TRIGGERS] = "runAutomations",
		[NEXUS_ASSEMBLE] = "assembleContext", [NEXUS_RUN] = "runAgent",
		[NEXUS_DELIVER] = "deliverResponse",  [NEXUS_FINALIZE] = "finalize",
	};

	return names[stage];
}

static const char *status_name(enum nexus_status status)
{
	static const char *const names[] = {
		[NEXUS_PROCESSING] = "processing", [NEXUS_COMPLETED] = "completed",
		[NEXUS_DENIED] = "denied",         [NEXUS_HANDLED] = "handled_by_automation",
		[NEXUS_FAILED] = "failed",
	};

	return names[status];
}

void nexus_set(struct nexus_request *r, enum nexus_word word, struct text value)
{
	char *old = r->words[word];

	r->words[word] = value.len ? text_dup(value) : NULL;
	free(old);
}

void nexus_put_identity(const struct nexus_request *r, struct buf *out)
{
	buf_add(out, nexus_word(r, NEXUS_CHANNEL));
	buf_add_char(out, ':');
	buf_add(out, nexus_word(r, NEXUS_SENDER));
}

void nexus_finish(struct nexus_request *r)
{
	for (unsigned i = 0; i < NEXUS_WORDS; i++)
		free(r->words[i]);
}

/* ---- JSON ---- */

static void put_word_of(struct buf *out, const char *key, const struct nexus_request *r,
                        enum nexus_word word)
{
	if (r->words[word])
		put_text(out, key, nexus_word(r, word));
}

static void put_cut(struct buf *out, const char *key, struct text text, size_t max)
{
	text.len = chunk_reach(CHUNK_BYTES, text, max);
	put_text(out, key, text);
}

static void put_event(const struct nexus_request *r, size_t text_max, struct buf *out)
{
	struct buf id;

	buf_init(&id, 2 * KIB);
	buf_add(&id, nexus_word(r, NEXUS_CHANNEL));
	buf_add_char(&id, ':');
	buf_add(&id, nexus_word(r, NEXUS_MESSAGE));
	put_object(out, "event");
	put_text(out, "event_id", buf_text(&id));
	put_i64(out, "timestamp", r->created_at);
	put_cut(out, "content", nexus_word(r, NEXUS_CONTENT), text_max);
	put_word(out, "content_type",
	         r->words[NEXUS_CONTENT_TYPE] ? r->words[NEXUS_CONTENT_TYPE] : "text");
	if (r->words[NEXUS_ATTACHMENTS])
		put_json(out, "attachments", nexus_word(r, NEXUS_ATTACHMENTS));
	put_object(out, "metadata");
	put_bool(out, "mentioned", r->is_mentioned);
	put_end(out);
	put_end(out);
	buf_finish(&id);
}

static void put_delivery(const struct nexus_request *r, struct buf *out)
{
	put_object(out, "delivery");
	put_word_of(out, "channel", r, NEXUS_CHANNEL);
	put_word_of(out, "account_id", r, NEXUS_ACCOUNT);
	put_word_of(out, "sender_id", r, NEXUS_SENDER);
	put_word_of(out, "sender_name", r, NEXUS_SENDER_NAME);
	put_word_of(out, "peer_id", r, NEXUS_PEER);
	put_word(out, "peer_kind", channel_peer_name(r->peer_kind));
	put_word_of(out, "thread_id", r, NEXUS_THREAD);
	put_word_of(out, "reply_to_id", r, NEXUS_REPLY_TO);
	if (r->traits) {
		put_object(out, "capabilities");
		put_u64(out, "text_limit", r->traits->limit.max);
		put_bool(out, "supports_edit", r->traits->can_edit);
		put_bool(out, "supports_typing", r->traits->can_type);
		put_bool(out, "supports_buttons", r->traits->buttons > 0);
		put_end(out);
	}
	if (r->words[NEXUS_CHANNELS])
		put_json(out, "available_channels", nexus_word(r, NEXUS_CHANNELS));
	put_end(out);
}

static void put_principal(const struct nexus_request *r, struct buf *out)
{
	if (!r->words[NEXUS_PRINCIPAL])
		return;
	put_object(out, "principal");
	put_word_of(out, "type", r, NEXUS_PRINCIPAL);
	put_word_of(out, "entity_id", r, NEXUS_PERSON); /* a name of the configuration is one */
	put_word_of(out, "source", r, NEXUS_KNOWN_BY);
	put_word_of(out, "name", r, NEXUS_PERSON);
	put_word_of(out, "relationship", r, NEXUS_RELATIONSHIP);
	if (r->words[NEXUS_IDENTITIES])
		put_json(out, "identities", nexus_word(r, NEXUS_IDENTITIES));
	put_end(out);
}

/* The box narrows nothing by person: whoever may ask gets what the agent may do.  Credentials are
 * the agent's own, and the box hands it none. */
static void put_permissions(const struct nexus_request *r, struct buf *out)
{
	bool may_ask = text_is(nexus_word(r, NEXUS_DECISION), "allow");

	put_object(out, "permissions");
	put_bool(out, "answer", r->may_answer);
	put_object(out, "tools");
	put_json(out, "allow", may_ask ? TEXT("[\"*\"]") : TEXT("[]"));
	put_json(out, "deny", may_ask ? TEXT("[]") : TEXT("[\"*\"]"));
	put_end(out);
	put_json(out, "credentials", TEXT("[]"));
	put_word(out, "data_access", may_ask ? "full" : "none");
	put_end(out);
}

static void put_access(const struct nexus_request *r, struct buf *out)
{
	if (!r->words[NEXUS_DECISION])
		return;
	put_object(out, "access");
	put_word_of(out, "decision", r, NEXUS_DECISION);
	put_word_of(out, "matched_policy", r, NEXUS_POLICY);
	put_permissions(r, out);
	put_bool(out, "rate_limited", r->is_rate_limited);
	put_object(out, "routing");
	put_word_of(out, "persona", r, NEXUS_AGENT);
	put_word_of(out, "session_label", r, NEXUS_SESSION);
	put_word_of(out, "queue_mode", r, NEXUS_QUEUE);
	put_end(out);
	put_end(out);
}

static void put_triggers(const struct nexus_request *r, struct buf *out)
{
	if (!r->trace[NEXUS_TRIGGERS].was)
		return;
	put_object(out, "triggers");
	put_u64(out, "automations_evaluated", r->evaluated);
	put_u64(out, "automations_fired", r->fired);
	put_bool(out, "handled", r->words[NEXUS_HANDLER] != NULL);
	put_word_of(out, "handled_by", r, NEXUS_HANDLER);
	if (r->words[NEXUS_ROUTED]) {
		put_object(out, "routing_override");
		put_word_of(out, "agent_id", r, NEXUS_ROUTED);
		put_word_of(out, "session_label", r, NEXUS_SESSION);
		put_end(out);
	}
	if (r->disables_streaming)
		put_bool(out, "disable_streaming", true);
	if (r->words[NEXUS_RESULTS])
		put_json(out, "automation_results", nexus_word(r, NEXUS_RESULTS));
	put_end(out);
}

static void put_agent(const struct nexus_request *r, struct buf *out)
{
	if (!r->words[NEXUS_AGENT])
		return;
	put_object(out, "agent");
	put_word_of(out, "agent_id", r, NEXUS_AGENT);
	put_word_of(out, "persona_id", r, NEXUS_AGENT);
	put_word_of(out, "session_label", r, NEXUS_SESSION);
	put_word_of(out, "parent_turn_id", r, NEXUS_PARENT);
	put_word_of(out, "turn_id", r, NEXUS_TURN);
	put_word_of(out, "model", r, NEXUS_MODEL);
	put_word_of(out, "provider", r, NEXUS_PROVIDER);
	if (r->words[NEXUS_BUDGET])
		put_json(out, "token_budget", nexus_word(r, NEXUS_BUDGET));
	put_end(out);
}

static void put_response(const struct nexus_request *r, size_t text_max, struct buf *out)
{
	if (!r->words[NEXUS_STOP])
		return;
	put_object(out, "response");
	put_cut(out, "content", nexus_word(r, NEXUS_RESPONSE), text_max);
	put_list(out, "tool_calls");
	if (r->words[NEXUS_TOOLS])
		put_json(out, NULL, nexus_word(r, NEXUS_TOOLS));
	put_list_end(out);
	if (r->words[NEXUS_USAGE])
		put_json(out, "usage", nexus_word(r, NEXUS_USAGE));
	put_word_of(out, "stop_reason", r, NEXUS_STOP);
	put_i64(out, "duration_ms", r->response_ms);
	put_word_of(out, "error", r, NEXUS_ERROR);
	put_end(out);
}

static void put_result(const struct nexus_request *r, struct buf *out)
{
	if (!r->trace[NEXUS_DELIVER].was)
		return;
	put_object(out, "delivery_result");
	put_bool(out, "success", r->is_delivered);
	put_list(out, "message_ids");
	for (struct text rest = nexus_word(r, NEXUS_MESSAGES); rest.at;)
		put_text(out, NULL, text_cut(rest, ' ', &rest));
	put_list_end(out);
	put_u64(out, "chunks_sent", r->chunks_sent);
	put_bool(out, "streamed", r->is_streamed);
	put_word_of(out, "error", r, NEXUS_DELIVERY_ERROR);
	put_end(out);
}

static void put_trace(const struct nexus_request *r, struct buf *out)
{
	put_list(out, "pipeline");
	for (unsigned i = 0; i < NEXUS_STAGES; i++) {
		const struct nexus_trace *t = &r->trace[i];

		if (!t->was)
			continue;
		put_object(out, NULL);
		put_word(out, "stage", nexus_stage_name((enum nexus_stage)i));
		put_i64(out, "started_at", t->started_at);
		put_i64(out, "duration_ms", t->duration_ms);
		if (t->exit_reason)
			put_word(out, "exit_reason", t->exit_reason);
		put_end(out);
	}
	put_list_end(out);
}

void nexus_put(const struct nexus_request *r, size_t text_max, struct buf *out)
{
	put_word(out, "request_id", r->id);
	put_i64(out, "created_at", r->created_at);
	put_word(out, "status", status_name(r->status));
	put_word(out, "stage", nexus_stage_name(r->stage));
	put_event(r, text_max, out);
	put_delivery(r, out);
	put_principal(r, out);
	put_access(r, out);
	put_triggers(r, out);
	put_agent(r, out);
	put_response(r, text_max, out);
	put_result(r, out);
	put_trace(r, out);
	put_word_of(out, "session_reset", r, NEXUS_RESET);
	put_word_of(out, "collected_into", r, NEXUS_INTO);
}
