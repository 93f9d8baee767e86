/* slack_read.c - answers of Slack's methods, and messages of its socket. */
#include "deliver/slack/slack.h"

#include <stdio.h>

#include "deliver/files.h"

#define NAME_MAX_BYTES 100
#define ENVELOPE_MAX 64 /* bytes of its id */

bool slack_read_answer(struct json_reader *reader, struct text body, struct slack_answer *answer)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, body, NULL));

	*answer = (struct slack_answer){.root = root};
	if (!yyjson_is_bool(yyjson_obj_get(root, "ok")))
		return false;
	answer->is_good = yyjson_is_true(yyjson_obj_get(root, "ok"));
	answer->why = json_text_at(root, "error");
	answer->needed = json_text_at(root, "needed");
	answer->ts = json_text_at(root, "ts");
	answer->url = json_text_at(root, "url");
	answer->cursor = json_text_at(yyjson_obj_get(root, "response_metadata"), "next_cursor");
	return true;
}

/* ---- ids ---- */

static bool is_id(struct text id)
{
	for (size_t i = 0; i < id.len; i++)
		if (!text_is_digit(id.at[i]) && (id.at[i] < 'A' || id.at[i] > 'Z'))
			return false;
	return id.len > 0 && id.len < SLACK_ID_MAX;
}

bool slack_is_ts(struct text ts)
{
	unsigned points = 0;

	for (size_t i = 0; i < ts.len; i++) {
		points += ts.at[i] == '.';
		if (!text_is_digit(ts.at[i]) && (ts.at[i] != '.' || i == 0 || i + 1 == ts.len))
			return false;
	}
	return ts.len < SLACK_ID_MAX && points == 1;
}

static bool take_id(yyjson_val *of, const char *name, char out[SLACK_ID_MAX])
{
	struct text id = json_text_at(of, name);

	if (!is_id(id))
		return false;
	snprintf(out, SLACK_ID_MAX, "%.*s", TEXT_ARG(id));
	return true;
}

static bool take_ts(yyjson_val *of, const char *name, char out[SLACK_ID_MAX])
{
	struct text ts = json_text_at(of, name);

	if (!slack_is_ts(ts))
		return false;
	snprintf(out, SLACK_ID_MAX, "%.*s", TEXT_ARG(ts));
	return true;
}

bool slack_read_self(const struct slack_answer *answer, struct slack_self *self)
{
	return take_id(answer->root, "user_id", self->user);
}

bool slack_read_place(const struct slack_answer *answer, const char *base,
                      struct slack_place *place)
{
	struct text url = json_text_at(answer->root, "upload_url");

	if (url.len > CHANNEL_WHERE_MAX || !slack_has_file(base, url))
		return false;
	snprintf(place->url, sizeof(place->url), "%.*s", TEXT_ARG(url));
	return take_id(answer->root, "file_id", place->id);
}

/* ---- envelopes ---- */

bool slack_read_envelope(struct json_reader *reader, struct text message,
                         struct slack_envelope *envelope)
{
	static const struct {
		const char *type;
		enum slack_said said;
	} types[] = {{"hello", SLACK_HELLO},
	             {"disconnect", SLACK_GOODBYE},
	             {"events_api", SLACK_EVENT},
	             {"slash_commands", SLACK_COMMAND},
	             {"interactive", SLACK_PRESS}};
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, message, NULL));
	struct text type = json_text_at(root, "type");

	*envelope = (struct slack_envelope){.said = SLACK_OTHER};
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (text_is(type, types[i].type))
			envelope->said = types[i].said;
	envelope->id = json_text_at(root, "envelope_id");
	envelope->payload = yyjson_obj_get(root, "payload");
	return type.len > 0 && envelope->id.len <= ENVELOPE_MAX;
}

/* ---- what people write ---- */

