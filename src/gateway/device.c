/* device.c - the proof of a device: Ed25519 over the words of parse/openclaw_claim.h. */
#include "gateway/device.h"

#include "base/base64url.h"
#include "base/buf.h"
#include "parse/openclaw_claim.h"
#include "parse/openclaw_key.h"
#include "signal/json.h"

#define SKEW_MS (10 * 60 * 1000)
#define CLAIM_MAX (64 * KIB)
#define WORD_MAX 256

static const struct device_fault no_fault;

static bool has_id(const unsigned char key[OPENCLAW_KEY_BYTES], struct text id)
{
	char its[OPENCLAW_DEVICE_ID + 1];

	openclaw_key_id(key, its);
	return text_is(id, its);
}

/* As devices write it: small letters, without spaces around. */
static struct text plain_word(struct text word, char out[WORD_MAX])
{
	size_t n = 0;

	word = text_trim(word);
	for (; n < word.len && n < WORD_MAX; n++)
		out[n] = word.at[n] >= 'A' && word.at[n] <= 'Z' ? (char)(word.at[n] + 32)
		                                                : word.at[n];
	return (struct text){out, n};
}

static void join_scopes(struct buf *out, yyjson_val *scopes)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(scopes);
	yyjson_val *name;

	while ((name = yyjson_arr_iter_next(&each))) {
		if (out->len)
			buf_add_char(out, ',');
		buf_add(out, json_text(name));
	}
}

static struct text token_of(yyjson_val *params)
{
	yyjson_val *auth = yyjson_obj_get(params, "auth");
	struct text token = json_text_at(auth, "token");

	return token.len ? token : json_text_at(auth, "deviceToken");
}

/* In the form with the platform, or the one before it. */
static bool is_claim_signed(const struct device_proof *proof,
                            const unsigned char key[OPENCLAW_KEY_BYTES],
                            const unsigned char signature[OPENCLAW_SIGNATURE_BYTES])
{
	yyjson_val *device = yyjson_obj_get(proof->params, "device");
	yyjson_val *client = yyjson_obj_get(proof->params, "client");
	char platform[WORD_MAX], family[WORD_MAX];
	struct openclaw_claim claim = {
		.id = json_text_at(device, "id"),
		.client = json_text_at(client, "id"),
		.mode = json_text_at(client, "mode"),
		.role = proof->role,
		.signed_at = (int64_t)yyjson_get_uint(yyjson_obj_get(device, "signedAt")),
		.token = token_of(proof->params),
		.nonce = proof->nonce,
		.platform = plain_word(json_text_at(client, "platform"), platform),
		.family = plain_word(json_text_at(client, "deviceFamily"), family),
	};
	struct buf scopes, words;
	bool good = false;

	buf_init(&scopes, CLAIM_MAX);
	buf_init(&words, CLAIM_MAX);
	join_scopes(&scopes, yyjson_obj_get(proof->params, "scopes"));
	claim.scopes = buf_text(&scopes);
	for (claim.version = 3; claim.version >= 2 && !good; claim.version--) {
		buf_clear(&words);
		openclaw_claim_add(&words, &claim);
		good = !words.full && !scopes.full &&
		       openclaw_key_signed(key, buf_text(&words), signature);
	}
	buf_finish(&scopes);
	buf_finish(&words);
	return good;
}

struct device_fault gateway_check_device(const struct device_proof *proof)
{
	yyjson_val *device = yyjson_obj_get(proof->params, "device");
	int64_t at = (int64_t)yyjson_get_uint(yyjson_obj_get(device, "signedAt"));
	unsigned char key[OPENCLAW_KEY_BYTES], signature[OPENCLAW_SIGNATURE_BYTES];

	if (!openclaw_key_read(json_text_at(device, "publicKey"), key) ||
	    !has_id(key, json_text_at(device, "id")))
		return (struct device_fault){"device-id-mismatch",
		                             FAULT_DEVICE_AUTH_DEVICE_ID_MISMATCH,
		                             "device identity mismatch"};
	if (at > proof->now_ms + SKEW_MS || at < proof->now_ms - SKEW_MS)
		return (struct device_fault){"device-signature-stale",
		                             FAULT_DEVICE_AUTH_SIGNATURE_EXPIRED,
		                             "device signature expired"};
	if (!text_equal(text_trim(json_text_at(device, "nonce")), proof->nonce))
		return (struct device_fault){"device-nonce-mismatch",
		                             FAULT_DEVICE_AUTH_NONCE_MISMATCH,
		                             "device nonce mismatch"};
	if (!base64url_read(json_text_at(device, "signature"), signature,
	                    OPENCLAW_SIGNATURE_BYTES) ||
	    !is_claim_signed(proof, key, signature))
		return (struct device_fault){"device-signature",
		                             FAULT_DEVICE_AUTH_SIGNATURE_INVALID,
		                             "device signature invalid"};
	return no_fault;
}
