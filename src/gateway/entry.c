/* entry.c - tokens and devices of a connect, and the words for those that are not good. */
#include "gateway/entry.h"

#include <openssl/crypto.h>
#include <stdio.h>

#include "base/put.h"
#include "gateway/inside.h"
#include "gateway/pairing.h"
#include "gateway/tokens.h"
#include "net/peer.h"

#define DETAILS_MAX (16 * KIB)
#define REASON_MAX 160

static bool entry_is_old(const struct gateway_call *call)
{
	return call->view->protocol == GATEWAY_OLDEST;
}

/* ---- refusing ---- */

void gateway_turn_away(const struct gateway_call *call, const struct gateway_fault *fault,
                       uint16_t code)
{
	gateway_refuse(call, fault);
	client_close(call->view->client, code, text_of(fault->message));
}

/* What became of a secret, in the words that clients look for. */
enum refused_secret { SECRET_MISSING, SECRET_WRONG, SECRET_OF_DEVICE, SECRET_TOO_OFTEN };

static const struct {
	enum openclaw_code code;
	const char *reason, *message, *step;
} secrets[] = {
	[SECRET_MISSING] = {FAULT_AUTH_TOKEN_MISSING, "token_missing",
                            "unauthorized: gateway token missing (provide gateway auth token)",
                            "update_auth_configuration"},
	[SECRET_WRONG] = {FAULT_AUTH_TOKEN_MISMATCH, "token_mismatch",
                          "unauthorized: gateway token mismatch (provide gateway auth token)",
                          "update_auth_credentials"},
	[SECRET_OF_DEVICE] = {FAULT_AUTH_DEVICE_TOKEN_MISMATCH, "device_token_mismatch",
                              ("unauthorized: device token mismatch (rotate/reissue device "
                               "token)"),
                              "update_auth_credentials"},
	[SECRET_TOO_OFTEN] = {FAULT_AUTH_RATE_LIMITED, "rate_limited",
                              ("unauthorized: too many failed authentication attempts (retry "
                               "later)"),
                              "wait_then_retry"},
};

static void refuse_secret(const struct gateway_call *call, enum refused_secret why, bool can_retry)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST, secrets[why].message,
	                              .retryable = why == SECRET_TOO_OFTEN};
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", openclaw_code_name(secrets[why].code));
	put_word(&details, "authReason", secrets[why].reason);
	put_bool(&details, "canRetryWithDeviceToken", can_retry);
	put_word(&details, "recommendedNextStep",
	         can_retry ? "retry_with_device_token" : secrets[why].step);
	put_end(&details);
	if (!entry_is_old(call))
		fault.details = buf_text(&details);
	gateway_turn_away(call, &fault, 1008);
	buf_finish(&details);
}

static void refuse_nobody(const struct gateway_call *call)
{
	struct gateway_fault fault = {FAULT_NOT_PAIRED, "device identity required"};
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "code", openclaw_code_name(FAULT_DEVICE_IDENTITY_REQUIRED));
	put_end(&details);
	if (!entry_is_old(call))
		fault.details = buf_text(&details);
	gateway_turn_away(call, &fault, 1008);
	buf_finish(&details);
}

static bool refuse_crowd(const struct gateway_call *call)
{
	gateway_turn_away(call,
	                  &(struct gateway_fault){FAULT_UNAVAILABLE,
	                                          "too many connections of this credential",
	                                          .retryable = true},
	                  1013);
	return false;
}

/* ---- waiting for a person ---- */

/* The page of a gateway comes again by itself. */
static bool is_page(const struct gateway_waiting *wish)
{
	return strcmp(wish->self.client, "openclaw-control-ui") == 0;
}

/* id NULL: too many wait already. */
static void put_pairing(struct buf *out, const struct gateway_waiting *wish, const char *id)
{
	put_object(out, NULL);
	put_word(out, "code", openclaw_code_name(FAULT_PAIRING_REQUIRED));
	put_word(out, "reason", "not-paired");
	if (id)
		put_word(out, "requestId", id);
	put_word(out, "remediationHint", "Approve this device from the pending pairing requests.");
	if (is_page(wish) || !id) {
		put_word(out, "recommendedNextStep", "wait_then_retry");
		put_bool(out, "retryable", true);
		put_bool(out, "pauseReconnect", false);
	}
	put_word(out, "deviceId", wish->self.id);
	put_word(out, "requestedRole", "operator");
	operator_scopes_add(out, "requestedScopes", wish->asked);
	put_end(out);
}

