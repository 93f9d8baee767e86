/* delta.c - how deltas are told apart and joined. */
#include "run/delta.h"

static bool read_delta(yyjson_val *root, struct buf *key, struct coalesce_piece *out)
{
	yyjson_val *data = yyjson_obj_get(root, "data"), *text = yyjson_obj_get(data, "text");
	yyjson_val *count = yyjson_obj_get(data, "coalesced");

	if (!yyjson_equals_str(yyjson_obj_get(root, "event"), "llm/delta") || !yyjson_is_str(text))
		return false;
	coalesce_name(key, json_text(yyjson_obj_get(root, "run")));
	coalesce_name(key, json_text(yyjson_obj_get(data, "invokeid")));
	coalesce_name(key, json_text(yyjson_obj_get(data, "session-id")));
	coalesce_name(key, json_text(yyjson_obj_get(data, "subagent")));
	coalesce_name(key, json_text(yyjson_obj_get(data, "type")));
	out->text = json_text(text);
	if (yyjson_is_uint(count))
		out->count = yyjson_get_uint(count);
	return true;
}

static void write_delta(yyjson_mut_doc *doc, const struct coalesce_piece *all)
{
	yyjson_mut_val *data = yyjson_mut_obj_get(yyjson_mut_doc_get_root(doc), "data");

	yyjson_mut_obj_put(data, yyjson_mut_str(doc, "text"),
	                   yyjson_mut_strn(doc, all->text.at, all->text.len));
	yyjson_mut_obj_put(data, yyjson_mut_str(doc, "coalesced"),
	                   yyjson_mut_uint(doc, all->count));
}

const struct coalesce_kind coalesce_deltas = {read_delta, write_delta};
