/* session.c - one-time passes in tables, sessions by signature. */
#include "web/session.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/random.h"

/* One that is free has until_ms 0. */
struct pass {
	unsigned char digest[DIGEST_LEN];
	int64_t until_ms;
	struct caller caller;
};

struct passes {
	struct pass codes[SESSION_CODES];
	struct pass tickets[SESSION_TICKETS];
};

struct passes *passes_create(void)
{
	return must_zero(1, sizeof(struct passes));
}

void passes_destroy(struct passes *passes)
{
	if (passes)
		OPENSSL_cleanse(passes, sizeof(*passes));
	free(passes);
}

/* In the place of the one whose time is over first: a free one, or the oldest,
 * since all of a table last equally long. */
static struct pass *give(struct pass *table, size_t count, int64_t until_ms, char *out)
{
	struct pass *pass = table;

	for (size_t i = 1; i < count; i++)
		if (table[i].until_ms < pass->until_ms)
			pass = &table[i];
	random_hex(out, TOKEN_LEN / 2);
	credentials_digest((struct text){out, TOKEN_LEN}, pass->digest);
	pass->until_ms = until_ms;
	return pass;
}

static bool take(struct pass *table, size_t count, struct text secret, int64_t now_ms,
                 struct caller *caller)
{
	struct pass *hit = NULL;
	unsigned char digest[DIGEST_LEN];

	credentials_digest(secret, digest);
	for (size_t i = 0; i < count; i++)
		if (table[i].until_ms > now_ms && credentials_same(digest, table[i].digest))
			hit = &table[i];
	if (!hit)
		return false;
	*caller = hit->caller;
	*hit = (struct pass){0};
	return true;
}

void passes_give_code(struct passes *passes, int64_t now_ms, char out[TOKEN_LEN + 1])
{
	give(passes->codes, SESSION_CODES, now_ms + SESSION_CODE_MS, out);
}

bool passes_take_code(struct passes *passes, struct text code, int64_t now_ms)
{
	struct caller nobody;

	return take(passes->codes, SESSION_CODES, code, now_ms, &nobody);
}

void passes_give_ticket(struct passes *passes, const struct caller *caller, int64_t now_ms,
                        char out[TOKEN_LEN + 1])
{
	give(passes->tickets, SESSION_TICKETS, now_ms + SESSION_TICKET_MS, out)->caller = *caller;
}

bool passes_take_ticket(struct passes *passes, struct text ticket, int64_t now_ms,
                        struct caller *caller)
{
	return take(passes->tickets, SESSION_TICKETS, ticket, now_ms, caller);
}

/* ---- sessions ---- */

#define CLAIM_LEN (SESSION_LEN - 2 * DIGEST_LEN) /* expiry and randomness */

static const char hex_digits[] = "0123456789abcdef";

static void add_hex(char *out, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = hex_digits[bytes[i] >> 4];
		out[2 * i + 1] = hex_digits[bytes[i] & 15];
	}
}

/* The signature is over the claim's characters, so that it has one spelling. */
static void sign(const unsigned char key[DIGEST_LEN], const char *claim, char out[2 * DIGEST_LEN])
{
	static const char purpose[] = "signalbox session ";
	unsigned char text[sizeof(purpose) - 1 + CLAIM_LEN];
	unsigned char mac[DIGEST_LEN];

	memcpy(text, purpose, sizeof(purpose) - 1);
	memcpy(text + sizeof(purpose) - 1, claim, CLAIM_LEN);
	if (!HMAC(EVP_sha256(), key, DIGEST_LEN, text, sizeof(text), mac, NULL))
		must_give_up("libcrypto gives no SHA-256");
	add_hex(out, mac, DIGEST_LEN);
}

void session_sign(const unsigned char key[DIGEST_LEN], int64_t now_ms, char out[SESSION_LEN + 1])
{
	uint64_t until = (uint64_t)(now_ms + SESSION_MS);
	unsigned char claim[CLAIM_LEN / 2];

	for (int i = 0; i < 8; i++)
		claim[i] = (unsigned char)(until >> (56 - 8 * i));
	random_bytes(claim + 8, sizeof(claim) - 8);
	add_hex(out, claim, sizeof(claim));
	sign(key, out, out + CLAIM_LEN);
	out[SESSION_LEN] = '\0';
}

static uint64_t read_hex(const char *at, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 4 | (uint64_t)(strchr(hex_digits, at[i]) - hex_digits);
	return value;
}

bool session_check(const unsigned char key[DIGEST_LEN], struct text session, int64_t now_ms,
                   struct caller *caller)
{
	char mac[2 * DIGEST_LEN];

	if (session.len != SESSION_LEN)
		return false;
	sign(key, session.at, mac);
	if (CRYPTO_memcmp(mac, session.at + CLAIM_LEN, sizeof(mac)) != 0)
		return false;
	/* We wrote it, so it is hexadecimal. */
	if ((int64_t)read_hex(session.at, 16) <= now_ms)
		return false;
	*caller = (struct caller){SCOPE_ALL, true, "page"};
	caller->which = read_hex(session.at + 16, 16);
	return true;
}
