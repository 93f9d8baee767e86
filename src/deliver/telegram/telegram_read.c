/* telegram_read.c - answers and updates of the Bot API. */
#include "deliver/telegram/telegram.h"

#include <stdio.h>
#include <strings.h>

#include "deliver/files.h"

#define PATH_MOST 1024
#define WAIT_MOST_S 86400 /* a longer wait is none that we keep */

bool telegram_read_answer(struct json_reader *reader, struct text body,
                          struct telegram_answer *answer)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, body, NULL));
	yyjson_val *parameters = yyjson_obj_get(root, "parameters");

	*answer = (struct telegram_answer){0};
	if (!yyjson_is_bool(yyjson_obj_get(root, "ok")))
		return false;
	answer->is_good = yyjson_is_true(yyjson_obj_get(root, "ok"));
	answer->code = yyjson_get_sint(yyjson_obj_get(root, "error_code"));
	answer->why = json_text_at(root, "description");
	answer->after_s = yyjson_get_sint(yyjson_obj_get(parameters, "retry_after"));
	if (answer->after_s < 0 || answer->after_s > WAIT_MOST_S)
		answer->after_s = answer->after_s < 0 ? 0 : WAIT_MOST_S;
	answer->result = yyjson_obj_get(root, "result");
	answer->message = yyjson_get_sint(yyjson_obj_get(answer->result, "message_id"));
	return true;
}

bool telegram_read_self(yyjson_val *user, struct telegram_self *self)
{
	struct text name = json_text_at(user, "username");

	if (!yyjson_is_int(yyjson_obj_get(user, "id")) || !name.len ||
	    name.len >= sizeof(self->name) || memchr(name.at, '\0', name.len))
		return false;
	self->id = yyjson_get_sint(yyjson_obj_get(user, "id"));
	snprintf(self->name, sizeof(self->name), "%.*s", TEXT_ARG(name));
	return true;
}

int64_t telegram_update(yyjson_val *update)
{
	yyjson_val *id = yyjson_obj_get(update, "update_id");

	return yyjson_is_int(id) && yyjson_get_sint(id) >= 0 ? yyjson_get_sint(id) : -1;
}

/* ---- messages ---- */

static bool put_id(yyjson_val *of, const char *name, char out[TELEGRAM_ID_MAX])
{
	yyjson_val *id = yyjson_obj_get(of, name);

	if (!yyjson_is_int(id))
		return false;
	snprintf(out, TELEGRAM_ID_MAX, "%lld", (long long)yyjson_get_sint(id));
	return true;
}

static bool read_kind(yyjson_val *chat, enum channel_peer *kind)
{
	struct text type = json_text_at(chat, "type");

	*kind = text_is(type, "private")   ? CHANNEL_DM
	        : text_is(type, "channel") ? CHANNEL_BROADCAST
	                                   : CHANNEL_GROUP;
	return type.len > 0;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

/* @name, whole, in any case; where it begins, or NULL. */
static const char *find_name(struct text t, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; len && i + len < t.len; i++)
		if (t.at[i] == '@' && strncasecmp(t.at + i + 1, name, len) == 0 &&
		    (i + 1 + len == t.len || !is_word(t.at[i + 1 + len])))
			return t.at + i;
	return NULL;
}

/* "/stop@bot" is "/stop". */
static void take_text(struct text t, const struct telegram_self *self, struct buf *out)
{
	const char *at = t.len && t.at[0] == '/' ? find_name(t, self->name) : NULL;
	size_t head = at ? (size_t)(at - t.at) : 0;

	if (at && !memchr(t.at, ' ', head) && !memchr(t.at, '\n', head)) {
		buf_add(out, (struct text){t.at, head});
		head += 1 + strlen(self->name);
		t = (struct text){t.at + head, t.len - head};
	}
	for (size_t i = 0; i < t.len; i++)
		if (t.at[i])
			buf_add_char(out, t.at[i]);
}

static bool is_asked(yyjson_val *message, struct text said, const struct telegram_self *self)
{
	yyjson_val *from = yyjson_obj_get(yyjson_obj_get(message, "reply_to_message"), "from");

	return find_name(said, self->name) ||
	       (self->id && yyjson_get_sint(yyjson_obj_get(from, "id")) == self->id);
}

static void take_name(yyjson_val *from, struct telegram_words *words)
{
	struct text first = json_text_at(from, "first_name"),
		    last = json_text_at(from, "last_name");

	first.len = chunk_reach(CHUNK_BYTES, first, 100);
	last.len = chunk_reach(CHUNK_BYTES, last, 100);
	snprintf(words->name, sizeof(words->name), "%.*s%s%.*s", TEXT_ARG(first),
	         first.len && last.len ? " " : "", TEXT_ARG(last));
}

static void take_places(yyjson_val *update, yyjson_val *message, struct telegram_words *w)
{
	char number[TELEGRAM_ID_MAX] = "";

	put_id(message, "message_id", number);
	snprintf(w->message, sizeof(w->message), "%s:%s", w->peer, number);
	snprintf(w->place, sizeof(w->place), "%lld", (long long)telegram_update(update) + 1);
	if (yyjson_is_true(yyjson_obj_get(message, "is_topic_message")))
		put_id(message, "message_thread_id", w->thread);
	put_id(yyjson_obj_get(message, "reply_to_message"), "message_id", w->reply_to);
}

