/* api_sources.c - the sources, over HTTP.  What is done is done by whoever is behind
 * the door; here it gets the form of a request and an answer. */
#include "web/inside.h"

#define ANSWER_MAX (32 * MIB)

static void run(struct call *call, enum web_verb verb)
{
	const struct web_doors *doors = &call->web->options.doors;
	struct web_errand errand = {verb, {call->part.at, call->part.len}, call->body};
	struct error why = {""};
	struct buf out;
	unsigned status;

	buf_init(&out, ANSWER_MAX);
	buf_add(&out, TEXT("{\"ok\":true"));
	status = doors->source(doors->self, &errand, &out, &why);
	buf_add(&out, TEXT("}\n"));
	if (status >= 300)
		web_refuse(call->http, status, why.words, NULL);
	else if (out.full)
		web_refuse(call->http, 500, "there is too much to say", NULL);
	else
		http_answer(call->http, status, "application/json", buf_text(&out), NULL);
	buf_finish(&out);
}

void api_sources(struct call *call)
{
	run(call, WEB_SOURCES);
}

void api_source_add(struct call *call)
{
	run(call, WEB_SOURCE_ADD);
}

void api_source_change(struct call *call)
{
	run(call, WEB_SOURCE_CHANGE);
}

void api_source_remove(struct call *call)
{
	run(call, WEB_SOURCE_REMOVE);
}

void api_source_connect(struct call *call)
{
	run(call, WEB_SOURCE_CONNECT);
}

void api_source_disconnect(struct call *call)
{
	run(call, WEB_SOURCE_DISCONNECT);
}
