/* plan.c - todo lists, and files with their lines. */
#include "crew/plan.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"

#define CALL_SEED 0x706c616e
#define CALLS_KNOWN (sizeof(((struct changes *)0)->calls) / sizeof(uint64_t))
#define LINES_MAX UINT64_C(1000000000) /* of a file; more are not counted */

static struct text plain_text(struct text t, size_t max)
{
	const char *nul = t.len ? memchr(t.at, '\0', t.len) : NULL;

	if (nul)
		t.len = (size_t)(nul - t.at);
	return utf8_cut(t, max);
}

static char *keep_text(struct text t, size_t max)
{
	t = plain_text(t, max);
	return t.len ? text_dup(t) : NULL;
}

/* ---- plans ---- */

static const char *const status_names[] = {"pending", "in_progress", "completed"};

static enum plan_status status_of(struct text name)
{
	if (text_is(name, "in_progress"))
		return PLAN_IN_PROGRESS;
	return text_is(name, "completed") ? PLAN_COMPLETED : PLAN_PENDING;
}

static void forget_item(struct plan *plan, size_t i)
{
	free(plan->items[i].id);
	free(plan->items[i].text);
	plan->count--;
	memmove(&plan->items[i], &plan->items[i + 1], (plan->count - i) * sizeof(*plan->items));
}

void plan_finish(struct plan *plan)
{
	while (plan->count)
		forget_item(plan, plan->count - 1);
	free(plan->items);
	*plan = (struct plan){0};
}

static struct plan_item *find_item(struct plan *plan, struct text id)
{
	for (size_t i = 0; id.len && i < plan->count; i++)
		if (plan->items[i].id && text_is(id, plan->items[i].id))
			return &plan->items[i];
	return NULL;
}

static struct plan_item *add_item(struct plan *plan)
{
	if (plan->count == PLAN_ITEMS_MAX)
		return NULL;
	plan->items = must_grow(plan->items, (plan->count + 1) * sizeof(*plan->items));
	plan->items[plan->count] = (struct plan_item){0};
	return &plan->items[plan->count++];
}

static void take_item(struct plan *plan, yyjson_val *from)
{
	struct text id = plain_text(json_text_at(from, "id"), PLAN_WORDS_MAX);
	struct text words = json_text_at(from, "text"), status = json_text_at(from, "status");
	struct plan_item *item = find_item(plan, id);

	if (item && text_is(status, "deleted")) {
		forget_item(plan, (size_t)(item - plan->items));
		return;
	}
	if (!item && text_is(status, "deleted"))
		return;
	if (!item && !(item = add_item(plan)))
		return;
	if (!item->id)
		item->id = keep_text(id, PLAN_WORDS_MAX);
	if (words.len) {
		free(item->text);
		item->text = keep_text(words, PLAN_WORDS_MAX);
	}
	if (status.len)
		item->status = status_of(status);
}

void plan_load(struct plan *plan, yyjson_val *items)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(items);
	yyjson_val *item;

	while ((item = yyjson_arr_iter_next(&it)))
		take_item(plan, item);
}

void plan_hear(struct plan *plan, yyjson_val *payload, double at_ms)
{
	bool is_whole = yyjson_is_true(yyjson_obj_get(payload, "whole"));

	if (at_ms < plan->at_ms)
		return;
	if (is_whole) {
		plan_finish(plan);
		plan->at_ms = at_ms;
	}
	plan_load(plan, yyjson_obj_get(payload, "items"));
}

static bool is_same_item(const struct plan_item *a, const struct plan_item *b)
{
	if (!a || a->status != b->status || !a->text != !b->text)
		return false;
	return !a->text || strcmp(a->text, b->text) == 0;
}

static bool plan_is_done(const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->items[i].status != PLAN_COMPLETED)
			return false;
	return true;
}

bool plan_says(const struct plan *plan, yyjson_val *items)
{
	struct plan other = {0};
	bool is_same;

	plan_load(&other, items);
	is_same = other.count == plan->count;
	for (size_t i = 0; is_same && i < plan->count; i++) {
		const struct plan_item *item = &plan->items[i];

		is_same = item->id && is_same_item(find_item(&other, text_of(item->id)), item);
	}
	if (other.count == 0)
		is_same = plan_is_done(plan);
	plan_finish(&other);
	return is_same;
}

void plan_brief(const struct plan *plan, const char *name, struct buf *out)
{
	const struct plan_item *now = NULL;
	size_t done = 0;

	if (!plan->count)
		return;
	for (size_t i = 0; i < plan->count; i++) {
		done += plan->items[i].status == PLAN_COMPLETED;
		if (!now && plan->items[i].status == PLAN_IN_PROGRESS)
			now = &plan->items[i];
	}
	put_object(out, name);
	put_u64(out, "done", done);
	put_u64(out, "total", plan->count);
	if (now)
		json_member_text(out, "now", now->text);
	put_end(out);
}

void plan_json(const struct plan *plan, const char *name, struct buf *out)
{
	put_list(out, name);
	for (size_t i = 0; i < plan->count; i++) {
		const struct plan_item *item = &plan->items[i];

		put_object(out, NULL);
		put_word(out, "text", item->text ? item->text : "");
		json_member_text(out, "id", item->id);
		put_word(out, "status", status_names[item->status]);
		put_end(out);
	}
	put_list_end(out);
}

