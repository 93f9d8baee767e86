/* api_ask.c - what people say to an agent: asks, cancels, messages. */
#include <yyjson.h>

#include "base/put.h"
#include "bus/back.h"
#include "crew/crew.h"
#include "web/inside.h"

static struct text part_of(const struct call *call)
{
	return (struct text){call->part.at, call->part.len};
}

static void add_run(struct buf *out, struct text run)
{
	buf_init(out, 2 * KIB);
	put_object(out, NULL);
	put_bool(out, "ok", true);
	put_text(out, "run", run);
	buf_add(out, TEXT("}\n"));
}

static void tell_run(struct call *call, struct text run)
{
	struct buf out;

	add_run(&out, run);
	web_answer(call->http, &out);
	buf_finish(&out);
}

static struct text *member_of(struct back_ask *ask, struct text name)
{
	if (text_is(name, "prompt"))
		return &ask->prompt;
	if (text_is(name, "model"))
		return &ask->model;
	if (text_is(name, "run"))
		return &ask->run;
	return text_is(name, "session") ? &ask->session : NULL;
}

static bool read_ask(struct back_ask *ask, yyjson_val *root, struct error *why)
{
	yyjson_obj_iter it = yyjson_obj_iter_with(root);
	yyjson_val *key;

	if (!yyjson_is_obj(root))
		return error_set(why, "the body must be {\"prompt\": \"...\"}");
	while ((key = yyjson_obj_iter_next(&it))) {
		yyjson_val *value = yyjson_obj_iter_get_val(key);
		struct text name = {yyjson_get_str(key), yyjson_get_len(key)};
		struct text *member = member_of(ask, name);

		if (!member)
			return error_set(why, "unknown member '%.80s'", name.at);
		if (!yyjson_is_str(value))
			return error_set(why, "%.80s must be a string", name.at);
		*member = (struct text){yyjson_get_str(value), yyjson_get_len(value)};
	}
	return ask->prompt.len > 0 || error_set(why, "a prompt is needed");
}

/* A handle stands for the conversation that its session is; any other name is a person's own. */
static bool name_session(const struct call *call, struct back_ask *ask, struct error *why)
{
	struct crew *crew = call->web->options.crew;
	const struct crew_member *m;
	struct text source, own;

	if (!ask->session.len)
		return true;
	crew_reach(crew);
	m = crew_find(crew, ask->session);
	if (!m || !text_is(ask->session, m->handle))
		return true;
	if (!m->key)
		return error_set(why, "%s is a session that no ask goes on with", m->handle);
	source = text_cut(text_of(m->key), '\n', &own);
	if (!text_equal(source, ask->source))
		return error_set(why, "%s is a session of '%.*s'", m->handle, TEXT_ARG(source));
	ask->session = own;
	return true;
}

void api_ask(struct call *call)
{
	const struct back *back = &call->web->options.back;
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	struct back_ask ask = {.source = part_of(call)};
	char run[BACK_RUN_MAX + 1];
	struct error why;
	enum back_answer answer = BACK_INVALID;

	if (read_ask(&ask, yyjson_doc_get_root(doc), &why) && name_session(call, &ask, &why))
		answer = back->ask(back->self, &ask, run, &why);
	yyjson_doc_free(doc);
	if (answer == BACK_DONE)
		tell_run(call, text_of(run));
	else
		web_refuse_back(call->http, answer, &why);
}

void api_cancel(struct call *call)
{
	const struct back *back = &call->web->options.back;
	struct text run = web_run_of(call, part_of(call));
	struct web_owed *owed;
	struct back_ear ear;
	struct error why;
	struct buf good;

	add_run(&good, run);
	owed = web_owe(call, buf_text(&good));
	buf_finish(&good);
	ear = web_owed_ear(owed);
	web_owed_end(owed, back->cancel(back->self, run, &ear, &why), &why);
}

/* The body is the message. */
void api_send(struct call *call)
{
	const struct back *back = &call->web->options.back;
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	struct error why = {"the body must be JSON"};
	enum back_answer answer = BACK_INVALID;

	if (doc)
		answer = back->send(back->self, part_of(call), call->body, &why);
	yyjson_doc_free(doc);
	if (answer == BACK_DONE)
		http_answer(call->http, 200, "application/json", TEXT("{\"ok\":true}\n"), NULL);
	else
		web_refuse_back(call->http, answer, &why);
}
