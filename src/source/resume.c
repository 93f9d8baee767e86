/* resume.c - positions and asks, each in a list with the newest at its end. */
#include "source/resume.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "bus/folds.h"
#include "bus/saving.h"
#include "signal/json.h"
#include "signal/signal.h"

#define LINE_MAX_BYTES (4 * MIB)
#define NAME_MAX_BYTES 512
#define RESUME_LISTS 3

/* A source and where it is, or a run and whose it is. */
struct resume_entry {
	struct link in_all;
	char *name, *value;
	size_t to_save; /* its number while they are saved */
};

struct entries {
	struct link all; /* the one that changed last at the end */
	struct map by_name;
	size_t max;
	struct saving saving;
};

struct resume {
	struct entries places, asks;
	struct entries runs; /* by source and run, with a newline between them */
	struct json_reader reader;
	unsigned saved; /* lists, while they are saved */
};

/* --- entries ---------------------------------------------------------------------- */

static void resume_drop(struct entries *e, struct resume_entry *entry)
{
	saving_change(&e->saving, &entry->to_save);
	map_remove(&e->by_name, text_of(entry->name));
	list_remove(&entry->in_all);
	free(entry->name);
	free(entry->value);
	free(entry);
}

static void resume_forget(struct entries *e, struct text name)
{
	struct resume_entry *entry = map_get(&e->by_name, name);

	if (entry)
		resume_drop(e, entry);
}

static void resume_note(struct entries *e, struct text name, struct text value)
{
	struct resume_entry *entry;

	if (name.len == 0 || name.len > NAME_MAX_BYTES || value.len > RESUME_AT_MAX ||
	    memchr(name.at, '\0', name.len))
		return;
	resume_forget(e, name);
	if (e->by_name.count >= e->max)
		resume_drop(e, list_of(e->all.next, struct resume_entry, in_all));
	entry = must_zero(1, sizeof(*entry));
	entry->name = text_dup(name);
	entry->value = text_dup(value);
	list_add(&e->all, &entry->in_all);
	map_set(&e->by_name, text_of(entry->name), entry);
}

static void entries_init(struct entries *e, size_t max)
{
	list_init(&e->all);
	map_init(&e->by_name);
	e->max = max;
}

static void entries_finish(struct entries *e)
{
	saving_finish(&e->saving);
	while (!list_is_empty(&e->all))
		resume_drop(e, list_of(e->all.next, struct resume_entry, in_all));
	map_finish(&e->by_name);
}

static void load_entries(struct entries *e, yyjson_val *saved)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(saved);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)))
		resume_note(e, json_text(key), json_text(yyjson_obj_iter_get_val(key)));
}

static void save_entry(const void *of, struct buf *out)
{
	const struct resume_entry *entry = of;

	buf_add_json(out, text_of(entry->name));
	buf_add_char(out, ':');
	buf_add_json(out, text_of(entry->value));
}

static void begin_entries(struct entries *e)
{
	saving_begin(&e->saving, e->by_name.count, save_entry);
	list_each(&e->all, l) {
		struct resume_entry *entry = list_of(l, struct resume_entry, in_all);

		saving_add(&e->saving, entry, &entry->to_save);
	}
}

/* --- life -------------------------------------------------------------------------- */

struct resume *resume_create(void)
{
	struct resume *r = must_zero(1, sizeof(*r));

	entries_init(&r->places, RESUME_SOURCES_MAX);
	entries_init(&r->asks, RESUME_ASKS_MAX);
	entries_init(&r->runs, RESUME_RUNS_MAX);
	json_reader_init(&r->reader, 64 * MIB);
	return r;
}

bool resume_load(struct resume *r, struct text saved)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(&r->reader, saved, NULL));

	load_entries(&r->places, yyjson_obj_get(root, "places"));
	load_entries(&r->asks, yyjson_obj_get(root, "asks"));
	load_entries(&r->runs, yyjson_obj_get(root, "runs"));
	return yyjson_is_obj(root);
}