/* ---- files ---- */

static const struct {
	const char *member;
	enum channel_file_kind kind;
} file_members[] = {
	{"photo", CHANNEL_PICTURE}, {"voice", CHANNEL_VOICE},      {"audio", CHANNEL_AUDIO},
	{"video", CHANNEL_VIDEO},   {"video_note", CHANNEL_VIDEO}, {"document", CHANNEL_DOCUMENT},
};

/* Of the sizes of a picture, the last one is the largest. */
static unsigned take_file(yyjson_val *message, struct channel_file *file)
{
	for (unsigned i = 0; i < sizeof(file_members) / sizeof(*file_members); i++) {
		yyjson_val *one = yyjson_obj_get(message, file_members[i].member);

		if (yyjson_is_arr(one))
			one = yyjson_arr_get_last(one);
		*file = (struct channel_file){
			.kind = file_members[i].kind,
			.name = json_text_at(one, "file_name"),
			.type = json_text_at(one, "mime_type"),
			.size = yyjson_get_uint(yyjson_obj_get(one, "file_size")),
			.where = json_text_at(one, "file_id"),
		};
		if (file->kind == CHANNEL_DOCUMENT)
			file->kind = files_kind_of(file->type);
		if (file->where.len && file->where.len <= CHANNEL_ID_MAX &&
		    !memchr(file->where.at, '\0', file->where.len))
			return 1;
	}
	return 0;
}

struct text telegram_read_path(yyjson_val *file)
{
	struct text path = json_text_at(file, "file_path");

	for (size_t i = 0; i < path.len; i++) {
		char c = path.at[i];
		bool is_dots = c == '.' && i + 1 < path.len && path.at[i + 1] == '.';

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      (c && strchr("_-./", c))) ||
		    is_dots || path.at[0] == '/')
			return TEXT("");
	}
	return path.len <= PATH_MOST ? path : TEXT("");
}

/* Not a bot, nor a person by means of one; and not a chat: a channel, or an admin who hides. */
static bool is_of_a_person(yyjson_val *message)
{
	yyjson_val *from = yyjson_obj_get(message, "from");

	return !yyjson_is_true(yyjson_obj_get(from, "is_bot")) &&
	       !yyjson_obj_get(message, "via_bot") && !yyjson_obj_get(message, "sender_chat") &&
	       !yyjson_is_true(yyjson_obj_get(message, "is_automatic_forward"));
}

bool telegram_read_message(yyjson_val *update, const struct telegram_self *self,
                           struct telegram_words *words, struct channel_inbound *inbound)
{
	yyjson_val *message = yyjson_obj_get(update, "message");
	yyjson_val *from = yyjson_obj_get(message, "from"), *chat = yyjson_obj_get(message, "chat");
	struct text said = json_text_at(message, "text");
	struct channel_inbound in = {0};

	words->thread[0] = words->reply_to[0] = '\0';
	buf_clear(&words->text);
	if (!said.len)
		said = json_text_at(message, "caption");
	if (telegram_update(update) < 0 || !is_of_a_person(message) ||
	    !put_id(from, "id", words->sender) || !put_id(chat, "id", words->peer) ||
	    !read_kind(chat, &in.kind) || said.len > CHANNEL_TEXT_MAX)
		return false;
	take_places(update, message, words);
	take_name(from, words);
	take_text(said, self, &words->text);
	in.message = text_of(words->message);
	in.sender = text_of(words->sender);
	in.sender_name = text_of(words->name);
	in.peer = text_of(words->peer);
	in.thread = text_of(words->thread);
	in.reply_to = text_of(words->reply_to);
	in.text = buf_text(&words->text);
	in.place = text_of(words->place);
	in.is_mentioned = is_asked(message, said, self);
	in.files = &words->file;
	in.file_count = take_file(message, &words->file);
	*inbound = in;
	return text_trim(in.text).len > 0 || in.file_count;
}

bool telegram_read_press(yyjson_val *update, struct telegram_words *words,
                         struct channel_press *press)
{
	yyjson_val *query = yyjson_obj_get(update, "callback_query");
	yyjson_val *from = yyjson_obj_get(query, "from");
	yyjson_val *chat = yyjson_obj_get(yyjson_obj_get(query, "message"), "chat");
	struct text id = json_text_at(query, "id"), value = json_text_at(query, "data");

	words->peer[0] = '\0';
	put_id(chat, "id", words->peer);
	if (telegram_update(update) < 0 || yyjson_is_true(yyjson_obj_get(from, "is_bot")) ||
	    !put_id(from, "id", words->sender) || !id.len || id.len > CHANNEL_ID_MAX ||
	    memchr(id.at, '\0', id.len) || !value.len || value.len > BUTTON_VALUE_MAX)
		return false;
	take_name(from, words);
	*press = (struct channel_press){.press = id,
	                                .value = value,
	                                .sender = text_of(words->sender),
	                                .sender_name = text_of(words->name),
	                                .peer = text_of(words->peer)};
	read_kind(chat, &press->kind);
	return true;
}

int64_t telegram_message_number(struct text id)
{
	struct text number;
	uint64_t n;

	text_cut(id, ':', &number);
	if (!number.at)
		number = id;
	return text_to_u64(number, &n) && n <= INT32_MAX ? (int64_t)n : 0;
}
