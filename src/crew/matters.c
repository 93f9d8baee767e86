/* matters.c - what a person is told of: found, raised, settled. */
#include "crew/matters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "crew/inside.h"
#include "crew/words.h"

#define FAREWELL_MS 10000 /* who says good-bye so soon after its work was not sent away */
#define NAME_MAX_BYTES 120

/* A session, a question or the budget, and what it is about now.  The key of a session is "s" and
 * its handle, that of a question "q" and its id. */
struct concern {
	char *key;
	struct link in_concerns; /* matters.concerns */
	struct matter *matter;   /* or NULL */
	uint64_t round;          /* of a question: the look that saw it last */
	/* Of a session: */
	bool is_busy;
	double begun_ms; /* its newest work; 0: not known */
	double over_ms;  /* and the end of that */
	double broke_ms; /* it vanished in the middle of it; 0: not */
};

struct matters {
	struct matters_options options;
	double after_ms;
	struct map by_key;
	struct link concerns; /* concern.in_concerns */
	struct link all;      /* matter.in_all */
	uint64_t round;
	bool has_looked;
	/* While it looks: */
	const struct crew *crew;
	double now_ms;
	bool quiet;
};

const char *matter_kind_name(enum matter_kind kind)
{
	static const char *const names[MATTER_KINDS] = {"asks", "failed", "finished", "budget"};

	return names[kind];
}

/* ---- one of them ---- */

static void matter_destroy(struct matter *m)
{
	list_remove(&m->in_all);
	free(m->id);
	free(m->title);
	free(m->words);
	free(m->handle);
	free(m->project);
	free(m->member);
	free(m->run);
	free(m->prompt);
	free(m->name);
	free(m);
}

/* The first line of somebody's text, cut, and nothing in it that cannot be seen. */
static char *shown(struct text said, size_t most)
{
	struct text rest, line = text_trim(text_cut(text_trim(said), '\n', &rest));
	struct text begun = utf8_cut(line, most);
	struct buf out;
	char *copy;

	if (begun.len == 0)
		return NULL;
	buf_init(&out, most * VISIBLE_GROWTH + 8);
	visible_add(&out, begun, VISIBLE_MARK_LINES);
	if (begun.len < line.len || text_trim(rest).len)
		buf_add(&out, TEXT("…"));
	copy = text_dup(buf_text(&out));
	buf_finish(&out);
	return copy;
}

static void settle(struct matters *ms, struct concern *c)
{
	struct matter *m = c->matter;

	if (!m)
		return;
	c->matter = NULL;
	if (!m->is_over && (m->is_raised || m->is_quiet))
		ms->options.settled(ms->options.self, m);
	matter_destroy(m);
}

/* What is found, until it is a matter. */
struct found {
	enum matter_kind kind;
	char id[128], name[64];
	double at_ms;
	struct text words;
	const char *run, *prompt;
};

static void have_matter(struct matters *ms, struct concern *c, const struct found *found)
{
	bool is_stale = ms->now_ms - found->at_ms > MATTERS_NEWS_MS;
	struct matter *m;

	if (c->matter && strcmp(c->matter->id, found->id) == 0)
		return;
	settle(ms, c);
	m = c->matter = must_zero(1, sizeof(*m));
	m->id = must_dup(found->id);
	m->kind = found->kind;
	m->at_ms = found->at_ms;
	m->due_ms = ms->now_ms + MATTERS_GRACE_MS;
	m->name = must_dup(found->name);
	m->words = shown(found->words, MATTERS_WORDS_MAX);
	m->run = must_dup(found->run);
	m->prompt = must_dup(found->prompt);
	m->is_quiet = ms->quiet || is_stale;
	m->is_of_before = ms->quiet && found->kind == MATTER_ASKS;
	list_add(&ms->all, &m->in_all);
}

static struct concern *concern_of(struct matters *ms, char kind, const char *id, bool *is_new)
{
	char *key = must_print("%c%s", kind, id);
	struct concern *c = map_get(&ms->by_key, text_of(key));

	*is_new = !c;
	if (c) {
		free(key);
		return c;
	}
	c = must_zero(1, sizeof(*c));
	c->key = key;
	map_set(&ms->by_key, text_of(key), c);
	list_add(&ms->concerns, &c->in_concerns);
	return c;
}

/* ---- sessions ---- */

static bool has_work(const struct crew_member *m, enum crew_state state)
{
	if (state_is_work(state) || state == CREW_WAITS || state == CREW_ASKS)
		return true;
	return state == CREW_IDLE && member_has_busy_agent(m);
}

/* When the work began that it is at, or was at: with the newest word of a person. */
static double work_began(const struct standing *s)
{
	double told = s->at_ms[MOMENT_TOLD];

	if (told > 0 && told >= s->at_ms[MOMENT_OVER])
		return told;
	return s->since_ms;
}

