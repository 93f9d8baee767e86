/* devices.c - a table in memory, and the file that has the same. */
#include "gateway/devices.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base64url.h"
#include "base/hex.h"
#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "base/scope.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "parse/openclaw_key.h"
#include "signal/json.h"

#define FILE_MAX (256 * KIB)
#define NAME_DIGITS 8

struct gateway_devices {
	char *path;
	size_t count;
	uint32_t last_number;
	bool has_news; /* that are not in the file */
	struct gateway_device all[GATEWAY_DEVICES_MAX];
};

/* ---- what a device says of itself ---- */

/* The members of both directions: in a connect, in the file and in what clients are told. */
#define WORD(member) \
	offsetof(struct gateway_self, member), sizeof(((struct gateway_self *)0)->member)
static const struct {
	const char *object, *in_connect, *name;
	size_t at, room;
} words[] = {
	{"device", "id", "deviceId", WORD(id)},
	{"device", "publicKey", "publicKey", WORD(key)},
	{"client", "id", "clientId", WORD(client)},
	{"client", "mode", "clientMode", WORD(mode)},
	{"client", "platform", "platform", WORD(platform)},
	{"client", "deviceFamily", "deviceFamily", WORD(family)},
	{"client", "displayName", "displayName", WORD(label)},
};
#define WORDS (sizeof(words) / sizeof(*words))

static char *word_of(const struct gateway_self *self, size_t i)
{
	return (char *)self + words[i].at;
}

static void copy_shown(struct text word, char *out, size_t room)
{
	struct buf shown;

	buf_init(&shown, 4 * KIB);
	utf8_add_shown(&shown, utf8_cut(word, room));
	word = utf8_cut(buf_text(&shown), room - 1);
	if (word.len)
		memcpy(out, word.at, word.len);
	out[word.len] = '\0';
	buf_finish(&shown);
}

/* However it was written, it is kept in one way. */
static void spell_key(yyjson_val *device, char out[GATEWAY_SECRET + 1])
{
	unsigned char key[OPENCLAW_KEY_BYTES];
	struct buf spelt;

	if (!openclaw_key_read(json_text_at(device, "publicKey"), key))
		return;
	buf_init(&spelt, GATEWAY_SECRET);
	base64url_add(&spelt, key, sizeof(key));
	memcpy(out, spelt.at, spelt.len);
	out[spelt.len] = '\0';
	buf_finish(&spelt);
}

bool gateway_self_read(yyjson_val *params, struct gateway_self *out)
{
	*out = (struct gateway_self){0};
	if (!yyjson_obj_get(params, "device"))
		return false;
	for (size_t i = 0; i < WORDS; i++)
		copy_shown(
			json_text_at(yyjson_obj_get(params, words[i].object), words[i].in_connect),
			word_of(out, i), words[i].room);
	spell_key(yyjson_obj_get(params, "device"), out->key);
	return true;
}

bool gateway_self_same(const struct gateway_self *a, const struct gateway_self *b)
{
	for (size_t i = 0; i < WORDS; i++)
		if (strcmp(word_of(a, i), word_of(b, i)) != 0)
			return false;
	return true;
}

void gateway_self_put(struct buf *out, const struct gateway_self *self)
{
	for (size_t i = 0; i < WORDS; i++)
		if (*word_of(self, i))
			put_word(out, words[i].name, word_of(self, i));
}

/* ---- the file ---- */

static void put_hex(struct buf *out, const char *key, const unsigned char digest[GATEWAY_DIGEST])
{
	char hex[2 * GATEWAY_DIGEST + 1];

	hex_write(hex, digest, GATEWAY_DIGEST);
	put_word(out, key, hex);
}

static void put_row(struct buf *out, const struct gateway_device *d)
{
	put_object(out, NULL);
	put_word(out, "name", d->name);
	gateway_self_put(out, &d->self);
	put_list(out, "scopes");
	for (unsigned bit = 1; bit <= SCOPE_ALL; bit <<= 1)
		if (d->scopes & bit)
			put_word(out, NULL, scope_name((enum scope)bit));
	put_list_end(out);
	if (d->is_bound)
		put_hex(out, "token", d->mark);
	if (d->has_secret)
		put_hex(out, "digest", d->digest);
	put_i64(out, "pairedMs", d->paired_ms);
	put_i64(out, "seenMs", d->seen_ms);
	put_end(out);
}

