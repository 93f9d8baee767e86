/* api_prompts.c - what agents ask, over HTTP: the open prompts, an answer, a control.
 *
 * The answer to an answer is owed until that is on the disk.  Whoever leaves before is
 * forgotten; what was taken stays taken.
 */
#include <stdlib.h>
#include <yyjson.h>

#include "base/must.h"
#include "base/put.h"
#include "bus/back.h"
#include "signal/json.h"
#include "web/inside.h"

#define LIST_MAX (64 * MIB)
#define INPUT_MAX (64 * MIB)
#define BODY_MAX (512 * KIB)  /* the longest value, escaped */
#define DURABLE_WAIT_MS 30000 /* a disk that does not answer by then is in trouble */
#define SCREEN TEXT("http")   /* of whoever does not say */

static struct back_who who_is(const struct caller *caller, yyjson_val *screen)
{
	return (struct back_who){
		.user = caller_user(caller),
		.process = caller_process(caller),
		.screen = yyjson_is_str(screen) ? json_text(screen) : SCREEN,
	};
}

/* No member but these; NULL-terminated. */
static bool has_only(yyjson_val *body, const char *const *names, struct error *why)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(body);
	yyjson_val *key;

	if (!yyjson_is_obj(body))
		return error_set(why, "the body must be an object");
	while ((key = yyjson_obj_iter_next(&it))) {
		const char *const *name = names;

		while (*name && !yyjson_equals_str(key, *name))
			name++;
		if (!*name)
			return error_set(why, "there is no '%.80s' here", yyjson_get_str(key));
	}
	return true;
}

void api_prompts(struct call *call)
{
	const struct back *back = &call->web->options.back;
	struct buf out;

	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_key(&out, "prompts");
	back->prompts(back->self, caller_answers(&call->caller), &out);
	buf_add(&out, TEXT("}\n"));
	if (out.full)
		web_refuse(call->http, 500, "the response is too large", NULL);
	else
		web_answer(call->http, &out);
	buf_finish(&out);
}

