/* api_people.c - who may write in chats: listed, let in by a code, removed. */
#include <yyjson.h>

#include "base/put.h"
#include "signal/json.h"
#include "web/inside.h"

#define PEOPLE_MAX (8 * MIB)

void api_people(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct buf out;

	buf_init(&out, PEOPLE_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	chat->people(chat->self, &out);
	web_answer_object(call, &out);
}

static bool read_approval(struct web_approval *a, yyjson_val *root, struct error *why)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(root);
	yyjson_val *key;

	if (!yyjson_is_obj(root))
		return error_set(why, "the body must be an object with code and agent");
	while ((key = yyjson_obj_iter_next(&it))) {
		struct text name = json_text(key), value = json_text(yyjson_obj_iter_get_val(key));
		struct text *member = text_is(name, "code")    ? &a->code
		                      : text_is(name, "agent") ? &a->agent
		                      : text_is(name, "name")  ? &a->name
		                                               : NULL;

		if (!member)
			return error_set(why, "unknown member '%.80s'", yyjson_get_str(key));
		if (!value.len)
			return error_set(why, "%.80s must be a string", yyjson_get_str(key));
		*member = value;
	}
	return (a->code.len && a->agent.len) || error_set(why, "code and agent are needed");
}

void api_people_approve(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	struct web_approval a = {.name = TEXT("")};
	enum back_answer answer = BACK_INVALID;
	struct buf name, out;
	struct error why;

	buf_init(&name, KIB);
	if (read_approval(&a, yyjson_doc_get_root(doc), &why))
		answer = chat->approve(chat->self, &a, &name, &why);
	if (answer == BACK_DONE) {
		buf_init(&out, 4 * KIB);
		put_object(&out, NULL);
		put_bool(&out, "ok", true);
		put_text(&out, "name", buf_text(&name));
		web_answer_object(call, &out);
	} else {
		web_refuse_back(call->http, answer, &why);
	}
	buf_finish(&name);
	yyjson_doc_free(doc);
}

void api_people_remove(struct call *call)
{
	const struct web_chat *chat = &call->web->options.chat;
	struct text name = {call->part.at, call->part.len};
	struct error why;
	enum back_answer answer = chat->remove(chat->self, name, &why);
	struct buf out;

	if (answer != BACK_DONE) {
		web_refuse_back(call->http, answer, &why);
		return;
	}
	buf_init(&out, KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	web_answer_object(call, &out);
}