static void add_unescaped(struct text t, struct buf *out)
{
	static const struct {
		struct text entity;
		char c;
	} entities[] = {{{"&lt;", 4}, '<'}, {{"&gt;", 4}, '>'}, {{"&amp;", 5}, '&'}};

	for (size_t i = 0; i < t.len; i++) {
		struct text rest = {t.at + i, t.len - i};
		char c = t.at[i];

		for (size_t e = 0; c == '&' && e < sizeof(entities) / sizeof(*entities); e++)
			if (text_starts(rest, entities[e].entity)) {
				c = entities[e].c;
				i += entities[e].entity.len - 1;
				break;
			}
		if (c)
			buf_add_char(out, c);
	}
}

/* What stands between < and >: a person, a chat, a group or a link. */
static void add_reference(struct text ref, const struct slack_self *self, struct buf *out)
{
	struct text label, target = text_cut(ref, '|', &label);
	char sign = target.len ? target.at[0] : '\0';

	if (sign == '@' && text_is((struct text){target.at + 1, target.len - 1}, self->user))
		return;
	if (sign == '@' || sign == '#' || sign == '!') {
		buf_add_char(out, sign == '#' ? '#' : '@');
		add_unescaped(label.len ? label : (struct text){target.at + 1, target.len - 1},
		              out);
		return;
	}
	if (label.len && !memmem(target.at, target.len, label.at, label.len)) {
		add_unescaped(label, out);
		buf_add(out, TEXT(" ("));
		add_unescaped(target, out);
		buf_add_char(out, ')');
	} else {
		add_unescaped(label.len && text_starts(target, TEXT("mailto:")) ? label : target,
		              out);
	}
}

static void take_text(struct text said, const struct slack_self *self, struct buf *out)
{
	while (said.len) {
		const char *open = memchr(said.at, '<', said.len);
		size_t before = open ? (size_t)(open - said.at) : said.len;
		const char *close = open ? memchr(open, '>', said.len - before) : NULL;
		size_t end = close ? (size_t)(close - said.at) : said.len;

		add_unescaped((struct text){said.at, close ? before : said.len}, out);
		if (!close)
			return;
		add_reference((struct text){open + 1, end - before - 1}, self, out);
		said = (struct text){said.at + end + 1, said.len - end - 1};
	}
}

static bool names_us(struct text said, const struct slack_self *self)
{
	char name[SLACK_ID_MAX + 2];
	size_t len = (size_t)snprintf(name, sizeof(name), "<@%s", self->user);

	for (size_t i = 0; i + len < said.len; i++)
		if (memcmp(said.at + i, name, len) == 0 &&
		    (said.at[i + len] == '>' || said.at[i + len] == '|'))
			return true;
	return false;
}

/* Of a person, and no word about another message.  What a program posts in the name of a person
 * has its app_id; USLACKBOT is Slack's own. */
static bool is_of_person(yyjson_val *event, const struct slack_self *self)
{
	struct text type = json_text_at(event, "type"), subtype = json_text_at(event, "subtype");
	struct text user = json_text_at(event, "user");

	if (!text_is(type, "message") && !text_is(type, "app_mention"))
		return false;
	if (subtype.len && !text_is(subtype, "file_share") && !text_is(subtype, "me_message") &&
	    !text_is(subtype, "thread_broadcast"))
		return false;
	return !yyjson_obj_get(event, "bot_id") && !yyjson_obj_get(event, "bot_profile") &&
	       !yyjson_obj_get(event, "app_id") && !text_is(user, "USLACKBOT") &&
	       !text_is(user, self->user);
}

static void take_sender_name(struct text name, struct slack_words *w)
{
	name.len = chunk_reach(CHUNK_BYTES, name, NAME_MAX_BYTES);
	snprintf(w->name, sizeof(w->name), "%.*s", (int)name.len, name.at ? name.at : "");
}

