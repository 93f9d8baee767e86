/* toil.c - calls of tools. */
#include "crew/toil.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "bus/folds.h"
#include "crew/toil_inside.h"

#define LONGEST_MS (7 * 24 * TOIL_HOUR_MS) /* of one call: a clock is wrong beyond */
#define NEWEST_HOUR 4294967295.0
#define SAVED_MAX (16 * MIB)
#define KEY_MAX_BYTES 600
#define SHORT_KEY_MAX 64 /* bytes that are kept as they are */

/* ---- what is known ---- */

static void set_init(struct toil_set *set)
{
	map_init(&set->by_key);
	list_init(&set->all);
	set->count = 0;
}

static void set_add(struct toil_set *set, char *key, void *one, struct link *in_list)
{
	map_set(&set->by_key, text_of(key), one);
	list_add(&set->all, in_list);
	set->count++;
}

static void set_remove(struct toil_set *set, char *key, struct link *in_list)
{
	map_remove(&set->by_key, text_of(key));
	list_remove(in_list);
	set->count--;
	free(key);
}

static void drop_row(struct toil *t, struct toil_row *row)
{
	set_remove(&t->rows, row->key, &row->in_list);
	free(row);
}

static void drop_call(struct toil *t, struct toil_call *call)
{
	set_remove(&t->calls, call->key, &call->in_list);
	free(call);
}

/* Of the hour and a name that can be shown: what is saved stays small, whatever it is. */
static char *row_key(uint32_t hour, struct text tool)
{
	struct buf name;
	char *key;

	buf_init(&name, 4 * KIB);
	utf8_add_shown(&name, utf8_cut(tool, TOIL_NAME_MAX));
	key = must_print("%u %.*s", hour, TEXT_ARG(utf8_cut(buf_text(&name), TOIL_NAME_MAX)));
	buf_finish(&name);
	return key;
}

static struct toil_row *need_row(struct toil *t, uint32_t hour, struct text tool)
{
	char *key = row_key(hour, tool);
	struct toil_row *row = map_get(&t->rows.by_key, text_of(key));

	if (row) {
		free(key);
		return row;
	}
	if (t->rows.count == TOIL_ROWS_MAX)
		drop_row(t, list_of(t->rows.all.next, struct toil_row, in_list));
	row = must_zero(1, sizeof(*row));
	row->key = key;
	row->hour = hour;
	row->tool = strchr(key, ' ') + 1;
	set_add(&t->rows, key, row, &row->in_list);
	return row;
}

static bool is_short(struct text key)
{
	for (size_t i = 0; i < key.len; i++)
		if ((unsigned char)key.at[i] < ' ')
			return false;
	return key.len <= SHORT_KEY_MAX;
}

/* A key that is long, or long when it is saved, is known by its hash. */
static char *short_key(struct text key)
{
	return is_short(key) ? text_dup(key)
	                     : must_print("#%016llx", (unsigned long long)map_hash(1, key));
}

static struct toil_call *need_call(struct toil *t, struct text long_key, bool *is_new)
{
	char *key = short_key(long_key);
	struct toil_call *call = map_get(&t->calls.by_key, text_of(key));

	*is_new = !call;
	if (call)
		free(key);
	if (call)
		return call;
	if (t->calls.count == TOIL_CALLS_MAX)
		drop_call(t, list_of(t->calls.all.next, struct toil_call, in_list));
	call = must_zero(1, sizeof(*call));
	call->key = key;
	set_add(&t->calls, call->key, call, &call->in_list);
	return call;
}

/* ---- hearing ---- */

static bool has_nul(struct text text)
{
	return text.len > 0 && memchr(text.at, '\0', text.len);
}

static uint32_t hour_of(double at_ms)
{
	double hour = floor(at_ms / TOIL_HOUR_MS);

	return hour >= 0 && hour <= NEWEST_HOUR ? (uint32_t)hour : 0;
}

static double time_of(yyjson_val *metadata, const struct toil_call *call, double at_ms)
{
	double ms = 0;

	if (!json_number(yyjson_obj_get(metadata, "duration_ms"), &ms))
		ms = call->at_ms > 0 ? at_ms - call->at_ms : 0;
	return ms > 0 && ms <= LONGEST_MS ? ms : 0;
}

static void hear_return(struct toil *t, const struct signal *s, struct toil_call *call,
                        yyjson_val *payload)
{
	struct text tool = json_text_at(payload, "toolName");
	struct toil_row *row;

	if (call->is_over)
		return;
	call->is_over = true;
	row = need_row(t, hour_of(s->at_ms), tool.len && !has_nul(tool) ? tool : TEXT("tool"));
	row->calls++;
	row->failures += yyjson_is_false(yyjson_obj_get(payload, "success"));
	row->ms += time_of(yyjson_obj_get(s->envelope, "metadata"), call, s->at_ms);
}

