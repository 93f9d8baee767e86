/* api_crew.c - the sessions, over HTTP: all of them, one, and its title. */
#include "base/clock.h"
#include "base/put.h"
#include "bus/back.h"
#include "crew/crew.h"
#include "signal/json.h"
#include "web/inside.h"
#include "web/late.h"

#define CREW_ANSWER_MAX (32 * MIB)
#define CREW_LIST_DEFAULT 200

static void begin_answer(struct call *call, struct buf *out)
{
	buf_init(out, CREW_ANSWER_MAX);
	put_object(out, NULL);
	put_bool(out, "ok", true);
	put_u64(out, "seq", crew_seq(call->web->options.crew));
	put_u64(out, "at", clock_wall_ms());
}

static void answer_done(struct call *call)
{
	struct buf out;

	buf_init(&out, KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	web_answer_object(call, &out);
}

void api_crew(struct call *call)
{
	uint64_t limit = CREW_LIST_DEFAULT;
	struct error why;
	struct buf out;

	if (!http_query_each(http_request(call->http)->query, web_read_limit, &limit, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	if (!web_has_crew(call, api_crew))
		return;
	begin_answer(call, &out);
	put_key(&out, "members");
	crew_json(call->web->options.crew, (double)clock_wall_ms(), limit, &out);
	web_answer_object(call, &out);
}

static const struct crew_member *find_session(struct call *call)
{
	struct text name = {call->part.at, call->part.len};
	const struct crew_member *m = crew_find(call->web->options.crew, name);

	if (!m)
		web_refuse(call->http, 404, "there is no such session", NULL);
	return m;
}

void api_crew_member(struct call *call)
{
	const struct crew_member *m;
	struct buf out;

	if (!web_has_crew(call, api_crew_member) || !(m = find_session(call)))
		return;
	begin_answer(call, &out);
	put_key(&out, "member");
	crew_member_json(call->web->options.crew, m, (double)clock_wall_ms(), true, &out);
	web_answer_object(call, &out);
}

void api_crew_title(struct call *call)
{
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	yyjson_val *body = yyjson_doc_get_root(doc);
	yyjson_val *title = yyjson_obj_get(body, "title");
	struct back_who who = {.user = caller_user(&call->caller),
	                       .process = caller_process(&call->caller),
	                       .screen = TEXT("http")};
	const struct crew_member *m;
	struct error why;

	crew_reach(call->web->options.crew);
	if (!yyjson_is_str(title) || yyjson_obj_size(body) != 1)
		web_refuse(call->http, 400,
		           "the body must be an object with a title and nothing else", NULL);
	else if (yyjson_get_len(title) > CREW_TITLE_MAX)
		web_refuse(call->http, 400, "a title has at most 200 bytes", NULL);
	else if (!(m = find_session(call)))
		; /* it was told */
	else if (crew_rename(call->web->options.bus, m, json_text(title), &who, &why))
		answer_done(call);
	else
		web_refuse(call->http, 503, why.words, NULL);
	yyjson_doc_free(doc);
}

struct text web_run_of(const struct call *call, struct text name)
{
	const struct crew_member *m = crew_find(call->web->options.crew, name);

	return m && text_is(name, m->handle) ? text_of(member_run(m)) : name;
}
