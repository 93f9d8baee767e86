/* member.c - one session, signal by signal. */
#include "crew/member.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
#include "bus/admit.h"
#include "crew/inside.h"
#include "run/hear.h"

#define NAME_MAX_BYTES 128
#define RUN_MAX_BYTES 512
#define TITLE_MAX 200
#define MINUTE_MS 60000.0

/* ---- words ---- */

static const size_t word_max[MEMBER_WORDS] = {
	[WORD_HOME] = MEMBER_WORD_MAX,       [WORD_CWD] = MEMBER_WORD_MAX,
	[WORD_TRANSCRIPT] = MEMBER_WORD_MAX, [WORD_NAMED] = TITLE_MAX,
	[WORD_ENTITLED] = TITLE_MAX,         [WORD_ASKED] = TITLE_MAX,
	[WORD_PARENT] = RUN_MAX_BYTES,
};

static struct text usable(struct text words, size_t max)
{
	const char *nul = words.len ? memchr(words.at, '\0', words.len) : NULL;

	if (nul)
		words.len = (size_t)(nul - words.at);
	return utf8_cut(words, max);
}

/* The first is kept where the first counts. */
static bool counts(const struct crew_member *m, enum member_word word, double at_ms)
{
	if (!m->words[word] && m->told_ms[word] == 0)
		return true;
	if (word == WORD_HOME || word == WORD_ASKED)
		return at_ms < m->told_ms[word];
	return at_ms >= m->told_ms[word];
}

static void take_word(struct crew_member *m, enum member_word word, struct text said, double at_ms)
{
	said = usable(said, word_max[word] ? word_max[word] : 128);
	if (!counts(m, word, at_ms) || (!said.len && word != WORD_NAMED))
		return;
	m->told_ms[word] = at_ms;
	if (m->words[word] && text_is(said, m->words[word]))
		return;
	free(m->words[word]);
	m->words[word] = said.len ? text_dup(said) : NULL;
}

static void take_cwd(struct crew_member *m, struct text cwd, double at_ms)
{
	take_word(m, WORD_CWD, cwd, at_ms);
	take_word(m, WORD_HOME, cwd, at_ms);
}

/* ---- identity ---- */

static void take_facts(struct crew_member *m, const struct crew_heard *h)
{
	static const struct {
		const char *name;
		enum member_word word;
	} members[] = {
		{"harness", WORD_HARNESS}, {"version", WORD_VERSION},
		{"branch", WORD_BRANCH},   {"host", WORD_HOST},
		{"user", WORD_USER},       {"model", WORD_MODEL},
		{"mode", WORD_MODE},       {"transcript", WORD_TRANSCRIPT},
		{"parent", WORD_PARENT},
	};
	bool is_asked = text_is(json_text_at(h->payload, "titleFrom"), "asked");
	double at_ms = h->news.at_ms;

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		take_word(m, members[i].word, json_text_at(h->payload, members[i].name), at_ms);
	take_word(m, is_asked ? WORD_ASKED : WORD_ENTITLED, json_text_at(h->payload, "title"),
	          at_ms);
	take_cwd(m, json_text_at(h->payload, "cwd"), at_ms);
}

/* What a hook of Claude Code has besides its event. */
static void take_hook(struct crew_member *m, const struct crew_heard *h)
{
	double at_ms = h->news.at_ms;

	if (!h->hook.len)
		return;
	take_word(m, WORD_HARNESS, TEXT("claude-code"), at_ms);
	take_word(m, WORD_MODE, json_text_at(h->metadata, "permission_mode"), at_ms);
	take_word(m, WORD_TRANSCRIPT, json_text_at(h->metadata, "transcript_path"), at_ms);
	take_word(m, WORD_ENTITLED, json_text_at(h->metadata, "session_title"), at_ms);
	if (h->part.len)
		return;
	take_word(m, WORD_MODEL, json_text_at(h->metadata, "model"), at_ms);
	take_cwd(m, json_text_at(h->metadata, "cwd"), at_ms);
}

