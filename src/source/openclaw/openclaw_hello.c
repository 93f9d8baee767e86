/* openclaw_hello.c - the handshake with a gateway.
 *
 * A backend on the same machine needs a token and nothing else to be let in.  But approvals
 * go to devices only, and to clients that say what they can show; so we always sign the
 * challenge as a device.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "parse/openclaw_claim.h"
#include "source/openclaw/device.h"
#include "source/openclaw/openclaw_call.h"
#include "source/openclaw/openclaw_parts.h"

#define CLIENT "gateway-client"
#define MODE "backend"
#define ROLE "operator"
#define PLATFORM "linux"

#define TICK_USUAL_MS 30000
#define TICK_MIN_MS 100
#define TICK_MAX_MS 600000

#define ALL_SCOPES (OPERATOR_READ | OPERATOR_WRITE | OPERATOR_APPROVALS | OPERATOR_QUESTIONS)

/* ---- what we say ---- */

/* A gateway that tells what it is capable of knows the third form. */
static void add_device(struct buf *out, const struct openclaw *o, yyjson_val *challenge)
{
	yyjson_val *at = yyjson_obj_get(challenge, "ts"); /* its clock decides */
	struct openclaw_claim claim = {
		.version = yyjson_obj_get(challenge, "capabilities") ? 3 : 2,
		.id = text_of(device_id(o->device)),
		.client = TEXT(CLIENT),
		.mode = TEXT(MODE),
		.role = TEXT(ROLE),
		.scopes = TEXT(OPENCLAW_SCOPES),
		.signed_at = yyjson_is_uint(at) ? (int64_t)yyjson_get_uint(at) : clock_wall_ms(),
		.token = text_of(o->token),
		.nonce = json_text(yyjson_obj_get(challenge, "nonce")),
		.platform = TEXT(PLATFORM),
	};
	char signature[DEVICE_SIGNATURE_LEN + 1];
	struct buf payload;

	buf_init(&payload, 64 * KIB);
	openclaw_claim_add(&payload, &claim);
	device_sign(o->device, buf_text(&payload), signature);
	explicit_bzero(payload.at, payload.len);
	buf_finish(&payload);
	put_object(out, "device");
	put_word(out, "id", device_id(o->device));
	put_word(out, "publicKey", device_public_key(o->device));
	put_word(out, "signature", signature);
	put_i64(out, "signedAt", claim.signed_at);
	put_text(out, "nonce", claim.nonce);
	buf_add_char(out, '}');
}

static void add_params(struct buf *out, const struct openclaw *o, yyjson_val *challenge)
{
	put_object(out, NULL);
	put_i64(out, "minProtocol", OPENCLAW_OLDEST);
	put_i64(out, "maxProtocol", OPENCLAW_NEWEST);
	put_object(out, "client");
	put_word(out, "id", CLIENT);
	put_word(out, "version", SIGNALBOX_VERSION);
	put_word(out, "platform", PLATFORM);
	put_word(out, "mode", MODE);
	put_end(out);
	put_word(out, "role", ROLE);
	operator_scopes_add(out, "scopes", ALL_SCOPES);
	put_list(out, "caps");
	put_word(out, NULL, "tool-events");
	put_word(out, NULL, "approvals");
	put_word(out, NULL, "exec-approvals");
	put_word(out, NULL, "plugin-approvals");
	put_list_end(out);
	put_word(out, "userAgent", "signalbox/" SIGNALBOX_VERSION);
	if (o->token) {
		put_object(out, "auth");
		put_word(out, "token", o->token);
		buf_add_char(out, '}');
	}
	add_device(out, o, challenge);
	buf_add_char(out, '}');
}

void openclaw_take_challenge(struct openclaw *o, yyjson_val *challenge)
{
	struct buf params;

	buf_init(&params, 64 * KIB);
	add_params(&params, o, challenge);
	o->step = STEP_HELLO;
	if (params.full ||
	    !openclaw_request(o, openclaw_method_name(METHOD_CONNECT), buf_text(&params)))
		openclaw_lose(o, &(struct loss){.why = "the handshake could not be sent"});
	explicit_bzero(params.at, params.len);
	buf_finish(&params);
}

/* ---- what is refused ---- */

struct text openclaw_refusal(yyjson_val *answer)
{
	yyjson_val *error = yyjson_obj_get(answer, "error");
	struct text words = json_text(yyjson_obj_get(error, "message"));

