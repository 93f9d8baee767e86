/* discord_read.c - frames of the gateway, messages, presses and errors. */
#include "deliver/discord/discord.h"

#include <stdio.h>

#include "deliver/files.h"

#define EPOCH_MS 1420070400000 /* the first second of 2015 */
#define WAIT_MOST_MS 86400000.0
#define NAME_MAX_BYTES 200

/* ---- ids ---- */

uint64_t discord_id(struct text id)
{
	uint64_t n = 0;

	return id.len < DISCORD_ID_MAX && text_to_u64(id, &n) ? n : 0;
}

uint64_t discord_id_at(yyjson_val *object, const char *name)
{
	return discord_id(json_text_at(object, name));
}

uint64_t discord_id_of_time(int64_t wall_ms)
{
	return wall_ms > EPOCH_MS ? (uint64_t)(wall_ms - EPOCH_MS) << 22 : 0;
}

static bool take_id(yyjson_val *object, const char *name, char out[DISCORD_ID_MAX])
{
	uint64_t id = discord_id_at(object, name);

	out[0] = '\0';
	if (id)
		snprintf(out, DISCORD_ID_MAX, "%llu", (unsigned long long)id);
	return id > 0;
}

/* ---- the gateway ---- */

bool discord_read_frame(struct json_reader *reader, struct text raw, struct discord_frame *frame)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, raw, NULL));
	yyjson_val *op = yyjson_obj_get(root, "op"), *seq = yyjson_obj_get(root, "s");

	*frame = (struct discord_frame){.seq = -1};
	if (!yyjson_is_int(op))
		return false;
	frame->op = yyjson_get_sint(op);
	if (yyjson_is_int(seq) && yyjson_get_sint(seq) >= 0)
		frame->seq = yyjson_get_sint(seq);
	frame->event = json_text_at(root, "t");
	frame->data = yyjson_obj_get(root, "d");
	return true;
}

struct discord_close discord_read_close(unsigned code)
{
	static const struct {
		unsigned code;
		struct discord_close means;
	} closes[] = {
		{4003, {NULL, false, true}},
		{4004,
	         {"it refuses the token: make a new one in the Developer Portal", true, true}},
		{4007, {NULL, false, true}},
		{4009, {NULL, false, true}},
		{4010, {"it says that the shard is wrong", true, true}},
		{4011, {"the bot is in too many servers for one connection", true, true}},
		{4012, {"it no longer speaks this version of the gateway", true, true}},
		{4013, {"it does not know these intents", true, true}},
		{4014,
	         {"the bot may not read messages: switch on the Message Content Intent "
	          "in the Developer Portal (Bot, Privileged Gateway Intents)",
	          true, true}},
	};

	for (size_t i = 0; i < sizeof(closes) / sizeof(*closes); i++)
		if (closes[i].code == code)
			return closes[i].means;
	return (struct discord_close){0};
}

bool discord_read_self(yyjson_val *user, struct discord_self *self)
{
	struct text name = json_text_at(user, "username");

	if (!take_id(user, "id", self->id))
		return false;
	name.len = chunk_reach(CHUNK_BYTES, name, sizeof(self->name) - 1);
	snprintf(self->name, sizeof(self->name), "%.*s", TEXT_ARG(name));
	return true;
}

/* ---- messages ---- */

static void take_shown_name(yyjson_val *member, yyjson_val *user, char name[256])
{
	struct text words = json_text_at(member, "nick");

	if (!words.len)
		words = json_text_at(user, "global_name");
	if (!words.len)
		words = json_text_at(user, "username");
	words.len = chunk_reach(CHUNK_BYTES, words, NAME_MAX_BYTES);
	snprintf(name, 256, "%.*s", TEXT_ARG(words));
}

