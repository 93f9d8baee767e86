/* api_sources.c - the sources, over HTTP.  What is done is done by whoever is behind
 * the door; here it gets the form of a request and an answer. */
#include "web/inside.h"

#define ANSWER_MAX (32 * MIB)
#define URL_MAX (8 * KIB) /* longer than any that is taken: it is refused in words */

static void run_with(struct call *call, enum web_verb verb, struct text body)
{
	const struct web_doors *doors = &call->web->options.doors;
	struct web_errand errand = {verb, {call->part.at, call->part.len}, body};
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
		web_refuse(call->http, 500, "the response is too large", NULL);
	else
		http_answer(call->http, status, "application/json", buf_text(&out), NULL);
	buf_finish(&out);
}

static void run(struct call *call, enum web_verb verb)
{
	run_with(call, verb, call->body);
}

void api_sources(struct call *call)
{
	run(call, WEB_SOURCES);
}

static bool take_url(void *self, struct text name, struct text value, struct error *why)
{
	struct buf *url = self;

	if (!text_is(name, "url"))
		return error_set(why, "there is no such parameter");
	buf_clear(url);
	return buf_add(url, value) || error_set(why, "too long");
}

void api_source_recognise(struct call *call)
{
	struct error why;
	struct buf url;

	buf_init(&url, URL_MAX);
	if (http_query_each(http_request(call->http)->query, take_url, &url, &why))
		run_with(call, WEB_SOURCE_RECOGNISE, text_trim(buf_text(&url)));
	else
		web_refuse(call->http, 400, why.words, NULL);
	buf_finish(&url);
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
