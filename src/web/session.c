/* session.c - one-time passes in tables, sessions by signature. */
#include "web/session.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/hex.h"
#include "base/must.h"
#include "base/random.h"

/* One that is free has until_ms 0. */
struct pass {
	unsigned char digest[DIGEST_LEN];
	int64_t until_ms;
	struct caller caller;
	int64_t user;              /* who got it */
	struct device_wish device; /* of a code: what it makes */
};

struct passes {
	struct pass codes[SESSION_CODES];
	struct pass tickets[SESSION_TICKETS];
	unsigned char key[DIGEST_LEN]; /* of tokens and challenges */
};

struct passes *passes_create(void)
{
	struct passes *passes = must_zero(1, sizeof(*passes));

	passes_renew(passes);
	return passes;
}

void passes_renew(struct passes *passes)
{
	OPENSSL_cleanse(passes, sizeof(*passes));
	random_bytes(passes->key, sizeof(passes->key));
}

void passes_destroy(struct passes *passes)
{
	if (passes)
		OPENSSL_cleanse(passes, sizeof(*passes));
	free(passes);
}

/* In the place of the one whose time is over first: a free one, or the oldest,
 * since all of a table last equally long. */
static struct pass *give_pass(struct pass *table, size_t count, int64_t until_ms, char *out)
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

static bool take_pass(struct pass *table, size_t count, struct text secret, int64_t now_ms,
                      struct pass *taken)
{
	struct pass *hit = NULL;
	unsigned char digest[DIGEST_LEN];

	credentials_digest(secret, digest);
	for (size_t i = 0; i < count; i++)
		if (table[i].until_ms > now_ms && credentials_same(digest, table[i].digest))
			hit = &table[i];
	if (!hit)
		return false;
	*taken = *hit;
	*hit = (struct pass){0};
	return true;
}

void passes_give_code(struct passes *passes, const struct device_wish *device, int64_t now_ms,
                      char out[TOKEN_LEN + 1])
{
	struct pass *pass = give_pass(passes->codes, SESSION_CODES, now_ms + SESSION_CODE_MS, out);

	pass->device = device ? *device : (struct device_wish){0};
}

bool passes_take_code(struct passes *passes, struct text code, int64_t now_ms,
                      struct device_wish *device)
{
	struct pass taken;

	if (!take_pass(passes->codes, SESSION_CODES, code, now_ms, &taken))
		return false;
	*device = taken.device;
	return true;
}

bool passes_await_device(const struct passes *passes, int64_t now_ms)
{
	for (size_t i = 0; i < SESSION_CODES; i++)
		if (passes->codes[i].until_ms > now_ms && passes->codes[i].device.scopes)
			return true;
	return false;
}

void passes_give_ticket(struct passes *passes, const struct caller *caller, int64_t user,
                        int64_t now_ms, char out[TOKEN_LEN + 1])
{
	struct pass *pass =
		give_pass(passes->tickets, SESSION_TICKETS, now_ms + SESSION_TICKET_MS, out);

	pass->caller = *caller;
	pass->user = user;
}

bool passes_take_ticket(struct passes *passes, struct text ticket, int64_t user, int64_t now_ms,
                        struct caller *caller)
{
	struct pass taken;

	if (!take_pass(passes->tickets, SESSION_TICKETS, ticket, now_ms, &taken) ||
	    taken.user != user)
		return false;
	*caller = taken.caller;
	return true;
}

/* ---- sessions ---- */

/* What is signed says what for, so that no signature can stand for another. */
#define FOR_PAGE "signalbox page"
#define FOR_TOKEN "signalbox token"
#define FOR_KEY "signalbox key"
#define FOR_CHALLENGE "signalbox challenge"
#define FROM_SERVER "signalbox server"
#define FROM_PAGE "signalbox answer"
#define SIGNED_MAX (2 * KIB)

#define HINT_AT 16 /* in an id, behind the expiry: the beginning of what FOR_KEY signs */
#define HINT_LEN 8
#define TIME_LEN 16
#define CLAIM_LEN (SESSION_CHALLENGE_LEN - 2 * DIGEST_LEN)

