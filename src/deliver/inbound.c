/* inbound.c - a message of a person, from a JSON line. */
#include "deliver/inbound.h"

#include "deliver/files.h"

static bool take_id(yyjson_val *root, const char *name, struct text *out, struct error *why)
{
	*out = json_text_at(root, name);
	if (out->len > CHANNEL_ID_MAX || (out->len && memchr(out->at, '\0', out->len)))
		return error_set(why, "'%s' is no id of at most %d bytes", name, CHANNEL_ID_MAX);
	return true;
}

static struct text last_of(struct text where)
{
	for (size_t i = where.len; i-- > 0;)
		if (where.at[i] == '/')
			return (struct text){where.at + i + 1, where.len - i - 1};
	return where;
}

static bool take_file(yyjson_val *from, struct channel_file *file, struct error *why)
{
	struct text url = json_text_at(from, "url");

	*file = (struct channel_file){.name = json_text_at(from, "name"),
	                              .type = json_text_at(from, "type"),
	                              .where = url.len ? url : json_text_at(from, "path")};
	if (!file->where.len || file->where.len > CHANNEL_WHERE_MAX ||
	    memchr(file->where.at, '\0', file->where.len))
		return error_set(why, "a file has a 'path' or a 'url' of at most %d bytes",
		                 CHANNEL_WHERE_MAX);
	if (url.len && !text_starts(url, TEXT("http://")) && !text_starts(url, TEXT("https://")))
		return error_set(why, "the 'url' of a file begins with http:// or https://");
	if (!file->name.len)
		file->name = last_of(file->where);
	if (!file->type.len)
		file->type = files_type_of(file->name);
	file->kind = yyjson_is_true(yyjson_obj_get(from, "voice")) ? CHANNEL_VOICE
	                                                           : files_kind_of(file->type);
	return true;
}

static bool take_files(yyjson_val *list, struct inbound_files *files, struct channel_inbound *out,
                       struct error *why)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	yyjson_val *one;

	if (yyjson_arr_size(list) > CHANNEL_FILES_MAX)
		return error_set(why, "more than %d files", CHANNEL_FILES_MAX);
	while ((one = yyjson_arr_iter_next(&it)))
		if (!take_file(one, &files->list[out->file_count++], why))
			return false;
	out->files = files->list;
	return true;
}

bool inbound_read(struct json_reader *reader, struct text line, struct inbound_files *files,
                  struct channel_inbound *out, struct error *why)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, line, why));
	struct text kind = json_text_at(root, "kind");

	*out = (struct channel_inbound){.kind = CHANNEL_DM};
	if (!root)
		return false;
	if (!yyjson_is_obj(root))
		return error_set(why, "a message is an object");
	if (!take_id(root, "id", &out->message, why) || !take_id(root, "from", &out->sender, why) ||
	    !take_id(root, "name", &out->sender_name, why) ||
	    !take_id(root, "peer", &out->peer, why) ||
	    !take_id(root, "thread", &out->thread, why) ||
	    !take_id(root, "replyTo", &out->reply_to, why))
		return false;
	out->text = json_text_at(root, "text");
	out->is_mentioned = yyjson_is_true(yyjson_obj_get(root, "mentioned"));
	if (!out->sender.len)
		return error_set(why, "'from' is missing");
	if (!take_files(yyjson_obj_get(root, "files"), files, out, why))
		return false;
	if (!text_trim(out->text).len && !out->file_count)
		return error_set(why, "'text' is missing");
	if (out->text.len > CHANNEL_TEXT_MAX)
		return error_set(why, "'text' is longer than %d KiB", CHANNEL_TEXT_MAX / 1024);
	if (kind.len && !channel_read_peer(kind, &out->kind))
		return error_set(why, "'kind' is dm, group or channel");
	if (!out->peer.len)
		out->peer = out->sender;
	return true;
}

bool inbound_read_press(struct json_reader *reader, struct text line, struct channel_press *out)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, line, NULL));
	struct error why;

	*out = (struct channel_press){.value = json_text_at(root, "press"), .kind = CHANNEL_GROUP};
	channel_read_peer(json_text_at(root, "kind"), &out->kind);
	return out->value.len && out->value.len <= BUTTON_VALUE_MAX &&
	       take_id(root, "from", &out->sender, &why) && out->sender.len &&
	       take_id(root, "name", &out->sender_name, &why) &&
	       take_id(root, "peer", &out->peer, &why);
}
