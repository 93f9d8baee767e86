/* openclaw_key.c - keys of devices: how they are written, and the arithmetic. */
#include "parse/openclaw_key.h"

#include <openssl/evp.h>

#include "base/base64url.h"
#include "base/hex.h"
#include "base/must.h"

#define HASH_BYTES 32
#define PEM_BEGIN "-----BEGIN PUBLIC KEY-----"
#define PEM_END "-----END PUBLIC KEY-----"
#define PEM_ED25519 "MCowBQYDK2VwAyEA" /* what stands before the bytes of such a key */
#define SPELT_MAX (sizeof(PEM_ED25519) + 2 * OPENCLAW_KEY_BYTES)

/* ---- spellings ---- */

/* What is between the lines of a PEM; all of what is none. */
static struct text body_of(struct text spelt)
{
	struct text begin = TEXT(PEM_BEGIN), end = TEXT(PEM_END);

	spelt = text_trim(spelt);
	if (!text_starts(spelt, begin) || !text_ends(spelt, end) || spelt.len < begin.len + end.len)
		return spelt;
	return (struct text){spelt.at + begin.len, spelt.len - begin.len - end.len};
}

/* In the alphabet for URLs, without padding and line ends. */
static struct text plain_spelling(struct text body, char out[SPELT_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < body.len; i++) {
		char c = body.at[i];

		if (c == '\n' || c == '\r')
			continue;
		if (n == SPELT_MAX)
			return TEXT("");
		out[n++] = c == '+' ? '-' : c == '/' ? '_' : c;
	}
	while (n && out[n - 1] == '=')
		n--;
	return (struct text){out, n};
}

bool openclaw_key_read(struct text spelt, unsigned char key[OPENCLAW_KEY_BYTES])
{
	struct text kind = TEXT(PEM_ED25519), body = body_of(spelt), plain;
	char out[SPELT_MAX];

	plain = plain_spelling(body, out);
	if (body.at != text_trim(spelt).at) { /* it is a PEM */
		if (!text_starts(plain, kind))
			return false;
		plain = (struct text){plain.at + kind.len, plain.len - kind.len};
	}
	return base64url_read(plain, key, OPENCLAW_KEY_BYTES);
}

void openclaw_key_id(const unsigned char key[OPENCLAW_KEY_BYTES], char id[OPENCLAW_DEVICE_ID + 1])
{
	unsigned char hash[HASH_BYTES];

	if (!EVP_Digest(key, OPENCLAW_KEY_BYTES, hash, NULL, EVP_sha256(), NULL))
		must_give_up("libcrypto gives no SHA-256");
	hex_write(id, hash, HASH_BYTES);
}

/* ---- the arithmetic ---- */

bool openclaw_key_public(const unsigned char seed[OPENCLAW_KEY_BYTES],
                         unsigned char key[OPENCLAW_KEY_BYTES])
{
	EVP_PKEY *pkey =
		EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, OPENCLAW_KEY_BYTES);
	size_t n = OPENCLAW_KEY_BYTES;
	bool good = pkey && EVP_PKEY_get_raw_public_key(pkey, key, &n) == 1;

	EVP_PKEY_free(pkey);
	return good;
}

bool openclaw_key_sign(const unsigned char seed[OPENCLAW_KEY_BYTES], struct text words,
                       unsigned char signature[OPENCLAW_SIGNATURE_BYTES])
{
	EVP_PKEY *pkey =
		EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, OPENCLAW_KEY_BYTES);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t n = OPENCLAW_SIGNATURE_BYTES;
	bool good =
		pkey && ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, pkey) == 1 &&
		EVP_DigestSign(ctx, signature, &n, (const unsigned char *)words.at, words.len) == 1;

	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(pkey);
	return good;
}

bool openclaw_key_signed(const unsigned char key[OPENCLAW_KEY_BYTES], struct text words,
                         const unsigned char signature[OPENCLAW_SIGNATURE_BYTES])
{
	EVP_PKEY *pkey =
		EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, OPENCLAW_KEY_BYTES);
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool good = pkey && ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, pkey) == 1 &&
	            EVP_DigestVerify(ctx, signature, OPENCLAW_SIGNATURE_BYTES,
	                             (const unsigned char *)words.at, words.len) == 1;

	EVP_MD_CTX_free(ctx);
	EVP_PKEY_free(pkey);
	return good;
}
