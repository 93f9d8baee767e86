/* json.c - yyjson on memory of our own.
 *
 * yyjson reads in place, in our copy of the text, and takes its memory from a
 * pool that is large enough for any text of that length.  So reading allocates
 * nothing once the memory is there, and a document is let go by reading the next.
 */
#include "signal/json.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"

#define READ_FLAGS (YYJSON_READ_INSITU | YYJSON_READ_BIGNUM_AS_RAW)

/* The memory for ordinary texts stays; what one large text needed is given back
 * when the next small one comes. */
#define POOL_KEEP MIB

static void *take(void *self, size_t size)
{
	return must_alloc(size);
}

static void *grow(void *self, void *old, size_t old_size, size_t size)
{
	return must_grow(old, size);
}

static void give(void *self, void *at)
{
	free(at);
}

const yyjson_alc json_memory = {take, grow, give, NULL};

void json_reader_init(struct json_reader *reader, size_t max)
{
	*reader = (struct json_reader){0};
	buf_init(&reader->copy, max + YYJSON_PADDING_SIZE);
}

void json_reader_finish(struct json_reader *reader)
{
	buf_finish(&reader->copy);
	free(reader->pool);
	reader->pool = NULL;
	reader->pool_room = 0;
}

static void make_room(struct json_reader *reader, size_t len)
{
	size_t need = yyjson_read_max_memory_usage(len, READ_FLAGS);
	size_t room = 16 * KIB;

	if (need <= reader->pool_room && (need > POOL_KEEP || reader->pool_room <= POOL_KEEP))
		return;
	while (room < need)
		room *= 2;
	free(reader->pool);
	reader->pool = must_alloc(room);
	reader->pool_room = room;
}

static bool load_raw(struct json_reader *reader, struct text raw)
{
	static const char padding[YYJSON_PADDING_SIZE];

	buf_clear(&reader->copy);
	return buf_add(&reader->copy, raw) &&
	       buf_add(&reader->copy, (struct text){padding, sizeof(padding)});
}

static yyjson_doc *parse(struct json_reader *reader, yyjson_read_err *err)
{
	yyjson_alc pool;

	yyjson_alc_pool_init(&pool, reader->pool, reader->pool_room);
	return yyjson_read_opts(reader->copy.at, reader->copy.len - YYJSON_PADDING_SIZE, READ_FLAGS,
	                        &pool, err);
}

/* The four hexadecimal digits of an escape \uXXXX at `at`; -1 if it is none. */
static int escape_at(const char *at, const char *end)
{
	int code = 0;

	if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		int c = at[i] | 0x20;

		if (at[i] >= '0' && at[i] <= '9')
			code = code * 16 + (at[i] - '0');
		else if (c >= 'a' && c <= 'f')
			code = code * 16 + (c - 'a' + 10);
		else
			return -1;
	}
	return code;
}

static bool is_high(int code)
{
	return code >= 0xD800 && code <= 0xDBFF;
}

static bool is_low(int code)
{
	return code >= 0xDC00 && code <= 0xDFFF;
}

/* Writes \uFFFD over each escape of half a surrogate pair: same length, so that
 * nothing moves.  A backslash outside a string is an error anyway, so strings
 * need not be told from the rest.  Says whether there was any. */
static bool mend_surrogates(char *at, char *end)
{
	bool mended = false;

	while (at < end && (at = memchr(at, '\\', (size_t)(end - at)))) {
		int code = escape_at(at, end);

		if (code < 0) {
			at += 2;
			continue;
		}
		if (is_high(code) && is_low(escape_at(at + 6, end))) {
			at += 12;
			continue;
		}
		if (is_high(code) || is_low(code)) {
			memcpy(at, "\\uFFFD", 6);
			mended = true;
		}
		at += 6;
	}
	return mended;
}

