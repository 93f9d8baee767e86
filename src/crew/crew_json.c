/* crew_json.c - sessions as JSON, for whoever shows them. */
#include <math.h>

#include "base/put.h"
#include "base/utf8.h"
#include "crew/inside.h"
#include "crew/spending.h"

#define MINUTE_MS 60000.0
#define LIST_REST 256                  /* bytes of an answer behind its list */
#define STALE_MS (24 * 60 * MINUTE_MS) /* after that, nobody looks for it among the present ones */

/* ---- the state that is shown ---- */

/* One that waits for a person says what for; one that has nothing to do waits for its subagents
 * while they are at work. */
struct look {
	enum crew_state state;
	double since_ms;
	const struct standing *of;
	struct crew_question question; /* id NULL: none */
	const char *why;
};

static void mark_question(void *of, const char *run, const struct crew_question *question)
{
	struct crew *crew = of;
	struct crew_member *m = map_get(&crew->by_run, text_of(run));

	if (!m || m->asked_round == crew->round)
		return;
	m->asked_round = crew->round;
	m->asks = *question;
}

void crew_mark_questions(struct crew *crew)
{
	crew->round++;
	if (crew->options.questions)
		crew->options.questions(crew->options.self, mark_question, crew);
}

static struct look look_at(const struct crew *crew, const struct crew_member *m)
{
	struct look look = {.of = member_standing(m)};

	look.state = look.of->state;
	look.since_ms = look.of->since_ms;
	look.why = standing_why(look.of);
	if (m->asked_round == crew->round && !state_is_over(look.state)) {
		look.question = m->asks;
		look.state = CREW_ASKS;
		look.since_ms = fmax(look.since_ms, m->standing.at_ms[MOMENT_ASKED]);
	} else if (look.state == CREW_IDLE && member_has_busy_agent(m)) {
		look.state = CREW_WAITS;
		look.why = "for its subagents";
	}
	return look;
}

static void add_question(const struct crew_question *q, struct buf *out)
{
	if (!q->id)
		return;
	put_word(out, "prompt", q->id);
	put_text(out, "question", utf8_cut(q->words, STANDING_WORDS_MAX));
	if (q->tool.len)
		put_text(out, "tool", utf8_cut(q->tool, STANDING_WORDS_MAX));
}

static void add_state(const struct look *look, struct buf *out)
{
	const struct standing *s = look->of;
	const struct standing_call *call = s->call >= 0 ? &s->calls[s->call] : NULL;
	bool ended = look->state == CREW_FAILED || look->state == CREW_FINISHED;

	put_object(out, "state");
	put_word(out, "name", state_name(look->state));
	json_member_number(out, "since", look->since_ms);
	add_question(&look->question, out);
	if (call) {
		if (!look->question.tool.len)
			json_member_text(out, "tool", call->tool);
		json_member_text(out, "target", call->target);
		json_member_text(out, "call", call->call);
	}
	json_member_text(out, "why", look->why);
	if (ended && s->exit >= 0)
		put_i64(out, "exit", s->exit);
	put_end(out);
}

static enum crew_group group_of_look(const struct look *look, const struct crew_member *m,
                                     double now_ms)
{
	enum crew_group group = state_group(look->state);

	if ((group == GROUP_FAILED || group == GROUP_IDLE) && now_ms - m->last_ms > STALE_MS)
		return GROUP_OVER;
	return group;
}

enum crew_group crew_group(const struct crew *crew, const struct crew_member *m, double now_ms)
{
	struct look look = look_at(crew, m);

	return group_of_look(&look, m, now_ms);
}

/* ---- one of them ---- */

static void add_identity(const struct crew *crew, const struct crew_member *m, struct buf *out)
{
	static const struct {
		const char *name;
		enum member_word word;
	} words[] = {
		{"harness", WORD_HARNESS},       {"version", WORD_VERSION}, {"cwd", WORD_HOME},
		{"branch", WORD_BRANCH},         {"host", WORD_HOST},       {"user", WORD_USER},
		{"model", WORD_MODEL},           {"mode", WORD_MODE},       {"folder", WORD_CWD},
		{"transcript", WORD_TRANSCRIPT},
	};
	const char *title = member_title(m);

	json_member_text(out, "agent", member_harness_name(m));
	json_member_text(out, "agentId", m->main);
	json_member_text(out, "project", member_project(m));
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		json_member_text(out, words[i].name, m->words[words[i].word]);
	json_member_text(out, "parent", crew_parent(crew, m));
	if (title) {
		put_word(out, "title", title);
		put_word(out, "titleFrom",
		         title == m->words[WORD_NAMED]      ? "person"
		         : title == m->words[WORD_ENTITLED] ? "agent"
		                                            : "asked");
	}
}