static void refuse_unpaired(const struct gateway_call *call, const struct gateway_waiting *wish,
                            const char *id)
{
	struct gateway_fault fault = {FAULT_NOT_PAIRED,
	                              "pairing required: device is not approved yet"};
	char reason[REASON_MAX];
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	if (entry_is_old(call)) {
		fault.message = "pairing required";
		put_object(&details, NULL);
		if (id)
			put_word(&details, "requestId", id);
		put_end(&details);
	} else {
		put_pairing(&details, wish, id);
	}
	fault.details = buf_text(&details);
	gateway_refuse(call, &fault);
	snprintf(reason, sizeof(reason), "%s%s%s%s", fault.message,
	         id && !entry_is_old(call) ? " (requestId: " : "",
	         id && !entry_is_old(call) ? id : "", id && !entry_is_old(call) ? ")" : "");
	client_close(call->view->client, 1008, text_of(reason));
	buf_finish(&details);
}

static void let_wait(const struct gateway_call *call, const struct gateway_self *self)
{
	struct gateway_waiting wish = {.self = *self, .asked = gateway_asked_scopes(call)};
	const struct gateway_waiting *waiting;
	struct peer peer;

	if (!conn_peer(call->view->client->conn, &peer))
		peer = (struct peer){0};
	peer_name(&peer, wish.from);
	waiting = gateway_pairing_wait(call->gateway, &wish);
	refuse_unpaired(call, &wish, waiting ? waiting->id : NULL);
}

/* ---- letting in ---- */

struct shown {
	struct text token, device_token; /* empty: it was not shown */
	bool has_device;                 /* and devices are paired */
	struct gateway_self self;
};

/* Protocol 4 takes a password, too. */
static struct shown read_shown(const struct gateway_call *call)
{
	yyjson_val *auth = yyjson_obj_get(call->params, "auth");
	struct shown shown = {.token = json_text_at(auth, "token"),
	                      .device_token = json_text_at(auth, "deviceToken")};

	if (!shown.token.len && !entry_is_old(call))
		shown.token = json_text_at(auth, "password");
	shown.has_device = gateway_self_read(call->params, &shown.self) &&
	                   gateway_pairing_is_on(call->gateway);
	return shown;
}

static bool enter_as_device(const struct gateway_call *call, const struct shown *shown,
                            const struct caller *caller, struct gateway_entry *entry)
{
	struct gateway_view *view = call->view;

	if (client_admit(view->client, caller) == IDENTIFIED_CROWDED)
		return refuse_crowd(call);
	view->by_device = true;
	view->device = gateway_pairing_number(call->gateway, &shown->self, entry->secret);
	return true;
}

/* Its device is paired by the token that it came with, if that is one of the box's. */
static void pair_by_token(const struct gateway_call *call, const struct shown *shown,
                          struct text secret, struct gateway_entry *entry)
{
	const struct gateway_options *o = &call->gateway->options;
	unsigned asked = operator_scopes_ours(gateway_asked_scopes(call));
	unsigned char mark[GATEWAY_DIGEST];

	if (!shown->has_device || !o->token_mark(o->self, secret, mark))
		return;
	gateway_pairing_bind(call->gateway, &shown->self, mark, asked & call->view->client->scopes);
	call->view->device = gateway_pairing_number(call->gateway, &shown->self, entry->secret);
	OPENSSL_cleanse(mark, sizeof(mark));
}

static bool enter_by_token(const struct gateway_call *call, const struct shown *shown,
                           struct gateway_entry *entry)
{
	struct text secret = shown->token.len ? shown->token : shown->device_token;
	bool may_retry;
	unsigned wait_s = 0;

	switch (client_identify(call->view->client, secret, &wait_s)) {
	case IDENTIFIED:
	case IDENTIFIED_BEFORE:
		gateway_token_take(call->view, secret);
		pair_by_token(call, shown, secret, entry);
		return true;
	case IDENTIFIED_WRONG:
		may_retry = shown->has_device && !shown->device_token.len &&
		            gateway_pairing_has_secret(call->gateway, &shown->self);
		refuse_secret(call, shown->device_token.len ? SECRET_OF_DEVICE : SECRET_WRONG,
		              may_retry);
		return false;
	case IDENTIFIED_WAIT:
		refuse_secret(call, SECRET_TOO_OFTEN, false);
		return false;
	case IDENTIFIED_CROWDED:
		break;
	}
	return refuse_crowd(call);
}

bool gateway_identify(const struct gateway_call *call, struct gateway_entry *entry)
{
	struct shown shown = read_shown(call);
	struct caller caller;

	if (!client_is_stranger(call->view->client))
		return true; /* by its request's own header */
	if (shown.has_device &&
	    gateway_pairing_knows(call->gateway, &shown.self,
	                          (struct text[2]){shown.device_token, shown.token}, &caller))
		return enter_as_device(call, &shown, &caller, entry);
	if (shown.token.len || shown.device_token.len)
		return enter_by_token(call, &shown, entry);
	if (shown.has_device)
		let_wait(call, &shown.self);
	else if (yyjson_obj_get(call->params, "device"))
		refuse_secret(call, SECRET_MISSING, false);
	else
		refuse_nobody(call);
	return false;
}