void resume_destroy(struct resume *r)
{
	if (!r)
		return;
	entries_finish(&r->places);
	entries_finish(&r->asks);
	entries_finish(&r->runs);
	json_reader_finish(&r->reader);
	free(r);
}

/* In the order in which they are saved. */
static struct entries *entries_at(struct resume *r, unsigned i, const char **name)
{
	static const char *const names[RESUME_LISTS] = {"places", "asks", "runs"};
	struct entries *const lists[RESUME_LISTS] = {&r->places, &r->asks, &r->runs};

	*name = names[i];
	return lists[i];
}

void resume_save_begin(struct resume *r)
{
	r->saved = 0;
	begin_entries(&r->places);
	begin_entries(&r->asks);
	begin_entries(&r->runs);
}

bool resume_save_more(struct resume *r, struct buf *out)
{
	const char *name;
	struct entries *e = entries_at(r, r->saved, &name);

	if (e->saving.next == 0) {
		if (r->saved == 0)
			buf_add_char(out, '{');
		put_object(out, name);
	}
	if (saving_more(&e->saving, out))
		return true;
	put_end(out);
	if (++r->saved < RESUME_LISTS)
		return true;
	put_end(out);
	return false;
}

/* --- signals ------------------------------------------------------------------------ */

bool resume_may_matter(struct text line)
{
	return memmem(line.at, line.len, "\"position\"", 10) ||
	       memmem(line.at, line.len, "task_dispatch", 13) ||
	       memmem(line.at, line.len, "completion", 10) ||
	       memmem(line.at, line.len, "\"error\"", 7);
}

bool resume_wants(const struct signal *s)
{
	return s->via.len || (s->correlation.len && text_is(s->type, "task_dispatch")) ||
	       text_is(s->type, "completion") || text_is(s->type, "error");
}

static yyjson_val *envelope_of(struct resume *r, const struct signal *s)
{
	return yyjson_doc_get_root(
		s->line.len <= LINE_MAX_BYTES ? json_read(&r->reader, s->line, NULL) : NULL);
}

/* The name of a source, a newline, and what is its own. */
static void begin_with_source(struct buf *out, struct text source, struct text own)
{
	buf_init(out, NAME_MAX_BYTES);
	buf_add(out, source);
	buf_add_char(out, '\n');
	buf_add(out, own);
}

static void note_run(struct resume *r, struct text source, struct text run, struct text at)
{
	struct buf name;

	if (!source.len || !run.len || text_find(source, '\n') >= 0)
		return;
	begin_with_source(&name, source, run);
	if (!name.full)
		resume_note(&r->runs, buf_text(&name), at);
	buf_finish(&name);
}

static void note_ask(struct resume *r, const struct signal *s)
{
	yyjson_val *envelope = envelope_of(r, s);
	struct text source = json_text_at(yyjson_obj_get(envelope, "metadata"), "sourceId");
	struct text agent = json_text_at(yyjson_obj_get(envelope, "payload"), "to");
	struct buf value;

	begin_with_source(&value, source, agent);
	resume_note(&r->asks, s->correlation, value.full ? source : buf_text(&value));
	buf_finish(&value);
}

/* What a program without a token says is nobody's position. */
static void hear_position(struct resume *r, const struct signal *s)
{
	yyjson_val *metadata = yyjson_obj_get(envelope_of(r, s), "metadata");
	yyjson_val *position = yyjson_obj_get(metadata, "position");
	struct text source = json_text(yyjson_obj_get(position, "source"));
	struct text at = json_text(yyjson_obj_get(position, "at"));

	if (text_starts(s->source, TEXT("local/")) || (s->via.len && !text_equal(s->via, source)))
		return;
	if (yyjson_is_true(yyjson_obj_get(position, "run")))
		note_run(r, source, s->correlation, at);
	else if (at.len)
		resume_note(&r->places, source, at);
	else if (position)
		resume_forget(&r->places, source);
}

