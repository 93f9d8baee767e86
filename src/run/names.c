/* names.c - who is at work in a run, and what is remembered of them. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "run/inside.h"

static void free_name(struct name *n)
{
	buf_finish(&n->words);
	free(n->model);
	free(n->task);
	free(n);
}

void names_forget(struct hearing *h)
{
	struct text key;
	void *name;
	size_t at = 0;

	while (map_next(&h->names, &at, &key, &name))
		free_name(name);
	map_finish(&h->names);
	map_init(&h->names);
	h->said = 0;
}

struct name *names_find(struct hearing *h, struct text invoke)
{
	struct name *n = map_get(&h->names, invoke);

	if (n)
		return n;
	if (h->names.count >= HEAR_NAMES_MAX)
		names_forget(h);
	n = must_zero(1, sizeof(*n));
	buf_init(&n->words, HEAR_WORDS_MAX);
	map_set(&h->names, invoke, n);
	return n;
}

void names_remove(struct hearing *h, struct text invoke)
{
	struct name *n = map_remove(&h->names, invoke);

	names_drop_words(h, n);
	free_name(n);
}

static int compare(struct text a, struct text b)
{
	int order = memcmp(a.at, b.at, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

struct text names_given(const struct hearing *h, struct text task, const struct name *but)
{
	struct text key, first = {0};
	void *name;
	size_t at = 0;

	while (map_next(&h->names, &at, &key, &name)) {
		const struct name *n = name;

		if (n != but && n->task && text_is(task, n->task) &&
		    (!first.at || compare(key, first) < 0))
			first = key;
	}
	return first;
}

void names_drop_words(struct hearing *h, struct name *n)
{
	h->said -= n->words.len;
	buf_finish(&n->words);
}

/* The beginning of what it says; a character is kept whole or not at all. */
void names_keep_words(struct hearing *h, struct name *n, struct text words)
{
	size_t room = HEAR_WORDS_MAX - n->words.len;

	if (room > HEAR_SAID_MAX - h->said)
		room = HEAR_SAID_MAX - h->said;
	words = utf8_cut(words, room);
	buf_add(&n->words, words);
	h->said += words.len;
}

/* --- saving ---------------------------------------------------------------- */

static void save_name(const struct name *n, struct buf *out)
{
	put_bool(out, "started", n->is_started);
	put_bool(out, "failed", n->has_failed);
	put_key(out, "at");
	json_add_number(out, n->start_ms);
	if (n->has_usage) {
		put_u64(out, "in", n->input_tokens);
		put_u64(out, "out", n->output_tokens);
	}
	if (n->model)
		put_word(out, "model", n->model);
	if (n->task)
		put_word(out, "task", n->task);
	put_text(out, "words", buf_text(&n->words));
}

static int by_key(const void *a, const void *b)
{
	return compare(*(const struct text *)a, *(const struct text *)b);
}

/* The order of a map differs between two lives; that of what is saved does not. */
static size_t sort_keys(const struct hearing *h, struct text keys[HEAR_NAMES_MAX])
{
	size_t at = 0, count = 0;
	void *name;

	while (count < HEAR_NAMES_MAX && map_next(&h->names, &at, &keys[count], &name))
		count++;
	qsort(keys, count, sizeof(*keys), by_key);
	return count;
}

void hearing_save(const struct hearing *h, struct buf *out)
{
	struct text keys[HEAR_NAMES_MAX];
	size_t count = sort_keys(h, keys);

	put_object(out, NULL);
	put_bool(out, "dialect", h->is_dialect);
	if (h->phase) {
		put_word(out, "phase", h->phase);
	}
	put_list(out, "names");
	for (size_t i = 0; i < count; i++) {
		buf_print(out, "%s{\"name\":", i ? "," : "");
		buf_add_json(out, keys[i]);
		buf_add_char(out, ',');
		save_name(map_get(&h->names, keys[i]), out);
		buf_add_char(out, '}');
	}
	put_list_end(out);
	put_end(out);
}

static void load_name(struct hearing *h, yyjson_val *saved)
{
	struct text key = json_text_at(saved, "name");
	struct text model = json_text_at(saved, "model"), task = json_text_at(saved, "task");
	struct name *n;

	if (!key.len || map_get(&h->names, key))
		return;
	n = names_find(h, key);
	n->is_started = yyjson_is_true(yyjson_obj_get(saved, "started"));
	n->has_failed = yyjson_is_true(yyjson_obj_get(saved, "failed"));
	if (!json_number(yyjson_obj_get(saved, "at"), &n->start_ms))
		n->start_ms = 0;
	n->has_usage = yyjson_obj_get(saved, "in") != NULL;
	n->input_tokens = yyjson_get_uint(yyjson_obj_get(saved, "in"));
	n->output_tokens = yyjson_get_uint(yyjson_obj_get(saved, "out"));
	n->model = model.len ? text_dup(model) : NULL;
	n->task = task.len ? text_dup(task) : NULL;
	names_keep_words(h, n, json_text_at(saved, "words"));
}

bool hearing_load(struct hearing *h, yyjson_val *saved)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(saved, "names"));
	struct text phase = json_text_at(saved, "phase");
	yyjson_val *name;

	if (!yyjson_is_obj(saved))
		return false;
	h->is_dialect = yyjson_is_true(yyjson_obj_get(saved, "dialect"));
	while ((name = yyjson_arr_iter_next(&it)))
		load_name(h, name);
	h->phase = phase.len ? text_dup(phase) : NULL;
	return true;
}