static void follow_work(struct concern *c, const struct crew_member *m, const struct standing *s,
                        bool is_new)
{
	bool is_busy = has_work(m, s->state);

	if (is_busy && !c->is_busy)
		c->begun_ms = work_began(s);
	if (!is_busy && c->is_busy) {
		c->over_ms = s->since_ms;
		c->broke_ms = s->since_ms;
	}
	if (s->state != CREW_GONE)
		c->broke_ms = 0;
	if (!is_busy && is_new && s->at_ms[MOMENT_TOLD] < s->since_ms) {
		c->begun_ms = s->at_ms[MOMENT_TOLD];
		c->over_ms = s->since_ms;
	}
	c->is_busy = is_busy;
}

static bool has_finished(const struct matters *ms, const struct concern *c,
                         const struct standing *s)
{
	if (c->is_busy || !(c->begun_ms > 0) || !(ms->after_ms > 0))
		return false;
	if (s->state == CREW_FINISHED && s->since_ms - c->over_ms > FAREWELL_MS)
		return false; /* a person ended it, and has seen it */
	return (s->state == CREW_IDLE || s->state == CREW_FINISHED) &&
	       c->over_ms - c->begun_ms >= ms->after_ms;
}

static void name_it(struct found *found, const char *name, const struct concern *c)
{
	struct buf out;

	buf_init(&out, sizeof(found->name) - 1);
	buf_add(&out, text_of(name));
	if (found->kind == MATTER_FINISHED)
		words_age(&out, c->over_ms - c->begun_ms);
	memcpy(found->name, out.at, out.len);
	found->name[out.len] = '\0';
	buf_finish(&out);
}

static bool find_matter(const struct matters *ms, const struct concern *c,
                        const struct crew_member *m, struct found *found)
{
	const struct standing *s = member_standing(m);
	bool has_question = m->asked_round == ms->crew->round;
	double mark = s->since_ms;
	const char *name;

	found->at_ms = s->since_ms;
	found->words = text_of(standing_why(s));
	if (s->state == CREW_ASKS && !has_question) {
		found->kind = MATTER_ASKS;
		name = "waits for you";
	} else if (s->state == CREW_FAILED) {
		found->kind = MATTER_FAILED;
		name = "failed";
	} else if (s->state == CREW_GONE && c->broke_ms > 0) {
		found->kind = MATTER_FAILED;
		name = "is gone";
		mark = c->broke_ms;
	} else if (has_finished(ms, c, s)) {
		found->kind = MATTER_FINISHED;
		name = "is done after ";
		found->at_ms = c->over_ms;
		mark = c->begun_ms;
		found->words = text_of(member_title(m));
	} else {
		return false;
	}
	name_it(found, name, c);
	snprintf(found->id, sizeof(found->id), "%s-%s-%.0f", matter_kind_name(found->kind),
	         m->handle, mark);
	return true;
}

static void look_at_member(struct matters *ms, const struct crew_member *m)
{
	struct found found = {.run = member_run(m)};
	bool is_new;
	struct concern *c = concern_of(ms, 's', m->handle, &is_new);

	follow_work(c, m, member_standing(m), is_new);
	if (find_matter(ms, c, m, &found))
		have_matter(ms, c, &found);
	else
		settle(ms, c);
}

/* ---- questions ---- */

static void look_at_question(void *of, const char *run, const struct crew_question *question)
{
	struct matters *ms = of;
	struct found found = {
		.kind = MATTER_ASKS,
		.name = "waits for you",
		.at_ms = ms->now_ms,
		.words = question->words,
		.run = run,
		.prompt = question->id,
	};
	bool is_new;
	struct concern *c = concern_of(ms, 'q', question->id, &is_new);

	c->round = ms->round;
	snprintf(found.id, sizeof(found.id), "asks-%s", question->id);
	have_matter(ms, c, &found);
}

static void concern_destroy(struct matters *ms, struct concern *c)
{
	map_remove(&ms->by_key, text_of(c->key));
	list_remove(&c->in_concerns);
	free(c->key);
	free(c);
}

/* Questions that are over, and sessions that are forgotten. */
static void sweep(struct matters *ms)
{
	list_each(&ms->concerns, l) {
		struct concern *c = list_of(l, struct concern, in_concerns);
		bool is_gone = c->key[0] == 'q' ? c->round != ms->round
		               : c->key[0] == 's'
		                       ? !map_get(&ms->crew->by_handle, text_of(c->key + 1))
		                       : false;

		if (!is_gone)
			continue;
		settle(ms, c);
		concern_destroy(ms, c);
	}
}

void matters_look(struct matters *ms, struct crew *crew, double now_ms, bool quiet)
{
	bool is_first = !ms->has_looked;

	ms->crew = crew;
	ms->now_ms = now_ms;
	ms->has_looked = true;
	ms->round++;
	crew_mark_questions(crew);
	ms->quiet = quiet;
	if (quiet || is_first) {
		list_each(&crew->all, l)
			look_at_member(ms, list_of(l, struct crew_member, in_all));
	} else {
		list_each(&crew->changed, l)
			look_at_member(ms, list_of(l, struct crew_member, in_changed));
	}
	ms->quiet = is_first; /* questions are known from the first moment on */
	if (crew->options.questions)
		crew->options.questions(crew->options.self, look_at_question, ms);
	sweep(ms);
}

/* ---- the budget ---- */

