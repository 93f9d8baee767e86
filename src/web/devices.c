/* devices.c - a table in memory, and the file that has the same. */
#include "web/devices.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

#include "base/hex.h"
#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "base/whole.h"
#include "web/revoked.h"

#define FILE_MAX (256 * KIB)
#define DEVICE_MARK "device:" /* before its name, in the record */
#define NUMBERS_MAX (DEVICES_MAX + 1)

struct paired {
	struct device_wish is;
	unsigned char digest[DIGEST_LEN];
	uint64_t id; /* of this life: tickets and connections have it */
	int64_t paired_ms, seen_ms;
	struct push_row {
		char *endpoint; /* NULL: it is not told */
		char point[DEVICE_POINT_MAX], auth[DEVICE_AUTH_MAX];
		bool with_words;
	} push;
};

struct devices {
	char *path;
	size_t count;
	uint64_t last_id;
	bool has_news; /* that are not in the file */
	bool owes;     /* one of them is that a device is none any more */
	struct paired all[DEVICES_MAX];
	struct revoked revoked;
};

/* ---- the file ---- */

static void put_digest(struct buf *out, const unsigned char digest[DIGEST_LEN])
{
	char hex[2 * DIGEST_LEN + 1];

	hex_write(hex, digest, DIGEST_LEN);
	put_word(out, "digest", hex);
}

void devices_put_scopes(struct buf *out, unsigned scopes)
{
	put_list(out, "scopes");
	for (unsigned bit = 1; bit <= SCOPE_ALL; bit <<= 1)
		if (scopes & bit)
			put_word(out, NULL, scope_name((enum scope)bit));
	put_list_end(out);
}

/* What is in the file alone. */
static void put_secrets(struct buf *out, const struct paired *d)
{
	put_digest(out, d->digest);
	if (!d->push.endpoint)
		return;
	put_word(out, "endpoint", d->push.endpoint);
	put_word(out, "p256dh", d->push.point);
	put_word(out, "auth", d->push.auth);
	put_bool(out, "words", d->push.with_words);
}

static void put_device(struct buf *out, const struct paired *d, bool with_digest)
{
	put_object(out, NULL);
	put_word(out, "name", d->is.name);
	put_word(out, "kind", "browser");
	devices_put_scopes(out, d->is.scopes);
	put_i64(out, "pairedMs", d->paired_ms);
	put_i64(out, "seenMs", d->seen_ms);
	put_bool(out, "push", d->push.endpoint != NULL);
	if (with_digest)
		put_secrets(out, d);
	put_end(out);
}

static bool save(struct devices *devices, struct error *why)
{
	struct buf out;
	bool good;

	buf_init(&out, FILE_MAX);
	put_list(&out, NULL);
	for (size_t i = 0; i < devices->count; i++)
		put_device(&out, &devices->all[i], true);
	put_list_end(&out);
	buf_add_char(&out, '\n');
	good = out.full ? error_set(why, "%s: the devices are more than it may hold", devices->path)
	                : whole_replace(devices->path, 0600, buf_text(&out), why);
	devices->has_news = !good;
	devices->owes = devices->owes && !good;
	buf_finish(&out);
	return good;
}

static struct text word_at(yyjson_val *object, const char *name)
{
	yyjson_val *value = yyjson_obj_get(object, name);

	return (struct text){yyjson_get_str(value), yyjson_get_len(value)};
}

static bool read_scopes(yyjson_val *list, unsigned *scopes)
{
	yyjson_val *word;
	size_t at, count;

	*scopes = 0;
	yyjson_arr_foreach(list, at, count, word)
	{
		struct error why;
		unsigned one;

		if (!yyjson_is_str(word) ||
		    !scope_parse((struct text){yyjson_get_str(word), yyjson_get_len(word)}, &one,
		                 &why))
			return false;
		*scopes |= one;
	}
	return *scopes != 0;
}

static bool copy_word(struct text word, char *out, size_t room)
{
	if (!word.at || word.len >= room || memchr(word.at, 0, word.len))
		return false;
	memcpy(out, word.at, word.len);
	out[word.len] = '\0';
	return true;
}

/* False: it is too long, and nothing was made. */
static bool make_row(const struct device_push *push, struct push_row *out)
{
	char endpoint[DEVICE_ENDPOINT_MAX + 1];

	*out = (struct push_row){.with_words = push->with_words};
	if (!copy_word(push->endpoint, endpoint, sizeof(endpoint)) ||
	    !copy_word(push->point, out->point, sizeof(out->point)) ||
	    !copy_word(push->auth, out->auth, sizeof(out->auth)))
		return false;
	out->endpoint = must_dup(endpoint);
	return true;
}