	if (!words.len)
		words = json_text(error);
	if (!words.len)
		words = json_text(yyjson_obj_get(answer, "message"));
	return words.len ? words : TEXT("the gateway refused and did not say why");
}

struct hello_refusal {
	enum openclaw_code code, detail; /* detail: the finer one of protocol 4 */
	struct text words;
	yyjson_val *details;
};

static bool says(struct text words, const char *part)
{
	return words.len && memmem(words.at, words.len, part, strlen(part)) != NULL;
}

static bool wants_device(const struct hello_refusal *r)
{
	return r->detail == FAULT_DEVICE_IDENTITY_REQUIRED ||
	       says(r->words, "device identity required");
}

static bool wants_pairing(const struct hello_refusal *r)
{
	return r->detail == FAULT_PAIRING_REQUIRED || says(r->words, "pairing required");
}

static bool doubts_token(const struct hello_refusal *r)
{
	return r->detail == FAULT_AUTH_TOKEN_MISMATCH || says(r->words, "token mismatch") ||
	       r->detail == FAULT_AUTH_DEVICE_TOKEN_MISMATCH;
}

/* The gateway's own words may be long or hostile; the source shows them, made safe. */
static void openclaw_hello_explain(const struct hello_refusal *r, char *out, size_t room)
{
	uint64_t expected = yyjson_get_uint(yyjson_obj_get(r->details, "expectedProtocol"));
	struct text request = json_text(yyjson_obj_get(r->details, "requestId"));
	int len = r->words.len < 160 ? (int)r->words.len : 160;

	if (wants_pairing(r))
		snprintf(out, room,
		         "the gateway wants this device approved: openclaw devices approve %.*s",
		         request.len < 64 ? (int)request.len : 64, request.len ? request.at : "");
	else if (wants_device(r))
		snprintf(out, room, "the gateway wants a device and did not take ours: %.*s", len,
		         r->words.at);
	else if (doubts_token(r))
		snprintf(out, room, "the gateway does not know this token: %.*s", len, r->words.at);
	else if (expected || says(r->words, "protocol mismatch"))
		snprintf(out, room, "the gateway speaks protocol %llu, we speak %d to %d",
		         (unsigned long long)expected, OPENCLAW_OLDEST, OPENCLAW_NEWEST);
	else
		snprintf(out, room, "the gateway refused the handshake: %.*s", len, r->words.at);
}

/* A second try with what the gateway gave our device.  False: there is none.  A token that a
 * person has just given is wrong, and is said to be, whatever else would do. */
static bool try_otherwise(struct openclaw *o, const struct hello_refusal *r)
{
	const char *granted = device_token(o->device, source_url(o->source));

	if (!doubts_token(r) || !granted || source_is_untried(o->source))
		return false;
	if (o->by_device_token) { /* it was taken back */
		device_keep_token(o->device, source_url(o->source), NULL, NULL);
		return false;
	}
	if (o->token)
		explicit_bzero(o->token, strlen(o->token));
	free(o->token);
	o->token = must_dup(granted);
	o->by_device_token = true;
	openclaw_redial(o);
	return true;
}

static void take_refusal(struct openclaw *o, yyjson_val *answer)
{
	yyjson_val *error = yyjson_obj_get(answer, "error");
	yyjson_val *details = yyjson_obj_get(error, "details");
	uint64_t wait_ms = yyjson_get_uint(yyjson_obj_get(error, "retryAfterMs"));
	struct hello_refusal r = {
		.code = openclaw_code_of(json_text(yyjson_obj_get(error, "code"))),
		.detail = openclaw_code_of(json_text(yyjson_obj_get(details, "code"))),
		.words = openclaw_refusal(answer),
		.details = details,
	};
	struct loss loss = {.retry_after_ms = wait_ms < 3600000 ? (unsigned)wait_ms : 3600000};
	char words[320];

	if (try_otherwise(o, &r))
		return;
	openclaw_hello_explain(&r, words, sizeof(words));
	loss.why = words;
	loss.for_good = !wants_pairing(&r) && r.code != FAULT_UNAVAILABLE &&
	                !yyjson_get_bool(yyjson_obj_get(error, "retryable"));
	openclaw_lose(o, &loss);
}

/* ---- what is granted ---- */

