/* make.c - writing envelopes. */
#include "signal/make.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/visible.h"
#include "signal/json.h"

/* The bus takes 64 levels; the envelope, its payload and {"value":...} are three. */
#define DEPTH_MAX 60

/* --- the envelope -------------------------------------------------------------- */

static void add_comma(struct make *m)
{
	if (m->has_member)
		buf_add_char(m->out, ',');
	m->has_member = true;
}

void make_key(struct make *m, const char *key)
{
	size_t len = strlen(key);
	char *at = buf_reserve(m->out, len + 4);

	if (!at)
		return;
	*at = ',';
	at += m->has_member;
	*at++ = '"';
	memcpy(at, key, len);
	memcpy(at + len, "\":", 2);
	m->out->len = (size_t)(at + len + 2 - m->out->at);
	m->has_member = true;
}

/* The bus takes no name with a U+0000. */
static void add_name(struct make *m, const char *key, struct text name)
{
	struct buf shown;

	if (!name.at)
		return;
	if (!memchr(name.at, '\0', name.len)) {
		make_text(m, key, name);
		return;
	}
	buf_init(&shown, VISIBLE_GROWTH * name.len);
	visible_add(&shown, name, VISIBLE_MARK_LINES);
	make_text(m, key, buf_text(&shown));
	buf_finish(&shown);
}

static void add_id(struct make *m, const struct make_head *head)
{
	char uuid[RANDOM_UUID_LEN];
	struct text id = head->id;

	if (!id.len && head->is_new) {
		random_uuid(uuid);
		id = (struct text){uuid, sizeof(uuid)};
	}
	if (!id.len)
		return;
	add_name(m, "id", id);
	m->id_at = m->out->len - id.len - 1;
}

/* Whole milliseconds as such; a fraction with all its digits. */
static void add_time(struct make *m, const struct make_head *head)
{
	double at_ms = head->is_new && head->at_ms == 0 ? (double)clock_wall_ms() : head->at_ms;

	if (at_ms == 0)
		return;
	make_key(m, "timestamp");
	m->time_at = m->out->len;
	if (at_ms != floor(at_ms) || fabs(at_ms) >= MAKE_WHOLE_MAX)
		buf_print(m->out, "%.17g", at_ms);
	else if (at_ms < 0)
		buf_print(m->out, "%.0f", at_ms);
	else
		buf_add_u64(m->out, (uint64_t)at_ms); /* printf takes long */
}

void make_begin(struct make *m, struct buf *out, const struct make_head *head)
{
	*m = (struct make){.out = out};
	buf_add_char(out, '{');
	add_id(m, head);
	add_name(m, "type", head->type ? text_of(head->type) : head->type_text);
	add_time(m, head);
	add_name(m, "source", head->source);
	if (head->correlation.len)
		add_name(m, "correlationId", head->correlation);
}

static void begin_part(struct make *m, const char *key)
{
	if (m->has_part)
		buf_add_char(m->out, '}');
	m->has_member = true;
	make_key(m, key);
	buf_add_char(m->out, '{');
	m->has_member = false;
	m->has_part = true;
}

void make_payload(struct make *m)
{
	begin_part(m, "payload");
}

void make_metadata(struct make *m)
{
	begin_part(m, "metadata");
}

void make_begin_like(struct make *m, struct buf *out, struct text head)
{
	*m = (struct make){.out = out, .has_part = true};
	buf_add(out, head);
}

bool make_end(struct make *m)
{
	buf_add(m->out, m->has_part ? TEXT("}}") : TEXT("}"));
	return !m->broken && !m->out->full;
}

/* --- members ------------------------------------------------------------------- */

void make_text(struct make *m, const char *key, struct text value)
{
	make_key(m, key);
	buf_add_json(m->out, value);
}

void make_given(struct make *m, const char *key, struct text value)
{
	if (value.len)
		make_text(m, key, value);
}

void make_word(struct make *m, const char *key, const char *value)
{
	if (value)
		make_text(m, key, text_of(value));
}

void make_u64(struct make *m, const char *key, uint64_t value)
{
	make_key(m, key);
	buf_add_u64(m->out, value);
}

void make_bool(struct make *m, const char *key, bool value)
{
	make_key(m, key);
	buf_add(m->out, value ? TEXT("true") : TEXT("false"));
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

static void add_raw(struct make *m, struct text json)
{
	size_t was = m->out->len;

	if (make_depth(json) > DEPTH_MAX)
		m->broken = "a signal of more than 64 levels";
	buf_add(m->out, json);
	for (size_t i = was; i < m->out->len; i++)
		if (m->out->at[i] == '\n' || m->out->at[i] == '\r')
			m->out->at[i] = ' ';
}

static void add_value(struct make *m, yyjson_val *value)
{
	size_t len;
	char *json = yyjson_val_write(value, YYJSON_WRITE_NOFLAG, &len);

	if (json)
		add_raw(m, (struct text){json, len});
	else
		m->broken = "a value that cannot be written";
	free(json);
}

void make_json(struct make *m, const char *key, yyjson_val *value)
{
	if (!value)
		return;
	make_key(m, key);
	add_value(m, value);
}

void make_raw(struct make *m, const char *key, struct text json)
{
	if (json.len == 0)
		return;
	make_key(m, key);
	add_raw(m, json);
}

void make_object(struct make *m, const char *key, yyjson_val *value)
{
	if (!value)
		return;
	make_key(m, key);
	if (!yyjson_is_obj(value))
		buf_add(m->out, TEXT("{\"value\":"));
	add_value(m, value);
	if (!yyjson_is_obj(value))
		buf_add_char(m->out, '}');
}

void make_value(struct make *m, struct text key, yyjson_val *value)
{
	add_comma(m);
	buf_add_json(m->out, key);
	buf_add_char(m->out, ':');
	add_value(m, value);
}

void make_members(struct make *m, yyjson_val *object)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(object);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)))
		make_value(m, json_text(key), yyjson_obj_iter_get_val(key));
}
