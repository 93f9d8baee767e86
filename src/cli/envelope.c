/* envelope.c - a signal on its way to the box gets an id. */
#include "cli/envelope.h"

#include <yyjson.h>

#include "base/put.h"
#include "base/random.h"

static void add_id(struct buf *out)
{
	char id[RANDOM_UUID_LEN];

	random_uuid(id);
	buf_print(out, "{\"id\":\"%.*s\",", RANDOM_UUID_LEN, id);
}

bool envelope_add(struct buf *out, struct text raw)
{
	yyjson_doc *doc = yyjson_read(raw.at, raw.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_val *id = yyjson_obj_get(root, "id");
	bool is_object = yyjson_is_obj(root), twice = true;

	if (is_object && !yyjson_is_str(yyjson_obj_get(root, "type"))) {
		add_id(out);
		put_word(out, "type", "event");
		put_json(out, "payload", raw);
		buf_add_char(out, '}');
	} else if (is_object && !id) {
		size_t brace = (size_t)text_find(raw, '{');

		add_id(out);
		buf_add(out, (struct text){raw.at + brace + 1, raw.len - brace - 1});
	} else {
		twice = !yyjson_is_null(id);
		buf_add(out, raw);
	}
	yyjson_doc_free(doc);
	return twice;
}

static void add_member(struct buf *out, struct text name, const char *value)
{
	if (!value)
		return;
	buf_add_char(out, ',');
	buf_add_json(out, name);
	buf_add_char(out, ':');
	buf_add_json(out, text_of(value));
}

static bool is_object(struct text json)
{
	yyjson_doc *doc = yyjson_read(json.at, json.len, 0);
	bool result = yyjson_is_obj(yyjson_doc_get_root(doc));

	yyjson_doc_free(doc);
	return result;
}

bool envelope_build(struct buf *out, const struct envelope_parts *parts, struct error *why)
{
	struct text payload = text_of(parts->payload ? parts->payload : "{}");

	if (!is_object(payload))
		return error_set(why, "--payload is a JSON object, like '{\"text\":\"hello\"}'");
	add_id(out);
	put_word(out, "type", parts->type);
	add_member(out, TEXT("source"), parts->source);
	add_member(out, TEXT("correlationId"), parts->correlation);
	put_json(out, "payload", payload);
	buf_add_char(out, '}');
	return true;
}