static void write_time(char out[TIME_LEN + 1], int64_t ms)
{
	unsigned char bytes[TIME_LEN / 2];

	for (int i = 0; i < TIME_LEN / 2; i++)
		bytes[i] = (unsigned char)((uint64_t)ms >> (56 - 8 * i));
	hex_write(out, bytes, sizeof(bytes));
}

/* Only of what we wrote ourselves: it is hexadecimal. */
static uint64_t read_hex(const char *at, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value << 4 | (uint64_t)hex_digit(at[i]);
	return value;
}

/* Signs the parts, with a space between two, in hexadecimal and with a NUL.  What is more
 * than there is room for gets a signature that nothing else has. */
static void sign(struct text key, const struct text *parts, size_t count,
                 char out[2 * DIGEST_LEN + 1])
{
	unsigned char mac[DIGEST_LEN];
	struct buf all;

	buf_init(&all, SIGNED_MAX);
	for (size_t i = 0; i < count; i++) {
		buf_add(&all, parts[i]);
		buf_add_char(&all, ' ');
	}
	if (all.full)
		random_bytes(mac, sizeof(mac));
	else if (!HMAC(EVP_sha256(), key.at, (int)key.len, (const unsigned char *)all.at, all.len,
	               mac, NULL))
		must_give_up("libcrypto gives no SHA-256");
	buf_finish(&all);
	hex_write(out, mac, sizeof(mac));
	OPENSSL_cleanse(mac, sizeof(mac));
}

static bool is_same(struct text sent, const char *made)
{
	return sent.len == strlen(made) && CRYPTO_memcmp(sent.at, made, sent.len) == 0;
}

enum session_half { HALF_PAGE, HALF_TOKEN };

/* A token ends with DATA/token too, so that its digest is signed along. */
static void sign_half(const struct session_keys *keys, enum session_half half, struct text what,
                      char out[2 * DIGEST_LEN + 1])
{
	struct text owner = {(const char *)keys->owner, DIGEST_LEN};
	struct text ours = {(const char *)keys->passes->key, DIGEST_LEN};
	const struct text of_page[] = {TEXT(FOR_PAGE), what};
	const struct text of_token[] = {TEXT(FOR_TOKEN), what, owner};

	if (half == HALF_PAGE)
		sign(owner, of_page, 2, out);
	else
		sign(ours, of_token, 3, out);
}

/* By the beginning of an id one can tell which key made it. */
static void hint_at(const struct session_keys *keys, enum session_half half,
                    char out[2 * DIGEST_LEN + 1])
{
	sign_half(keys, half, TEXT(FOR_KEY), out);
	out[HINT_LEN] = '\0';
}

/* One half: the expiry and the randomness are those of the other. */
static void write_half(const struct session_keys *keys, enum session_half half, const char *id,
                       char *out)
{
	char hint[2 * DIGEST_LEN + 1];

	hint_at(keys, half, hint);
	memcpy(out, id, SESSION_ID_LEN);
	memcpy(out + HINT_AT, hint, HINT_LEN);
	sign_half(keys, half, (struct text){out, SESSION_ID_LEN}, out + SESSION_ID_LEN);
}

static void write_session(const struct session_keys *keys, const char *id, struct session *out)
{
	write_half(keys, HALF_PAGE, id, out->page);
	write_half(keys, HALF_TOKEN, id, out->token);
}

void session_open(const struct session_keys *keys, int64_t now_ms, struct session *out)
{
	char id[SESSION_ID_LEN + 1];

	write_time(id, now_ms + SESSION_MS);
	random_hex(id + TIME_LEN, (SESSION_ID_LEN - TIME_LEN) / 2);
	write_session(keys, id, out);
}

bool session_check(const struct session_keys *keys, struct text token, int64_t now_ms,
                   struct caller *caller)
{
	char secret[2 * DIGEST_LEN + 1];