void resume_hear(struct resume *r, const struct signal *s)
{
	if (memmem(s->line.at, s->line.len, "\"position\"", 10))
		hear_position(r, s);
	if (s->correlation.len == 0)
		return;
	if (text_is(s->type, "task_dispatch") && text_is(s->source, "user"))
		note_ask(r, s);
	else if (text_is(s->type, "completion") || text_is(s->type, "error"))
		resume_forget(&r->asks, s->correlation);
}

struct text resume_position(const struct resume *r, struct text source)
{
	const struct resume_entry *entry = map_get(&r->places.by_name, source);

	return entry ? text_of(entry->value) : (struct text){NULL, 0};
}

void resume_each_run(const struct resume *r, struct text source,
                     void (*each)(void *of, struct text run, struct text at), void *of)
{
	list_each(&r->runs.all, l) {
		const struct resume_entry *entry = list_of(l, struct resume_entry, in_all);
		struct text run, name = text_cut(text_of(entry->name), '\n', &run);

		if (text_equal(name, source))
			each(of, run, text_of(entry->value));
	}
}

void resume_take_asks(struct resume *r, resume_ask_fn *take, void *self)
{
	while (!list_is_empty(&r->asks.all)) {
		struct resume_entry *entry = list_of(r->asks.all.next, struct resume_entry, in_all);
		struct resume_ask ask = {.run = text_of(entry->name)};

		saving_change(&r->asks.saving, &entry->to_save);
		map_remove(&r->asks.by_name, text_of(entry->name));
		list_remove(&entry->in_all);
		ask.source = text_cut(text_of(entry->value), '\n', &ask.agent);
		take(self, &ask);
		free(entry->name);
		free(entry->value);
		free(entry);
	}
}

/* --- envelopes ---------------------------------------------------------------------- */

static void add_position(struct buf *out, const struct resume_place *place)
{
	put_object(out, "position");
	put_text(out, "source", place->source);
	put_text(out, "at", place->at);
	buf_add(out, place->is_run ? TEXT(",\"run\":true}") : TEXT("}"));
}

/* Empty: there is none.  False: nothing can be put in.  Whether the rest is good, the bus sees. */
static bool find_metadata(struct text envelope, struct text *metadata)
{
	struct text key, value;
	struct scan scan;

	*metadata = (struct text){NULL, 0};
	if (!envelope.len || envelope.at[envelope.len - 1] != '}')
		return false;
	scan_object(&scan, envelope);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, "metadata"))
			*metadata = value;
	return scan_is_over(&scan) && !scan.first && (!metadata->len || metadata->at[0] == '{');
}

bool resume_stamp(struct buf *out, struct text envelope, const struct resume_place *place)
{
	struct text rest, metadata;
	size_t before;

	buf_clear(out);
	if (!find_metadata(envelope, &metadata))
		return false;
	if (metadata.len == 0) {
		buf_add(out, (struct text){envelope.at, envelope.len - 1});
		buf_add_char(out, ','); /* there may be a space before */
		put_object(out, "metadata");
		add_position(out, place);
		put_end(out);
		put_end(out);
		return !out->full;
	}
	before = (size_t)(metadata.at - envelope.at) + 1;
	rest = (struct text){envelope.at + before, envelope.len - before};
	buf_add(out, (struct text){envelope.at, before});
	add_position(out, place);
	if (text_trim((struct text){metadata.at + 1, metadata.len - 2}).len)
		buf_add_char(out, ',');
	buf_add(out, rest);
	return !out->full;
}

static void fold_hears(void *self, const struct signal *s)
{
	resume_hear(self, s);
}

static void fold_begins_save(void *self)
{
	resume_save_begin(self);
}

static bool fold_saves_more(void *self, struct buf *out)
{
	return resume_save_more(self, out);
}

static bool fold_loads(void *self, struct text saved, uint64_t *seq)
{
	return resume_load(self, saved);
}

const struct fold_kind resume_fold = {
	.name = "resume",
	.pace = FOLD_AT_ONCE,
	.back = RESUME_BACK,
	.may_want = resume_may_matter,
	.wants = resume_wants,
	.hear = fold_hears,
	.save_begin = fold_begins_save,
	.save_more = fold_saves_more,
	.load = fold_loads,
};