void matters_weigh(struct matters *ms, const struct matters_money *money, double now_ms, bool quiet)
{
	struct found found = {
		.kind = MATTER_BUDGET, .name = "The budget of the day is passed", .at_ms = now_ms};
	bool is_new;
	struct concern *c = concern_of(ms, 'b', "", &is_new);
	struct buf words;

	ms->now_ms = now_ms;
	ms->quiet = quiet;
	if (!(money->budget > 0) || money->spent < money->budget) {
		settle(ms, c);
		return;
	}
	buf_init(&words, MATTERS_WORDS_MAX);
	words_money(&words, money->spent);
	buf_add(&words, TEXT(" of "));
	words_money(&words, money->budget);
	snprintf(found.id, sizeof(found.id), "budget-%s", money->day);
	found.words = buf_text(&words);
	have_matter(ms, c, &found);
	buf_finish(&words);
}

/* ---- told ---- */

static void add_project(struct buf *title, const struct matter *m)
{
	if (m->project && strncasecmp(m->handle, m->project, strlen(m->project)) != 0)
		buf_print(title, " (%s)", m->project);
}

/* Its names may be known later than the matter is. */
static void entitle(const struct crew *crew, struct matter *m)
{
	struct crew_member *of = m->run ? crew_find(crew, text_of(m->run)) : NULL;
	struct buf title;
	char *run;

	if (m->title)
		return;
	buf_init(&title, KIB);
	if (of) {
		m->handle = must_dup(of->handle);
		m->member = must_dup(of->id);
		m->project = shown(text_of(member_project(of)), NAME_MAX_BYTES);
		buf_add(&title, text_of(m->handle));
		add_project(&title, m);
		buf_add_char(&title, ' ');
	} else if (m->run) {
		run = shown(text_of(m->run), NAME_MAX_BYTES);
		buf_print(&title, "%s ", run ? run : "an agent");
		free(run);
	}
	buf_add(&title, text_of(m->name));
	m->title = text_dup(buf_text(&title));
	buf_finish(&title);
}

static void tell_of_before(struct matters *ms, struct matter *m, double now_ms)
{
	if (!m->is_of_before || now_ms < m->due_ms)
		return;
	m->is_of_before = false;
	if (ms->options.stands)
		ms->options.stands(ms->options.self, m);
}

double matters_tick(struct matters *ms, const struct crew *crew, double now_ms)
{
	double next = INFINITY;

	list_each(&ms->all, l) {
		struct matter *m = list_of(l, struct matter, in_all);

		if (m->is_over)
			continue;
		if (m->kind != MATTER_ASKS && now_ms - m->at_ms > MATTERS_LAST_MS) {
			if (m->is_raised || m->is_quiet)
				ms->options.settled(ms->options.self, m);
			m->is_over = true;
		} else if (m->is_quiet || m->is_raised) {
			entitle(crew, m);
			tell_of_before(ms, m, now_ms);
			if (m->kind != MATTER_ASKS)
				next = fmin(next, m->at_ms + MATTERS_LAST_MS + 1);
			else if (m->is_of_before)
				next = fmin(next, m->due_ms);
		} else if (now_ms < m->due_ms) {
			next = fmin(next, m->due_ms);
		} else {
			entitle(crew, m);
			m->is_raised = true;
			ms->options.raised(ms->options.self, m);
		}
	}
	return next;
}

void matter_json(const struct matter *m, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "id", m->id);
	put_word(out, "kind", matter_kind_name(m->kind));
	put_word(out, "title", m->title);
	json_member_text(out, "words", m->words);
	json_member_text(out, "handle", m->handle);
	json_member_text(out, "project", m->project);
	json_member_text(out, "session", m->member);
	json_member_text(out, "run", m->run);
	json_member_text(out, "prompt", m->prompt);
	json_member_number(out, "at", m->at_ms);
	put_end(out);
}

void matters_json(const struct matters *ms, struct buf *out)
{
	const struct link *l = ms->all.prev;
	size_t most = MATTERS_TOLD_MAX;

	while (l != &ms->all && most-- > 0)
		l = l->prev;
	put_list(out, NULL);
	for (l = l->next; l != &ms->all; l = l->next) {
		const struct matter *m = list_of(l, struct matter, in_all);

		if (!m->title || m->is_over)
			continue;
		put_key(out, NULL);
		matter_json(m, out);
	}
	put_list_end(out);
}

/* ---- life ---- */

void matters_set_after(struct matters *ms, double after_ms)
{
	ms->after_ms = after_ms;
}

struct matters *matters_create(const struct matters_options *options)
{
	struct matters *ms = must_zero(1, sizeof(*ms));

	ms->options = *options;
	map_init(&ms->by_key);
	list_init(&ms->concerns);
	list_init(&ms->all);
	return ms;
}

void matters_destroy(struct matters *ms)
{
	if (!ms)
		return;
	list_each(&ms->concerns, l)
		concern_destroy(ms, list_of(l, struct concern, in_concerns));
	list_each(&ms->all, l)
		matter_destroy(list_of(l, struct matter, in_all));
	map_finish(&ms->by_key);
	free(ms);
}
