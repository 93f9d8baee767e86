/* seal.c - keys from keys, and one record. */
#include "notify/seal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "base/must.h"
#include "base/random.h"

#define RECORD_SIZE 4096
#define KEY_LEN 16
#define NONCE_LEN 12
#define TAG_LEN 16
#define HASH_LEN 32
#define LAST_RECORD 2 /* the delimiter behind the plain text of the last one */
#define INFO_MAX 160

void seal_draw(struct seal_once *once)
{
	curve_draw(once->secret);
	random_bytes(once->salt, sizeof(once->salt));
}

static void hmac(const unsigned char *key, size_t key_len, struct text words,
                 unsigned char out[HASH_LEN])
{
	if (!HMAC(EVP_sha256(), key, (int)key_len, (const unsigned char *)words.at, words.len, out,
	          NULL))
		must_give_up("libcrypto gives no SHA-256");
}

/* HKDF of RFC 5869, whose output is no longer than one hash. */
static void stretch(struct text salt, struct text secret, struct text info,
                    unsigned char out[HASH_LEN])
{
	unsigned char key[HASH_LEN];
	char words[INFO_MAX];

	hmac((const unsigned char *)salt.at, salt.len, secret, key);
	memcpy(words, info.at, info.len);
	words[info.len] = 1;
	hmac(key, sizeof(key), (struct text){words, info.len + 1}, out);
	OPENSSL_cleanse(key, sizeof(key));
}

/* What both sides know and nobody else does: of the key agreement, and of the secret that only
 * the browser's page was told. */
static bool find_secret(const struct seal_keys *keys, const struct seal_once *once,
                        const unsigned char own[CURVE_POINT], unsigned char out[HASH_LEN])
{
	static const char head[] = "WebPush: info"; /* with its NUL */
	unsigned char shared[CURVE_SHARED];
	char info[INFO_MAX];
	size_t len = sizeof(head);

	if (!curve_share(once->secret, keys->point, shared))
		return false;
	memcpy(info, head, len);
	memcpy(info + len, keys->point, CURVE_POINT);
	memcpy(info + len + CURVE_POINT, own, CURVE_POINT);
	len += 2 * (size_t)CURVE_POINT;
	stretch((struct text){(const char *)keys->auth, SEAL_AUTH},
	        (struct text){(const char *)shared, sizeof(shared)}, (struct text){info, len}, out);
	OPENSSL_cleanse(shared, sizeof(shared));
	return true;
}

static bool encrypt(const unsigned char key[HASH_LEN], const unsigned char nonce[HASH_LEN],
                    struct text plain, unsigned char *out)
{
	static const unsigned char end = LAST_RECORD;
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int n, more, last;
	bool good = context &&
	            EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), NULL, key, nonce) > 0 &&
	            EVP_EncryptUpdate(context, out, &n, (const unsigned char *)plain.at,
	                              (int)plain.len) > 0 &&
	            EVP_EncryptUpdate(context, out + n, &more, &end, 1) > 0 &&
	            EVP_EncryptFinal_ex(context, out + n + more, &last) > 0 &&
	            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, TAG_LEN,
	                                out + plain.len + 1) > 0;

	EVP_CIPHER_CTX_free(context);
	return good;
}

static void add_head(struct buf *out, const unsigned char salt[SEAL_SALT],
                     const unsigned char own[CURVE_POINT])
{
	static const char size[] = {0, 0, RECORD_SIZE >> 8, RECORD_SIZE & 255, CURVE_POINT};

	buf_add(out, (struct text){(const char *)salt, SEAL_SALT});
	buf_add(out, (struct text){size, sizeof(size)});
	buf_add(out, (struct text){(const char *)own, CURVE_POINT});
}

bool seal_write(const struct seal_keys *keys, const struct seal_once *once, struct text plain,
                struct buf *out)
{
	static const char for_key[] = "Content-Encoding: aes128gcm", /* each with its NUL */
		for_nonce[] = "Content-Encoding: nonce";
	struct text salt = {(const char *)once->salt, SEAL_SALT}, secret;
	unsigned char own[CURVE_POINT], shared[HASH_LEN], key[HASH_LEN], nonce[HASH_LEN];
	unsigned char record[SEAL_PLAIN_MAX + 1 + TAG_LEN];
	bool good;

	if (plain.len > SEAL_PLAIN_MAX || !curve_point(once->secret, own) ||
	    !find_secret(keys, once, own, shared))
		return false;
	secret = (struct text){(const char *)shared, sizeof(shared)};
	stretch(salt, secret, (struct text){for_key, sizeof(for_key)}, key);
	stretch(salt, secret, (struct text){for_nonce, sizeof(for_nonce)}, nonce);
	add_head(out, once->salt, own);
	good = encrypt(key, nonce, plain, record);
	buf_add(out, (struct text){(const char *)record, plain.len + 1 + TAG_LEN});
	OPENSSL_cleanse(shared, sizeof(shared));
	OPENSSL_cleanse(key, sizeof(key));
	return good && !out->full;
}