	if (token.len != SESSION_LEN)
		return false;
	sign_half(keys, HALF_TOKEN, (struct text){token.at, SESSION_ID_LEN}, secret);
	if (!is_same((struct text){token.at + SESSION_ID_LEN, 2 * DIGEST_LEN}, secret))
		return false;
	if ((int64_t)read_hex(token.at, TIME_LEN) <= now_ms)
		return false;
	*caller = (struct caller){SCOPE_ALL, true, "page"};
	caller->which = read_hex(token.at + HINT_AT + HINT_LEN, 16);
	return true;
}

/* ---- a page that comes back ---- */

static bool is_hex(struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (hex_digit(t.at[i]) < 0 || (t.at[i] >= 'A' && t.at[i] <= 'F'))
			return false;
	return true;
}

/* The secret of the half that this is the id of.  That it is ours nobody knows yet: who
 * does not have the secret cannot use what we make with it. */
static bool find_secret(const struct session_keys *keys, struct text id, int64_t now_ms,
                        char secret[2 * DIGEST_LEN + 1])
{
	char hint[2 * DIGEST_LEN + 1];

	if (id.len != SESSION_ID_LEN || !is_hex(id) || (int64_t)read_hex(id.at, TIME_LEN) <= now_ms)
		return false;
	for (enum session_half half = HALF_PAGE; half <= HALF_TOKEN; half++) {
		hint_at(keys, half, hint);
		if (!is_same((struct text){id.at + HINT_AT, HINT_LEN}, hint))
			continue;
		sign_half(keys, half, id, secret);
		return true;
	}
	return false;
}

static void sign_challenge(const struct session_keys *keys, struct text id, const char *claim,
                           char out[2 * DIGEST_LEN + 1])
{
	const struct text parts[] = {TEXT(FOR_CHALLENGE), id, {claim, CLAIM_LEN}};

	sign((struct text){(const char *)keys->passes->key, DIGEST_LEN}, parts, 3, out);
}

static bool is_challenge(const struct session_keys *keys, const struct session_plea *plea,
                         int64_t now_ms)
{
	struct text challenge = plea->challenge;
	char mac[2 * DIGEST_LEN + 1];

	if (challenge.len != SESSION_CHALLENGE_LEN)
		return false;
	sign_challenge(keys, plea->id, challenge.at, mac);
	return is_same((struct text){challenge.at + CLAIM_LEN, 2 * DIGEST_LEN}, mac) &&
	       (int64_t)read_hex(challenge.at, TIME_LEN) > now_ms;
}

bool session_prove(const struct session_keys *keys, const struct session_plea *plea, int64_t now_ms,
                   struct session_proof *out)
{
	char secret[2 * DIGEST_LEN + 1];
	struct text parts[] = {TEXT(FROM_SERVER), plea->origin, plea->nonce, {0}};

	if (plea->nonce.len == 0 || plea->nonce.len > SESSION_NONCE_LEN || !is_hex(plea->nonce) ||
	    !find_secret(keys, plea->id, now_ms, secret))
		return false;
	write_time(out->challenge, now_ms + SESSION_CHALLENGE_MS);
	random_hex(out->challenge + TIME_LEN, (CLAIM_LEN - TIME_LEN) / 2);
	sign_challenge(keys, plea->id, out->challenge, out->challenge + CLAIM_LEN);
	parts[3] = text_of(out->challenge);
	sign(text_of(secret), parts, 4, out->proof);
	OPENSSL_cleanse(secret, sizeof(secret));
	return true;
}

bool session_resume(const struct session_keys *keys, const struct session_plea *plea,
                    int64_t now_ms, struct session *out)
{
	const struct text parts[] = {TEXT(FROM_PAGE), plea->origin, plea->challenge};
	char secret[2 * DIGEST_LEN + 1], answer[2 * DIGEST_LEN + 1];

	if (!is_challenge(keys, plea, now_ms) || !find_secret(keys, plea->id, now_ms, secret))
		return false;
	sign(text_of(secret), parts, 3, answer);
	OPENSSL_cleanse(secret, sizeof(secret));
	if (!is_same(plea->answer, answer))
		return false;
	write_session(keys, plea->id.at, out);
	return true;
}
