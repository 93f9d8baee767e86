/* make.c - writing envelopes.
 *
 * Members are appended to one buffer that the stream keeps; what passes its
 * ceiling breaks the envelope, which is then told as bad instead of given.
 */
#include "parse/make.h"

#include <math.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/visible.h"
#include "parse/inside.h"

/* The bus takes 64 levels; the envelope, its payload and {"value":...} are three. */
#define DEPTH_MAX 60

/* --- the envelope -------------------------------------------------------------- */

static void add_key(struct parse *p, const char *key)
{
	if (p->has_member)
		buf_add_char(&p->out, ',');
	p->has_member = true;
	buf_add_char(&p->out, '"');
	buf_add(&p->out, text_of(key));
	buf_add(&p->out, TEXT("\":"));
}

/* The bus takes no name with a U+0000. */
static void add_name(struct parse *p, const char *key, struct text name)
{
	struct buf shown;

	if (!name.len || !memchr(name.at, '\0', name.len)) {
		make_text(p, key, name);
		return;
	}
	buf_init(&shown, VISIBLE_GROWTH * name.len);
	visible_add(&shown, name, VISIBLE_MARK_LINES);
	make_text(p, key, buf_text(&shown));
	buf_finish(&shown);
}

/* A version 8 UUID: ours to fill. */
static void seeded_uuid(struct parse *p, char out[RANDOM_UUID_LEN])
{
	uint64_t of[2] = {p->seed, ++p->seeded};
	XXH128_hash_t hash = XXH3_128bits(of, sizeof(of));
	char uuid[RANDOM_UUID_LEN + 1];

	snprintf(uuid, sizeof(uuid), "%08x-%04x-8%03x-%04x-%012llx", (unsigned)(hash.high64 >> 32),
	         (unsigned)(hash.high64 >> 16 & 0xffff), (unsigned)(hash.high64 & 0xfff),
	         (unsigned)(0x8000 | (hash.low64 >> 48 & 0x3fff)),
	         (unsigned long long)(hash.low64 & 0xffffffffffff));
	memcpy(out, uuid, RANDOM_UUID_LEN);
}

static void add_id(struct parse *p, struct text id)
{
	char uuid[RANDOM_UUID_LEN];

	if (id.len == 0) {
		if (p->seed)
			seeded_uuid(p, uuid);
		else
			random_uuid(uuid);
		id = (struct text){uuid, sizeof(uuid)};
	}
	add_name(p, "id", id);
}

static void add_time(struct parse *p, double at_ms)
{
	int64_t now;

	add_key(p, "timestamp");
	if (at_ms != 0 && isfinite(at_ms)) {
		/* Whole milliseconds as such; a fraction with all its digits. */
		buf_print(&p->out, at_ms == floor(at_ms) && fabs(at_ms) < 1e15 ? "%.0f" : "%.17g",
		          at_ms);
		return;
	}
	now = p->options.now_ms ? p->options.now_ms() : clock_wall_ms();
	now = p->at_ms ? p->at_ms : now;
	buf_print(&p->out, "%lld", (long long)now);
}

static struct text either(struct text first, struct text second)
{
	return first.len ? first : second;
}

void make_head(struct parse *p, const struct make_head *head)
{
	struct text correlation = either(head->correlation, p->options.correlation);

	buf_clear(&p->out);
	p->has_member = p->has_metadata = false;
	p->broken = NULL;
	buf_add_char(&p->out, '{');
	add_id(p, head->id);
	add_name(p, "type", head->type ? text_of(head->type) : head->type_text);
	add_time(p, head->at_ms);
	add_name(p, "source", either(head->source, p->options.source));
	if (correlation.len)
		add_name(p, "correlationId", correlation);
	add_key(p, "payload");
	buf_add_char(&p->out, '{');
	p->has_member = false;
}

void make_begin(struct parse *p, const char *type)
{
	make_head(p, &(struct make_head){.type = type});
}

