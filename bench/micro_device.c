/* bench-micro device: the proof of a device is checked, as a gateway's clients sign it; of both
 * forms in turn, where the older one is tried second. */
#include "base/buf.h"
#include "base/hex.h"
#include "bench.h"
#include "gateway/device.h"
#include "micro.h"
#include "parse/openclaw_claim.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

enum { KEYS = 16, CHECKS = 4000, KEY_BYTES = 32, SIGNATURE_BYTES = 64 };

#define NONCE "5f0c2b1e-77aa-4c1d-9e3b-000000000000"
#define SIGNED_AT 1767225600000

static void spell(char *out, const unsigned char *bytes, size_t count)
{
	size_t n = (size_t)EVP_EncodeBlock((unsigned char *)out, bytes, (int)count);

	while (n > 0 && out[n - 1] == '=')
		out[--n] = '\0';
	for (size_t i = 0; i < n; i++)
		out[i] = out[i] == '+' ? '-' : out[i] == '/' ? '_' : out[i];
}

static void sign(EVP_PKEY *key, const char *id, unsigned version, char *out)
{
	const struct openclaw_claim claim = {
		.version = version,
		.id = text_of(id),
		.client = TEXT("cli"),
		.mode = TEXT("cli"),
		.role = TEXT("operator"),
		.scopes = TEXT("operator.read"),
		.signed_at = SIGNED_AT,
		.token = TEXT("secret"),
		.nonce = TEXT(NONCE),
		.platform = TEXT("linux"),
	};
	unsigned char signature[SIGNATURE_BYTES];
	size_t size = sizeof signature;
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	struct buf words;

	buf_init(&words, 4096);
	openclaw_claim_add(&words, &claim);
	if (EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) != 1 ||
	    EVP_DigestSign(ctx, signature, &size, (const unsigned char *)words.at, words.len) != 1)
		die("signing");
	spell(out, signature, size);
	buf_finish(&words);
	EVP_MD_CTX_free(ctx);
}

/* What a client says of itself when it connects, with a key of its own. */
static yyjson_doc *claim_of(unsigned version)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	unsigned char public[KEY_BYTES], hash[KEY_BYTES];
	char id[2 * KEY_BYTES + 1], spelt[64], signature[128], json[1024];
	size_t size = sizeof public;

	if (key == NULL || EVP_PKEY_get_raw_public_key(key, public, &size) != 1 ||
	    EVP_Digest(public, size, hash, NULL, EVP_sha256(), NULL) != 1)
		die("no key");
	hex_write(id, hash, sizeof hash);
	spell(spelt, public, sizeof public);
	sign(key, id, version, signature);
	EVP_PKEY_free(key);
	snprintf(json, sizeof json,
	         "{\"client\":{\"id\":\"cli\",\"mode\":\"cli\",\"platform\":\"linux\"},"
	         "\"scopes\":[\"operator.read\"],\"auth\":{\"token\":\"secret\"},"
	         "\"device\":{\"id\":\"%s\",\"publicKey\":\"%s\",\"signature\":\"%s\","
	         "\"signedAt\":%llu,\"nonce\":\"" NONCE "\"}}",
	         id, spelt, signature, (unsigned long long)SIGNED_AT);
	return yyjson_read(json, strlen(json), 0);
}

void micro_device(void)
{
	yyjson_doc *claims[KEYS];
	uint64_t start;

	for (unsigned i = 0; i < KEYS; i++)
		claims[i] = claim_of(2 + i % 2);
	start = cpu_ns();
	for (unsigned i = 0; i < CHECKS; i++) {
		const struct device_proof proof = {
			.params = yyjson_doc_get_root(claims[i % KEYS]),
			.role = TEXT("operator"),
			.nonce = TEXT(NONCE),
			.now_ms = SIGNED_AT,
		};
		struct device_fault fault = gateway_check_device(&proof);

		if (fault.reason != NULL)
			die("%s", fault.reason);
	}
	report(start, CHECKS);
	for (unsigned i = 0; i < KEYS; i++)
		yyjson_doc_free(claims[i]);
}
