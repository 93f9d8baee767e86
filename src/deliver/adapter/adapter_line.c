/* adapter_line.c - lines and answers of adapters, from JSON. */
#include "deliver/adapter/adapter_line.h"

#include <stdio.h>

#include "base/put.h"
#include "base/utf8.h"
#include "deliver/files.h"

#define TEXT_LEAST 40 /* characters of a message; who says less says nothing */
#define TEXT_MOST 100000
#define AFTER_MOST_MS 3600000
#define REST_MS 1000            /* doubling */
#define ADAPTER_ACCOUNTS_MAX 20 /* that are named */
#define ADAPTER_NAME_MAX 60     /* bytes of a name */

/* ---- info ---- */

static const struct {
	const char *name, *renamed;
} abilities[ADAPTER_ABILITIES] = {
	[ADAPTER_MONITOR] = {"monitor", "adapter.monitor.start"},
	[ADAPTER_SEND] = {"send", "delivery.send"},
	[ADAPTER_STREAM] = {"stream", "delivery.stream"},
	[ADAPTER_BACKFILL] = {"backfill", "event.backfill"},
	[ADAPTER_HEALTH] = {"health", "adapter.health"},
	[ADAPTER_ACCOUNTS] = {"accounts", "adapter.accounts.list"},
	[ADAPTER_EDIT] = {"edit", "delivery.edit"},
	[ADAPTER_DELETE] = {"delete", "delivery.delete"},
	[ADAPTER_TYPING] = {"typing", "delivery.typing"},
	[ADAPTER_RECONCILE] = {"reconcile", "delivery.reconcile"},
	[ADAPTER_RESUME] = {"resume", "adapter.monitor.resume"},
};

const char *adapter_command(const struct adapter_info *info, enum adapter_ability ability)
{
	return info->is_renamed ? abilities[ability].renamed : abilities[ability].name;
}

static yyjson_val *either(yyjson_val *object, const char *name, const char *renamed)
{
	yyjson_val *value = yyjson_obj_get(object, name);

	return value ? value : yyjson_obj_get(object, renamed);
}

static void take_abilities(yyjson_val *list, struct adapter_info *out)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it)))
		for (unsigned i = 0; i < ADAPTER_ABILITIES; i++)
			if (text_is(json_text(one), abilities[i].name) ||
			    text_is(json_text(one), abilities[i].renamed))
				out->can[i] = true;
}

static void take_limits(yyjson_val *limits, struct adapter_info *out)
{
	double max = 0;

	if (json_number(yyjson_obj_get(limits, "text_limit"), &max) && max >= TEXT_LEAST)
		out->text_max = max < TEXT_MOST ? (unsigned)max : TEXT_MOST;
	out->shows_markup = yyjson_is_true(yyjson_obj_get(limits, "supports_markdown"));
	out->shows_media = yyjson_is_true(yyjson_obj_get(limits, "supports_media"));
}

bool adapter_read_info(struct json_reader *reader, struct text answer, struct adapter_info *out,
                       struct error *why)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, answer, why));
	yyjson_val *list = yyjson_obj_get(root, "supports");
	struct text name = json_text_at(root, "name");

	*out = (struct adapter_info){.is_renamed = !list};
	if (!root)
		return false;
	if (!list)
		list = yyjson_obj_get(root, "operations");
	if (!yyjson_is_arr(list))
		return error_set(why, "its info has no list 'supports'");
	take_abilities(list, out);
	take_limits(either(root, "channel_capabilities", "platform_capabilities"), out);
	out->reads_stdin = text_is(json_text_at(root, "text_from"), "stdin");
	if (name.len)
		snprintf(out->name, sizeof(out->name), "%.*s", TEXT_ARG(utf8_cut(name, 60)));
	if (!out->can[ADAPTER_STREAM])
		out->can[ADAPTER_EDIT] = out->can[ADAPTER_DELETE] = out->can[ADAPTER_TYPING] =
			out->can[ADAPTER_RECONCILE] = false;
	return out->can[ADAPTER_MONITOR] || out->can[ADAPTER_SEND] || out->can[ADAPTER_STREAM] ||
	       error_set(why, "it can neither monitor nor send");
}

/* ---- events ---- */

static bool take_word(yyjson_val *value, const char *name, struct text *out, struct error *why)
{
	*out = json_text(value);
	if (out->len > CHANNEL_ID_MAX || (out->len && memchr(out->at, '\0', out->len)))
		return error_set(why, "'%s' is no id of at most %d bytes", name, CHANNEL_ID_MAX);
	return true;
}

