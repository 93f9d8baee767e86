/* words.c - pieces of a message as signals, to be joined for a client that is slow.
 *
 * `text_delta` and `thinking` of one agent, episode and source, one after the other, become
 * the last of them with all of their content, and metadata.coalesced {from,count}.
 */
#include "hub/inside.h"

static bool read_words(yyjson_val *root, struct buf *key, struct coalesce_piece *out)
{
	struct text type = json_text(yyjson_obj_get(root, "type"));
	yyjson_val *payload = yyjson_obj_get(root, "payload");
	yyjson_val *content = yyjson_obj_get(payload, "content");

	if ((!text_is(type, "text_delta") && !text_is(type, "thinking")) || !yyjson_is_str(content))
		return false;
	coalesce_name(key, type);
	coalesce_name(key, json_text(yyjson_obj_get(root, "source")));
	coalesce_name(key, json_text(yyjson_obj_get(root, "correlationId")));
	coalesce_name(key, json_text(yyjson_obj_get(payload, "agentId")));
	out->text = json_text(content);
	out->seq = yyjson_get_uint(yyjson_obj_get(root, "seq"));
	return true;
}

static void write_words(yyjson_mut_doc *doc, const struct coalesce_piece *all)
{
	yyjson_mut_val *root = yyjson_mut_doc_get_root(doc), *joined = yyjson_mut_obj(doc);
	yyjson_mut_val *metadata = yyjson_mut_obj_get(root, "metadata");

	yyjson_mut_obj_put(yyjson_mut_obj_get(root, "payload"), yyjson_mut_str(doc, "content"),
	                   yyjson_mut_strn(doc, all->text.at, all->text.len));
	if (!metadata)
		metadata = yyjson_mut_obj_add_obj(doc, root, "metadata");
	yyjson_mut_obj_add_uint(doc, joined, "from", all->seq);
	yyjson_mut_obj_add_uint(doc, joined, "count", all->count);
	yyjson_mut_obj_put(metadata, yyjson_mut_str(doc, "coalesced"), joined);
}

const struct coalesce_kind coalesce_words = {read_words, write_words};
