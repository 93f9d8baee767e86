/* sessions.c - the sessions of the box and its agents, as clients list them. */
#include "run/sessions.h"
#include "base/clock.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/row.h"

#define LIST_MAX (8 * MIB)
#define SESSIONS_USUAL 500

/* ---- sessions.list ---- */

static void put_sessions(const struct gateway_call *call, struct buf *out)
{
	const struct gateway *g = call->gateway;
	yyjson_val *wanted = yyjson_obj_get(call->params, "limit");
	uint64_t limit = wanted ? yyjson_get_uint(wanted) : SESSIONS_USUAL, count = 0;
	struct link *all = crew_all(g->options.crew), *l;

	crew_reach(g->options.crew);
	put_i64(out, "ts", clock_wall_ms());
	put_word(out, "path", "signalbox");
	put_list(out, "sessions");
	for (l = all->prev; l != all && count < limit; l = l->prev)
		count += gateway_put_row(g, list_of(l, struct crew_member, in_all), out);
	put_list_end(out);
	put_u64(out, "count", count);
	put_object(out, "defaults");
	put_end(out);
}

void gateway_sessions_list(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_sessions(call, &out);
	put_end(&out);
	gateway_answer(call, buf_text(&out));
	buf_finish(&out);
}

/* ---- the others ---- */

/* With parameters of a list, the answer has that list. */
void gateway_sessions_subscribe(const struct gateway_call *call)
{
	struct buf out;

	call->view->follows_sessions = true;
	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_bool(&out, "subscribed", true);
	if (yyjson_obj_size(call->params)) {
		put_object(&out, "list");
		put_sessions(call, &out);
		put_end(&out);
	}
	put_end(&out);
	gateway_answer(call, buf_text(&out));
	buf_finish(&out);
}

/* null: there is none. */
void gateway_sessions_describe(const struct gateway_call *call)
{
	const struct gateway *g = call->gateway;
	const struct crew_member *m;
	struct gateway_place place;
	struct buf out;

	crew_reach(g->options.crew);
	gateway_find_place(g, json_text_at(call->params, "key"), TEXT(""), &place);
	m = gateway_place_member(g, &place);
	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_key(&out, "session");
	if (!m || !gateway_put_row(g, m, &out))
		buf_add(&out, TEXT("null"));
	put_end(&out);
	gateway_answer(call, buf_text(&out));
	buf_finish(&out);
	gateway_place_finish(&place);
}

/* By its key, its id or the handle that every screen shows. */
void gateway_sessions_resolve(const struct gateway_call *call)
{
	const struct gateway *g = call->gateway;
	struct text key = json_text_at(call->params, "key");
	struct text name = json_text_at(call->params, "sessionId");
	const struct crew_member *m;
	const struct run *run;
	struct buf out, found;

	if (!name.len)
		name = json_text_at(call->params, "label");
	crew_reach(g->options.crew);
	m = name.len ? crew_find(g->options.crew, name) : NULL;
	run = m ? runs_find(g->options.runs, text_of(member_run(m))) : NULL;
	buf_init(&found, 2 * KIB);
	if (run)
		gateway_key_of_run(g, run, &found);
	else
		buf_add(&found, key);
	if (!found.len) {
		gateway_refuse(call,
		               &(struct gateway_fault){"INVALID_REQUEST", "No session found"});
	} else {
		buf_init(&out, 4 * KIB);
		put_object(&out, NULL);
		put_bool(&out, "ok", true);
		put_text(&out, "key", buf_text(&found));
		put_text(&out, "agentId", gateway_key_agent(buf_text(&found)));
		put_end(&out);
		gateway_answer(call, buf_text(&out));
		buf_finish(&out);
	}
	buf_finish(&found);
}

/* ---- news ---- */

/* Without a number: only those who follow them get it. */
void gateway_tell_sessions(struct gateway *g)
{
	struct buf out;

	buf_init(&out, KIB);
	put_object(&out, NULL);
	put_word(&out, "type", "event");
	put_word(&out, "event", "sessions.changed");
	put_object(&out, "payload");
	put_i64(&out, "ts", clock_wall_ms());
	put_word(&out, "reason", "update");
	put_end(&out);
	put_end(&out);
	list_each(&g->views, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_room);

		if (view->follows_sessions && !client_is_slow(view->client))
			client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	}
	buf_finish(&out);
}

/* ---- agents.list ---- */

struct agents {
	const struct gateway *g;
	struct buf *out;
};

static void put_agent(void *of, struct text source)
{
	struct agents *a = of;
	char name[GATEWAY_NAME_MAX + 1];

	gateway_agent_name(a->g, source, name);
	put_object(a->out, NULL);
	put_word(a->out, "id", name);
	put_word(a->out, "name", name);
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
	put_word(&out, "defaultId", usual[0] ? usual : "main");
	put_word(&out, "mainKey", "main");
	put_word(&out, "scope", "per-sender");
	put_list(&out, "agents");
	g->options.askable(g->options.self, put_agent, &agents);
	put_list_end(&out);
	put_end(&out);
	gateway_answer(call, buf_text(&out));
	buf_finish(&out);
}
