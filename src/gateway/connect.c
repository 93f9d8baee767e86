/* connect.c - the first request of a client: which protocol it speaks, who it is, what it may do.
 *
 * The words of a refusal are those that gateways use: clients look for them.
 */
#include "base/clock.h"
#include "base/put.h"
#include "gateway/device.h"
#include "gateway/inside.h"
#include "gateway/params.h"
#include "gateway/presence.h"
#include "hub/hub.h"

#define DETAILS_MAX 1024

/* ---- refusing ---- */

static void turn_away(const struct gateway_call *call, const struct gateway_fault *fault,
                      uint16_t code)
{
	gateway_refuse(call, fault);
	client_close(call->view->client, code, text_of(fault->message));
}

static void refuse_protocol(const struct gateway_call *call, uint64_t least, uint64_t most)
{
	struct gateway_fault fault = {"INVALID_REQUEST", "protocol mismatch"};
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", "PROTOCOL_MISMATCH");
	put_u64(&details, "clientMinProtocol", least);
	put_u64(&details, "clientMaxProtocol", most);
	put_u64(&details, "expectedProtocol", GATEWAY_NEWEST);
	put_end(&details);
	fault.details = buf_text(&details);
	turn_away(call, &fault, 1002);
	buf_finish(&details);
}

static void refuse_secret(const struct gateway_call *call, const char *reason, unsigned wait_s)
{
	struct gateway_fault fault = {"INVALID_REQUEST",
	                              "unauthorized: gateway token mismatch (provide gateway auth "
	                              "token)",
	                              .retryable = wait_s > 0};
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", wait_s ? "AUTH_RATE_LIMITED" : "AUTH_TOKEN_MISMATCH");
	put_word(&details, "authReason", reason);
	put_bool(&details, "canRetryWithDeviceToken", false);
	put_word(&details, "recommendedNextStep", "update_auth_credentials");
	put_end(&details);
	if (wait_s)
		fault.message =
			"unauthorized: too many failed authentication attempts (retry later)";
	if (call->view->protocol > GATEWAY_OLDEST)
		fault.details = buf_text(&details);
	turn_away(call, &fault, 1008);
	buf_finish(&details);
}

static void refuse_device(const struct gateway_call *call, const struct device_fault *why)
{
	struct gateway_fault fault = {"INVALID_REQUEST", why->message};
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", why->code);
	put_word(&details, "reason", why->reason);
	put_end(&details);
	if (call->view->protocol > GATEWAY_OLDEST)
		fault.details = buf_text(&details);
	turn_away(call, &fault, 1008);
	buf_finish(&details);
}

static void refuse_nobody(const struct gateway_call *call)
{
	struct gateway_fault fault = {"NOT_PAIRED", "device identity required"};

	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", "DEVICE_IDENTITY_REQUIRED");
	put_end(&details);
	if (call->view->protocol > GATEWAY_OLDEST)
		fault.details = buf_text(&details);
	turn_away(call, &fault, 1008);
	buf_finish(&details);
}

static void refuse_words(const struct gateway_call *call, const char *words)
{
	turn_away(call, &(struct gateway_fault){"INVALID_REQUEST", words}, 1008);
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

/* Protocol 4 takes either field. */
static struct text secret_of(const struct gateway_call *call)
{
	yyjson_val *auth = yyjson_obj_get(call->params, "auth");
	struct text secret = json_text_at(auth, "token");

	if (!secret.len && call->view->protocol > GATEWAY_OLDEST)
		secret = json_text_at(auth, "password");
	return secret;
}

static bool is_pair(yyjson_val *client, const char *id, const char *mode)
{
	return text_is(json_text_at(client, "id"), id) &&
	       text_is(json_text_at(client, "mode"), mode);
}

/* Without a device protocol 4 keeps scopes of these alone; an empty list is all of them to a
 * back end of protocol 3.  The device was checked. */
static unsigned asked_scopes(const struct gateway_call *call)
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

	while ((name = yyjson_arr_iter_next(&each)))
		if (yyjson_equals_str(name, "tool-events"))
			call->view->caps |= GATEWAY_TOOLS;
	if (text_is(json_text_at(yyjson_obj_get(call->params, "client"), "id"), "openclaw-tui"))
		call->view->caps |= GATEWAY_TERMINAL;
}

/* ---- letting in ---- */

/* A device is good with a token alone, whose scopes it then has at most. */
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

static bool identify(const struct gateway_call *call)
{
	struct client *c = call->view->client;
	struct text secret = secret_of(call);
	unsigned wait_s = 0;

	if (!client_is_stranger(c))
		return true; /* by its request's own header */
	if (!secret.len) {
		refuse_nobody(call);
		return false;
	}
	switch (client_identify(c, secret, &wait_s)) {
	case IDENTIFIED:
	case IDENTIFIED_BEFORE:
		return true;
	case IDENTIFIED_WRONG:
		refuse_secret(call, "token_mismatch", 0);
		break;
	case IDENTIFIED_WAIT:
		refuse_secret(call, "rate_limited", wait_s ? wait_s : 1);
		break;
	case IDENTIFIED_CROWDED:
		turn_away(call,
		          &(struct gateway_fault){"UNAVAILABLE",
		                                  "too many connections of this credential",
		                                  .retryable = true},
		          1013);
		break;
	}
	return false;
}

void gateway_connect(const struct gateway_call *call)
{
	struct gateway_view *view = call->view;
	struct text role = json_text_at(call->params, "role");
	unsigned allowed, granted;

	if (!connect_params_are_good(call) || !choose_protocol(call))
		return;
	if (role.len && !text_is(role, "operator")) {
		refuse_words(call, "invalid role");
		return;
	}
	if (!is_device_good(call) || !identify(call))
		return;
	allowed = operator_scopes_allowed(view->client->scopes);
	granted = asked_scopes(call) & allowed;
	view->scopes = (uint8_t)(operator_scopes_implied(granted) & allowed);
	read_caps(call);
	gateway_write_card(view, yyjson_obj_get(call->params, "client"));
	gateway_enter(view);
	gateway_hello(call, granted);
	gateway_presence_changed(call->gateway);
}