static bool is_named(yyjson_val *message, const struct discord_self *self)
{
	yyjson_val *answered = yyjson_obj_get(message, "referenced_message");
	uint64_t own = discord_id(text_of(self->id));
	yyjson_val *user;
	size_t at, count;

	if (!own)
		return false;
	yyjson_arr_foreach(yyjson_obj_get(message, "mentions"), at, count, user)
	{
		if (discord_id_at(user, "id") == own)
			return true;
	}
	return discord_id_at(yyjson_obj_get(answered, "author"), "id") == own;
}

/* "<@42> good day" is "good day". */
static struct text after_name(struct text said, const struct discord_self *self)
{
	char name[DISCORD_ID_MAX + 8];

	for (unsigned i = 0; i < 2 && self->id[0]; i++) {
		snprintf(name, sizeof(name), i ? "<@!%s>" : "<@%s>", self->id);
		if (text_starts(said, text_of(name)))
			return text_trim(
				(struct text){said.at + strlen(name), said.len - strlen(name)});
	}
	return said;
}

/* People write messages and answers to messages; the rest is the platform's or a program's. */
static bool is_of_a_person(yyjson_val *message, yyjson_val *author, const struct discord_self *self)
{
	int64_t type = yyjson_get_sint(yyjson_obj_get(message, "type"));

	return (type == 0 || type == 19) && !yyjson_is_true(yyjson_obj_get(author, "bot")) &&
	       !yyjson_is_true(yyjson_obj_get(author, "system")) &&
	       !yyjson_is_str(yyjson_obj_get(message, "webhook_id")) &&
	       !text_is(json_text_at(author, "id"), self->id);
}

static unsigned take_files(yyjson_val *list, struct channel_file *files)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	unsigned count = 0;
	yyjson_val *one;

	while (count < CHANNEL_FILES_MAX && (one = yyjson_arr_iter_next(&it))) {
		struct channel_file file = {.name = json_text_at(one, "filename"),
		                            .type = json_text_at(one, "content_type"),
		                            .where = json_text_at(one, "url"),
		                            .size = yyjson_get_uint(yyjson_obj_get(one, "size"))};

		file.type = text_trim(text_cut(file.type, ';', &(struct text){0}));
		if (!file.type.len)
			file.type = files_type_of(file.name);
		file.kind = yyjson_is_str(yyjson_obj_get(one, "waveform"))
		                    ? CHANNEL_VOICE
		                    : files_kind_of(file.type);
		if (file.where.len && file.where.len <= CHANNEL_WHERE_MAX)
			files[count++] = file;
	}
	return count;
}

bool discord_read_message(yyjson_val *message, const struct discord_self *self,
                          struct discord_words *words, struct channel_inbound *inbound)
{
	yyjson_val *author = yyjson_obj_get(message, "author");
	struct text said = after_name(text_trim(json_text_at(message, "content")), self);
	bool in_guild = words->in_guild || yyjson_is_str(yyjson_obj_get(message, "guild_id"));

	buf_clear(&words->text);
	if (!is_of_a_person(message, author, self) || !take_id(message, "id", words->message) ||
	    !take_id(author, "id", words->sender) || !take_id(message, "channel_id", words->peer) ||
	    said.len > CHANNEL_TEXT_MAX)
		return false;
	take_id(yyjson_obj_get(message, "message_reference"), "message_id", words->reply_to);
	take_shown_name(yyjson_obj_get(message, "member"), author, words->name);
	for (size_t i = 0; i < said.len; i++)
		if (said.at[i])
			buf_add_char(&words->text, said.at[i]);
	*inbound = (struct channel_inbound){
		.message = text_of(words->message),
		.sender = text_of(words->sender),
		.sender_name = text_of(words->name),
		.peer = text_of(words->peer),
		.reply_to = text_of(words->reply_to),
		.text = buf_text(&words->text),
		.kind = in_guild ? CHANNEL_GROUP : CHANNEL_DM,
		.is_mentioned = !in_guild || is_named(message, self),
		.files = words->files,
		.file_count = take_files(yyjson_obj_get(message, "attachments"), words->files),
	};
	return text_trim(inbound->text).len > 0 || inbound->file_count;
}

/* ---- presses ---- */

