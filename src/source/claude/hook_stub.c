/* hook_stub.c - leaving out what is long. */
#include "source/claude/hook_stub.h"

#include <yyjson.h>

#include "base/put.h"
#include "base/utf8.h"
#include "signal/json.h"

#define MEMBER_MAX (4 * KIB) /* of one that stays as it is */
#define MEMBERS_MAX 64
#define LEVELS_MAX 32      /* of one that stays: a signal holds 64 */
#define STUB_MAX (2 * MIB) /* escaped */

static void hook_stub_add_value(struct buf *out, yyjson_val *value)
{
	struct text words = json_text(value);
	struct buf text;

	buf_init(&text, MEMBER_MAX);
	if (!yyjson_is_str(value) && !json_is_deeper(value, LEVELS_MAX) && json_add(&text, value))
		buf_add(out, buf_text(&text));
	else if (yyjson_is_str(value))
		buf_add_json(out, utf8_cut(words, MEMBER_MAX));
	else if (yyjson_is_obj(value)) {
		put_object(out, NULL);
		put_bool(out, "cut", true);
		put_end(out);
	} else
		buf_add(out, TEXT("\"cut\""));
	buf_finish(&text);
}

static void hook_stub_add_members(struct buf *out, yyjson_val *root)
{
	unsigned count = 0;
	yyjson_obj_iter iter = yyjson_obj_iter_with(root);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) && count++ < MEMBERS_MAX) {
		struct text name = json_text(key);

		if (name.len > MEMBER_MAX || text_is(name, "cut"))
			continue;
		buf_add_json(out, name);
		buf_add_char(out, ':');
		hook_stub_add_value(out, yyjson_obj_iter_get_val(key));
		buf_add_char(out, ',');
	}
}

bool hook_stub(struct buf *out, struct text payload, uint64_t whole)
{
	struct text first = utf8_cut(payload, HOOK_STUB_FIRST);
	yyjson_doc *doc = yyjson_read(payload.at, payload.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_val *began = yyjson_obj_get(yyjson_obj_get(root, "cut"), "first");
	bool is_known = yyjson_is_str(yyjson_obj_get(root, "hook_event_name"));

	/* Who sent it may have made a stub of it already. */
	if (whole > payload.len && yyjson_is_str(began))
		first = utf8_cut(json_text(began), HOOK_STUB_FIRST);
	buf_init(out, STUB_MAX);
	buf_add_char(out, '{');
	if (is_known)
		hook_stub_add_members(out, root);
	else {
		put_word(out, "hook_event_name", "cut");
		buf_add_char(out, ',');
	}
	put_object(out, "cut");
	put_u64(out, "bytes", whole > payload.len ? whole : payload.len);
	put_text(out, "first", first);
	put_end(out);
	put_end(out);
	yyjson_doc_free(doc);
	return is_known;
}