/* "CHANNEL:ID", where the event says which channel: the id alone is the platform's. */
static void cut_channel(struct text *id, struct text channel)
{
	if (channel.len && id->len > channel.len + 1 && text_starts(*id, channel) &&
	    id->at[channel.len] == ':')
		*id = (struct text){id->at + channel.len + 1, id->len - channel.len - 1};
}

static bool take_words(yyjson_val *event, yyjson_val *where, struct channel_inbound *out,
                       struct error *why)
{
	return take_word(yyjson_obj_get(event, "event_id"), "event_id", &out->message, why) &&
	       take_word(yyjson_obj_get(where, "sender_id"), "sender_id", &out->sender, why) &&
	       take_word(yyjson_obj_get(where, "sender_name"), "sender_name", &out->sender_name,
	                 why) &&
	       take_word(either(where, "peer_id", "container_id"), "peer_id", &out->peer, why) &&
	       take_word(yyjson_obj_get(where, "thread_id"), "thread_id", &out->thread, why) &&
	       take_word(yyjson_obj_get(where, "reply_to_id"), "reply_to_id", &out->reply_to,
	                 why) &&
	       take_word(yyjson_obj_get(event, "place"), "place", &out->place, why);
}

static bool take_kind(yyjson_val *where, struct channel_inbound *out, struct error *why)
{
	struct text kind = json_text(either(where, "peer_kind", "container_kind"));

	out->kind = CHANNEL_DM;
	return !kind.len || text_is(kind, "direct") || channel_read_peer(kind, &out->kind) ||
	       error_set(why, "'peer_kind' is dm, group or channel");
}

static bool check_words(const struct channel_inbound *in, struct error *why)
{
	if (!in->message.len)
		return error_set(why, "'event_id' is missing");
	if (!in->sender.len)
		return error_set(why, "'sender_id' is missing");
	return in->text.len <= CHANNEL_TEXT_MAX ||
	       error_set(why, "'content' is longer than %d KiB", CHANNEL_TEXT_MAX / 1024);
}

static bool take_attachment(yyjson_val *from, struct channel_file *file, struct error *why)
{
	struct text url = json_text_at(from, "url");
	double size = 0;

	*file = (struct channel_file){.name = json_text_at(from, "filename"),
	                              .type = json_text_at(from, "content_type"),
	                              .where = url.len ? url : json_text_at(from, "path")};
	if (!file->where.len || file->where.len > CHANNEL_WHERE_MAX ||
	    memchr(file->where.at, '\0', file->where.len))
		return error_set(why, "an attachment has a 'path' or a 'url' of at most %d bytes",
		                 CHANNEL_WHERE_MAX);
	if (json_number(yyjson_obj_get(from, "size_bytes"), &size) && size > 0)
		file->size = size < 1e15 ? (uint64_t)size : UINT64_C(1000000000000000);
	if (!file->type.len)
		file->type = files_type_of(file->name.len ? file->name : file->where);
	file->kind = yyjson_is_true(yyjson_obj_get(from, "voice")) ? CHANNEL_VOICE
	                                                           : files_kind_of(file->type);
	return true;
}

static bool take_attachments(yyjson_val *list, struct adapter_event *out, struct error *why)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	yyjson_val *one;

	out->inbound.files = out->files;
	while (out->inbound.file_count < CHANNEL_FILES_MAX && (one = yyjson_arr_iter_next(&it)))
		if (!take_attachment(one, &out->files[out->inbound.file_count++], why))
			return false;
	return true;
}

static int64_t take_time(yyjson_val *event)
{
	double at = 0;

	return json_number(yyjson_obj_get(event, "timestamp"), &at) && at > 0 && at < 1e15
	               ? (int64_t)at
	               : 0;
}

