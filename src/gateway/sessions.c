/* sessions.c - the sessions of the box and its agents, as clients list them. */
#include "run/sessions.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/follow.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/listing.h"
#include "gateway/methods.h"
#include "gateway/row.h"

#define LIST_MAX (8 * MIB)

/* ---- sessions.list ---- */

void gateway_sessions_list(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	gateway_put_listing(call, &out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* ---- the others ---- */

/* With parameters of a list, the answer has that list. */
void gateway_sessions_subscribe(const struct gateway_call *call)
{
	struct buf out;

	gateway_follow_list(call->view);
	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_bool(&out, "subscribed", true);
	if (yyjson_obj_size(call->params)) {
		put_object(&out, "list");
		gateway_put_listing(call, &out);
		put_end(&out);
	}
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* null: there is none. */
void gateway_sessions_describe(const struct gateway_call *call)
{
	const struct gateway *g = call->gateway;
	const struct crew_member *m;
	struct gateway_place place;
	struct buf out;

	gateway_find_place(g, json_text_at(call->params, "key"),
	                   json_text_at(call->params, "agentId"), &place);
	m = gateway_place_member(g, &place);
	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_key(&out, "session");
	if (!m || !gateway_put_row(g, m, &out))
		buf_add(&out, TEXT("null"));
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
	gateway_place_finish(&place);
}

/* ---- agents.list ---- */

struct agents {
	const struct gateway *g;
	struct buf *out;
	struct text source, model; /* the first of this one */
};

static void note_model(void *of, struct text source, struct text model)
{
	struct agents *a = of;

	if (!a->model.len && text_equal(source, a->source))
		a->model = model;
}

/* A client that knows no model of an agent asks it nothing.  An agent that has a model of its own
 * choice is told as that. */
static void put_model(struct agents *a, struct text source)
{
	a->source = source;
	a->model = (struct text){0};
	a->g->options.models(a->g->options.self, note_model, a);
	put_object(a->out, "model");
	put_text(a->out, "primary", a->model.len ? a->model : source);
	put_end(a->out);
}

static void put_agent(void *of, struct text source)
{
	struct agents *a = of;
	char name[GATEWAY_NAME_MAX + 1];

	gateway_agent_name(a->g, source, name);
	put_object(a->out, NULL);
	put_word(a->out, "id", name);
	put_word(a->out, "name", name);
	put_model(a, source);
	put_end(a->out);
}

void gateway_agents_list(const struct gateway_call *call)
{
	const struct gateway *g = call->gateway;
	char usual[GATEWAY_NAME_MAX + 1];
	struct agents agents = {g, NULL};
	struct buf out;

	gateway_default_agent(g, usual);
	buf_init(&out, LIST_MAX);
	agents.out = &out;
	put_object(&out, NULL);
	put_word(&out, "defaultId", usual);
	put_word(&out, "mainKey", "main");
	put_word(&out, "scope", "per-sender");
	put_list(&out, "agents");
	g->options.askable(g->options.self, put_agent, &agents);
	put_list_end(&out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}
