/* api_sources.c - the sources, over HTTP: each request is one call of theirs. */
#include <yyjson.h>

#include "base/put.h"
#include "source/source.h"
#include "web/inside.h"
#include "web/listens.h"

#define ANSWER_MAX (32 * MIB)
#define URL_MAX (8 * KIB) /* longer than any that is taken: it is refused in words */

/* ---- responses ---- */

static void begin_answer(struct buf *out)
{
	buf_init(out, ANSWER_MAX);
	put_object(out, NULL);
	put_bool(out, "ok", true);
}

static void end_answer(struct call *call, unsigned status, struct buf *out)
{
	buf_add(out, TEXT("}\n"));
	if (out->full)
		web_refuse(call->http, 500, "the response is too large", NULL);
	else
		http_answer(call->http, status, "application/json", buf_text(out), NULL);
	buf_finish(out);
}

static void refuse_source(struct call *call, enum back_answer answer, const struct error *why)
{
	static const unsigned statuses[] = {
		[BACK_INVALID] = 400,       [BACK_UNKNOWN] = 404, [BACK_CONFLICT] = 409,
		[BACK_NOT_SUPPORTED] = 501, [BACK_UNSAVED] = 500,
	};

	web_refuse(call->http, statuses[answer], why->words, NULL);
}

/* With how the source is now, if it is still there. */
static void tell_source(struct call *call, unsigned status, const struct source *source)
{
	struct buf out;

	begin_answer(&out);
	if (source) {
		put_key(&out, "source");
		source_json(source, &out);
	}
	end_answer(call, status, &out);
}

/* ---- looking ---- */

void api_sources(struct call *call)
{
	struct buf out;

	begin_answer(&out);
	put_key(&out, "sources");
	sources_json(call->web->options.sources, &out);
	put_key(&out, "protocols");
	sources_protocols_json(&out);
	end_answer(call, 200, &out);
}

static bool leads_home(const struct call *call, struct text url, struct error *why)
{
	return web_leads_home(call->web, call->web->options.config, url, why);
}

static void recognise(struct call *call, struct text url)
{
	struct error why;
	bool good = source_wish_is_good(&(struct source_wish){.url = url}, &why) &&
	            !leads_home(call, url, &why);
	struct buf out;

	begin_answer(&out);
	sources_recognise(call->web->options.sources, url, &out);
	put_key(&out, "problem");
	if (good)
		buf_add(&out, TEXT("null"));
	else
		buf_add_json(&out, text_of(why.words));
	end_answer(call, 200, &out);
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
		recognise(call, text_trim(buf_text(&url)));
	else
		web_refuse(call->http, 400, why.words, NULL);
	buf_finish(&url);
}

/* ---- wishes ---- */

static struct text id_of(const struct call *call)
{
	return (struct text){call->part.at, call->part.len};
}

/* The body is a wish: for the source of the path, or for a new one. */
static void wish_for(struct call *call, bool is_new)
{
	struct sources *sources = call->web->options.sources;
	struct source_wish wish = {.connect = true};
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	enum back_answer answer = BACK_INVALID;
	struct error why = {""};

	if (source_wish_read(&wish, yyjson_doc_get_root(doc), &why) &&
	    !leads_home(call, wish.url, &why))
		answer = is_new ? sources_add(sources, &wish, &why)
		                : sources_change(sources, id_of(call), &wish, &why);
	if (answer != BACK_DONE)
		refuse_source(call, answer, &why);
	else if (is_new)
		tell_source(call, 201, sources_last(sources));
	else
		tell_source(call, 200, sources_find(sources, id_of(call)));
	yyjson_doc_free(doc);
}

void api_source_add(struct call *call)
{
	wish_for(call, true);
}

void api_source_change(struct call *call)
{
	wish_for(call, false);
}

/* ---- what needs no body ---- */

static void do_to(struct call *call, enum back_answer (*deed)(struct sources *sources,
                                                              struct text id, struct error *why))
{
	struct sources *sources = call->web->options.sources;
	struct error why = {""};
	enum back_answer answer = deed(sources, id_of(call), &why);

	if (answer == BACK_DONE)
		tell_source(call, 200, sources_find(sources, id_of(call)));
	else
		refuse_source(call, answer, &why);
}

void api_source_remove(struct call *call)
{
	do_to(call, sources_remove);
}

void api_source_connect(struct call *call)
{
	do_to(call, sources_connect);
}

void api_source_disconnect(struct call *call)
{
	do_to(call, sources_disconnect);
}