static bool is_same_row(const struct push_row *a, const struct push_row *b)
{
	if (!a->endpoint || !b->endpoint)
		return !a->endpoint && !b->endpoint;
	return strcmp(a->endpoint, b->endpoint) == 0 && strcmp(a->point, b->point) == 0 &&
	       strcmp(a->auth, b->auth) == 0 && a->with_words == b->with_words;
}

static void drop_row(struct push_row *row)
{
	free(row->endpoint);
	*row = (struct push_row){0};
}

static bool read_device(yyjson_val *row, struct paired *d)
{
	struct text name = word_at(row, "name"), digest = word_at(row, "digest");
	struct error why;

	if (!name.at || !digest.at || !devices_name_is_good(name, &why) ||
	    !hex_read(digest, d->digest, DIGEST_LEN) ||
	    !read_scopes(yyjson_obj_get(row, "scopes"), &d->is.scopes))
		return false;
	memcpy(d->is.name, name.at, name.len);
	d->paired_ms = yyjson_get_sint(yyjson_obj_get(row, "pairedMs"));
	d->seen_ms = yyjson_get_sint(yyjson_obj_get(row, "seenMs"));
	if (word_at(row, "endpoint").at)
		make_row(&(struct device_push){word_at(row, "endpoint"), word_at(row, "p256dh"),
		                               word_at(row, "auth"),
		                               yyjson_get_bool(yyjson_obj_get(row, "words"))},
		         &d->push);
	return true;
}

static bool read_all(struct devices *devices, yyjson_val *list)
{
	yyjson_val *row;
	size_t at, count;

	if (!yyjson_is_arr(list) || yyjson_arr_size(list) > DEVICES_MAX)
		return false;
	yyjson_arr_foreach(list, at, count, row)
	{
		struct paired *d = &devices->all[devices->count];

		if (!read_device(row, d))
			return false;
		d->id = ++devices->last_id;
		devices->count++;
	}
	return true;
}

static bool load(struct devices *devices, struct error *why)
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
	if (good && !read_all(devices, yyjson_doc_get_root(doc)))
		good = error_set(why, "%s is no list of devices; without the file there are none",
		                 devices->path);
	yyjson_doc_free(doc);
	buf_finish(&bytes);
	return good;
}

struct devices *devices_open(const char *data, struct error *why)
{
	struct devices *devices = must_zero(1, sizeof(*devices));

	devices->path = must_print("%s/devices.json", data);
	if (load(devices, why))
		return devices;
	devices->has_news = false;
	devices_destroy(devices);
	return NULL;
}

bool devices_check(const char *data, struct error *why)
{
	struct devices *devices = devices_open(data, why);

	devices_destroy(devices);
	return devices != NULL;
}

void devices_destroy(struct devices *devices)
{
	struct error why;

	if (!devices)
		return;
	if (devices->has_news)
		save(devices, &why);
	free(devices->path);
	for (size_t i = 0; i < devices->count; i++)
		drop_row(&devices->all[i].push);
	OPENSSL_cleanse(devices->all, sizeof(devices->all));
	OPENSSL_cleanse(&devices->revoked, sizeof(devices->revoked));
	free(devices);
}

/* ---- the table ---- */

size_t devices_count(const struct devices *devices)
{
	return devices->count;
}

bool devices_name_is_good(struct text name, struct error *why)
{
	bool good = name.len > 0 && name.len < DEVICE_NAME_MAX;

	for (size_t i = 0; good && i < name.len; i++)
		good = name.at[i] && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		                            "0123456789-_",
		                            name.at[i]);
	return good || error_set(why, "a device's name has up to %d letters, digits, - and _",
	                         DEVICE_NAME_MAX - 1);
}

static struct paired *find_name(struct devices *devices, struct text name)
{
	for (size_t i = 0; i < devices->count; i++)
		if (text_is(name, devices->all[i].is.name))
			return &devices->all[i];
	return NULL;
}

/* A name that nobody has: a number behind it makes it one. */
static void find_free_name(struct devices *devices, struct device_wish *wish)
{
	char name[DEVICE_NAME_MAX];

	memcpy(name, wish->name, sizeof(name));
	for (unsigned n = 2; n <= NUMBERS_MAX && find_name(devices, text_of(wish->name)); n++)
		snprintf(wish->name, sizeof(wish->name), "%.*s-%u", DEVICE_NAME_MAX - 5, name, n);
}

