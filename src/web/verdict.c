/* verdict.c - answers that are owed until whoever does the work has said what became of it.
 *
 * Who leaves before is forgotten; what was taken stays taken.
 */
#include <stdlib.h>

#include "base/must.h"
#include "bus/back.h"
#include "web/inside.h"

struct web_owed {
	struct web *web;
	struct http *http;
	char *good;
};

void web_refuse_back(struct http *http, enum back_answer answer, const struct error *why)
{
	static const struct {
		unsigned status;
		const char *code;
	} answers[BACK_ANSWERS] = {
		[BACK_INVALID] = {400, "invalid"},
		[BACK_UNKNOWN] = {404, "unknown"},
		[BACK_CONFLICT] = {409, "unavailable"},
		[BACK_NOT_SUPPORTED] = {501, "not_supported"},
		[BACK_ALREADY] = {409, "already_answered"},
		[BACK_INVALID_VALUE] = {422, "invalid_value"},
		[BACK_EXPIRED] = {410, "expired"},
		[BACK_FORBIDDEN] = {403, "forbidden"},
		[BACK_REFUSED] = {502, "refused"},
		[BACK_SILENT] = {504, "no_answer"},
		[BACK_UNSAVED] = {500, "failed"},
	};

	http_refuse(http, &(struct http_refusal){answers[answer].status, answers[answer].code,
	                                         .words = why->words});
}

struct web_owed *web_owe(struct call *call, struct text good)
{
	struct web_owed *o = must_zero(1, sizeof(*o));

	o->web = call->web;
	o->http = call->http;
	o->good = text_dup(good);
	return o;
}

void web_owed_say(struct web_owed *o, struct text good)
{
	free(o->good);
	o->good = text_dup(good);
}

static void free_owed(struct web_owed *o)
{
	free(o->good);
	free(o);
}

static void answer_owed(struct web_owed *o, enum back_answer answer, const struct error *why)
{
	if (answer == BACK_DONE)
		http_answer(o->http, 200, "application/json", text_of(o->good), NULL);
	else
		web_refuse_back(o->http, answer, why);
	free_owed(o);
}

static void told(void *of, const struct back_verdict *verdict)
{
	if (verdict->answer == BACK_DONE && verdict->json.len)
		web_owed_say(of, verdict->json);
	answer_owed(of, verdict->answer, verdict->why);
}

struct back_ear web_owed_ear(struct web_owed *o)
{
	return (struct back_ear){told, o};
}

static void gone(void *self, struct http *http)
{
	struct web_owed *o = self;
	const struct back *back = &o->web->options.back;

	back->forget(back->self, o);
	o->web->options.chat.forget(o->web->options.chat.self, o);
	free_owed(o);
}

void web_owed_end(struct web_owed *o, enum back_answer answer, const struct error *why)
{
	static const struct http_handler handler = {.gone = gone};

	if (answer == BACK_TAKEN)
		http_await(o->http, &handler, o);
	else
		answer_owed(o, answer, why);
}