bool gateway_devices_save(struct gateway_devices *devices, struct error *why)
{
	struct buf out;

	if (!devices->has_news)
		return true;
	buf_init(&out, FILE_MAX);
	put_list(&out, NULL);
	for (size_t i = 0; i < devices->count; i++)
		put_row(&out, &devices->all[i]);
	put_list_end(&out);
	buf_add_char(&out, '\n');
	devices->has_news = out.full ? !error_set(why, "%s: too long", devices->path)
	                             : !whole_replace(devices->path, 0600, buf_text(&out), why);
	buf_finish(&out);
	return !devices->has_news;
}

static bool read_scopes(yyjson_val *list, unsigned *scopes)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *word;

	*scopes = 0;
	while ((word = yyjson_arr_iter_next(&each))) {
		unsigned one;

		if (!scope_parse(json_text(word), &one, NULL))
			return false;
		*scopes |= one;
	}
	return *scopes != 0;
}

/* It is there and good, or not there. */
static bool read_hex(yyjson_val *row, const char *key, unsigned char out[GATEWAY_DIGEST],
                     bool *is_there)
{
	*is_there = yyjson_obj_get(row, key) != NULL;
	return !*is_there || hex_read(json_text_at(row, key), out, GATEWAY_DIGEST);
}

static bool read_row(yyjson_val *row, struct gateway_device *d)
{
	copy_shown(json_text_at(row, "name"), d->name, sizeof(d->name));
	for (size_t i = 0; i < WORDS; i++)
		copy_shown(json_text_at(row, words[i].name), word_of(&d->self, i), words[i].room);
	d->paired_ms = yyjson_get_sint(yyjson_obj_get(row, "pairedMs"));
	d->seen_ms = yyjson_get_sint(yyjson_obj_get(row, "seenMs"));
	return *d->name && strlen(d->self.id) == GATEWAY_DEVICE_ID &&
	       read_scopes(yyjson_obj_get(row, "scopes"), &d->scopes) &&
	       read_hex(row, "token", d->mark, &d->is_bound) &&
	       read_hex(row, "digest", d->digest, &d->has_secret);
}

static bool read_rows(struct gateway_devices *devices, yyjson_val *list)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *row;

	if (!yyjson_is_arr(list) || yyjson_arr_size(list) > GATEWAY_DEVICES_MAX)
		return false;
	while ((row = yyjson_arr_iter_next(&each))) {
		struct gateway_device *d = &devices->all[devices->count];

		if (!read_row(row, d))
			return false;
		d->number = ++devices->last_number;
		devices->count++;
	}
	return true;
}

static bool load(struct gateway_devices *devices, struct error *why)
{
	struct buf bytes;
	yyjson_doc *doc;
	bool good;

	buf_init(&bytes, FILE_MAX);
	good = whole_load(devices->path, WHOLE_PRIVATE | WHOLE_NO_LINK, &bytes, why);
	if (!good && errno == ENOENT) {
		buf_finish(&bytes);
		return true;
	}
	doc = good ? yyjson_read(bytes.at, bytes.len, 0) : NULL;
	if (good && !read_rows(devices, yyjson_doc_get_root(doc)))
		good = error_set(why, "%s is no list of devices; without the file there are none",
		                 devices->path);
	yyjson_doc_free(doc);
	buf_finish(&bytes);
	return good;
}

struct gateway_devices *gateway_devices_open(const char *data, struct error *why)
{
	struct gateway_devices *devices = must_zero(1, sizeof(*devices));

	devices->path = must_print("%s/gateway-devices.json", data);
	if (load(devices, why))
		return devices;
	gateway_devices_destroy(devices);
	return NULL;
}

void gateway_devices_destroy(struct gateway_devices *devices)
{
	if (!devices)
		return;
	gateway_devices_save(devices, NULL);
	free(devices->path);
	OPENSSL_cleanse(devices->all, sizeof(devices->all));
	free(devices);
}