/* ---- changes ---- */

void changes_forget_files(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		free(changes->files[i].path);
		free(changes->files[i].kind);
	}
	free(changes->files);
	changes->files = NULL;
	changes->more += changes->count;
	changes->count = 0;
}

void changes_finish(struct changes *changes)
{
	changes_forget_files(changes);
	*changes = (struct changes){0};
}

static bool is_counted(struct changes *changes, struct text call)
{
	uint64_t id = call.len ? map_hash(CALL_SEED, call) : 0;

	if (!id)
		return false;
	for (unsigned i = 0; i < CALLS_KNOWN; i++)
		if (changes->calls[i] == id)
			return true;
	changes->calls[changes->next] = id;
	changes->next = (changes->next + 1) % CALLS_KNOWN;
	return false;
}

static struct changed_file *find_file(struct changes *changes, struct text path)
{
	for (size_t i = 0; i < changes->count; i++)
		if (text_is(path, changes->files[i].path))
			return &changes->files[i];
	if (changes->count == PLAN_FILES_MAX)
		return NULL;
	changes->files = must_grow(changes->files, (changes->count + 1) * sizeof(*changes->files));
	changes->files[changes->count] = (struct changed_file){.path = text_dup(path)};
	return &changes->files[changes->count++];
}

static uint64_t lines_of(yyjson_val *payload, const char *name)
{
	uint64_t lines = yyjson_get_uint(yyjson_obj_get(payload, name));

	return lines < LINES_MAX ? lines : LINES_MAX;
}

static uint64_t lines_sum(uint64_t a, uint64_t b)
{
	return a + b < LINES_MAX ? a + b : LINES_MAX;
}

static void add_to_file(struct changed_file *file, yyjson_val *from)
{
	struct text kind = json_text_at(from, "kind");
	uint64_t calls = lines_of(from, "calls");

	file->added = lines_sum(file->added, lines_of(from, "added"));
	file->removed = lines_sum(file->removed, lines_of(from, "removed"));
	file->calls += calls ? calls : 1;
	/* A file that was made here stays new when it is changed again. */
	if (!kind.len ||
	    (file->kind && strcmp(file->kind, "create") == 0 && text_is(kind, "update")))
		return;
	free(file->kind);
	file->kind = keep_text(kind, PLAN_WORDS_MAX);
}

static void take_change(struct changes *changes, yyjson_val *from)
{
	struct text path = utf8_cut(json_text_at(from, "path"), PLAN_PATH_MAX);
	struct changed_file *file;

	if (!path.len || memchr(path.at, '\0', path.len))
		return;
	changes->added += lines_of(from, "added");
	changes->removed += lines_of(from, "removed");
	file = find_file(changes, path);
	if (file)
		add_to_file(file, from);
	else
		changes->more++;
}

void changes_hear(struct changes *changes, yyjson_val *payload)
{
	if (!is_counted(changes, json_text_at(payload, "callId")))
		take_change(changes, payload);
}

void changes_brief(const struct changes *changes, const char *name, struct buf *out)
{
	if (!changes->count)
		return;
	put_object(out, name);
	put_u64(out, "files", changes->count + changes->more);
	put_u64(out, "added", changes->added);
	put_u64(out, "removed", changes->removed);
	put_end(out);
}

void changes_json(const struct changes *changes, const char *name, struct buf *out)
{
	put_list(out, name);
	for (size_t i = 0; i < changes->count; i++) {
		const struct changed_file *file = &changes->files[i];

		put_object(out, NULL);
		put_word(out, "path", file->path);
		json_member_text(out, "kind", file->kind);
		put_u64(out, "added", file->added);
		put_u64(out, "removed", file->removed);
		put_u64(out, "calls", file->calls);
		put_end(out);
	}
	put_list_end(out);
}

void changes_save(const struct changes *changes, const char *name, struct buf *out)
{
	put_object(out, name);
	changes_json(changes, "files", out);
	put_u64(out, "more", changes->more);
	put_u64(out, "added", changes->added);
	put_u64(out, "removed", changes->removed);
	put_list(out, "calls");
	for (unsigned i = 0; i < CALLS_KNOWN; i++) {
		uint64_t id = changes->calls[(changes->next + i) % CALLS_KNOWN];

		if (id)
			put_u64(out, NULL, id);
	}
	put_list_end(out);
	put_end(out);
}

void changes_load(struct changes *changes, yyjson_val *saved)
{
	yyjson_arr_iter files = yyjson_arr_iter_with(yyjson_obj_get(saved, "files"));
	yyjson_arr_iter calls = yyjson_arr_iter_with(yyjson_obj_get(saved, "calls"));
	yyjson_val *value;

	while ((value = yyjson_arr_iter_next(&files)))
		take_change(changes, value);
	changes->more = yyjson_get_uint(yyjson_obj_get(saved, "more"));
	changes->added = yyjson_get_uint(yyjson_obj_get(saved, "added"));
	changes->removed = yyjson_get_uint(yyjson_obj_get(saved, "removed"));
	while ((value = yyjson_arr_iter_next(&calls))) {
		changes->calls[changes->next] = yyjson_get_uint(value);
		changes->next = (changes->next + 1) % CALLS_KNOWN;
	}
}
