/* api_push.c - how a paired device asks to be told of what matters while its page is closed. */
#include <yyjson.h>

#include "base/put.h"
#include "web/inside.h"

static struct text push_word(yyjson_val *object, const char *name)
{
	yyjson_val *value = yyjson_obj_get(object, name);

	return (struct text){yyjson_get_str(value), yyjson_get_len(value)};
}

/* A subscription belongs to a device, and goes with it.  False: that was answered. */
static bool is_a_device(struct call *call)
{
	const struct web_push *push = &call->web->options.push;

	if (!push->key(push->self))
		web_refuse(call->http, 409, "phone.push is off", NULL);
	else if (!call->caller.device)
		web_refuse(call->http, 403, "only a paired device is told this way", NULL);
	else
		return true;
	return false;
}

static void answer_push(struct call *call)
{
	const struct web_push *push = &call->web->options.push;
	struct buf out;

	buf_init(&out, 4 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, "key", push->key(push->self));
	devices_put_push(call->web->devices, call->caller.device, &out);
	web_answer_object(call, &out);
}

void api_push(struct call *call)
{
	if (is_a_device(call))
		answer_push(call);
}

/* 0: it is kept; else the status of the refusal. */
static unsigned take_subscription(struct call *call, yyjson_val *body, struct error *why)
{
	const struct web_push *push = &call->web->options.push;
	yyjson_val *keys = yyjson_obj_get(body, "keys");
	struct device_push wish = {
		.endpoint = push_word(body, "endpoint"),
		.point = push_word(keys, "p256dh"),
		.auth = push_word(keys, "auth"),
		.with_words = yyjson_get_bool(yyjson_obj_get(body, "words")),
	};

	if (!wish.endpoint.at || !wish.point.at || !wish.auth.at) {
		error_set(why, "the body must have endpoint, and p256dh and auth in keys");
		return 400;
	}
	if (!push->takes(push->self, &wish, why) || !devices_push_is_good(&wish, why))
		return 400;
	return devices_set_push(call->web->devices, call->caller.device, &wish, why) ? 0 : 500;
}

void api_push_begin(struct call *call)
{
	yyjson_doc *doc;
	struct error why;
	unsigned refusal;

	if (!is_a_device(call))
		return;
	doc = yyjson_read(call->body.at, call->body.len, 0);
	refusal = take_subscription(call, yyjson_doc_get_root(doc), &why);
	if (refusal)
		web_refuse(call->http, refusal, why.words, NULL);
	else
		answer_push(call);
	yyjson_doc_free(doc);
}

void api_push_end(struct call *call)
{
	struct error why;

	if (!is_a_device(call))
		return;
	if (devices_set_push(call->web->devices, call->caller.device, NULL, &why))
		answer_push(call);
	else
		web_refuse(call->http, 500, why.words, NULL);
}

void web_each_push(struct web *web, void (*fn)(void *self, const struct device_push *row),
                   void *self)
{
	devices_each_push(web->devices, fn, self);
}

void web_forget_push(struct web *web, struct text endpoint)
{
	devices_forget_push(web->devices, endpoint);
}