static void hear_tool(struct toil *t, const struct signal *s, bool is_return)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	struct text id = json_text_at(payload, "callId");
	struct toil_call *call;
	bool is_new;
	char *key;

	if (id.len == 0 || id.len > KEY_MAX_BYTES || has_nul(id))
		return; /* nobody could tell it from another */
	key = must_print("%.*s\n%.*s", TEXT_ARG(utf8_cut(s->correlation, KEY_MAX_BYTES)),
	                 TEXT_ARG(id));
	call = need_call(t, text_of(key), &is_new);
	free(key);
	if (is_return)
		hear_return(t, s, call, payload);
	else if (is_new)
		call->at_ms = s->at_ms;
}

static bool toil_wants(const struct signal *s)
{
	return s->kind == KIND_TOOL_CALL || s->kind == KIND_TOOL_RESULT;
}

void toil_hear(struct toil *t, const struct signal *s)
{
	if (!toil_wants(s) || s->correlation.len == 0 || has_nul(s->correlation))
		return;
	hear_tool(t, s, s->kind == KIND_TOOL_RESULT);
}

/* ---- the fold ---- */

static void toil_hears(void *self, const struct signal *s)
{
	toil_hear(self, s);
}

/* In the order in which they were heard: the same signals give the same bytes. */
static void toil_save(const void *self, struct buf *out)
{
	const struct toil *t = self;

	put_object(out, NULL);
	put_list(out, "rows");
	list_each(&t->rows.all, l) {
		const struct toil_row *row = list_of(l, struct toil_row, in_list);

		put_list(out, NULL);
		put_u64(out, NULL, row->hour);
		put_word(out, NULL, row->tool);
		put_u64(out, NULL, row->calls);
		put_u64(out, NULL, row->failures);
		put_key(out, NULL);
		json_add_number(out, row->ms);
		put_list_end(out);
	}
	put_list_end(out);
	put_list(out, "calls");
	list_each(&t->calls.all, l) {
		const struct toil_call *call = list_of(l, struct toil_call, in_list);

		put_list(out, NULL);
		put_word(out, NULL, call->key);
		put_key(out, NULL);
		json_add_number(out, call->is_over ? -1 : call->at_ms);
		put_list_end(out);
	}
	put_list_end(out);
	put_end(out);
}

/* Items of a list that was saved; false: one is not good. */
static bool load_each(struct toil *t, yyjson_val *list,
                      bool (*load)(struct toil *t, yyjson_val *one))
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(list);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&iter)))
		if (!load(t, one))
			return false;
	return yyjson_is_arr(list);
}

static bool load_hour(yyjson_val *saved, uint32_t *hour)
{
	*hour = (uint32_t)yyjson_get_uint(saved);
	return yyjson_is_uint(saved) && yyjson_get_uint(saved) <= UINT32_MAX;
}

static bool load_row(struct toil *t, yyjson_val *saved)
{
	struct text tool = json_text(yyjson_arr_get(saved, 1));
	struct toil_row *row;
	uint32_t hour;
	double ms;

	if (!load_hour(yyjson_arr_get(saved, 0), &hour) || has_nul(tool) ||
	    !json_number(yyjson_arr_get(saved, 4), &ms))
		return false;
	row = need_row(t, hour, tool);
	row->calls += yyjson_get_uint(yyjson_arr_get(saved, 2));
	row->failures += yyjson_get_uint(yyjson_arr_get(saved, 3));
	row->ms += ms;
	return true;
}

static bool load_call(struct toil *t, yyjson_val *saved)
{
	struct text key = json_text(yyjson_arr_get(saved, 0));
	struct toil_call *call;
	double at_ms;
	bool is_new;

	if (key.len == 0 || has_nul(key) || !json_number(yyjson_arr_get(saved, 1), &at_ms))
		return false;
	call = need_call(t, key, &is_new);
	call->is_over = at_ms < 0;
	call->at_ms = at_ms < 0 ? 0 : at_ms;
	return true;
}

static void toil_clear(struct toil *t)
{
	list_each(&t->rows.all, l)
		drop_row(t, list_of(l, struct toil_row, in_list));
	list_each(&t->calls.all, l)
		drop_call(t, list_of(l, struct toil_call, in_list));
}

static bool toil_load(void *self, struct text saved, uint64_t *seq)
{
	struct toil *t = self;
	yyjson_val *root = yyjson_doc_get_root(json_read(&t->reader, saved, NULL));

	(void)seq;
	if (load_each(t, yyjson_obj_get(root, "rows"), load_row) &&
	    load_each(t, yyjson_obj_get(root, "calls"), load_call))
		return true;
	toil_clear(t);
	return false;
}

const struct fold_kind toil_fold = {
	.name = "toil",
	.pace = FOLD_LATER,
	.saved_max = SAVED_MAX,
	.newest_alone = true,
	.wants = toil_wants,
	.hear = toil_hears,
	.save = toil_save,
	.load = toil_load,
};

/* ---- life ---- */

struct toil *toil_create(void)
{
	struct toil *t = must_zero(1, sizeof(*t));

	set_init(&t->rows);
	set_init(&t->calls);
	json_reader_init(&t->reader, SAVED_MAX);
	return t;
}

void toil_destroy(struct toil *t)
{
	if (!t)
		return;
	toil_clear(t);
	map_finish(&t->rows.by_key);
	map_finish(&t->calls.by_key);
	json_reader_finish(&t->reader);
	free(t);
}
