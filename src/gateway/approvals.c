/* approvals.c - approvals: events, lists, and who decides first. */
#include "gateway/approvals.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/put.h"
#include "gateway/decide.h"
#include "gateway/methods.h"
#include "gateway/pending.h"
#include "run/prompts.h"

#define LIST_MAX (8 * MIB)
#define ONE_MAX (512 * KIB)
#define DETAILS_MAX 512

static const char *approval_kind(enum decide_kind kind)
{
	return kind == DECIDE_EXEC ? "exec" : "plugin";
}

/* One, for a client of this class; false: it has no answer to it. */
static bool read_approval(struct deciding *d, const struct prompt *p,
                          const struct pending_class *of)
{
	struct decide_reader reader = {of->may, of->is_narrow, of->protocol > GATEWAY_OLDEST};

	deciding_init(d, p, &reader);
	return d->kind != DECIDE_NOTHING && d->value[DECIDE_DENY].len > 0;
}

static void put_id(const struct deciding *d, const struct prompt *p, struct buf *out)
{
	char id[sizeof(PENDING_PREFIX) + PROMPT_ID_LEN];

	snprintf(id, sizeof(id), "%s%s", d->kind == DECIDE_PLUGIN ? PENDING_PREFIX : "", p->id);
	put_word(out, "id", id);
}

static void put_request(const struct gateway *g, const struct deciding *d, const struct prompt *p,
                        struct buf *out)
{
	put_object(out, "request");
	deciding_put_request(d, out);
	pending_put_place(g, p, true, out);
	put_end(out);
}

/* ---- events ---- */

static void put_end_of(const struct prompt *p, struct buf *out)
{
	put_word(out, "decision", decide_name(decide_answered(p)));
	pending_put_answerer(p, "resolvedBy", out);
	put_i64(out, "ts", clock_wall_ms());
}

static enum openclaw_event event_of(enum decide_kind kind, bool is_open)
{
	if (kind == DECIDE_EXEC)
		return is_open ? OPENCLAW_EXEC_REQUESTED : OPENCLAW_EXEC_RESOLVED;
	return is_open ? OPENCLAW_PLUGIN_REQUESTED : OPENCLAW_PLUGIN_RESOLVED;
}

static bool write_event(struct gateway *g, const struct prompt *p, const struct pending_class *of,
                        struct buf *out)
{
	bool is_open = p->state == PROMPT_OPEN, is_told;
	struct deciding d;

	is_told = read_approval(&d, p, of);
	openclaw_wire_event(out, event_of(d.kind, is_open));
	put_object(out, "payload");
	put_id(&d, p, out);
	if (!is_open)
		put_end_of(p, out);
	put_request(g, &d, p, out);
	if (is_open)
		pending_put_times(p, out);
	put_end(out);
	put_end(out);
	deciding_finish(&d);
	return is_told;
}

/* ---- one, as approval.get has it ---- */

static const char *status_of(const struct prompt *p)
{
	enum gateway_decision d = decide_answered(p);

	if (p->state == PROMPT_OPEN)
		return "pending";
	if (d == DECIDE_ONCE || d == DECIDE_ALWAYS)
		return "allowed";
	if (p->state == PROMPT_EXPIRED)
		return "expired";
	return d == DECIDE_DENY ? "denied" : "cancelled";
}

static void put_outcome(const struct gateway *g, const struct prompt *p, struct buf *out)
{
	const char *status = status_of(p);

	put_i64(out, "resolvedAtMs", clock_wall_ms());
	if (strcmp(status, "expired") == 0) {
		put_word(out, "reason", "timeout");
	} else if (strcmp(status, "cancelled") == 0) {
		put_word(out, "reason", "run-aborted");
	} else {
		put_word(out, "decision", decide_name(decide_answered(p)));
		put_word(out, "reason", "user");
	}
	put_object(out, "source");
	pending_put_place(g, p, false, out);
	put_end(out);
	put_object(out, "resolver");
	put_word(out, "kind", p->by ? "runtime" : "system");
	if (p->by)
		pending_put_answerer(p, "id", out);
	put_end(out);
}

static void put_approval(const struct gateway *g, const struct deciding *d, const struct prompt *p,
                         struct buf *out)
{
	put_object(out, NULL);
	put_id(d, p, out);
	put_word(out, "status", status_of(p));
	put_object(out, "presentation");
	deciding_put_presentation(d, out);
	put_end(out);
	put_word(out, "urlPath", "/");
	pending_put_times(p, out);
	if (p->state != PROMPT_OPEN)
		put_outcome(g, p, out);
	put_end(out);
}