void crew_add_agents(const struct crew_member *m, bool saving, struct buf *out)
{
	put_list(out, "agents");
	list_each(&m->agents, l) {
		const struct crew_agent *a = list_of(l, struct crew_agent, in_member);

		put_object(out, NULL);
		put_word(out, "id", a->id);
		json_member_text(out, "name", a->name);
		json_member_text(out, "task", a->task);
		json_member_text(out, "parent", a->parent);
		json_member_number(out, "first", a->first_ms);
		json_member_number(out, "last", a->last_ms);
		if (saving)
			standing_save(&a->standing, "standing", out);
		else
			standing_json(&a->standing, "state", out);
		put_end(out);
	}
	put_list_end(out);
}

static void add_pulse(const struct crew_member *m, double now_ms, struct buf *out)
{
	int64_t now = (int64_t)(now_ms / MINUTE_MS);

	put_list(out, "spark");
	for (int64_t minute = now - MEMBER_PULSE + 1; minute <= now; minute++) {
		bool known = minute <= m->pulse_minute && minute > m->pulse_minute - MEMBER_PULSE &&
		             minute >= 0;

		put_u64(out, NULL, known ? m->pulse[minute % MEMBER_PULSE] : 0);
	}
	put_list_end(out);
}

static void add_details(const struct crew_member *m, struct buf *out)
{
	plan_json(&m->plan, "items", out);
	changes_json(&m->changes, "files", out);
}

static void add_runs(const struct crew_member *m, struct buf *out)
{
	put_list(out, "runs");
	for (unsigned i = 0; i < m->run_count; i++)
		put_word(out, NULL, m->runs[i]);
	put_list_end(out);
}

static void add_spent(const struct crew *crew, const struct crew_member *m, bool whole,
                      struct buf *out)
{
	const struct crew_options *o = &crew->options;
	const struct usage *usages[MEMBER_RUNS_MAX + 1] = {NULL};
	size_t count = 0;

	for (unsigned i = 0; o->spending && i < m->run_count; i++)
		if ((usages[count] = spending_of(o->spending, text_of(m->runs[i]))))
			count++;
	if (count)
		spending_usage_json(o->spending, usages, o->prices, whole, out);
}

static void add_member(const struct crew *crew, const struct crew_member *m, double now_ms,
                       bool whole, struct buf *out)
{
	struct look look = look_at(crew, m);

	put_object(out, NULL);
	put_word(out, "id", m->id);
	put_word(out, "handle", m->handle);
	put_word(out, "run", member_run(m));
	put_word(out, "source", m->source);
	put_bool(out, "figure", m->is_told);
	add_identity(crew, m, out);
	put_word(out, "group", state_group_name(group_of_look(&look, m, now_ms)));
	add_state(&look, out);
	json_member_number(out, "first", m->first_ms);
	json_member_number(out, "last", m->last_ms);
	plan_brief(&m->plan, "plan", out);
	changes_brief(&m->changes, "changes", out);
	add_spent(crew, m, whole, out);
	crew_add_agents(m, false, out);
	add_pulse(m, now_ms, out);
	if (whole || m->run_count > 1)
		add_runs(m, out);
	if (whole)
		add_details(m, out);
	put_end(out);
}

void crew_member_json(struct crew *crew, const struct crew_member *m, double now_ms, bool whole,
                      struct buf *out)
{
	crew_mark_questions(crew);
	add_member(crew, m, now_ms, whole, out);
}

/* ---- all of them ---- */

void crew_json(struct crew *crew, double now_ms, size_t most, struct buf *out)
{
	crew_mark_questions(crew);
	put_list(out, NULL);
	for (struct link *l = crew->all.prev; l != &crew->all && most > 0; l = l->prev, most--) {
		size_t before = out->len;

		put_key(out, NULL);
		add_member(crew, list_of(l, struct crew_member, in_all), now_ms, false, out);
		if (out->full || out->len > out->max - LIST_REST) {
			out->len = before;
			out->full = false;
			break;
		}
	}
	put_list_end(out);
}

bool crew_take_changed(struct crew *crew, double now_ms, struct buf *changed, struct buf *removed)
{
	bool is_any = !list_is_empty(&crew->changed) || crew->removed.len;

	crew->is_told = false;
	crew_mark_questions(crew);
	put_list(changed, NULL);
	list_each(&crew->changed, l) {
		put_key(changed, NULL);
		add_member(crew, list_of(l, struct crew_member, in_changed), now_ms, false,
		           changed);
		list_remove(l);
	}
	put_list_end(changed);
	put_list(removed, NULL);
	buf_add(removed, buf_text(&crew->removed));
	removed->full = removed->full || crew->removed.full;
	crew->removed.full = false;
	put_list_end(removed);
	buf_finish(&crew->removed);
	return is_any;
}