enum adapter_read adapter_read_event(struct json_reader *reader, struct text line,
                                     struct adapter_event *event_out, struct error *why)
{
	struct channel_inbound *out = &event_out->inbound;
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, line, why));
	yyjson_val *event = yyjson_obj_get(root, "event");
	yyjson_val *where = yyjson_obj_get(root, "delivery"), *more;

	*event_out = (struct adapter_event){.inbound = {.kind = CHANNEL_DM}};
	if (!root)
		return ADAPTER_GARBAGE;
	if (!yyjson_is_obj(root)) {
		error_set(why, "an event is an object");
		return ADAPTER_GARBAGE;
	}
	event = yyjson_is_obj(event) ? event : root;
	where = yyjson_is_obj(where) ? where : root;
	more = yyjson_obj_get(event, "metadata");
	out->origin = json_text_at(more, "origin");
	if (out->origin.len > CHANNEL_ID_MAX)
		out->origin.len = CHANNEL_ID_MAX;
	out->text = json_text_at(event, "content");
	event_out->at_ms = take_time(event);
	if (!take_words(event, where, out, why) || !take_kind(where, out, why) ||
	    !check_words(out, why) ||
	    !take_attachments(yyjson_obj_get(event, "attachments"), event_out, why))
		return ADAPTER_GARBAGE;
	cut_channel(&out->message, json_text(either(where, "channel", "platform")));
	if (!out->peer.len)
		out->peer = out->sender;
	out->is_mentioned = out->kind == CHANNEL_DM ||
	                    yyjson_is_true(yyjson_obj_get(event, "mentioned")) ||
	                    yyjson_is_true(yyjson_obj_get(more, "mentioned"));
	if ((!text_trim(out->text).len && !out->file_count) ||
	    yyjson_is_true(yyjson_obj_get(more, "is_bot")) ||
	    yyjson_is_true(yyjson_obj_get(more, "is_from_me")))
		return ADAPTER_NOTHING;
	return ADAPTER_MESSAGE;
}

/* ---- how far it was read ---- */

void adapter_put_place(int64_t at_ms, struct text place, struct buf *out)
{
	if (at_ms > 0)
		buf_print(out, "@%lld%s", (long long)at_ms, place.len ? " " : "");
	buf_add(out, place);
}

struct text adapter_read_place(struct text kept, int64_t *at_ms)
{
	struct text place, time = text_cut(kept, ' ', &place);
	uint64_t ms = 0;

	*at_ms = 0;
	if (time.len < 2 || time.at[0] != '@' ||
	    !text_to_u64((struct text){time.at + 1, time.len - 1}, &ms) || ms > INT64_MAX)
		return kept;
	*at_ms = (int64_t)ms;
	return place;
}

/* ---- accounts ---- */

static yyjson_val *list_accounts(struct json_reader *reader, struct text answer, struct error *why)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, answer, why));
	yyjson_val *list = yyjson_is_arr(root) ? root : yyjson_obj_get(root, "accounts");

	if (root && !yyjson_is_arr(list))
		error_set(why, "it has no list 'accounts'");
	return yyjson_is_arr(list) ? list : NULL;
}

static struct text account_id(yyjson_val *one)
{
	return yyjson_is_str(one) ? json_text(one) : json_text_at(one, "id");
}

/* As far as it can be shown. */
static void add_account_name(struct text name, struct buf *out)
{
	utf8_add_shown(out, utf8_cut(name, ADAPTER_NAME_MAX));
}

bool adapter_read_accounts(struct json_reader *reader, struct text answer, struct buf *names,
                           struct error *why)
{
	yyjson_val *list = list_accounts(reader, answer, why);
	yyjson_arr_iter it = yyjson_arr_iter_with(list);
	unsigned count = 0;
	yyjson_val *one;

	while (count < ADAPTER_ACCOUNTS_MAX && (one = yyjson_arr_iter_next(&it))) {
		struct text shown = json_text_at(one, "display_name");
		struct text status = json_text_at(one, "status");

		if (!account_id(one).len)
			continue;
		buf_add(names, count++ ? TEXT(", ") : TEXT(""));
		add_account_name(account_id(one), names);
		if (!shown.len)
			shown = json_text_at(one, "address");
		if (shown.len || text_is(status, "error"))
			buf_add(names, TEXT(" ("));
		add_account_name(shown, names);
		if (text_is(status, "error"))
			buf_add(names, shown.len ? TEXT(", error") : TEXT("error"));
		if (shown.len || text_is(status, "error"))
			buf_add_char(names, ')');
	}
	return list != NULL;
}

void adapter_put_accounts(struct json_reader *reader, struct text answer, struct buf *out)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(list_accounts(reader, answer, NULL));
	unsigned count = 0;
	yyjson_val *one;

	while (count < ADAPTER_ACCOUNTS_MAX && (one = yyjson_arr_iter_next(&it))) {
		struct text shown = json_text_at(one, "display_name");
		struct text status = json_text_at(one, "status");

		if (!account_id(one).len)
			continue;
		count++;
		put_object(out, NULL);
		put_text(out, "id", utf8_cut(account_id(one), ADAPTER_NAME_MAX));
		if (!shown.len)
			shown = json_text_at(one, "address");
		if (shown.len)
			put_text(out, "name", utf8_cut(shown, ADAPTER_NAME_MAX));
		if (status.len)
			put_text(out, "status", utf8_cut(status, ADAPTER_NAME_MAX));
		put_end(out);
	}
}

