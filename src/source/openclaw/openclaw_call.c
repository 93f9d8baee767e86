/* openclaw_call.c - which methods a gateway has, and what it gives for them. */
#include "source/openclaw/openclaw_call.h"

#include "base/put.h"
#include "bus/call.h"
#include "source/openclaw/openclaw_parts.h"

#define LISTED_MAX 4096                    /* methods; a gateway has 500 */
#define CALLS_MAX (OPENCLAW_WAITS_MAX / 2) /* the others are for asks, stops and answers */
#define GIVEN_MAX (4 * OPENCLAW_FRAME_MAX) /* written anew it may be longer */
#define METHOD_MAX 128

/* ---- which there are ---- */

void openclaw_list_methods(struct openclaw *o, yyjson_val *features)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(features, "methods"));
	yyjson_val *name;

	map_finish(&o->listed);
	map_init(&o->listed);
	while ((name = yyjson_arr_iter_next(&each)) && o->listed.count < LISTED_MAX)
		if (yyjson_get_len(name))
			map_set(&o->listed, json_text(name), o);
}

bool openclaw_has(const struct openclaw *o, enum openclaw_method method)
{
	return map_get(&o->listed, text_of(openclaw_method_name(method))) != NULL;
}

/* ---- what became of it ---- */

/* As it came, of the members that an error has. */
static void add_error(struct buf *out, yyjson_val *error)
{
	static const char *const names[] = {"details", "retryable", "retryAfterMs"};
	struct text code = json_text_at(error, "code"), message = json_text_at(error, "message");

	put_object(out, NULL);
	put_text(out, "code", code.len ? code : text_of(openclaw_code_name(FAULT_UNAVAILABLE)));
	put_text(out, "message", message.len ? message : TEXT("the gateway refused it"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		yyjson_val *value = yyjson_obj_get(error, names[i]);

		if (!value)
			continue;
		put_key(out, names[i]);
		json_add(out, value);
	}
	put_end(out);
}

static void nobody_answered(struct openclaw *o, uint64_t ticket)
{
	struct error why;

	if (o->is_over)
		error_set(&why, "the connection to the gateway was lost");
	else
		error_set(&why, "the gateway did not answer within %d s", BACK_CALL_S);
	source_called(o->source, ticket,
	              &(struct back_verdict){.answer = BACK_SILENT, .why = &why});
}

static void call_answered(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer)
{
	struct error why = {"the gateway refused it"};
	struct back_verdict verdict = {.answer = BACK_REFUSED, .why = &why};
	yyjson_val *payload = yyjson_obj_get(answer, "payload");
	struct buf out;

	if (!answer) {
		nobody_answered(o, wait->token);
		return;
	}
	buf_init(&out, GIVEN_MAX);
	if (!openclaw_is_ok(answer)) {
		add_error(&out, yyjson_obj_get(answer, "error"));
	} else {
		verdict.answer = BACK_DONE;
		if (payload)
			json_add(&out, payload);
	}
	verdict.json = buf_text(&out);
	if (out.full) {
		error_set(&why, "what the gateway gave is too long");
		verdict = (struct back_verdict){.answer = BACK_CONFLICT, .why = &why};
	}
	source_called(o->source, wait->token, &verdict);
	buf_finish(&out);
}

/* ---- asking ---- */

enum back_answer openclaw_call(void *self, const struct back_call *call, struct error *why)
{
	struct openclaw *o = self;
	char method[METHOD_MAX + 1];
	struct openclaw_asked asked = {.method = method,
	                               .params = call->params,
	                               .token = call->ticket,
	                               .take = call_answered};

	if (o->is_over || o->step != STEP_LIVE) {
		error_set(why, "the gateway is not connected");
		return BACK_CONFLICT;
	}
	if (call->method.len > METHOD_MAX || !map_get(&o->listed, call->method)) {
		error_set(why, "the gateway has no such method");
		return BACK_NOT_SUPPORTED;
	}
	if (call->is_question)
		return BACK_DONE;
	snprintf(method, sizeof(method), "%.*s", TEXT_ARG(call->method));
	if (o->wait_count < CALLS_MAX && openclaw_wait(o, &asked))
		return BACK_TAKEN;
	error_set(why, o->wait_count < CALLS_MAX ? "it could not be sent to the gateway"
	                                         : "too many requests wait for the gateway");
	return BACK_CONFLICT;
}
