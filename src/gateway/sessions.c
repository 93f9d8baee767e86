/* sessions.c - the sessions of the box and its agents, as clients list them. */
#include "base/clock.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"

#define LIST_MAX (8 * MIB)
#define SESSIONS_USUAL 500

/* ---- sessions.list ---- */

static void put_session(const struct gateway *g, const struct crew_member *m, struct buf *out)
{
	const struct run *run = runs_find(g->options.runs, text_of(member_run(m)));
	const char *title = member_title(m);
	struct buf key;

	if (!run)
		return;
	buf_init(&key, 2 * KIB);
	gateway_key_of_run(g, run, &key);
	put_object(out, NULL);
	put_text(out, "key", buf_text(&key));
	put_word(out, "kind", "direct");
	put_word(out, "label", m->handle);
	put_word(out, "displayName", m->handle);
	if (title)
		put_word(out, "derivedTitle", title);
	put_word(out, "sessionId", m->id);
	put_u64(out, "updatedAt", (uint64_t)m->last_ms);
	if (m->words[WORD_MODEL])
		put_word(out, "model", m->words[WORD_MODEL]);
	put_bool(out, "hasActiveRun", gateway_is_live(g, run));
	put_end(out);
	buf_finish(&key);
}

void gateway_sessions_list(const struct gateway_call *call)
{
	const struct gateway *g = call->gateway;
	yyjson_val *wanted = yyjson_obj_get(call->params, "limit");
	uint64_t limit = wanted ? yyjson_get_uint(wanted) : SESSIONS_USUAL, count = 0;
	struct link *all = crew_all(g->options.crew), *l;
	struct buf out;

	crew_reach(g->options.crew);
	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_i64(&out, "ts", clock_wall_ms());
	put_word(&out, "path", "signalbox");
	put_list(&out, "sessions");
	for (l = all->prev; l != all && count < limit; l = l->prev, count++)
		put_session(g, list_of(l, struct crew_member, in_all), &out);
	put_list_end(&out);
	put_u64(&out, "count", count);
	put_object(&out, "defaults");
	put_end(&out);
	put_end(&out);
	gateway_answer(call, buf_text(&out));
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