bool adapter_has_account(struct json_reader *reader, struct text answer, struct text account)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(list_accounts(reader, answer, NULL));
	unsigned others = 0;
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it))) {
		if (text_equal(account_id(one), account))
			return true;
		others += account_id(one).len > 0;
	}
	return others == 0;
}

/* ---- what became of a message ---- */

static void take_why(yyjson_val *error, struct error *why)
{
	struct text words =
		yyjson_is_str(error) ? json_text(error) : json_text_at(error, "message");

	if (!words.len)
		words = TEXT("the adapter does not say why");
	words = utf8_cut(words, ADAPTER_WORDS_MAX);
	snprintf(why->words, sizeof(why->words), "%.*s", TEXT_ARG(words));
	for (char *at = why->words; *at; at++)
		if ((unsigned char)*at < ' ' || *at == '\x7f')
			*at = ' ';
}

static enum channel_answer answer_of(yyjson_val *error, unsigned *after_ms)
{
	struct text type = json_text_at(error, "type");
	double after = 0;

	if (json_number(yyjson_obj_get(error, "retry_after_ms"), &after) && after > 0)
		*after_ms = after < AFTER_MOST_MS ? (unsigned)after : AFTER_MOST_MS;
	if (text_is(type, "rate_limited")) {
		*after_ms = *after_ms ? *after_ms : REST_MS;
		return CHANNEL_LATER;
	}
	if (text_is(type, "unknown"))
		return CHANNEL_UNKNOWN;
	if (text_is(type, "network"))
		return yyjson_is_true(yyjson_obj_get(error, "retry")) ? CHANNEL_AWAY
		                                                      : CHANNEL_UNKNOWN;
	return CHANNEL_REFUSED;
}

static void take_failure(yyjson_val *error, struct adapter_status *out)
{
	out->news = ADAPTER_FAILED;
	out->answer = answer_of(error, &out->after_ms);
	take_why(error, &out->why);
}

static bool take_message(yyjson_val *id, struct adapter_status *out, struct error *why)
{
	if (!take_word(id, "messageId", &out->message, why))
		return false;
	for (size_t i = 0; i < out->message.len; i++)
		if ((unsigned char)out->message.at[i] <= ' ')
			return error_set(why, "an id of a message has no spaces");
	return true;
}

bool adapter_read_status(struct json_reader *reader, struct text line, struct adapter_status *out,
                         struct error *why)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, line, why));
	struct text type = json_text_at(root, "type");
	yyjson_val *ids = yyjson_obj_get(root, "messageIds");

	*out = (struct adapter_status){.news = ADAPTER_DONE};
	if (!root)
		return false;
	if (text_is(type, "delivery_error")) {
		take_failure(yyjson_obj_get(root, "error"), out);
		return true;
	}
	if (text_is(type, "delivery_complete"))
		return take_message(yyjson_arr_get_first(ids), out, why);
	if (text_is(type, "message_created") || text_is(type, "message_sent"))
		out->news = ADAPTER_CREATED;
	else if (text_is(type, "message_updated"))
		out->news = ADAPTER_UPDATED;
	else
		return error_set(why, "it is no status of a delivery");
	return take_message(yyjson_obj_get(root, "messageId"), out, why);
}

bool adapter_read_sent(struct json_reader *reader, struct text answer, struct adapter_status *out,
                       struct error *why)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, answer, why));
	yyjson_val *success = yyjson_obj_get(root, "success");

	*out = (struct adapter_status){.news = ADAPTER_DONE};
	if (!root)
		return false;
	if (!yyjson_is_bool(success))
		return error_set(why, "it does not say whether it was a success");
	if (yyjson_is_true(success))
		return take_message(yyjson_arr_get_first(yyjson_obj_get(root, "message_ids")), out,
		                    why);
	take_failure(yyjson_obj_get(root, "error"), out);
	return true;
}

bool adapter_read_health(struct json_reader *reader, struct text answer, bool *is_connected,
                         struct error *why)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, answer, why));
	yyjson_val *connected = yyjson_obj_get(root, "connected");

	if (!root)
		return false;
	if (!yyjson_is_bool(connected))
		return error_set(why, "its health does not say whether it is connected");
	*is_connected = yyjson_is_true(connected);
	if (!*is_connected)
		take_why(yyjson_obj_get(root, "error"), why);
	return true;
}

/* ---- how it is looked after ---- */

unsigned adapter_rest_ms(unsigned restarts)
{
	return restarts < ADAPTER_RESTARTS_MAX ? REST_MS << restarts : ADAPTER_REST_MOST_MS;
}