bool devices_add(struct devices *devices, struct device_wish *wish, int64_t now_ms,
                 char secret[TOKEN_LEN + 1], struct error *why)
{
	struct paired *d = &devices->all[devices->count];

	if (devices->count == DEVICES_MAX)
		return error_set(why, "%d devices are paired; revoke one", DEVICES_MAX);
	find_free_name(devices, wish);
	random_hex(secret, TOKEN_LEN / 2);
	*d = (struct paired){
		.is = *wish, .id = ++devices->last_id, .paired_ms = now_ms, .seen_ms = now_ms};
	credentials_digest((struct text){secret, TOKEN_LEN}, d->digest);
	devices->count++;
	if (save(devices, why))
		return true;
	devices->count--;
	OPENSSL_cleanse(secret, TOKEN_LEN);
	return false;
}

bool devices_find(struct devices *devices, struct text secret, int64_t now_ms,
                  struct caller *caller)
{
	struct paired *hit = NULL;
	unsigned char digest[DIGEST_LEN];

	credentials_digest(secret, digest);
	for (size_t i = 0; i < devices->count; i++)
		if (credentials_same(digest, devices->all[i].digest) && !hit)
			hit = &devices->all[i];
	if (!hit)
		return false;
	hit->seen_ms = now_ms;
	devices->has_news = true;
	*caller = (struct caller){.scopes = hit->is.scopes, .has_credential = true};
	caller->which = caller->device = hit->id;
	snprintf(caller->name, sizeof(caller->name), DEVICE_MARK "%s", hit->is.name);
	return true;
}

static struct paired *find_id(const struct devices *devices, uint64_t id)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->all[i].id == id)
			return (struct paired *)&devices->all[i];
	return NULL;
}

bool devices_has(const struct devices *devices, uint64_t id)
{
	return find_id(devices, id);
}

bool devices_remove(struct devices *devices, struct text name, struct device_removal *removal,
                    struct error *why)
{
	struct paired *d = find_name(devices, name);

	removal->id = 0;
	if (!d)
		return error_set(why, "no device is called '%.*s'", TEXT_ARG(name));
	removal->id = d->id;
	revoked_add(&devices->revoked, d->digest, removal->by_itself, removal->now_ms);
	drop_row(&d->push);
	devices->owes = true; /* until it is in the file */
	devices->count--;
	memmove(d, d + 1, (devices->count - (size_t)(d - devices->all)) * sizeof(*d));
	return save(devices, why);
}

bool devices_was_revoked(struct devices *devices, struct text secret)
{
	return revoked_tell(&devices->revoked, secret);
}

bool devices_has_revoked(const struct devices *devices, struct text secret)
{
	return revoked_has(&devices->revoked, secret);
}

bool devices_owe_word(const struct devices *devices, int64_t now_ms)
{
	return revoked_owes(&devices->revoked, now_ms);
}

bool devices_owe(const struct devices *devices)
{
	return devices->owes;
}

bool devices_pay(struct devices *devices, struct error *why)
{
	return !devices->owes || save(devices, why);
}

bool devices_push_is_good(const struct device_push *push, struct error *why)
{
	struct push_row row;

	if (!make_row(push, &row))
		return error_set(why, "that is more than a browser says");
	drop_row(&row);
	return true;
}

bool devices_set_push(struct devices *devices, uint64_t id, const struct device_push *push,
                      struct error *why)
{
	struct paired *d = find_id(devices, id);
	struct push_row fresh = {0}, old;

	if (!d || (push && !make_row(push, &fresh)))
		return error_set(why, "it cannot be kept");
	old = d->push;
	d->push = fresh;
	if (is_same_row(&old, &fresh) || save(devices, why)) {
		drop_row(&old);
		return true;
	}
	d->push = old;
	drop_row(&fresh);
	return false;
}

void devices_each_push(const struct devices *devices,
                       void (*fn)(void *self, const struct device_push *push), void *self)
{
	for (size_t i = 0; i < devices->count; i++) {
		const struct paired *d = &devices->all[i];

		if (d->push.endpoint)
			fn(self,
			   &(struct device_push){text_of(d->push.endpoint), text_of(d->push.point),
			                         text_of(d->push.auth), d->push.with_words});
	}
}

void devices_forget_push(struct devices *devices, struct text endpoint)
{
	for (size_t i = 0; i < devices->count; i++) {
		struct paired *d = &devices->all[i];

		if (!d->push.endpoint || !text_is(endpoint, d->push.endpoint))
			continue;
		drop_row(&d->push);
		devices->has_news = true;
	}
}

void devices_put_push(const struct devices *devices, uint64_t id, struct buf *out)
{
	const struct paired *d = find_id(devices, id);

	put_bool(out, "subscribed", d && d->push.endpoint);
	put_bool(out, "words", d && d->push.with_words);
}

void devices_put(const struct devices *devices, struct buf *out)
{
	for (size_t i = 0; i < devices->count; i++)
		put_device(out, &devices->all[i], false);
}
