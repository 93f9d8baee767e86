/* connect.c - the first request of a client: which protocol it speaks, who it is, what it may do.
 *
 * The words of a refusal are those that gateways use: clients look for them.
 */
#include "base/clock.h"
#include "base/put.h"
#include "gateway/device.h"
#include "gateway/entry.h"
#include "gateway/inside.h"
#include "gateway/params.h"
#include "gateway/presence.h"
#include "hub/hub.h"

#define DETAILS_MAX 1024

/* ---- refusing ---- */

static void refuse_protocol(const struct gateway_call *call, uint64_t least, uint64_t most)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST, "protocol mismatch"};
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", openclaw_code_name(FAULT_PROTOCOL_MISMATCH));
	put_u64(&details, "clientMinProtocol", least);
	put_u64(&details, "clientMaxProtocol", most);
	put_u64(&details, "expectedProtocol", GATEWAY_NEWEST);
	put_end(&details);
	fault.details = buf_text(&details);
	gateway_turn_away(call, &fault, 1002);
	buf_finish(&details);
}

static void refuse_device(const struct gateway_call *call, const struct device_fault *why)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST, why->message};
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", openclaw_code_name(why->code));
	put_word(&details, "reason", why->reason);
	put_end(&details);
	if (call->view->protocol > GATEWAY_OLDEST)
		fault.details = buf_text(&details);
	gateway_turn_away(call, &fault, 1008);
	buf_finish(&details);
}

static void refuse_words(const struct gateway_call *call, const char *words)
{
	gateway_turn_away(call, &(struct gateway_fault){FAULT_INVALID_REQUEST, words}, 1008);
}

/* ---- reading ---- */

static bool connect_params_are_good(const struct gateway_call *call)
{
	struct error fault, words;

	if (gateway_params_check(call->method, call->params, &fault))
		return true;
	error_set(&words, "invalid connect params: %s", fault.words);
	refuse_words(call, words.words);
	return false;
}

static bool choose_protocol(const struct gateway_call *call)
{
	uint64_t least = yyjson_get_uint(yyjson_obj_get(call->params, "minProtocol"));
	uint64_t most = yyjson_get_uint(yyjson_obj_get(call->params, "maxProtocol"));
	uint64_t chosen = most < GATEWAY_NEWEST ? most : GATEWAY_NEWEST;

	if (chosen < least || chosen < GATEWAY_OLDEST) {
		refuse_protocol(call, least, most);
		return false;
	}
	call->view->protocol = (uint8_t)chosen;
	return true;
}

static bool is_pair(yyjson_val *client, const char *id, const char *mode)
{
	return text_is(json_text_at(client, "id"), id) &&
	       text_is(json_text_at(client, "mode"), mode);
}

/* Without a device protocol 4 keeps scopes of these alone; an empty list is all of them to a
 * back end of protocol 3.  The device was checked. */
unsigned gateway_asked_scopes(const struct gateway_call *call)
{
	yyjson_val *client = yyjson_obj_get(call->params, "client");
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(call->params, "scopes"));
	bool is_backend = is_pair(client, "gateway-client", "backend");
	bool is_old = call->view->protocol == GATEWAY_OLDEST;
	unsigned scopes = 0;
	yyjson_val *name;

	if (!is_old && !is_backend && !is_pair(client, "cli", "cli") &&
	    !yyjson_obj_get(call->params, "device"))
		return 0;
	while ((name = yyjson_arr_iter_next(&each)))
		scopes |= operator_scope_of(json_text(name));
	if (is_old && is_backend && !yyjson_arr_size(yyjson_obj_get(call->params, "scopes")))
		scopes = operator_scopes_implied(OPERATOR_ADMIN);
	return scopes;
}

static void read_caps(const struct gateway_call *call)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(call->params, "caps"));
	yyjson_val *name;

	while ((name = yyjson_arr_iter_next(&each))) {
		if (yyjson_equals_str(name, "tool-events"))
			call->view->caps |= GATEWAY_TOOLS;
		if (yyjson_equals_str(name, "signalbox-positions"))
			call->view->caps |= GATEWAY_POSITIONS;
		if (yyjson_equals_str(name, "session-scoped-events") &&
		    call->view->protocol > GATEWAY_OLDEST)
			call->view->caps |= GATEWAY_SCOPED;
	}
	if (text_is(json_text_at(yyjson_obj_get(call->params, "client"), "id"), "openclaw-tui"))
		call->view->caps |= GATEWAY_TERMINAL;
}

/* ---- letting in ---- */

static bool is_device_good(const struct gateway_call *call)
{
	struct text role = json_text_at(call->params, "role");
	struct device_proof proof = {
		.params = call->params,
		.role = role.len ? role : TEXT("operator"),
		.nonce = text_of(call->view->nonce),
		.now_ms = clock_wall_ms(),
	};
	struct device_fault fault;

	if (!yyjson_obj_get(call->params, "device"))
		return true;
	fault = gateway_check_device(&proof);
	if (fault.reason)
		refuse_device(call, &fault);
	return !fault.reason;
}

void gateway_connect(const struct gateway_call *call)
{
	struct gateway_view *view = call->view;
	struct text role = json_text_at(call->params, "role");
	struct gateway_entry entry = {0};
	unsigned allowed;

	if (!connect_params_are_good(call) || !choose_protocol(call))
		return;
	if (role.len && !text_is(role, "operator")) {
		refuse_words(call, "invalid role");
		return;
	}
	if (!is_device_good(call) || !gateway_identify(call, &entry))
		return;
	allowed = operator_scopes_allowed(view->client->scopes);
	entry.granted = gateway_asked_scopes(call) & allowed;
	view->scopes = (uint8_t)(operator_scopes_implied(entry.granted) & allowed);
	read_caps(call);
	gateway_write_card(view, yyjson_obj_get(call->params, "client"));
	gateway_enter(view);
	gateway_hello(call, &entry);
	gateway_presence_changed(call->gateway);
}