/* Protocol 3 keeps what was asked for and does not repeat it. */
static unsigned granted_scopes(yyjson_val *auth)
{
	yyjson_val *list = yyjson_obj_get(auth, "scopes");
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	unsigned granted = 0;
	yyjson_val *name;

	if (!list)
		return ALL_SCOPES;
	while ((name = yyjson_arr_iter_next(&each)) != NULL)
		granted |= operator_scope_of(json_text(name));
	return operator_scopes_implied(granted) & ALL_SCOPES;
}

static void keep_defaults(struct openclaw *o, yyjson_val *snapshot)
{
	yyjson_val *defaults = yyjson_obj_get(snapshot, "sessionDefaults");
	const char *session = yyjson_get_str(yyjson_obj_get(defaults, "mainSessionKey"));
	const char *agent = yyjson_get_str(yyjson_obj_get(defaults, "defaultAgentId"));

	free(o->main_session);
	free(o->agent);
	o->main_session = must_dup(session ? session : "agent:main:main");
	o->agent = must_dup(agent ? agent : "main");
}

static void keep_policy(struct openclaw *o, yyjson_val *policy)
{
	uint64_t tick = yyjson_get_uint(yyjson_obj_get(policy, "tickIntervalMs"));

	if (tick == 0)
		tick = TICK_USUAL_MS;
	o->tick_ms = tick < TICK_MIN_MS   ? TICK_MIN_MS
	             : tick > TICK_MAX_MS ? TICK_MAX_MS
	                                  : (unsigned)tick;
	o->payload_max = yyjson_get_uint(yyjson_obj_get(policy, "maxPayload"));
}

static void keep_device_token(struct openclaw *o, yyjson_val *auth)
{
	const char *token = yyjson_get_str(yyjson_obj_get(auth, "deviceToken"));
	struct error why;

	if (token && *token && !device_keep_token(o->device, source_url(o->source), token, &why))
		log_warn("openclaw", "%s", why.words);
}

/* What the gateway is and lets us do, for whoever looks at the source. */
static void openclaw_hello_show(struct openclaw *o, yyjson_val *hello)
{
	yyjson_val *server = yyjson_obj_get(hello, "server");
	struct buf out;

	buf_init(&out, 8 * KIB);
	put_object(&out, NULL);
	put_word(&out, "meta", "hello-ok");
	put_u64(&out, "protocol", o->protocol);
	put_text(&out, "server", json_text(yyjson_obj_get(server, "version")));
	operator_scopes_add(&out, "scopes", o->scopes);
	put_end(&out);
	if (!out.full)
		source_set_meta(o->source, buf_text(&out));
	buf_finish(&out);
}

static void take_welcome(struct openclaw *o, yyjson_val *hello)
{
	yyjson_val *auth = yyjson_obj_get(hello, "auth");

	o->protocol = (unsigned)yyjson_get_uint(yyjson_obj_get(hello, "protocol"));
	o->scopes = granted_scopes(auth);
	openclaw_list_methods(o, yyjson_obj_get(hello, "features"));
	keep_policy(o, yyjson_obj_get(hello, "policy"));
	keep_defaults(o, yyjson_obj_get(hello, "snapshot"));
	keep_device_token(o, auth);
	o->seq = 0;
	o->step = STEP_LIVE;
	deadline_set(source_loop(o->source), &o->patience, 2 * o->tick_ms);
	openclaw_hello_show(o, hello);
	source_live(o->source);
	if (!(o->scopes & OPERATOR_READ))
		source_bad(o->source, "the gateway did not grant operator.read: it will be silent");
}

void openclaw_take_hello(struct openclaw *o, yyjson_val *answer)
{
	yyjson_val *hello = yyjson_obj_get(answer, "payload");
	uint64_t protocol = yyjson_get_uint(yyjson_obj_get(hello, "protocol"));
	char words[96];

	if (!yyjson_get_bool(yyjson_obj_get(answer, "ok"))) {
		take_refusal(o, answer);
		return;
	}
	/* The documents' bare {"ok":true} says nothing of it: that is protocol 3. */
	if (protocol && (protocol < OPENCLAW_OLDEST || protocol > OPENCLAW_NEWEST)) {
		snprintf(words, sizeof(words), "the gateway chose protocol %llu, we speak %d to %d",
		         (unsigned long long)protocol, OPENCLAW_OLDEST, OPENCLAW_NEWEST);
		openclaw_lose(o, &(struct loss){.why = words, .for_good = true});
		return;
	}
	take_welcome(o, hello);
}
