/* device.c - the key, its file, and what is signed with it. */
#include "source/openclaw/device.h"

#include <assert.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base64url.h"
#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "base/whole.h"
#include "parse/openclaw_key.h"
#include "signal/json.h"

#define SPELT_MAX 128 /* of these in base64url */
#define FILE_MAX (256 * KIB)
#define TOKENS_MAX 64 /* gateways; the first one goes when there are more */

struct device_grant {
	char *url, *token;
};

struct device {
	char *path;
	unsigned char seed[OPENCLAW_KEY_BYTES];
	char id[DEVICE_ID_LEN + 1];
	char public_key[DEVICE_KEY_LEN + 1];
	struct device_grant grants[TOKENS_MAX];
	size_t grant_count;
};

/* ---- spellings ---- */

/* base64url, with a NUL. */
static void spell(char *out, size_t room, const unsigned char *bytes, size_t n)
{
	struct buf words;

	buf_init(&words, SPELT_MAX);
	base64url_add(&words, bytes, n);
	snprintf(out, room, "%.*s", TEXT_ARG(buf_text(&words)));
	whole_forget(&words);
}

/* ---- the key ---- */

static bool unfold_key(struct device *d, struct error *why)
{
	unsigned char raw[OPENCLAW_KEY_BYTES];

	if (!openclaw_key_public(d->seed, raw))
		return error_set(why, "this OpenSSL has no Ed25519");
	spell(d->public_key, sizeof(d->public_key), raw, sizeof(raw));
	openclaw_key_id(raw, d->id);
	return true;
}

void device_sign(const struct device *d, struct text payload, char out[DEVICE_SIGNATURE_LEN + 1])
{
	unsigned char signature[OPENCLAW_SIGNATURE_BYTES];

	if (!openclaw_key_sign(d->seed, payload, signature))
		memset(signature, 0, sizeof(signature)); /* the gateway will refuse it */
	spell(out, DEVICE_SIGNATURE_LEN + 1, signature, sizeof(signature));
}

/* ---- its file ---- */

static char *path_in(const char *data_dir)
{
	return must_print("%s/openclaw-device.json", data_dir);
}

static bool device_save(const struct device *d, struct error *why)
{
	char seed[DEVICE_KEY_LEN + 2];
	struct buf out;
	bool ok;

	buf_init(&out, FILE_MAX);
	spell(seed, sizeof(seed), d->seed, OPENCLAW_KEY_BYTES);
	put_object(&out, NULL);
	put_u64(&out, "version", 1);
	put_word(&out, "key", seed);
	put_object(&out, "tokens");
	for (size_t i = 0; i < d->grant_count; i++) {
		buf_add(&out, i ? TEXT(",") : TEXT(""));
		buf_add_json(&out, text_of(d->grants[i].url));
		buf_add_char(&out, ':');
		buf_add_json(&out, text_of(d->grants[i].token));
	}
	buf_add(&out, TEXT("}}\n"));
	ok = out.full ? error_set(why, "%s: too much to keep", d->path)
	              : whole_replace(d->path, 0600, buf_text(&out), why);
	OPENSSL_cleanse(seed, sizeof(seed));
	whole_forget(&out);
	return ok;
}

static void device_forget(struct device *d, size_t i)
{
	free(d->grants[i].url);
	free(d->grants[i].token);
	assert(d->grant_count > 0 && i < d->grant_count);
	d->grant_count--;
	memmove(&d->grants[i], &d->grants[i + 1], (d->grant_count - i) * sizeof(d->grants[0]));
}

static void device_remember(struct device *d, const char *url, const char *token)
{
	if (d->grant_count == TOKENS_MAX)
		device_forget(d, 0);
	d->grants[d->grant_count++] = (struct device_grant){must_dup(url), must_dup(token)};
	assert(d->grant_count <= TOKENS_MAX);
}

static bool understand(struct device *d, yyjson_val *root, struct error *why)
{
	yyjson_val *key = yyjson_obj_get(root, "key");
	yyjson_val *tokens = yyjson_obj_get(root, "tokens");
	yyjson_obj_iter all = yyjson_obj_iter_with(tokens);
	yyjson_val *url;

	if (!base64url_read(json_text(key), d->seed, OPENCLAW_KEY_BYTES))
		return error_set(why, "%s holds no key: move it away to get a new one", d->path);
	while ((url = yyjson_obj_iter_next(&all)) != NULL) {
		const char *token = yyjson_get_str(yyjson_obj_iter_get_val(url));

		if (token)
			device_remember(d, yyjson_get_str(url), token);
	}
	return unfold_key(d, why);
}

struct device *device_load(const char *data_dir, struct error *why)
{
	struct device *d = must_zero(1, sizeof(*d));
	yyjson_doc *doc;
	struct buf bytes;
	bool ok;

	d->path = path_in(data_dir);
	buf_init(&bytes, FILE_MAX);
	ok = whole_load(d->path, WHOLE_PRIVATE, &bytes, why);
	if (ok) {
		doc = yyjson_read_opts(bytes.at, bytes.len, 0, &json_memory, NULL);
		ok = understand(d, yyjson_doc_get_root(doc), why);
		yyjson_doc_free(doc);
	} else if (errno == ENOENT) {
		random_bytes(d->seed, sizeof(d->seed));
		ok = unfold_key(d, why) && device_save(d, why);
	}
	whole_forget(&bytes);
	if (ok)
		return d;
	device_destroy(d);
	return NULL;
}

void device_destroy(struct device *d)
{
	if (!d)
		return;
	while (d->grant_count)
		device_forget(d, d->grant_count - 1);
	free(d->path);
	OPENSSL_cleanse(d, sizeof(*d));
	free(d);
}

bool device_exists(const char *data_dir)
{
	char *path = path_in(data_dir);
	bool exists = access(path, F_OK) == 0;

	free(path);
	return exists;
}

/* ---- what it knows ---- */

const char *device_id(const struct device *d)
{
	return d->id;
}

const char *device_public_key(const struct device *d)
{
	return d->public_key;
}

const char *device_token(const struct device *d, const char *url)
{
	for (size_t i = 0; i < d->grant_count; i++)
		if (strcmp(d->grants[i].url, url) == 0)
			return d->grants[i].token;
	return NULL;
}

bool device_keep_token(struct device *d, const char *url, const char *token, struct error *why)
{
	const char *known = device_token(d, url);

	if (token && known && strcmp(token, known) == 0)
		return true;
	for (size_t i = 0; i < d->grant_count; i++)
		if (strcmp(d->grants[i].url, url) == 0)
			device_forget(d, i--);
	if (token)
		device_remember(d, url, token);
	return device_save(d, why);
}
