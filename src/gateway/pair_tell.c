/* pair_tell.c - what is said of devices. */
#include "gateway/pair_tell.h"

#include "base/clock.h"
#include "base/put.h"
#include "gateway/inside.h"
#include "gateway/pairing.h"
#include "net/ws.h"

#define TOLD_MAX (256 * KIB)

/* ---- one of them ---- */

static void put_roles(struct buf *out)
{
	put_word(out, "role", "operator");
	put_list(out, "roles");
	put_word(out, NULL, "operator");
	put_list_end(out);
}

static void put_request(struct buf *out, const struct gateway_waiting *w)
{
	put_word(out, "requestId", w->id);
	gateway_self_put(out, &w->self);
	put_roles(out);
	operator_scopes_add(out, "scopes", w->asked);
	put_word(out, "remoteIp", w->from);
	put_i64(out, "ts", w->since_ms);
}

static bool is_here(const struct gateway *g, uint32_t number)
{
	list_each(&g->views, l)
		if (list_of(l, struct gateway_view, in_room)->device == number)
			return true;
	return false;
}

static void put_paired(struct buf *out, const struct gateway *g, const struct gateway_device *d)
{
	unsigned scopes = operator_scopes_allowed(d->scopes);

	gateway_self_put(out, &d->self);
	put_roles(out);
	operator_scopes_add(out, "scopes", scopes);
	put_list(out, "tokens");
	if (d->has_secret) {
		put_object(out, NULL);
		put_word(out, "role", "operator");
		operator_scopes_add(out, "scopes", scopes);
		put_i64(out, "createdAtMs", d->paired_ms);
		put_i64(out, "lastUsedAtMs", d->seen_ms);
		put_end(out);
	}
	put_list_end(out);
	put_i64(out, "createdAtMs", d->paired_ms);
	put_i64(out, "approvedAtMs", d->paired_ms);
	put_bool(out, "connected", is_here(g, d->number));
}

/* ---- events ---- */

/* Few may pair, so each gets a frame of its own, which has no number. */
static void tell_pairing(struct gateway *g, enum openclaw_event event, struct text payload)
{
	struct buf out;

	buf_init(&out, TOLD_MAX);
	openclaw_wire_event(&out, event);
	put_json(&out, "payload", payload);
	put_end(&out);
	list_each(&g->views, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_room);

		if (!view->stream || view->stream->is_quiet)
			continue; /* it is told nothing yet */
		if (view->scopes & OPERATOR_PAIRING)
			client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	}
	buf_finish(&out);
}

void gateway_tell_requested(struct gateway *g, const struct gateway_waiting *w)
{
	struct buf payload;

	buf_init(&payload, TOLD_MAX);
	put_object(&payload, NULL);
	put_request(&payload, w);
	put_end(&payload);
	tell_pairing(g, OPENCLAW_PAIR_REQUESTED, buf_text(&payload));
	buf_finish(&payload);
}

void gateway_tell_resolved(struct gateway *g, const char *id, const char *device,
                           const char *decision)
{
	struct buf payload;

	buf_init(&payload, TOLD_MAX);
	put_object(&payload, NULL);
	put_word(&payload, "requestId", id);
	put_word(&payload, "deviceId", device);
	put_word(&payload, "decision", decision);
	put_i64(&payload, "ts", clock_wall_ms());
	put_end(&payload);
	tell_pairing(g, OPENCLAW_PAIR_RESOLVED, buf_text(&payload));
	buf_finish(&payload);
}

/* ---- the API's lists ---- */

static void put_ours(struct buf *out, unsigned scopes)
{
	put_list(out, "scopes");
	for (unsigned bit = 1; bit <= SCOPE_ALL; bit <<= 1)
		if (scopes & bit)
			put_word(out, NULL, scope_name((enum scope)bit));
	put_list_end(out);
}

void gateway_put_devices(struct gateway *g, struct buf *out)
{
	struct gateway_devices *devices = gateway_pairing_devices(g);
	const struct gateway_device *d;

	for (size_t i = 0; devices && (d = gateway_devices_at(devices, i)); i++) {
		put_object(out, NULL);
		put_word(out, "name", d->name);
		put_word(out, "kind", "gateway");
		put_ours(out, d->scopes);
		put_i64(out, "pairedMs", d->paired_ms);
		put_i64(out, "seenMs", d->seen_ms);
		put_bool(out, "push", false);
		put_bool(out, "byToken", d->is_bound);
		put_bool(out, "connected", is_here(g, d->number));
		gateway_self_put(out, &d->self);
		put_end(out);
	}
}