/* It becomes a part of a URL. */
static bool is_token(struct text token)
{
	for (size_t i = 0; i < token.len; i++)
		if (!(token.at[i] >= '0' && token.at[i] <= '9') &&
		    !(token.at[i] >= 'A' && token.at[i] <= 'Z') &&
		    !(token.at[i] >= 'a' && token.at[i] <= 'z') && !strchr("-_.~", token.at[i]))
			return false;
	return token.len > 0 && token.len < 480;
}

bool discord_read_press(yyjson_val *interaction, struct discord_pressed *words,
                        struct channel_press *press)
{
	yyjson_val *member = yyjson_obj_get(interaction, "member");
	yyjson_val *user = yyjson_obj_get(member ? member : interaction, "user");
	struct text token = json_text_at(interaction, "token");
	struct text value = json_text_at(yyjson_obj_get(interaction, "data"), "custom_id");
	char id[DISCORD_ID_MAX];

	if (yyjson_get_sint(yyjson_obj_get(interaction, "type")) != 3 || !is_token(token) ||
	    !value.len || value.len > BUTTON_VALUE_MAX || !take_id(interaction, "id", id) ||
	    !take_id(user, "id", words->sender) || !take_id(interaction, "channel_id", words->peer))
		return false;
	snprintf(words->press, sizeof(words->press), "%s/%.*s", id, TEXT_ARG(token));
	take_shown_name(member, user, words->name);
	*press = (struct channel_press){
		.press = text_of(words->press),
		.value = value,
		.sender = text_of(words->sender),
		.sender_name = text_of(words->name),
		.peer = text_of(words->peer),
		.kind = member ? CHANNEL_GROUP : CHANNEL_DM,
	};
	return true;
}

/* ---- answers ---- */

yyjson_val *discord_read_body(struct json_reader *reader, struct text body)
{
	return yyjson_doc_get_root(json_read(reader, body, NULL));
}

void discord_read_error(struct json_reader *reader, struct text body, struct discord_error *error)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, body, NULL));
	double after = 0;

	*error = (struct discord_error){.why = json_text_at(root, "message")};
	error->code = yyjson_get_sint(yyjson_obj_get(root, "code"));
	error->is_global = yyjson_is_true(yyjson_obj_get(root, "global"));
	if (!json_number(yyjson_obj_get(root, "retry_after"), &after) || !(after > 0))
		return;
	after = after * 1000 + 1;
	error->after_ms = (int64_t)(after < WAIT_MOST_MS ? after : WAIT_MOST_MS);
}

#define ADMINISTRATOR (1 << 3) /* has every permission */

bool discord_lacks(yyjson_val *guild, char *words, size_t room)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} needed[] = {
		{1 << 10, "View Channels"},
		{1 << 11, "Send Messages"},
		{1 << 16, "Read Message History"},
	};
	struct text permissions = json_text_at(guild, "permissions");
	uint64_t has = 0;
	size_t n = 0;

	words[0] = '\0';
	if (!text_to_u64(permissions, &has) || has & ADMINISTRATOR)
		return false;
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed) && n < room; i++)
		if (!(has & needed[i].bit))
			n += (size_t)snprintf(words + n, room - n, "%s%s", n ? ", " : "",
			                      needed[i].name);
	return n > 0;
}

static bool has_nonce(yyjson_val *message, const char *nonce)
{
	return text_is(json_text_at(message, "nonce"), nonce);
}

uint64_t discord_find_nonce(yyjson_val *page, const struct discord_self *self, const char *nonce,
                            uint64_t *oldest)
{
	yyjson_val *message;
	uint64_t found = 0;
	size_t at, count;

	*oldest = 0;
	yyjson_arr_foreach(page, at, count, message)
	{
		uint64_t id = discord_id_at(message, "id");

		if (id && (!*oldest || id < *oldest))
			*oldest = id;
		if (has_nonce(message, nonce) &&
		    text_is(json_text_at(yyjson_obj_get(message, "author"), "id"), self->id))
			found = id;
	}
	return found;
}
