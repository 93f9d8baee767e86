/* store.c - two small JSON files, replaced whole. */
#include "source/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/map.h"
#include "base/must.h"
#include "base/whole.h"
#include "signal/json.h"
#include "source/found.h"
#include "source/inside.h"

#define STORE_MAX (8 * MIB)
#define SOURCES "sources.json"
#define SECRETS "source-credentials.json"

struct store {
	char *sources, *secrets; /* paths */
	yyjson_doc *rows;        /* of sources.json, until they were given */
	struct map credentials;  /* id -> char * */
	bool secrets_changed;
	struct buf saved; /* what sources.json holds: the same is not written again */
};

/* ---- files ---- */

/* The name is free again, and nothing is lost that somebody could still mend. */
static void put_aside(const char *path, const char *why)
{
	char *aside = must_print("%s.bad-%lld", path, (long long)clock_wall_ms());

	if (rename(path, aside) == 0)
		log_error("source", "%s is damaged: %s; it is kept as %s", path, why, aside);
	else
		log_error("source", "%s is damaged: %s", path, why);
	free(aside);
}

/* NULL and true: there is none, or it was put aside. */
static bool store_load(const char *path, bool is_secret, yyjson_doc **doc, struct error *why)
{
	yyjson_read_err fault;
	struct buf bytes;
	bool good;

	*doc = NULL;
	buf_init(&bytes, STORE_MAX);
	good = whole_load(path, is_secret ? WHOLE_PRIVATE : 0, &bytes, why);
	if (!good && errno == ENOENT)
		return true;
	if (good) {
		*doc = yyjson_read_opts(bytes.at, bytes.len, 0, &json_memory, &fault);
		if (!*doc)
			put_aside(path, fault.msg);
	}
	whole_forget(&bytes);
	return good;
}

/* ---- credentials ---- */

struct text store_credential(const struct store *store, struct text id)
{
	return text_of(map_get(&store->credentials, id));
}

static void set_credential(struct store *store, struct text id, struct text value)
{
	char *old =
		value.len ? map_get(&store->credentials, id) : map_remove(&store->credentials, id);

	if (value.len)
		map_set(&store->credentials, id, text_dup(value));
	if (old)
		explicit_bzero(old, strlen(old));
	free(old);
}

void store_set_credential(struct store *store, struct text id, struct text value)
{
	if (text_equal(store_credential(store, id), value))
		return;
	set_credential(store, id, value);
	store->secrets_changed = true;
}

static void load_credentials(struct store *store, yyjson_doc *doc)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(yyjson_doc_get_root(doc));
	const char *fault = yyjson_is_obj(yyjson_doc_get_root(doc)) ? NULL : "not an object";
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&it))) {
		yyjson_val *value = yyjson_obj_iter_get_val(key);

		if (yyjson_is_str(value))
			set_credential(store,
			               (struct text){yyjson_get_str(key), yyjson_get_len(key)},
			               (struct text){yyjson_get_str(value), yyjson_get_len(value)});
		else
			fault = "a credential is a string";
	}
	if (fault) {
		put_aside(store->secrets, fault);
		store->secrets_changed = true;
	}
}

static void write_credentials(const struct store *store, struct buf *out)
{
	struct text id;
	void *value;
	const char *comma = "";

	buf_add_char(out, '{');
	for (size_t at = 0; map_next(&store->credentials, &at, &id, &value);) {
		buf_add(out, text_of(comma));
		buf_add(out, TEXT("\n\t"));
		buf_add_json(out, id);
		buf_add(out, TEXT(": "));
		buf_add_json(out, text_of(value));
		comma = ",";
	}
	buf_add(out, TEXT("\n}\n"));
}

/* ---- rows ---- */

bool store_each(struct store *store, store_row_fn *row, void *self)
{
	yyjson_val *root = yyjson_doc_get_root(store->rows);
	yyjson_val *rows = yyjson_obj_get(root, "sources"), *one;
	struct error fault = {""}, why;
	size_t at, count;

	if (store->rows && !yyjson_is_arr(rows))
		error_set(&fault, "there is no list of sources in it");
	yyjson_arr_foreach(rows, at, count, one)
	{
		struct source_wish wish = {0};

		if (!wish_read(&wish, one, true, &why) ||
		    (!wish.id.len && !error_set(&why, "it has no id")) || !row(self, &wish, &why))
			error_set(&fault, "source %zu: %s", at + 1, why.words);
	}
	if (fault.words[0])
		put_aside(store->sources, fault.words);
	yyjson_doc_free(store->rows);
	store->rows = NULL;
	return !fault.words[0] && !store->secrets_changed;
}