void gateway_put_waiting(struct gateway *g, struct buf *out)
{
	const struct gateway_waiting *w;

	for (size_t i = 0; (w = gateway_pairing_at(g, i)); i++) {
		put_object(out, NULL);
		put_word(out, "name", w->id);
		put_word(out, "kind", "gateway");
		put_ours(out, operator_scopes_ours(w->asked));
		put_word(out, "from", w->from);
		put_i64(out, "sinceMs", w->since_ms);
		put_i64(out, "untilMs", w->since_ms + GATEWAY_WAITING_MS);
		gateway_self_put(out, &w->self);
		put_end(out);
	}
}

/* ---- methods ---- */

void gateway_pair_list(const struct gateway_call *call)
{
	struct gateway *g = call->gateway;
	struct gateway_devices *devices = gateway_pairing_devices(g);
	const struct gateway_waiting *w;
	const struct gateway_device *d;
	struct buf out;

	buf_init(&out, TOLD_MAX);
	put_object(&out, NULL);
	put_list(&out, "pending");
	for (size_t i = 0; (w = gateway_pairing_at(g, i)); i++) {
		put_object(&out, NULL);
		put_request(&out, w);
		put_end(&out);
	}
	put_list_end(&out);
	put_list(&out, "paired");
	for (size_t i = 0; devices && (d = gateway_devices_at(devices, i)); i++) {
		put_object(&out, NULL);
		put_paired(&out, g, d);
		put_end(&out);
	}
	put_list_end(&out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* What was decided: ids, and of one that was let in what it is now. */
static void answer_decision(const struct gateway_call *call, const char *request,
                            const char *device)
{
	struct gateway_devices *devices = gateway_pairing_devices(call->gateway);
	const struct gateway_device *d =
		devices ? gateway_devices_of_id(devices, text_of(device)) : NULL;
	struct buf out;

	buf_init(&out, TOLD_MAX);
	put_object(&out, NULL);
	if (request)
		put_word(&out, "requestId", request);
	put_word(&out, "deviceId", device);
	if (request && d) {
		put_object(&out, "device");
		put_paired(&out, call->gateway, d);
		put_end(&out);
	}
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

static void refuse_decision(const struct gateway_call *call, enum gateway_paired decision,
                            const char *unknown, const struct error *why)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST, why->words};

	if (decision == GATEWAY_UNKNOWN)
		fault.message = unknown;
	if (decision == GATEWAY_UNSAVED)
		fault.code = FAULT_UNAVAILABLE;
	gateway_refuse(call, &fault);
}

/* The device that waits under this id. */
static bool find_request(const struct gateway_call *call, struct gateway_waiting *out)
{
	struct text id = text_trim(json_text_at(call->params, "requestId"));
	const struct gateway_waiting *w;

	for (size_t i = 0; (w = gateway_pairing_at(call->gateway, i)); i++) {
		if (!text_is(id, w->id))
			continue;
		*out = *w;
		return true;
	}
	gateway_refuse(call, &(struct gateway_fault){FAULT_INVALID_REQUEST, "unknown requestId"});
	return false;
}

void gateway_pair_approve(const struct gateway_call *call)
{
	enum gateway_paired decision;
	struct gateway_waiting w;
	struct error why;

	if (!find_request(call, &w))
		return;
	decision = gateway_pairing_approve(call->gateway, text_of(w.id), 0, &why);
	if (decision == GATEWAY_DECIDED)
		answer_decision(call, w.id, w.self.id);
	else
		refuse_decision(call, decision, "unknown requestId", &why);
}

void gateway_pair_reject(const struct gateway_call *call)
{
	struct gateway_waiting w;
	struct error why;

	if (!find_request(call, &w))
		return;
	gateway_pairing_reject(call->gateway, text_of(w.id), &why);
	answer_decision(call, w.id, w.self.id);
}

/* It may be its own: the answer goes out before it is closed. */
void gateway_pair_remove(const struct gateway_call *call)
{
	struct gateway *g = call->gateway;
	struct text id = text_trim(json_text_at(call->params, "deviceId"));
	struct gateway_devices *devices = gateway_pairing_devices(g);
	const struct gateway_device *d = devices ? gateway_devices_of_id(devices, id) : NULL;
	enum gateway_paired decision;
	struct gateway_self self;
	struct error why;
	uint32_t number;

	if (!d) {
		gateway_refuse(call,
		               &(struct gateway_fault){FAULT_INVALID_REQUEST, "unknown deviceId"});
		return;
	}
	self = d->self;
	decision = gateway_pairing_forget(g, text_of(self.id), &number, &why);
	if (decision == GATEWAY_DECIDED)
		answer_decision(call, NULL, self.id);
	else
		refuse_decision(call, decision, "unknown deviceId", &why);
	if (decision != GATEWAY_UNKNOWN)
		gateway_pairing_close(g, number);
}