yyjson_doc *json_read(struct json_reader *reader, struct text raw, struct error *why)
{
	yyjson_doc *doc;
	yyjson_read_err err;

	make_room(reader, raw.len);
	if (raw.len == 0 || !load_raw(reader, raw)) {
		error_set(why, raw.len ? "too big" : "not JSON: nothing there");
		return NULL;
	}
	doc = parse(reader, &err);
	if (!doc && err.code == YYJSON_READ_ERROR_INVALID_STRING && load_raw(reader, raw) &&
	    mend_surrogates(reader->copy.at, reader->copy.at + raw.len))
		doc = parse(reader, &err);
	if (!doc)
		error_set(why, "not JSON: %s at byte %zu", err.msg, err.pos);
	return doc;
}

bool json_number(yyjson_val *value, double *out)
{
	yyjson_val number;

	if (yyjson_is_num(value)) {
		*out = yyjson_get_num(value);
		return true;
	}
	if (!yyjson_is_raw(value))
		return false;
	if (!yyjson_read_number(yyjson_get_raw(value), &number, 0, NULL, NULL))
		return false;
	*out = yyjson_get_num(&number);
	return true;
}

bool json_is_deeper(yyjson_val *value, unsigned levels)
{
	size_t i, max;
	yyjson_val *key, *one;

	if (!yyjson_is_ctn(value) || levels == 0)
		return yyjson_is_ctn(value);
	yyjson_arr_foreach(value, i, max, one)
	{
		if (json_is_deeper(one, levels - 1))
			return true;
	}
	yyjson_obj_foreach(value, i, max, key, one)
	{
		if (json_is_deeper(one, levels - 1))
			return true;
	}
	return false;
}

bool json_add(struct buf *out, yyjson_val *value)
{
	size_t len;
	char *json;
	bool ok;

	if (yyjson_is_str(value))
		return buf_add_json(out, json_text(value));
	json = yyjson_val_write(value, YYJSON_WRITE_ALLOW_INVALID_UNICODE, &len);
	if (!json)
		return false;
	ok = buf_add(out, (struct text){json, len});
	free(json);
	return ok;
}

static bool add_whole_number(struct buf *out, double number)
{
	size_t was = out->len;

	if ((number >= 0 || buf_add_char(out, '-')) && buf_add_u64(out, (uint64_t)fabs(number)))
		return true;
	out->len = was;
	return false;
}

bool json_add_number(struct buf *out, double number)
{
	yyjson_val value = {0};

	if (!isfinite(number))
		return buf_add(out, TEXT("null"));
	if (number == trunc(number) && fabs(number) < 1e15)
		return add_whole_number(out, number);
	yyjson_set_real(&value, number);
	return json_add(out, &value);
}

/* --- members --------------------------------------------------------------- */

static bool is_named(yyjson_val *key, const char *const *names)
{
	while (*names && !yyjson_equals_str(key, *names))
		names++;
	return *names != NULL;
}

void json_add_members(struct buf *out, yyjson_val *object, const char *const *without, char before)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(object);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&it))) {
		if (is_named(key, without))
			continue;
		buf_add_char(out, before);
		json_add(out, key);
		buf_add_char(out, ':');
		json_add(out, yyjson_obj_iter_get_val(key));
		before = ',';
	}
}

/* Without a format: a checkpoint of thousands of runs is mostly this. */
static void add_name(struct buf *out, const char *name)
{
	buf_add(out, TEXT(",\""));
	buf_add(out, text_of(name));
	buf_add(out, TEXT("\":"));
}

void json_member_text(struct buf *out, const char *name, const char *text)
{
	if (!text)
		return;
	add_name(out, name);
	buf_add_json(out, text_of(text));
}

void json_member_json(struct buf *out, const char *name, const char *json)
{
	if (!json)
		return;
	add_name(out, name);
	buf_add(out, text_of(json));
}

void json_member_number(struct buf *out, const char *name, double number)
{
	add_name(out, name);
	json_add_number(out, number);
}

void json_member_count(struct buf *out, const char *name, uint64_t count)
{
	add_name(out, name);
	buf_add_u64(out, count);
}
