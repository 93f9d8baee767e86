/* device.c - hostile parameters of a connect, with and without a device that signed them.
 *
 * The input is the parameters.  As they are they may be anything, and are taken for no device's
 * that has not signed them.  Then a device of ours signs them: whatever they say is good with its
 * signature, and with no other nonce, moment or signature.
 */
#include <openssl/evp.h>
#include <stdlib.h>

#include "base/base64url.h"
#include "base/hex.h"
#include "base/utf8.h"
#include "gateway/device.h"
#include "gateway/devices.h"
#include "lib/hold.h"
#include "parse/openclaw_claim.h"
#include "signal/json.h"

#define TEXT_MAX (32 * KIB)
#define NOW INT64_C(1700000000000)
#define NONCE "0f0f0f0f-0f0f-4f0f-8f0f-0f0f0f0f0f0f"
#define SIGNATURE 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static EVP_PKEY *key;
static char id[2 * 32 + 1], public[64];

static void make_key(void)
{
	static const unsigned char seed[32] = {1, 2, 3};
	unsigned char raw[32], hash[32];
	size_t len = sizeof(raw);
	struct buf out;

	key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof(seed));
	must_hold(key && EVP_PKEY_get_raw_public_key(key, raw, &len) == 1);
	must_hold(EVP_Digest(raw, len, hash, NULL, EVP_sha256(), NULL));
	hex_write(id, hash, sizeof(hash));
	buf_init(&out, KIB);
	base64url_add(&out, raw, sizeof(raw));
	memcpy(public, out.at, out.len);
	buf_finish(&out);
}

static struct device_fault check(yyjson_val *params, const char *nonce, int64_t now)
{
	return gateway_check_device(
		&(struct device_proof){params, TEXT("operator"), text_of(nonce), now});
}

static void look_at_self(yyjson_val *params)
{
	struct gateway_self self;

	must_hold(gateway_self_read(params, &self) == !!yyjson_obj_get(params, "device"));
	must_hold(utf8_is_valid(text_of(self.label)) && utf8_is_valid(text_of(self.platform)));
	must_hold(gateway_self_same(&self, &self));
}

/* The words of the form without a platform, as a device makes them. */
static void sign(yyjson_val *params, unsigned char signature[SIGNATURE])
{
	yyjson_val *client = yyjson_obj_get(params, "client"),
		   *auth = yyjson_obj_get(params, "auth");
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(params, "scopes"));
	struct text token = json_text_at(auth, "token");
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t len = SIGNATURE;
	struct buf scopes, words;
	yyjson_val *name;

	buf_init(&scopes, 2 * TEXT_MAX);
	buf_init(&words, 4 * TEXT_MAX);
	while ((name = yyjson_arr_iter_next(&each))) {
		if (scopes.len)
			buf_add_char(&scopes, ',');
		buf_add(&scopes, json_text(name));
	}
	openclaw_claim_add(&words,
	                   &(struct openclaw_claim){
				   .version = 2,
				   .id = text_of(id),
				   .client = json_text_at(client, "id"),
				   .mode = json_text_at(client, "mode"),
				   .role = TEXT("operator"),
				   .scopes = buf_text(&scopes),
				   .signed_at = NOW,
				   .token = token.len ? token : json_text_at(auth, "deviceToken"),
				   .nonce = TEXT(NONCE)});
	must_hold(ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1);
	must_hold(EVP_DigestSign(ctx, signature, &len, (const unsigned char *)words.at,
	                         words.len) == 1);
	EVP_MD_CTX_free(ctx);
	buf_finish(&scopes);
	buf_finish(&words);
}

/* The same parameters with our device, as a document of their own. */
static yyjson_doc *with_device(yyjson_val *params, const unsigned char signature[SIGNATURE])
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_val_mut_copy(doc, params), *device = yyjson_mut_obj(doc);
	struct buf spelt;
	yyjson_doc *made;

	buf_init(&spelt, KIB);
	base64url_add(&spelt, signature, SIGNATURE);
	yyjson_mut_doc_set_root(doc, root);
	yyjson_mut_obj_add_str(doc, device, "id", id);
	yyjson_mut_obj_add_str(doc, device, "publicKey", public);
	yyjson_mut_obj_add_strn(doc, device, "signature", spelt.at, spelt.len);
	yyjson_mut_obj_add_uint(doc, device, "signedAt", NOW);
	yyjson_mut_obj_add_str(doc, device, "nonce", NONCE);
	yyjson_mut_obj_remove_key(root, "device");
	yyjson_mut_obj_add_val(doc, root, "device", device);
	made = yyjson_mut_doc_imut_copy(doc, NULL);
	yyjson_mut_doc_free(doc);
	buf_finish(&spelt);
	return made;
}

static void judge_signed(yyjson_val *params, uint8_t which)
{
	unsigned char signature[SIGNATURE];
	yyjson_doc *doc;
	yyjson_val *root;

	sign(params, signature);
	doc = with_device(params, signature);
	root = yyjson_doc_get_root(doc);
	must_hold(!check(root, NONCE, NOW).reason);
	must_hold(check(root, "another", NOW).reason);
	must_hold(check(root, NONCE, NOW + 11 * 60 * 1000).reason);
	must_hold(check(root, NONCE, NOW - 11 * 60 * 1000).reason);
	look_at_self(root);
	yyjson_doc_free(doc);
	signature[which % SIGNATURE] ^= 1;
	doc = with_device(params, signature);
	must_hold(check(yyjson_doc_get_root(doc), NONCE, NOW).reason);
	yyjson_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct json_reader reader;
	yyjson_doc *doc;

	if (n > TEXT_MAX)
		return 0;
	if (!key) {
		json_reader_init(&reader, TEXT_MAX);
		make_key();
	}
	doc = json_read(&reader, (struct text){(const char *)bytes, n}, NULL);
	if (!doc)
		return 0;
	must_hold(check(yyjson_doc_get_root(doc), NONCE, NOW).reason);
	look_at_self(yyjson_doc_get_root(doc));
	if (yyjson_is_obj(yyjson_doc_get_root(doc)))
		judge_signed(yyjson_doc_get_root(doc), bytes[n - 1]);
	return 0;
}