/* ---- the table ---- */

struct gateway_device *gateway_devices_at(struct gateway_devices *devices, size_t i)
{
	return i < devices->count ? &devices->all[i] : NULL;
}

struct gateway_device *gateway_devices_of_id(struct gateway_devices *devices, struct text id)
{
	for (size_t i = 0; i < devices->count; i++)
		if (text_is(id, devices->all[i].self.id))
			return &devices->all[i];
	return NULL;
}

struct gateway_device *gateway_devices_of_name(struct gateway_devices *devices, struct text name)
{
	for (size_t i = 0; i < devices->count; i++)
		if (text_is(name, devices->all[i].name))
			return &devices->all[i];
	return NULL;
}

void gateway_devices_name(const struct gateway_devices *devices, const struct gateway_self *self,
                          char name[GATEWAY_DEVICE_NAME])
{
	char fresh[GATEWAY_DEVICE_NAME], digits[NAME_DIGITS + 1];

	do {
		random_hex(digits, NAME_DIGITS / 2);
		snprintf(fresh, sizeof(fresh), "%.31s-%s", self->client, digits);
	} while (gateway_devices_of_name((struct gateway_devices *)devices, text_of(fresh)));
	memcpy(name, fresh, sizeof(fresh));
}

static struct gateway_device *find_oldest_bound(struct gateway_devices *devices)
{
	struct gateway_device *oldest = NULL;

	for (size_t i = 0; i < devices->count; i++) {
		struct gateway_device *d = &devices->all[i];

		if (d->is_bound && (!oldest || d->seen_ms < oldest->seen_ms))
			oldest = d;
	}
	return oldest;
}

struct gateway_device *gateway_devices_add(struct gateway_devices *devices,
                                           const struct gateway_self *self, int64_t now_ms)
{
	struct gateway_device *d = NULL;

	if (devices->count == GATEWAY_DEVICES_MAX)
		d = find_oldest_bound(devices);
	if (d)
		gateway_devices_remove(devices, d);
	if (devices->count == GATEWAY_DEVICES_MAX)
		return NULL;
	d = &devices->all[devices->count];
	*d = (struct gateway_device){.self = *self,
	                             .number = ++devices->last_number,
	                             .paired_ms = now_ms,
	                             .seen_ms = now_ms};
	gateway_devices_name(devices, self, d->name);
	devices->count++;
	devices->has_news = true;
	return d;
}

void gateway_devices_touch(struct gateway_devices *devices)
{
	devices->has_news = true;
}

void gateway_devices_remove(struct gateway_devices *devices, struct gateway_device *d)
{
	size_t i = (size_t)(d - devices->all);

	devices->count--;
	memmove(d, d + 1, (devices->count - i) * sizeof(*d));
	OPENSSL_cleanse(&devices->all[devices->count], sizeof(*d));
	devices->has_news = true;
}

/* ---- their own tokens ---- */

static void digest_of(struct text secret, unsigned char out[GATEWAY_DIGEST])
{
	if (!EVP_Digest(secret.at, secret.len, out, NULL, EVP_sha256(), NULL))
		must_give_up("libcrypto gives no SHA-256");
}

void gateway_devices_give_secret(struct gateway_devices *devices, struct gateway_device *d,
                                 char secret[GATEWAY_SECRET + 1])
{
	unsigned char bytes[GATEWAY_DIGEST];
	struct buf out;

	random_bytes(bytes, sizeof(bytes));
	buf_init(&out, KIB);
	base64url_add(&out, bytes, sizeof(bytes));
	memcpy(secret, out.at, GATEWAY_SECRET);
	secret[GATEWAY_SECRET] = '\0';
	digest_of(text_of(secret), d->digest);
	d->has_secret = devices->has_news = true;
	OPENSSL_cleanse(bytes, sizeof(bytes));
	whole_forget(&out);
}

bool gateway_device_has(const struct gateway_device *d, struct text secret)
{
	unsigned char digest[GATEWAY_DIGEST];

	if (!d->has_secret || !secret.len)
		return false;
	digest_of(secret, digest);
	return CRYPTO_memcmp(digest, d->digest, GATEWAY_DIGEST) == 0;
}