/* A program that `signalbox run` started, by its name. */
static void take_program(struct crew_member *m, struct text source, double at_ms)
{
	static const struct text before = {"adapter:tap:", 12};
	static const struct {
		const char *program, *harness;
	} known[] = {{"claude", "claude-code"}, {"gemini", "gemini-cli"}, {"qwen", "qwen-code"}};
	struct text program;

	if (m->words[WORD_HARNESS] || !text_starts(source, before))
		return;
	program = (struct text){source.at + before.len, source.len - before.len};
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (text_is(program, known[i].program))
			program = text_of(known[i].harness);
	take_word(m, WORD_HARNESS, program, at_ms);
}

static void take_identity(struct crew_member *m, const struct signal *s, const struct crew_heard *h)
{
	struct text rest, model = json_text_at(h->payload, "model");

	take_hook(m, h);
	take_word(m, WORD_PARENT, h->spawner, s->at_ms);
	take_program(m, s->source, s->at_ms);
	if (s->kind == KIND_TOKEN_USAGE && !h->part.len && !text_starts(model, TEXT("<")))
		take_word(m, WORD_MODEL, model, s->at_ms);
	if (s->kind == KIND_TASK_DISPATCH && !h->part.len && text_trim(h->task).len)
		take_word(m, WORD_ASKED, text_cut(text_trim(h->task), '\n', &rest), s->at_ms);
	if (text_is(s->type, "session.facts") && !h->part.len)
		take_facts(m, h);
	if (text_is(s->type, "session.title") && text_equal(s->source, SOURCE_OF_BOX))
		take_word(m, WORD_NAMED, json_text_at(h->payload, "title"), s->at_ms);
}

/* ---- subagents ---- */

static void forget_agent(struct crew_member *m, struct crew_agent *a)
{
	assert(m->agent_count > 0);
	m->agent_count--;
	list_remove(&a->in_member);
	standing_finish(&a->standing);
	free(a->id);
	free(a->name);
	free(a->task);
	free(a->parent);
	free(a);
}

static struct crew_agent *find_agent(const struct crew_member *m, struct text id)
{
	list_each(&m->agents, l) {
		struct crew_agent *a = list_of(l, struct crew_agent, in_member);

		if (text_is(id, a->id))
			return a;
	}
	return NULL;
}

static void make_agent_room(struct crew_member *m)
{
	struct crew_agent *oldest = list_of(m->agents.next, struct crew_agent, in_member);

	if (m->agent_count < MEMBER_AGENTS_MAX)
		return;
	list_each(&m->agents, l) {
		struct crew_agent *a = list_of(l, struct crew_agent, in_member);

		if (state_is_over(a->standing.state)) {
			oldest = a;
			break;
		}
	}
	forget_agent(m, oldest);
}

struct crew_agent *member_agent(struct crew_member *m, struct text id)
{
	struct crew_agent *a;

	if ((a = find_agent(m, id)))
		return a;
	make_agent_room(m);
	a = must_zero(1, sizeof(*a));
	a->id = text_dup(id);
	standing_init(&a->standing);
	list_add(&m->agents, &a->in_member);
	m->agent_count++;
	return a;
}

static void keep_once(char **held, struct text words, size_t max)
{
	words = usable(words, max);
	if (!*held && words.len)
		*held = text_dup(words);
}

static void name_agent(struct crew_agent *a, const struct crew_heard *h)
{
	keep_once(&a->name, h->agent, NAME_MAX_BYTES);
	keep_once(&a->task, h->task, TITLE_MAX);
	keep_once(&a->parent, h->parent, NAME_MAX_BYTES);
}

/* A source that somebody else asked may answer under the name of its model: the first that it
 * speaks under is the agent's own, and the next ask of one that rests may be for another model. */
static bool is_answer(struct crew_member *m, const struct signal *s, struct text agent)
{
	bool is_told = s->kind == KIND_TASK_DISPATCH;

	if (!text_is(s->source, m->main)) {
		if (is_told && text_is(agent, m->main) && !m->open_runs) {
			free(m->answers);
			m->answers = NULL;
		}
	} else if (!text_is(s->source, m->source) && !m->answers && !is_told &&
	           !find_agent(m, agent)) {
		m->answers = text_dup(agent);
	}
	return m->answers && text_is(agent, m->answers);
}

/* It has an id; or it is another agent than the one that began, as programs without ids of
 * subagents name them. */