void gateway_tell_approval(struct gateway *g, const struct prompt *p)
{
	static const struct pending_class all = {GATEWAY_NEWEST, ANSWERS_ALL, false};
	struct deciding d;
	struct buf out;

	if (p->state != PROMPT_OPEN) {
		read_approval(&d, p, &all);
		buf_init(&out, ONE_MAX);
		put_approval(g, &d, p, &out);
		if (!out.full)
			pending_settle(g, p,
			               &(struct pending_end){OPERATOR_APPROVALS,
			                                     decide_name(decide_answered(p)),
			                                     buf_text(&out)});
		buf_finish(&out);
		deciding_finish(&d);
	}
	pending_tell(g, p, OPERATOR_APPROVALS, write_event);
}

/* ---- lists ---- */

static void put_item(const struct gateway *g, const struct deciding *d, const struct prompt *p,
                     struct buf *out)
{
	put_object(out, NULL);
	put_id(d, p, out);
	put_request(g, d, p, out);
	pending_put_times(p, out);
	put_word(out, "approvalKind", approval_kind(d->kind));
	put_end(out);
}

static void list_approvals(const struct gateway_call *call, enum decide_kind kind)
{
	struct pending_class of = pending_class_of(call->view);
	struct buf out;

	buf_init(&out, LIST_MAX);
	put_list(&out, NULL);
	list_each(prompts_open(call->gateway->options.prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);
		struct deciding d;
		size_t len = out.len;

		if (read_approval(&d, p, &of) && d.kind == kind)
			put_item(call->gateway, &d, p, &out);
		deciding_finish(&d);
		if (pending_list_ends(&out, len))
			break;
	}
	put_list_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

void gateway_exec_list(const struct gateway_call *call)
{
	list_approvals(call, DECIDE_EXEC);
}

void gateway_plugin_list(const struct gateway_call *call)
{
	list_approvals(call, DECIDE_PLUGIN);
}

/* ---- refusing ---- */

static void refuse_unknown(const struct gateway_call *call)
{
	pending_refuse(call, "unknown or expired approval id", FAULT_APPROVAL_NOT_FOUND,
	               "Ask for the list again: it may have been decided or withdrawn.");
}

static void refuse_missing(const struct gateway_call *call)
{
	pending_refuse(call, "approval not found", FAULT_APPROVAL_NOT_FOUND, NULL);
}

static void refuse_decision(const struct gateway_call *call, const struct deciding *d,
                            const char *decision)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST};
	struct buf details;
	struct error words;

	error_set(&words, "%s is unavailable for this %s", decision,
	          d->kind == DECIDE_EXEC ? "command" : "plugin approval");
	fault.message = words.words;
	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	if (d->kind == DECIDE_EXEC)
		put_word(&details, "reason",
		         openclaw_code_name(FAULT_APPROVAL_ALLOW_ALWAYS_UNAVAILABLE));
	deciding_put_allowed(d, &details);
	put_end(&details);
	if (call->view->protocol > GATEWAY_OLDEST)
		fault.details = buf_text(&details);
	pending_refuse_with(call, &fault);
	buf_finish(&details);
}

/* ---- getting one ---- */

void gateway_exec_get(const struct gateway_call *call)
{
	const struct prompt *p = pending_find(call->gateway, json_text_at(call->params, "id"));
	struct pending_class of = pending_class_of(call->view);
	struct deciding d;
	struct buf out;

	if (!p || p->state != PROMPT_OPEN) {
		refuse_unknown(call);
		return;
	}
	if (!read_approval(&d, p, &of) || d.kind != DECIDE_EXEC) {
		refuse_unknown(call);
	} else {
		buf_init(&out, ONE_MAX);
		put_object(&out, NULL);
		put_id(&d, p, &out);
		put_text(&out, "commandText", buf_text(&d.words));
		put_word(&out, "commandPreview", NULL);
		deciding_put_allowed(&d, &out);
		put_word(&out, "host", NULL);
		put_word(&out, "nodeId", NULL);
		pending_put_place(call->gateway, p, false, &out);
		pending_put_times(p, &out);
		put_end(&out);
		gateway_answer_buf(call, &out);
		buf_finish(&out);
	}
	deciding_finish(&d);
}

