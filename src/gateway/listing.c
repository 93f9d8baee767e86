/* listing.c - looks at every session of the crew, the one that spoke last first.
 *
 * A filter for what no session of the box has (a project, a group, a board, an owner) finds
 * none.
 */
#include "gateway/listing.h"

#include "base/clock.h"
#include "base/put.h"
#include "base/utf8.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/row.h"
#include "run/said.h"

#define SESSIONS_USUAL 200
#define SESSIONS_MAX 500 /* of one page */
#define PREVIEW_MAX 240  /* bytes of what was said last */

struct gateway_listing {
	const struct gateway *g;
	yyjson_val *params;
	struct buf *out;
	double now_ms;
	struct buf key, agents; /* of the session at hand; who can be asked, each after a newline */
};

static bool is_set(const struct gateway_listing *l, const char *name)
{
	return yyjson_is_true(yyjson_obj_get(l->params, name));
}

static struct text wanted(const struct gateway_listing *l, const char *name)
{
	return json_text_at(l->params, name);
}

/* ---- filters ---- */

/* Nothing here has one. */
static bool asks_for_strange(const struct gateway_listing *l)
{
	static const char *const words[] = {"projectId", "group", "creatorId", "ownerId",
	                                    "involvingProfileId"};
	static const char *const flags[] = {"pinned", "hasBoard", "involvingMe"};
	yyjson_val *archived = yyjson_obj_get(l->params, "archived");

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (wanted(l, words[i]).len)
			return true;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (is_set(l, flags[i]))
			return true;
	return yyjson_is_true(archived) || text_is(wanted(l, "boardFace"), "dashboard") ||
	       yyjson_obj_get(l->params, "profileRelation");
}

static void note_agent(void *of, struct text source)
{
	struct gateway_listing *l = of;
	char name[GATEWAY_NAME_MAX + 1];

	gateway_agent_name(l->g, source, name);
	buf_print(&l->agents, "\n%s\n", name);
}

static bool can_be_asked(const struct gateway_listing *l, struct text agent)
{
	char name[GATEWAY_NAME_MAX + 3];
	int n = snprintf(name, sizeof(name), "\n%.*s\n", TEXT_ARG(agent));

	return n > 0 && text_has_nocase(buf_text(&l->agents), (struct text){name, (size_t)n});
}

static bool is_found(const struct gateway_listing *l, const struct crew_member *m,
                     struct text words)
{
	const char *const names[] = {m->handle, m->id, member_title(m), m->words[WORD_NAMED],
	                             m->words[WORD_ASKED]};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text_has_nocase(text_of(names[i]), words))
			return true;
	return text_has_nocase(buf_text(&l->key), words);
}

static bool is_in(const struct crew_member *m, struct text folder)
{
	return text_is(folder, m->words[WORD_HOME]) || text_is(folder, m->words[WORD_CWD]);
}

static bool passes_words(const struct gateway_listing *l, const struct crew_member *m,
                         const struct run *run)
{
	struct text label = wanted(l, "label"), spawner = wanted(l, "spawnedBy");
	struct text agent = wanted(l, "agentId"), search = text_trim(wanted(l, "search"));
	struct text folder = wanted(l, "workspaceDir");

	if (label.len && !text_is(label, m->handle) && !text_is(label, m->words[WORD_NAMED]))
		return false;
	if (spawner.len && !text_is(spawner, run->spawned_by))
		return false;
	if (folder.len && !is_in(m, folder))
		return false;
	if (agent.len && !text_equal(agent, gateway_key_agent(buf_text(&l->key))))
		return false;
	return !search.len || is_found(l, m, search);
}

static bool passes(const struct gateway_listing *l, const struct crew_member *m,
                   const struct run *run)
{
	uint64_t minutes = yyjson_get_uint(yyjson_obj_get(l->params, "activeMinutes"));

	if (minutes && l->now_ms - m->last_ms > (double)minutes * 60000)
		return false;
	if (is_set(l, "activeOnly") && !gateway_is_live(l->g, run))
		return false;
	if (is_set(l, "requireLastInteraction") && !m->words[WORD_ASKED])
		return false;
	if (is_set(l, "excludeSubagents") && run->spawned_by)
		return false;
	if (is_set(l, "configuredAgentsOnly") &&
	    !can_be_asked(l, gateway_key_agent(buf_text(&l->key))))
		return false;
	return passes_words(l, m, run);
}

/* ---- rows ---- */

static void put_last_message(struct gateway_listing *l, const struct run *run)
{
	const struct said *said = run->said;
	const struct said_message *m;

	if (!said || list_is_empty(&said->messages))
		return;
	m = list_of(said->messages.prev, struct said_message, in_said);
	if (said_text(&m->text).len)
		put_text(l->out, "lastMessagePreview", utf8_cut(said_text(&m->text), PREVIEW_MAX));
}

static void put_listed(struct gateway_listing *l, const struct crew_member *m,
                       const struct run *run)
{
	put_object(l->out, NULL);
	gateway_put_row_members(l->g, m, l->out);
	if (is_set(l, "includeLastMessage"))
		put_last_message(l, run);
	put_end(l->out);
}

struct listed {
	uint64_t offset, limit, passed, count;
};

static void list_member(struct gateway_listing *l, const struct crew_member *m, struct listed *n)
{
	const struct run *run = gateway_member_run(l->g, m);

	if (!run || gateway_is_past(l->g, run))
		return;
	buf_clear(&l->key);
	gateway_key_of_run(l->g, run, &l->key);
	if (!passes(l, m, run))
		return;
	if (n->passed++ < n->offset || n->count == n->limit)
		return;
	n->count++;
	put_listed(l, m, run);
}

static void put_counts(const struct listed *n, struct buf *out)
{
	uint64_t next = n->offset + n->count;
	bool has_more = next < n->passed;

	put_u64(out, "count", n->count);
	put_u64(out, "totalCount", n->passed);
	put_u64(out, "limitApplied", n->limit);
	if (n->offset)
		put_u64(out, "offset", n->offset);
	if (has_more)
		put_u64(out, "nextOffset", next);
	else
		put_word(out, "nextOffset", NULL);
	put_bool(out, "hasMore", has_more);
}

void gateway_put_listing(const struct gateway_call *call, struct buf *out)
{
	const struct gateway *g = call->gateway;
	yyjson_val *limit = yyjson_obj_get(call->params, "limit");
	struct gateway_listing l = {g, call->params, out, (double)clock_wall_ms()};
	struct listed n = {.offset = yyjson_get_uint(yyjson_obj_get(call->params, "offset")),
	                   .limit = limit ? yyjson_get_uint(limit) : SESSIONS_USUAL};
	struct link *all = crew_all(g->options.crew);

	if (n.limit > SESSIONS_MAX)
		n.limit = SESSIONS_MAX;
	buf_init(&l.key, 2 * KIB);
	buf_init(&l.agents, 64 * KIB);
	g->options.askable(g->options.self, note_agent, &l);
	put_i64(out, "ts", clock_wall_ms());
	put_word(out, "path", "signalbox");
	put_list(out, "sessions");
	if (!asks_for_strange(&l))
		for (struct link *at = all->prev; at != all; at = at->prev)
			list_member(&l, list_of(at, struct crew_member, in_all), &n);
	put_list_end(out);
	put_counts(&n, out);
	put_object(out, "defaults");
	put_end(out);
	buf_finish(&l.key);
	buf_finish(&l.agents);
}
