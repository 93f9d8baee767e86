/* spending_past.c - usage.past: responses of a session that came before anybody listened.
 *
 * Who is long over may not push out the sessions of today: it stands before them all, and where
 * there is no room the sums alone have it.
 */
#include "base/log.h"
#include "base/must.h"
#include "bus/admit.h"
#include "crew/spending_inside.h"
#include "run/hear.h"
#include "signal/json.h"

#define RECENT_MS 3600000.0 /* of a response that may still be under way */
#define COST_MAX 1e9

/* ---- whose it is ---- */

static bool has_credential(const struct signal *signal)
{
	return !text_starts(signal->source, SOURCE_LOCAL);
}

bool spending_is_strange(const struct spending *s, const struct signal *signal, struct text id)
{
	const struct usage *u = map_get(&s->sessions, id);

	return u && u->is_vouched && !has_credential(signal);
}

void spending_vouch(struct usage *u, const struct signal *signal)
{
	u->is_vouched |= has_credential(signal);
}

void spending_own_id(const struct spending *s, struct spent_id *id, bool is_new, struct usage *of)
{
	uint32_t who = of->id ? (uint32_t)(map_hash(s->seed, text_of(of->id)) >> 33) : 0;

	if (is_new)
		id->owner = who;
	else if (id->owner && who && id->owner != who)
		of->is_copy = true;
}

/* ---- the past ---- */

/* NULL: there is no room. */
static struct usage *past_session(struct spending *s, struct text id)
{
	struct usage *u;

	if (id.len == 0 || id.len > TRANSLATE_RUN_MAX || memchr(id.at, '\0', id.len))
		return NULL;
	u = map_get(&s->sessions, id);
	if (u)
		spending_touch_session(s, u);
	if (u || s->sessions.count >= SPENDING_SESSIONS)
		return u;
	u = must_zero(1, sizeof(*u));
	u->id = text_dup(id);
	map_set(&s->sessions, id, u);
	list_add(s->all.next, &u->in_all);
	return u;
}

/* Of a response that is told long after it came.  False: it was counted. */
static bool take_late(struct spending *s, struct usage *u, struct usage_facts *facts,
                      bool is_recent)
{
	uint64_t hash = map_hash(s->seed, facts->response);

	if (is_recent || spending_find_id(s, hash))
		return spending_take_news(s, facts, u);
	if (seen_has(&s->seen, hash))
		return false;
	if (s->seen.count == SEEN_MAX) { /* it would count again each time it is told */
		if (!s->is_full)
			log_warn("usage", "%u old responses are known: no more are counted",
			         SEEN_MAX);
		s->is_full = true;
		return false;
	}
	seen_add(&s->seen, hash);
	return true;
}

static void past_count(struct spending *s, struct usage *u, struct usage_facts *facts)
{
	struct spent_counts added = facts->counts;

	if (u->id) {
		u->is_own_old = true;
		usage_add(u, facts, spending_name(s, facts->call.model), &added);
		if (facts->at_ms > u->last_ms)
			u->last_ms = facts->at_ms;
	}
	spending_count(s, facts, u, &added);
}

static void past_facts(struct spending *s, struct usage *u, yyjson_val *payload)
{
	struct text harness = json_text_at(payload, "harness");
	double cost;

	if (!u->project)
		u->project = spending_project(s, json_text_at(payload, "cwd"));
	if (!u->harness && harness.len)
		u->harness = spending_name(s, harness);
	if (json_number(yyjson_obj_get(payload, "cost"), &cost) && cost > u->own_cost &&
	    cost < COST_MAX)
		u->own_cost = cost;
	u->at_least |= yyjson_is_true(yyjson_obj_get(payload, "compacted"));
}

void spending_hear_past(struct spending *s, const struct signal *signal)
{
	yyjson_val *payload = yyjson_obj_get(signal->envelope, "payload"), *one;
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(payload, "calls"));
	struct text id = json_text_at(payload, "session");
	struct usage *u, nobody = {0};
	unsigned told = 0;

	if (spending_is_strange(s, signal, id))
		return;
	u = past_session(s, id);
	if (!u)
		u = &nobody;
	spending_vouch(u, signal);
	past_facts(s, u, payload);
	while ((one = yyjson_arr_iter_next(&each)) && told++ < SPENDING_PAST_MAX) {
		struct usage_facts facts;
		double at_ms;

		if (json_number(yyjson_obj_get(one, "at"), &at_ms) &&
		    usage_read_payload(one, at_ms, &facts) && facts.response.len > 0 &&
		    take_late(s, u, &facts, at_ms > signal->at_ms - RECENT_MS))
			past_count(s, u, &facts);
	}
	if (yyjson_obj_get(payload, "cost"))
		u->is_own_old = false; /* it is of all these calls */
	if (u->row && u->at_least && !s->rows[u->row - 1].at_least) {
		spending_touch_row(s, &s->rows[u->row - 1]);
		s->rows[u->row - 1].at_least = true;
		s->changes++;
	}
	spending_weigh(s, u);
}