static struct text part_of(struct crew_member *m, const struct signal *s,
                           const struct crew_heard *h)
{
	struct text part = usable(h->part, NAME_MAX_BYTES),
		    agent = usable(h->agent, NAME_MAX_BYTES);

	if (part.len || !agent.len)
		return part;
	if (!m->main)
		m->main = text_dup(agent);
	if (h->session.has_names && session_is_itself(s->source, agent))
		return TEXT("");
	return is_answer(m, s, agent) || text_is(agent, m->main) ? TEXT("") : agent;
}

static void hear_part(struct crew_member *m, struct text part, const struct crew_heard *h)
{
	struct standing_news news = h->news;
	struct crew_agent *a;

	/* Claude Code tells the end of helpers of its own that never began. */
	if (h->ends_part && !find_agent(m, part))
		return;
	a = member_agent(m, part);
	name_agent(a, h);
	if (h->ends_part && news.moment == MOMENT_OVER)
		news.moment = MOMENT_ENDED;
	if (a->first_ms == 0 || news.at_ms < a->first_ms)
		a->first_ms = news.at_ms;
	if (news.at_ms > a->last_ms)
		a->last_ms = news.at_ms;
	standing_hear(&a->standing, &news);
}

/* ---- the whole ---- */

static void count_pulse(struct crew_member *m, double at_ms)
{
	int64_t minute = (int64_t)(at_ms / MINUTE_MS);

	if (minute > m->pulse_minute) {
		int64_t gap = minute - m->pulse_minute;

		for (int64_t i = 1; i <= gap && i <= MEMBER_PULSE; i++)
			m->pulse[(m->pulse_minute + i) % MEMBER_PULSE] = 0;
		m->pulse_minute = minute;
	}
	if (minute > m->pulse_minute - MEMBER_PULSE && minute >= 0)
		m->pulse[minute % MEMBER_PULSE]++;
}

static void note_life(struct crew_member *m, double at_ms)
{
	if (!isfinite(at_ms) || at_ms <= 0 || at_ms > 1e15)
		return;
	if (m->first_ms == 0 || at_ms < m->first_ms)
		m->first_ms = at_ms;
	if (at_ms > m->last_ms)
		m->last_ms = at_ms;
	count_pulse(m, at_ms);
}

/* What ends the session ends its subagents, and so does a person who interrupts it; those in the
 * background go on after a turn. */
static void end_agents(struct crew_member *m, const struct crew_heard *h)
{
	bool vanished = h->news.moment == MOMENT_VANISHED;
	struct standing_news end = {.moment = vanished ? MOMENT_VANISHED : MOMENT_ENDED,
	                            .at_ms = h->news.at_ms,
	                            .exit = -1};

	if (!vanished && h->news.moment != MOMENT_ENDED && !h->is_interrupted)
		return;
	list_each(&m->agents, l)
		standing_hear(&list_of(l, struct crew_agent, in_member)->standing, &end);
}

bool member_is_strange(const struct crew_member *m, struct text source)
{
	return session_is_strange(text_of(m->source), source);
}

/* ---- its runs ---- */

static_assert(MEMBER_RUNS_MAX == 64, "each run has a bit in open_runs");

static uint64_t run_bit(const struct crew_member *m, struct text run)
{
	for (unsigned i = m->run_count; i-- > 0;)
		if (text_is(run, m->runs[i]))
			return (uint64_t)1 << i;
	return 0;
}

static bool is_work(enum crew_moment moment)
{
	return moment == MOMENT_TOLD || moment == MOMENT_BUSY || moment == MOMENT_SAID ||
	       moment == MOMENT_CALLED || moment == MOMENT_ASKED || moment == MOMENT_HELD;
}

static bool is_end(enum crew_moment moment)
{
	return moment == MOMENT_OVER || moment == MOMENT_FAILED || moment == MOMENT_ENDED ||
	       moment == MOMENT_VANISHED;
}

/* What is told late of work that is over opens nothing. */
static bool is_behind_ends(const struct standing *s, double at_ms)
{
	return at_ms > fmax(fmax(s->at_ms[MOMENT_OVER], s->at_ms[MOMENT_FAILED]),
	                    fmax(s->at_ms[MOMENT_ENDED], s->at_ms[MOMENT_VANISHED]));
}

/* The end of a run is not that of the session while a newer run is at work.  When the session
 * itself is gone, all are. */