static void store_add_text(struct buf *out, const char *name, const char *value)
{
	if (!value)
		return;
	buf_print(out, ", \"%s\": ", name);
	buf_add_json(out, text_of(value));
}

/* What a service of this machine is called and where it is, discovery will say
 * again; what people decided about it, nobody else knows. */
static bool is_kept(const struct source *s)
{
	return !s->is_configured && (!s->is_local || s->is_wanted || s->model || s->credential);
}

static void write_row(struct buf *out, const struct source *s)
{
	buf_add(out, TEXT("\n\t\t{\"id\": "));
	buf_add_json(out, text_of(s->id));
	store_add_text(out, "name", s->name);
	store_add_text(out, "url", s->url);
	store_add_text(out, "protocol", s->is_guessed ? "auto" : s->protocol);
	store_add_text(out, "model", s->model);
	store_add_text(out, "color", s->color);
	store_add_text(out, "credentialFrom", s->takes_from ? s->takes_from->protocol : NULL);
	buf_print(out, ", \"connect\": %s", s->is_wanted ? "true" : "false");
	if (s->is_local)
		buf_add(out, TEXT(", \"local\": true"));
	buf_add_char(out, '}');
}

#define ROWS_BEGIN "{\n\t\"version\": 1,\n\t\"sources\": ["
#define ROWS_END "\n\t]\n}\n"

static void write_rows(const struct sources *sources, struct buf *out)
{
	const char *comma = "";

	buf_add(out, TEXT(ROWS_BEGIN));
	for (struct source *s = sources_next(sources, NULL); s; s = sources_next(sources, s)) {
		if (!is_kept(s))
			continue;
		buf_add(out, text_of(comma));
		write_row(out, s);
		comma = ",";
	}
	buf_add(out, TEXT(ROWS_END));
}

bool store_save(struct store *store, const struct sources *sources, struct error *why)
{
	struct buf out;
	bool good = true;

	buf_init(&out, STORE_MAX);
	if (store->secrets_changed) {
		write_credentials(store, &out);
		good = whole_replace(store->secrets, 0600, buf_text(&out), why);
		store->secrets_changed = !good;
		explicit_bzero(out.at, out.len);
		buf_clear(&out);
	}
	write_rows(sources, &out);
	if (good && !text_equal(buf_text(&out), buf_text(&store->saved))) {
		good = whole_replace(store->sources, 0600, buf_text(&out), why);
		buf_clear(&store->saved);
		if (good)
			buf_add(&store->saved, buf_text(&out));
	}
	buf_finish(&out);
	return good;
}

/* ---- life ---- */

static bool is_usable(const char *data, const char *name, unsigned demands, struct error *why)
{
	char *path = must_print("%s/%s", data, name);
	struct buf bytes;
	bool good;

	buf_init(&bytes, STORE_MAX);
	good = whole_load(path, demands, &bytes, why) || errno == ENOENT;
	whole_forget(&bytes);
	free(path);
	return good;
}

bool store_is_usable(const char *data, struct error *why)
{
	return is_usable(data, SECRETS, WHOLE_PRIVATE, why) && is_usable(data, SOURCES, 0, why);
}

struct store *store_open(const char *data, struct error *why)
{
	struct store *store = must_zero(1, sizeof(*store));
	yyjson_doc *secrets;

	store->sources = must_print("%s/" SOURCES, data);
	store->secrets = must_print("%s/" SECRETS, data);
	map_init(&store->credentials);
	buf_init(&store->saved, STORE_MAX);
	if (!store_load(store->secrets, true, &secrets, why) ||
	    !store_load(store->sources, false, &store->rows, why)) {
		store_close(store);
		return NULL;
	}
	if (!store->rows) /* no file, and no source: nothing to write */
		buf_add(&store->saved, TEXT(ROWS_BEGIN ROWS_END));
	if (secrets)
		load_credentials(store, secrets);
	yyjson_doc_free(secrets);
	return store;
}

void store_close(struct store *store)
{
	struct text id;
	void *value;

	if (!store)
		return;
	for (size_t at = 0; map_next(&store->credentials, &at, &id, &value);) {
		explicit_bzero(value, strlen(value));
		free(value);
	}
	map_finish(&store->credentials);
	buf_finish(&store->saved);
	yyjson_doc_free(store->rows);
	free(store->sources);
	free(store->secrets);
	free(store);
}
