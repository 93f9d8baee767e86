/* row.c - a session of the crew, as clients list it. */
#include "gateway/row.h"
#include "base/clock.h"
#include "base/put.h"
#include "crew/crew.h"
#include "crew/spending.h"
#include "crew/usage.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/wishes.h"
#include "run/sessions.h"

const struct crew_member *gateway_place_member(const struct gateway *g,
                                               const struct gateway_place *place)
{
	const struct crew_member *m =
		place->run ? crew_find(g->options.crew, text_of(place->run->id)) : NULL;
	const struct link *all = place->session ? &place->session->runs : NULL;

	for (const struct link *l = all ? all->prev : NULL; l != all && !m; l = l->prev)
		m = crew_find(g->options.crew, text_of(list_of(l, struct run, in_session)->id));
	return m;
}

const struct run *gateway_member_run(const struct gateway *g, const struct crew_member *m)
{
	const struct run *run = runs_find(g->options.runs, text_of(member_run(m)));

	for (unsigned i = m->run_count; i > 0 && !run; i--)
		run = runs_find(g->options.runs, text_of(m->runs[i - 1]));
	return run;
}

/* Which runs of it are at work; false: none is. */
static bool put_active(const struct gateway *g, const struct crew_member *m, struct buf *out)
{
	const struct run *newest = gateway_member_run(g, m);
	struct buf ids;
	bool is_any;

	buf_init(&ids, 64 * KIB);
	for (unsigned i = g->sent.count || (newest && gateway_is_live(g, newest)) ? 0
	                                                                          : m->run_count;
	     i < m->run_count; i++) {
		const struct run *run = runs_find(g->options.runs, text_of(m->runs[i]));

		if (run && gateway_is_live(g, run))
			put_word(&ids, NULL, run->id);
	}
	is_any = ids.len > 0;
	put_bool(out, "hasActiveRun", is_any);
	put_list(out, "activeRunIds");
	buf_add(out, buf_text(&ids));
	put_list_end(out);
	buf_finish(&ids);
	return is_any;
}

static void put_status(const struct crew_member *m, bool is_live, struct buf *out)
{
	static const char *const ends[CREW_STATES] = {
		[CREW_FAILED] = "failed",
		[CREW_GONE] = "killed",
	};
	const struct standing *standing = member_standing(m);
	const char *end = ends[standing->state], *why = standing_why(standing);

	put_word(out, "status", is_live ? "running" : end ? end : "done");
	put_bool(out, "abortedLastRun", !is_live && standing->state == CREW_GONE);
	if (!is_live && standing->state == CREW_FAILED && why)
		put_word(out, "lastRunError", why);
	put_word(out, "lastRunId", member_run(m));
}

/* totalTokens is what its context holds, and contextTokens what it can hold. */
static void put_usage(const struct gateway *g, const struct crew_member *m, struct buf *out)
{
	const struct usage *usage = NULL;
	uint64_t input = 0, output = 0;

	for (unsigned i = 0; i < m->run_count; i++) {
		const struct usage *of = spending_of(g->options.spending, text_of(m->runs[i]));

		for (unsigned part = 0; of && part < of->part_count; part++) {
			input += of->parts[part].counts.n[SPENT_INPUT];
			output += of->parts[part].counts.n[SPENT_OUTPUT];
		}
		usage = of ? of : usage;
	}
	if (!usage)
		return;
	put_u64(out, "inputTokens", input);
	put_u64(out, "outputTokens", output);
	if (usage->context_used) {
		put_u64(out, "totalTokens", usage->context_used);
		put_bool(out, "totalTokensFresh", true);
	}
	if (usage->context_window)
		put_u64(out, "contextTokens", usage->context_window);
}

bool gateway_put_row_members(const struct gateway *g, const struct crew_member *m, struct buf *out)
{
	const struct run *run = gateway_member_run(g, m);
	const char *title = member_title(m), *named = m->words[WORD_NAMED];
	struct buf key;

	if (!run)
		return false;
	buf_init(&key, 2 * KIB);
	gateway_key_of_run(g, run, &key);
	put_text(out, "key", buf_text(&key));
	put_text(out, "agentId", gateway_key_agent(buf_text(&key)));
	put_word(out, "kind", "direct");
	put_word(out, "label", named ? named : m->handle);
	put_word(out, "displayName", named ? named : m->handle);
	if (title)
		put_word(out, "derivedTitle", title);
	put_word(out, "sessionId", m->id);
	put_u64(out, "updatedAt", (uint64_t)m->last_ms);
	put_u64(out, "lastActivityAt", (uint64_t)m->last_ms);
	put_u64(out, "createdAt", (uint64_t)m->first_ms);
	put_i64(out, "snapshotAt", clock_wall_ms());
	if (run->spawned_by)
		put_word(out, "spawnedBy", run->spawned_by);
	if (m->words[WORD_MODEL] && !gateway_wished_model(g, buf_text(&key)).len)
		put_word(out, "model", m->words[WORD_MODEL]);
	gateway_put_wishes(g, buf_text(&key), out);
	buf_finish(&key);
	put_status(m, put_active(g, m, out), out);
	put_usage(g, m, out);
	return true;
}

bool gateway_put_row(const struct gateway *g, const struct crew_member *m, struct buf *out)
{
	if (!gateway_member_run(g, m))
		return false;
	put_object(out, NULL);
	gateway_put_row_members(g, m, out);
	put_end(out);
	return true;
}