/* An answer to a question in a room is in a thread below it. */
static bool take_places(yyjson_val *event, struct slack_words *w, struct channel_inbound *in)
{
	char ts[SLACK_ID_MAX];

	if (!take_id(event, "user", w->sender) || !take_id(event, "channel", w->peer) ||
	    !take_ts(event, "ts", ts))
		return false;
	in->kind = w->peer[0] == 'D' ? CHANNEL_DM : CHANNEL_GROUP;
	snprintf(w->message, sizeof(w->message), "%s:%s", w->peer, ts);
	if (take_ts(event, "thread_ts", w->thread))
		snprintf(w->reply_to, sizeof(w->reply_to), "%s", w->thread);
	else if (in->kind == CHANNEL_GROUP)
		snprintf(w->thread, sizeof(w->thread), "%s", ts);
	return true;
}

/* Those that are gone again are left out; of others Slack may not say where they are. */
static unsigned take_files(yyjson_val *list, struct channel_file *files)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	unsigned count = 0;
	yyjson_val *one;

	while (count < CHANNEL_FILES_MAX && (one = yyjson_arr_iter_next(&it))) {
		struct text where = json_text_at(one, "url_private_download");
		struct channel_file file = {.name = json_text_at(one, "name"),
		                            .type = json_text_at(one, "mimetype"),
		                            .size = yyjson_get_uint(yyjson_obj_get(one, "size"))};

		file.where = where.len ? where : json_text_at(one, "url_private");
		file.kind = text_is(json_text_at(one, "subtype"), "slack_audio")
		                    ? CHANNEL_VOICE
		                    : files_kind_of(file.type);
		if (yyjson_is_obj(one) && !text_is(json_text_at(one, "mode"), "tombstone") &&
		    file.where.len <= CHANNEL_WHERE_MAX)
			files[count++] = file;
	}
	return count;
}

static bool read_event(yyjson_val *event, const struct slack_self *self, struct slack_words *w,
                       struct channel_inbound *in)
{
	struct text said = json_text_at(event, "text");
	yyjson_val *profile = yyjson_obj_get(event, "user_profile");
	struct text shown = json_text_at(profile, "display_name");

	if (!is_of_person(event, self) || said.len > CHANNEL_TEXT_MAX || !take_places(event, w, in))
		return false;
	take_sender_name(shown.len ? shown : json_text_at(profile, "real_name"), w);
	in->is_mentioned = text_is(json_text_at(event, "type"), "app_mention") ||
	                   names_us(said, self) ||
	                   text_is(json_text_at(event, "parent_user_id"), self->user);
	take_text(said, self, &w->text);
	in->files = w->files;
	in->file_count = take_files(yyjson_obj_get(event, "files"), w->files);
	return true;
}

/* One of the commands of the box, with or without its "/". */
static bool is_of_the_box(struct text word)
{
	static const char *const words[] = {"stop", "new", "status", "help"};

	if (word.len && word.at[0] == '/')
		word = (struct text){word.at + 1, word.len - 1};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (text_is(word, words[i]))
			return true;
	return false;
}

/* "/stop" is that.  Slack keeps some of these words for itself, so an app may have one command of
 * any other name: "/parrot stop" is "/stop", "/parrot good day" a question, "/parrot" "/help". */
static void take_command(struct text command, struct text said, struct buf *out)
{
	bool is_whole = !said.len && is_of_the_box(command);

	if (is_whole || (said.len && is_of_the_box(said))) {
		said = is_whole ? command : said;
		if (said.at[0] != '/')
			buf_add_char(out, '/');
	} else if (is_of_the_box(command)) {
		add_unescaped(command, out);
		buf_add_char(out, ' ');
	} else if (!said.len) {
		said = TEXT("/help");
	}
	add_unescaped(said, out);
}

/* It is said to a room, or to the app alone: Slack names no thread, and takes none in one. */
static bool read_command(const struct slack_envelope *e, struct slack_words *w,
                         struct channel_inbound *in)
{
	struct text command = json_text_at(e->payload, "command");
	struct text said = json_text_at(e->payload, "text");

	if (!e->id.len || !command.len || said.len > CHANNEL_TEXT_MAX ||
	    !take_id(e->payload, "user_id", w->sender) ||
	    !take_id(e->payload, "channel_id", w->peer))
		return false;
	in->kind = w->peer[0] == 'D' ? CHANNEL_DM : CHANNEL_GROUP;
	in->is_mentioned = true;
	snprintf(w->message, sizeof(w->message), "%s:%.*s", w->peer, TEXT_ARG(e->id));
	take_sender_name(json_text_at(e->payload, "user_name"), w);
	take_command(command, text_trim(said), &w->text);
	return true;
}

