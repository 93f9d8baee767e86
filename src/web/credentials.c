/* credentials.c - making, reading and comparing tokens. */
#include "web/credentials.h"

#include <assert.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/random.h"
#include "base/whole.h"
#include "config/config.h"

#define TOKEN_FILE_MAX (4 * KIB)

struct credential {
	unsigned char digest[DIGEST_LEN];
	struct caller caller;
};

struct credentials {
	size_t count; /* at least one: the owner's, which is the first */
	struct credential known[];
};

void credentials_digest(struct text secret, unsigned char out[DIGEST_LEN])
{
	if (!EVP_Digest(secret.at, secret.len, out, NULL, EVP_sha256(), NULL))
		must_give_up("libcrypto gives no SHA-256");
}

bool credentials_same(const unsigned char a[DIGEST_LEN], const unsigned char b[DIGEST_LEN])
{
	return CRYPTO_memcmp(a, b, DIGEST_LEN) == 0;
}

/* ---- files that only we can read ---- */

/* Makes it where it is not. */
static bool check_dir(const char *dir, struct error *why)
{
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return error_errno(why, "%s", dir);
	return whole_dir_is_private(dir, why);
}

static bool is_token(struct text t)
{
	for (size_t i = 0; i < t.len; i++) {
		char c = t.at[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
			return false;
	}
	return t.len == TOKEN_LEN;
}

static bool read_token(const char *path, struct credential *out, struct error *why)
{
	struct text token;
	struct buf bytes;
	bool ok;

	buf_init(&bytes, TOKEN_FILE_MAX);
	ok = whole_load(path, WHOLE_PRIVATE | WHOLE_NO_LINK, &bytes, why);
	token = text_trim(buf_text(&bytes));
	if (ok && !is_token(token))
		ok = error_set(why, "%s does not hold %d hexadecimal characters", path, TOKEN_LEN);
	if (ok)
		credentials_digest(token, out->digest);
	whole_forget(&bytes);
	return ok;
}

/* If somebody else made one in this moment, that is the one. */
static bool make_token(const char *path, struct error *why)
{
	char line[TOKEN_LEN + 1];
	bool ok;

	random_hex(line, TOKEN_LEN / 2);
	line[TOKEN_LEN] = '\n';
	ok = whole_create(path, 0600, (struct text){line, sizeof(line)}, why) || errno == EEXIST;
	OPENSSL_cleanse(line, sizeof(line));
	return ok;
}

static bool load_own(const char *data, struct credential *out, struct error *why)
{
	char *path = must_print("%s/token", data);
	bool ok = check_dir(data, why);

	if (ok && access(path, F_OK) < 0 && errno == ENOENT)
		ok = make_token(path, why);
	ok = ok && read_token(path, out, why);
	out->caller = (struct caller){SCOPE_ALL, true, "token"};
	free(path);
	return ok;
}

static bool read_named(const struct config_token *token, struct credential *out, struct error *why)
{
	return read_token(token->file, out, why) ||
	       error_within(why, "auth.tokens '%s'", token->name);
}

bool credentials_are_good(const struct config *config, struct error *why)
{
	char *own = must_print("%s/token", config->data);
	struct credential known;
	bool good = (access(own, F_OK) < 0 && errno == ENOENT) || read_token(own, &known, why);

	for (size_t i = 0; good && i < config->auth.token_count; i++)
		good = read_named(&config->auth.tokens[i], &known, why);
	OPENSSL_cleanse(&known, sizeof(known));
	free(own);
	return good;
}

struct credentials *credentials_load(const struct config *config, struct error *why)
{
	size_t count = 1 + config->auth.token_count;
	struct credentials *c = must_zero(1, sizeof(*c) + count * sizeof(*c->known));

	if (!load_own(config->data, &c->known[c->count++], why)) {
		credentials_destroy(c);
		return NULL;
	}
	for (size_t i = 0; i < config->auth.token_count; i++) {
		const struct config_token *t = &config->auth.tokens[i];
		assert(c->count < count);
		struct credential *known = &c->known[c->count++];

		if (!read_named(t, known, why)) {
			credentials_destroy(c);
			return NULL;
		}
		known->caller.scopes = t->scopes;
		known->caller.has_credential = true;
		snprintf(known->caller.name, sizeof(known->caller.name), "%s", t->name);
	}
	return c;
}

void credentials_destroy(struct credentials *credentials)
{
	if (!credentials)
		return;
	OPENSSL_cleanse(credentials->known, credentials->count * sizeof(*credentials->known));
	free(credentials);
}

bool credentials_find(const struct credentials *credentials, struct text token,
                      struct caller *caller)
{
	const struct credential *hit = NULL;
	unsigned char digest[DIGEST_LEN];

	credentials_digest(token, digest);
	for (size_t i = 0; i < credentials->count; i++)
		if (credentials_same(digest, credentials->known[i].digest) && !hit)
			hit = &credentials->known[i];
	if (hit)
		*caller = hit->caller;
	return hit;
}

const unsigned char *credentials_key(const struct credentials *credentials)
{
	return credentials->known[0].digest;
}

static void mark_of(const struct credential *known, unsigned char mark[DIGEST_LEN])
{
	static const char what[] = "mark of a token";
	unsigned char words[sizeof(what) + DIGEST_LEN];

	memcpy(words, what, sizeof(what));
	memcpy(words + sizeof(what), known->digest, DIGEST_LEN);
	credentials_digest((struct text){(const char *)words, sizeof(words)}, mark);
	OPENSSL_cleanse(words, sizeof(words));
}

bool credentials_mark(const struct credentials *credentials, struct text token,
                      unsigned char mark[DIGEST_LEN])
{
	unsigned char digest[DIGEST_LEN];

	credentials_digest(token, digest);
	for (size_t i = 0; i < credentials->count; i++) {
		if (!credentials_same(digest, credentials->known[i].digest))
			continue;
		mark_of(&credentials->known[i], mark);
		return true;
	}
	return false;
}

bool credentials_of_mark(const struct credentials *credentials,
                         const unsigned char mark[DIGEST_LEN], unsigned *scopes)
{
	unsigned char one[DIGEST_LEN];

	for (size_t i = 0; i < credentials->count; i++) {
		mark_of(&credentials->known[i], one);
		if (!credentials_same(one, mark))
			continue;
		*scopes = credentials->known[i].caller.scopes;
		return true;
	}
	return false;
}