static void answer_approval(const struct gateway_call *call, struct text approval)
{
	struct buf out;

	buf_init(&out, ONE_MAX);
	put_object(&out, NULL);
	if (openclaw_method_of(call->method) == METHOD_APPROVAL_RESOLVE)
		put_bool(&out, "applied", false);
	put_json(&out, "approval", approval);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

void gateway_approval_get(const struct gateway_call *call)
{
	const struct prompt *p = pending_find(call->gateway, json_text_at(call->params, "id"));
	const struct pending_end *end =
		p ? pending_settled(call->gateway, text_of(p->id), OPERATOR_APPROVALS) : NULL;
	struct pending_class of = pending_class_of(call->view);
	struct deciding d;
	struct buf out;

	if (!p || (p->state != PROMPT_OPEN && !end)) {
		refuse_missing(call);
	} else if (p->state != PROMPT_OPEN) {
		answer_approval(call, end->json);
	} else {
		buf_init(&out, ONE_MAX);
		if (read_approval(&d, p, &of)) {
			put_approval(call->gateway, &d, p, &out);
			answer_approval(call, buf_text(&out));
		} else {
			refuse_missing(call);
		}
		deciding_finish(&d);
		buf_finish(&out);
	}
}

/* ---- deciding ---- */

static bool is_unified(const struct gateway_call *call)
{
	return openclaw_method_of(call->method) == METHOD_APPROVAL_RESOLVE;
}

static void refuse_nothing_there(const struct gateway_call *call)
{
	if (is_unified(call))
		refuse_missing(call);
	else
		refuse_unknown(call);
}

static void put_good(struct buf *out)
{
	put_object(out, NULL);
	put_bool(out, "ok", true);
	put_end(out);
}

static void answer_good(const struct gateway_call *call)
{
	struct buf out;

	if (call->instead)
		return;
	buf_init(&out, DETAILS_MAX);
	put_good(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* Somebody was first.  To decide the same again is no fault. */
static void answer_late(const struct gateway_call *call, const struct prompt *p, struct text wish)
{
	const struct pending_end *end =
		pending_settled(call->gateway, text_of(p->id), OPERATOR_APPROVALS);

	if (is_unified(call) && end)
		answer_approval(call, end->json);
	else if (!is_unified(call) && end && end->word && text_is(wish, end->word))
		answer_good(call);
	else
		pending_refuse(call, "approval already resolved", FAULT_APPROVAL_ALREADY_RESOLVED,
		               NULL);
}

static void decide(const struct gateway_call *call, const struct prompt *p,
                   const struct deciding *d, enum gateway_decision decision)
{
	struct buf payload;
	enum back_answer answer;

	buf_init(&payload, DETAILS_MAX);
	if (!is_unified(call))
		put_good(&payload);
	answer = pending_reply(call, p, buf_text(&d->value[decision]), buf_text(&payload));
	buf_finish(&payload);
	switch (answer) {
	case BACK_TAKEN:
		break;
	case BACK_ALREADY:
	case BACK_EXPIRED:
		answer_late(call, p, text_of(decide_name(decision)));
		break;
	case BACK_INVALID_VALUE:
	case BACK_FORBIDDEN:
		refuse_decision(call, d, decide_name(decision));
		break;
	case BACK_UNKNOWN:
		refuse_nothing_there(call);
		break;
	default:
		pending_refuse_with(call, &(struct gateway_fault){FAULT_UNAVAILABLE,
		                                                  "approval resolve unavailable",
		                                                  .retryable = true});
	}
}

/* Nobody here speaks for a channel, and no rule of ours ends by itself. */
static bool is_decision_good(const struct gateway_call *call, enum gateway_decision decision)
{
	if (decision == DECISIONS)
		pending_refuse_with(
			call, &(struct gateway_fault){FAULT_INVALID_REQUEST, "invalid decision"});
	else if (yyjson_obj_get(call->params, "reviewer"))
		refuse_nothing_there(call);
	else if (yyjson_obj_get(call->params, "grantExpiresInDays"))
		pending_refuse_with(call, &(struct gateway_fault){FAULT_INVALID_REQUEST,
		                                                  "what is allowed here does not "
		                                                  "expire by itself"});
	else
		return true;
	return false;
}

/* kind: empty, if either is meant. */
static void resolve(const struct gateway_call *call, const struct prompt *p,
                    enum gateway_decision decision, struct text kind)
{
	struct pending_class of = pending_class_of(call->view);
	struct deciding d;

	if (!is_decision_good(call, decision))
		return;
	if (!p) {
		refuse_nothing_there(call);
		return;
	}
	if (p->state != PROMPT_OPEN) {
		answer_late(call, p, text_of(decide_name(decision)));
		return;
	}
	if (!read_approval(&d, p, &of) || (kind.len && !text_is(kind, approval_kind(d.kind))))
		refuse_nothing_there(call);
	else if (!d.value[decision].len)
		refuse_decision(call, &d, decide_name(decision));
	else
		decide(call, p, &d, decision);
	deciding_finish(&d);
}

static void resolve_named(const struct gateway_call *call, struct text kind)
{
	resolve(call, pending_find(call->gateway, json_text_at(call->params, "id")),
	        decide_of(json_text_at(call->params, "decision")), kind);
}

void gateway_exec_resolve(const struct gateway_call *call)
{
	resolve_named(call, TEXT("exec"));
}

void gateway_plugin_resolve(const struct gateway_call *call)
{
	resolve_named(call, TEXT("plugin"));
}

void gateway_approval_resolve(const struct gateway_call *call)
{
	resolve_named(call, json_text_at(call->params, "kind"));
}

bool gateway_approve(const struct gateway_call *call, const struct prompt *p, struct text decision,
                     struct error *why)
{
	struct gateway_call instead = *call;

	why->words[0] = '\0';
	instead.instead = why;
	resolve(&instead, p, decide_of(decision), TEXT(""));
	return !why->words[0];
}