bool slack_read_message(const struct slack_envelope *envelope, const struct slack_self *self,
                        struct slack_words *words, struct channel_inbound *inbound)
{
	struct channel_inbound in = {0};
	bool is_read = false;

	words->thread[0] = words->reply_to[0] = words->name[0] = '\0';
	buf_clear(&words->text);
	if (envelope->said == SLACK_EVENT)
		is_read = read_event(yyjson_obj_get(envelope->payload, "event"), self, words, &in);
	else if (envelope->said == SLACK_COMMAND)
		is_read = read_command(envelope, words, &in);
	in.message = text_of(words->message);
	in.sender = text_of(words->sender);
	in.sender_name = text_of(words->name);
	in.peer = text_of(words->peer);
	in.thread = text_of(words->thread);
	in.reply_to = text_of(words->reply_to);
	in.text = text_trim(buf_text(&words->text));
	*inbound = in;
	return is_read && (in.text.len > 0 || in.file_count);
}

bool slack_read_press(const struct slack_envelope *envelope, struct channel_press *press)
{
	yyjson_val *payload = envelope->payload, *user = yyjson_obj_get(payload, "user");
	yyjson_val *action = yyjson_arr_get_first(yyjson_obj_get(payload, "actions"));
	struct text channel = json_text_at(yyjson_obj_get(payload, "channel"), "id");

	if (envelope->said != SLACK_PRESS ||
	    !text_is(json_text_at(payload, "type"), "block_actions"))
		return false;
	*press = (struct channel_press){
		.press = json_text_at(payload, "response_url"),
		.value = json_text_at(action, "value"),
		.sender = json_text_at(user, "id"),
		.sender_name = json_text_at(user, "name"),
		.peer = channel,
		.kind = channel.len && channel.at[0] == 'D' ? CHANNEL_DM : CHANNEL_GROUP};
	return is_id(press->sender) && is_id(press->peer) && press->value.len > 0 &&
	       press->value.len <= BUTTON_VALUE_MAX;
}

/* ---- messages that are there ---- */

static bool is_stale(struct text stale, struct text ts)
{
	for (struct text rest = stale; rest.at;)
		if (text_equal(text_cut(rest, ' ', &rest), ts))
			return true;
	return false;
}

static bool has_file(yyjson_val *message, const struct slack_sought *sought)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(message, "files"));
	char mark[SLACK_MARK_LEN + 1];
	yyjson_val *file;

	slack_mark(sought->delivery, sought->piece, mark);
	while ((file = yyjson_arr_iter_next(&it))) {
		struct text name = json_text_at(file, "name");

		if (name.len && memmem(name.at, name.len, mark, SLACK_MARK_LEN))
			return true;
	}
	return false;
}

static bool is_sought(yyjson_val *message, const struct slack_sought *sought)
{
	char mark[256];
	int len =
		snprintf(mark, sizeof(mark), "%.*s/%u/", TEXT_ARG(sought->delivery), sought->piece);
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(message, "blocks"));
	yyjson_val *block;

	if (len < 0 || (size_t)len >= sizeof(mark) ||
	    !text_is(json_text_at(message, "user"), sought->self->user))
		return false;
	if (has_file(message, sought))
		return true;
	while ((block = yyjson_arr_iter_next(&it)))
		if (text_starts(json_text_at(block, "block_id"), (struct text){mark, (size_t)len}))
			return true;
	return false;
}

bool slack_find_message(const struct slack_answer *history, const struct slack_sought *sought,
                        char ts[SLACK_ID_MAX])
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(history->root, "messages"));
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it)))
		if (is_sought(one, sought) && !is_stale(sought->stale, json_text_at(one, "ts")) &&
		    take_ts(one, "ts", ts))
			return true;
	return false;
}
