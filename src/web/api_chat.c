/* api_chat.c - messages to agents as chats send them, and what goes to people. */
#include <yyjson.h>

#include "base/put.h"
#include "signal/json.h"
#include "web/inside.h"

#define MESSAGE_MAX (4 * MIB)
#define LIST_MAX (16 * MIB)

static struct text *chat_member(struct web_message *m, struct text name)
{
	if (text_is(name, "channel"))
		return &m->channel;
	if (text_is(name, "peer"))
		return &m->peer;
	if (text_is(name, "agent"))
		return &m->agent;
	if (text_is(name, "text"))
		return &m->text;
	return text_is(name, "session") ? &m->session : NULL;
}

static bool read_message(struct web_message *m, yyjson_val *root, struct error *why)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(root);
	yyjson_val *key;

	if (!yyjson_is_obj(root))
		return error_set(why, "the body must be an object with agent and text");
	while ((key = yyjson_obj_iter_next(&it))) {
		yyjson_val *value = yyjson_obj_iter_get_val(key);
		struct text *member = chat_member(m, json_text(key));

		if (!member)
			return error_set(why, "unknown member '%.80s'", yyjson_get_str(key));
		if (!yyjson_is_str(value))
			return error_set(why, "%.80s must be a string", yyjson_get_str(key));
		*member = json_text(value);
		if (member->len && memchr(member->at, '\0', member->len))
			return error_set(why, "%.80s has a NUL in it", yyjson_get_str(key));
	}
	return m->text.len > 0 || error_set(why, "a text is needed");
}

void api_message_post(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	struct web_message m = {.user = caller_user(&call->caller),
	                        .may = caller_answers(&call->caller)};
	struct web_owed *owed = web_owe(call, TEXT(""));
	struct back_ear ear = web_owed_ear(owed);
	enum back_answer answer = BACK_INVALID;
	struct error why;
	struct buf id, good;

	buf_init(&id, KIB);
	buf_init(&good, KIB);
	if (read_message(&m, yyjson_doc_get_root(doc), &why))
		answer = chat->post(chat->self, &m, &ear, &id, &why);
	put_object(&good, NULL);
	put_bool(&good, "ok", true);
	put_text(&good, "id", buf_text(&id));
	buf_add(&good, TEXT("}\n"));
	web_owed_say(owed, buf_text(&good));
	web_owed_end(owed, answer, &why);
	yyjson_doc_free(doc);
	buf_finish(&id);
	buf_finish(&good);
}

/* The code is the credential: it answers one prompt with one value. */
void api_press(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct web_owed *owed = web_owe(call, TEXT("{}\n"));
	struct back_ear ear = web_owed_ear(owed);
	struct error why;
	enum back_answer answer =
		chat->press(chat->self, http_field(call->http, "x-signalbox-press"), &ear, &why);

	if (answer == BACK_UNKNOWN && web_count_wrong(call->web) > 0)
		http_drain(call->http);
	web_owed_end(owed, answer, &why);
}

void api_message(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct buf out;

	buf_init(&out, MESSAGE_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	if (chat->look(chat->self, (struct text){call->part.at, call->part.len}, &out)) {
		web_answer_object(call, &out);
		return;
	}
	buf_finish(&out);
	web_refuse_back(call->http, BACK_UNKNOWN,
	                &(struct error){"there is no such message, or it was long ago: its "
	                                "nex.request is in the journal"});
}

struct wish_reader {
	struct web_deliveries wish;
	char run[BACK_RUN_MAX + 1];
};

static bool read_run(struct wish_reader *r, struct text value, struct error *why)
{
	if (!value.len || value.len > BACK_RUN_MAX)
		return error_set(why, "run is the id of a run");
	memcpy(r->run, value.at, value.len);
	r->wish.run = (struct text){r->run, value.len};
	return true;
}

/* For http_query_each: `state=failed`, `run=ID`, and nothing else. */
static bool read_deliveries_wish(void *self, struct text name, struct text value, struct error *why)
{
	struct wish_reader *r = self;

	if (text_is(name, "run"))
		return read_run(r, value, why);
	if (!text_is(name, "state"))
		return error_set(why, "there is no such parameter");
	r->wish.failed = text_is(value, "failed");
	return r->wish.failed || error_set(why, "state is failed, or not given");
}

void api_deliveries(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct wish_reader reader = {0};
	struct error why;
	struct buf out;

	if (!http_query_each(http_request(call->http)->query, read_deliveries_wish, &reader,
	                     &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	chat->deliveries(chat->self, &reader.wish, &out);
	web_answer_object(call, &out);
}

void api_delivery_retry(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct error why;
	struct buf out;

	if (!chat->retry(chat->self, (struct text){call->part.at, call->part.len}, &why)) {
		web_refuse_back(call->http, BACK_CONFLICT, &why);
		return;
	}
	buf_init(&out, KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	web_answer_object(call, &out);
}

void api_channels(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct buf out;

	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	chat->channels(chat->self, &out);
	web_answer_object(call, &out);
}

void api_channel_check(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct web_owed *owed = web_owe(call, TEXT(""));
	struct back_ear ear = web_owed_ear(owed);
	struct error why;

	web_owed_end(
		owed,
		chat->check(chat->self, (struct text){call->part.at, call->part.len}, &ear, &why),
		&why);
}