static bool is_outrun(struct crew_member *m, const struct signal *s, const struct crew_heard *h)
{
	enum crew_moment moment = h->news.moment;
	uint64_t bit = run_bit(m, run_of_signal(s));

	if (is_work(moment) && is_behind_ends(&m->standing, h->news.at_ms))
		m->open_runs |= bit;
	if (!is_end(moment))
		return false;
	m->open_runs &= ~bit;
	if (moment != MOMENT_VANISHED && !h->is_left && (m->open_runs & ~(bit - 1)))
		return true;
	m->open_runs = 0;
	return false;
}

/* Another process took it up, or its own came back: it lives, whatever was before.  The process
 * that holds its file is found long after that, in the midst of its work. */
static void hear_process(struct crew_member *m, const struct crew_heard *h)
{
	uint64_t pid = yyjson_get_uint(yyjson_obj_get(h->payload, "pid"));
	struct standing_news began = {.moment = MOMENT_BEGAN, .at_ms = h->news.at_ms, .exit = -1};
	bool is_late = text_is(json_text_at(h->metadata, "from"), "file");

	if (!pid || (pid == m->pid && !m->is_left))
		return;
	if (!is_late && (m->pid || state_is_over(m->standing.state)))
		standing_hear(&m->standing, &began);
	m->pid = pid;
	m->is_left = false;
}

void member_hear(struct crew_member *m, const struct signal *s, const struct crew_heard *h)
{
	struct text part = part_of(m, s, h);

	m->seq = s->seq;
	m->is_told = m->is_told || h->session.is_told;
	note_life(m, s->at_ms);
	take_identity(m, s, h);
	if (text_is(s->type, "agent.plan") && !part.len)
		plan_hear(&m->plan, h->payload, s->at_ms);
	if (text_is(s->type, "agent.change"))
		changes_hear(&m->changes, h->payload);
	if (part.len && h->news.moment != MOMENT_NONE) {
		hear_part(m, part, h);
	} else if (!part.len) {
		if (text_is(s->type, "session.facts"))
			hear_process(m, h);
		m->is_left = m->is_left || h->is_left;
		if (is_outrun(m, s, h))
			return;
		standing_hear(&m->standing, &h->news);
		end_agents(m, h);
	}
}

const struct standing *member_standing(const struct crew_member *m)
{
	const struct standing *own = &m->standing;

	if (state_is_over(own->state) || own->state == CREW_ASKS)
		return own;
	list_each(&m->agents, l) {
		const struct crew_agent *a = list_of(l, struct crew_agent, in_member);

		if (a->standing.state == CREW_ASKS)
			return &a->standing;
	}
	return own;
}

bool member_has_busy_agent(const struct crew_member *m)
{
	list_each(&m->agents, l)
		if (state_is_work(list_of(l, struct crew_agent, in_member)->standing.state))
			return true;
	return false;
}

void member_slim(struct crew_member *m)
{
	while (m->agent_count)
		forget_agent(m, list_of(m->agents.next, struct crew_agent, in_member));
	plan_finish(&m->plan);
	changes_forget_files(&m->changes);
}

bool member_can_be(struct text name)
{
	return name.len > 0 && name.len <= RUN_MAX_BYTES && !memchr(name.at, '\0', name.len);
}

struct crew_member *member_create(struct text id, struct text source)
{
	struct crew_member *m = must_zero(1, sizeof(*m));

	assert(id.len > 0);
	m->id = text_dup(id);
	m->source = text_dup(usable(source, NAME_MAX_BYTES));
	m->runs[m->run_count++] = text_dup(id);
	standing_init(&m->standing);
	list_init(&m->agents);
	list_init(&m->in_all);
	list_init(&m->in_changed);
	return m;
}

void member_destroy(struct crew_member *m)
{
	member_slim(m);
	for (unsigned i = 0; i < m->run_count; i++)
		free(m->runs[i]);
	for (unsigned i = 0; i < MEMBER_WORDS; i++)
		free(m->words[i]);
	standing_finish(&m->standing);
	changes_finish(&m->changes);
	list_remove(&m->in_all);
	list_remove(&m->in_changed);
	free(m->id);
	free(m->handle);
	free(m->source);
	free(m->main);
	free(m->answers);
	free(m->key);
	free(m);
}