void make_metadata(struct parse *p)
{
	buf_add(&p->out, TEXT("},\"metadata\":{"));
	p->has_member = false;
	p->has_metadata = true;
}

void make_end(struct parse *p)
{
	buf_add(&p->out, TEXT("}}"));
	if (p->out.full)
		p->broken = "a signal larger than 1 MiB";
	if (p->broken)
		parse_bad(p, "%s", p->broken);
	else
		p->options.signal(p->options.self, buf_text(&p->out));
}

/* --- members ------------------------------------------------------------------- */

void make_text(struct parse *p, const char *key, struct text value)
{
	add_key(p, key);
	buf_add_json(&p->out, value);
}

void make_given(struct parse *p, const char *key, struct text value)
{
	if (value.len)
		make_text(p, key, value);
}

void make_u64(struct parse *p, const char *key, uint64_t value)
{
	add_key(p, key);
	buf_add_u64(&p->out, value);
}

void make_bool(struct parse *p, const char *key, bool value)
{
	add_key(p, key);
	buf_add(&p->out, value ? TEXT("true") : TEXT("false"));
}

unsigned make_depth(struct text json)
{
	unsigned depth = 0, deepest = 0;

	for (size_t i = 0; i < json.len; i++) {
		char c = json.at[i];

		if (c == '"') {
			while (json.at[++i] != '"')
				i += json.at[i] == '\\';
		} else if (c == '{' || c == '[') {
			deepest = ++depth > deepest ? depth : deepest;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return deepest;
}

static void add_raw(struct parse *p, struct text json)
{
	size_t was = p->out.len;

	if (make_depth(json) > DEPTH_MAX)
		p->broken = "a signal of more than 64 levels";
	buf_add(&p->out, json);
	for (size_t i = was; i < p->out.len; i++)
		if (p->out.at[i] == '\n' || p->out.at[i] == '\r')
			p->out.at[i] = ' ';
}

static void add_value(struct parse *p, yyjson_val *value)
{
	size_t len;
	char *json = yyjson_val_write(value, YYJSON_WRITE_NOFLAG, &len);

	if (json)
		add_raw(p, (struct text){json, len});
	else
		p->broken = "a value that cannot be written";
	free(json);
}

void make_json(struct parse *p, const char *key, yyjson_val *value)
{
	if (!value)
		return;
	add_key(p, key);
	add_value(p, value);
}

void make_raw(struct parse *p, const char *key, struct text json)
{
	if (json.len == 0)
		return;
	add_key(p, key);
	add_raw(p, json);
}

void make_object(struct parse *p, const char *key, yyjson_val *value)
{
	if (!value)
		return;
	add_key(p, key);
	if (!yyjson_is_obj(value))
		buf_add(&p->out, TEXT("{\"value\":"));
	add_value(p, value);
	if (!yyjson_is_obj(value))
		buf_add_char(&p->out, '}');
}

void make_input(struct parse *p, const char *key, struct text json)
{
	struct text given = json;
	yyjson_doc *doc;

	json = text_trim(json);
	doc = json.len ? json_read(&p->input, json, NULL) : NULL;
	add_key(p, key);
	if (doc && yyjson_is_obj(yyjson_doc_get_root(doc))) {
		add_raw(p, json);
		return;
	}
	buf_add_char(&p->out, '{');
	p->has_member = false;
	if (doc)
		make_raw(p, "value", json);
	else
		make_given(p, "value", json.len ? given : json);
	buf_add_char(&p->out, '}');
	p->has_member = true;
}

void make_value(struct parse *p, struct text key, yyjson_val *value)
{
	if (p->has_member)
		buf_add_char(&p->out, ',');
	p->has_member = true;
	buf_add_json(&p->out, key);
	buf_add_char(&p->out, ':');
	add_value(p, value);
}

void make_members(struct parse *p, yyjson_val *object)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(object);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)))
		make_value(p, json_text(key), yyjson_obj_iter_get_val(key));
}
