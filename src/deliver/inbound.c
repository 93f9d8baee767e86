/* inbound.c - a message of a person, from a JSON line. */
#include "deliver/inbound.h"

static bool take_id(yyjson_val *root, const char *name, struct text *out, struct error *why)
{
	*out = json_text_at(root, name);
	if (out->len > CHANNEL_ID_MAX || (out->len && memchr(out->at, '\0', out->len)))
		return error_set(why, "'%s' is no id of at most %d bytes", name, CHANNEL_ID_MAX);
	return true;
}

bool inbound_read(struct json_reader *reader, struct text line, struct channel_inbound *out,
                  struct error *why)
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
	if (!text_trim(out->text).len)
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

	*out = (struct channel_press){.value = json_text_at(root, "press")};
	return out->value.len && out->value.len <= BUTTON_VALUE_MAX &&
	       take_id(root, "from", &out->sender, &why) && out->sender.len &&
	       take_id(root, "name", &out->sender_name, &why) &&
	       take_id(root, "peer", &out->peer, &why);
}