void api_prompt_input(struct call *call)
{
	const struct back *back = &call->web->options.back;
	struct text id = {call->part.at, call->part.len};
	enum back_answer answer;
	struct error why;
	struct buf out;

	buf_init(&out, INPUT_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	buf_add_char(&out, ',');
	answer = back->input(back->self, id, &out, &why);
	buf_add(&out, TEXT("}\n"));
	if (answer != BACK_DONE)
		web_refuse_back(call->http, answer, &why);
	else if (out.full)
		web_refuse(call->http, 500, "the response is too large", NULL);
	else
		web_answer(call->http, &out);
	buf_finish(&out);
}

/* ---- an answer ---- */

struct prompt_owed {
	struct web *web;
	struct http *http;
	struct caller caller;
	struct route_part id;
	struct buf body;
	struct deadline late;
	bool waits; /* it was accepted, but is not on the disk yet */
};

static void free_owed(struct prompt_owed *o)
{
	const struct back *back = &o->web->options.back;

	deadline_clear(&o->late);
	if (o->waits)
		back->forget(back->self, o);
	buf_finish(&o->body);
	free(o);
}

static void told(void *of, const struct back_verdict *verdict)
{
	struct prompt_owed *o = of;
	struct buf out;

	o->waits = false;
	buf_init(&out, 2 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_text(&out, "id", (struct text){o->id.at, o->id.len});
	put_u64(&out, "seq", verdict->seq);
	put_end(&out);
	buf_add_char(&out, '\n');
	web_answer(o->http, &out);
	buf_finish(&out);
	free_owed(o);
}

static void is_late(struct deadline *deadline)
{
	struct prompt_owed *o = list_of(deadline, struct prompt_owed, late);

	web_refuse(o->http, 503, "it was accepted, but is not on the disk yet", NULL);
	free_owed(o);
}

static bool read_reply(yyjson_val *body, struct back_reply *reply, struct buf *value,
                       struct error *why)
{
	static const char *const names[] = {"value", "cancelled", "screen", NULL};
	yyjson_val *given = yyjson_obj_get(body, "value");
	bool cancelled = yyjson_is_true(yyjson_obj_get(body, "cancelled"));

	if (!has_only(body, names, why))
		return false;
	if ((given != NULL) == cancelled)
		return error_set(why, "the body is {\"value\": ...} or {\"cancelled\": true}");
	if (given && !json_add(value, given))
		return error_set(why, "the value is too big");
	reply->value = buf_text(value);
	return true;
}

static enum back_answer send_reply(struct prompt_owed *o, struct error *why)
{
	const struct back *back = &o->web->options.back;
	yyjson_doc *doc = yyjson_read(o->body.at, o->body.len, YYJSON_READ_BIGNUM_AS_RAW);
	yyjson_val *body = yyjson_doc_get_root(doc);
	struct back_reply reply = {
		.prompt = {o->id.at, o->id.len},
		.who = who_is(&o->caller, yyjson_obj_get(body, "screen")),
		.may = caller_answers(&o->caller),
		.ear = {told, o},
	};
	enum back_answer answer = BACK_INVALID;
	struct buf value;

	buf_init(&value, BODY_MAX);
	if (read_reply(body, &reply, &value, why))
		answer = back->reply(back->self, &reply, why);
	buf_finish(&value);
	yyjson_doc_free(doc);
	return answer;
}

static void piece(void *self, struct http *http, struct text bytes)
{
	buf_add(&((struct prompt_owed *)self)->body, bytes);
}

static void whole(void *self, struct http *http)
{
	struct prompt_owed *o = self;
	struct error why;
	enum back_answer answer = send_reply(o, &why);

	if (answer == BACK_TAKEN) {
		o->waits = true;
		deadline_set(o->web->options.loop, &o->late, DURABLE_WAIT_MS);
		return;
	}
	web_refuse_back(http, answer, &why);
	free_owed(o);
}

static void answerer_left(void *self, struct http *http)
{
	free_owed(self);
}

void api_prompt_answer(struct call *call)
{
	static const struct http_handler handler = {
		.piece = piece, .whole = whole, .gone = answerer_left};
	struct prompt_owed *o = must_zero(1, sizeof(*o));

	o->web = call->web;
	o->http = call->http;
	o->caller = call->caller;
	o->id = call->part;
	o->late.fire = is_late;
	buf_init(&o->body, BODY_MAX);
	http_accept(call->http, BODY_MAX, &handler, o);
}

/* ---- a control ---- */

static bool read_control(yyjson_val *body, struct back_control *control, struct error *why)
{
	static const char *const names[] = {"run", "do", "n", "screen", NULL};
	yyjson_val *n = yyjson_obj_get(body, "n");

	if (!has_only(body, names, why))
		return false;
	control->run = json_text_at(body, "run");
	control->op = json_text_at(body, "do");
	control->n = yyjson_get_uint(n);
	if (!control->run.len || !control->op.len)
		return error_set(why, "the body is {\"run\": ID, \"do\": OP, \"n\"?: NUMBER}");
	return !n || control->n || error_set(why, "n is a number from 1");
}

void api_control(struct call *call)
{
	const struct back *back = &call->web->options.back;
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	yyjson_val *body = yyjson_doc_get_root(doc);
	struct back_control control = {
		.who = who_is(&call->caller, yyjson_obj_get(body, "screen"))};
	struct web_owed *owed = web_owe(call, TEXT("{\"ok\":true}\n"));
	enum back_answer answer = BACK_INVALID;
	struct error why;

	control.ear = web_owed_ear(owed);
	if (read_control(body, &control, &why)) {
		control.run = web_run_of(call, control.run);
		answer = back->control(back->self, &control, &why);
	}
	web_owed_end(owed, answer, &why);
	yyjson_doc_free(doc);
}
