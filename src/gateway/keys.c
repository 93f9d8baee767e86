/* keys.c - session keys. */
#include "gateway/keys.h"

#include <inttypes.h>

#include "base/clock.h"
#include "crew/crew.h"
#include "gateway/asking.h"
#include "gateway/inside.h"
#include "run/said.h"
#include "run/sessions.h"
#include "signal/signal.h"

#define PREFIX "agent:"
#define MAIN "main"

/* ---- agents ---- */

/* What we call the agent of a source that nobody named. */
static struct text usual_name(struct text source)
{
	return text_is(source, "adapter:tap") ? TEXT("claude-code") : source;
}

static void add_safely(struct text words, char name[GATEWAY_NAME_MAX + 1])
{
	size_t n = 0;

	for (; n < words.len && n < GATEWAY_NAME_MAX; n++) {
		char c = words.at[n];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';

		name[n] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : is_letter ? c : '-';
	}
	name[n] = '\0';
}

void gateway_agent_name(const struct gateway *g, struct text source,
                        char name[GATEWAY_NAME_MAX + 1])
{
	const struct gateway_config *config = g->options.config;

	for (size_t i = 0; i < config->agent_count; i++)
		if (text_is(source, config->agents[i].source)) {
			snprintf(name, GATEWAY_NAME_MAX + 1, "%s", config->agents[i].name);
			return;
		}
	add_safely(usual_name(source), name);
}

struct wanted_agent {
	const struct gateway *g;
	struct text name; /* empty: any */
	struct buf *source;
};

static void is_it(void *of, struct text source)
{
	struct wanted_agent *w = of;
	char name[GATEWAY_NAME_MAX + 1];

	gateway_agent_name(w->g, source, name);
	if (!w->source->len && (!w->name.len || text_is(w->name, name)))
		buf_add(w->source, source);
}

static void find_source(const struct gateway *g, struct text name, struct buf *source)
{
	const struct gateway_config *config = g->options.config;
	struct wanted_agent wanted = {g, name, source};

	for (size_t i = 0; i < config->agent_count; i++)
		if (name.len == 0 || text_is(name, config->agents[i].name)) {
			buf_add(source, text_of(config->agents[i].source));
			return;
		}
	g->options.askable(g->options.self, is_it, &wanted);
}

void gateway_default_agent(const struct gateway *g, char name[GATEWAY_NAME_MAX + 1])
{
	const struct gateway_config *config = g->options.config;
	struct buf source;

	snprintf(name, GATEWAY_NAME_MAX + 1, "%s",
	         config->default_agent ? config->default_agent : MAIN);
	if (config->default_agent)
		return;
	buf_init(&source, KIB);
	find_source(g, TEXT(""), &source);
	if (source.len)
		gateway_agent_name(g, buf_text(&source), name);
	buf_finish(&source);
}

/* ---- keys ---- */

struct text gateway_key_agent(struct text key)
{
	struct text rest;

	if (!text_starts(key, TEXT(PREFIX)))
		return TEXT("");
	key = (struct text){key.at + strlen(PREFIX), key.len - strlen(PREFIX)};
	key = text_cut(key, ':', &rest);
	return rest.len ? key : TEXT("");
}

struct text gateway_key_rest(struct text key)
{
	struct text agent = gateway_key_agent(key);
	size_t cut = strlen(PREFIX) + agent.len + 1;

	return agent.len ? (struct text){key.at + cut, key.len - cut} : key;
}

static void add_key(struct buf *key, struct text agent, struct text rest)
{
	buf_add(key, TEXT(PREFIX));
	buf_add(key, agent);
	buf_add_char(key, ':');
	buf_add(key, rest);
}

/* Of a conversation that began anew: the key of all its generations.  Returns which it is. */
static uint64_t key_of_session(const struct gateway *g, const struct run_session *session,
                               struct buf *key)
{
	struct text whole = text_of(session->key), base;
	char name[GATEWAY_NAME_MAX + 1];
	uint64_t generation;

	if (gateway_key_agent(whole).len) {
		buf_add(key, whole);
		return 1;
	}
	gateway_agent_name(g, text_of(session->source), name);
	base = gateway_name_base(whole, &generation);
	add_key(key, text_of(name), base);
	if (generation < 2 || (uintptr_t)map_get(&g->desk.begun, buf_text(key)) >= generation)
		return generation;
	if (base.len < whole.len)
		buf_add(key, (struct text){whole.at + base.len, whole.len - base.len});
	return 1;
}

void gateway_key_of_run(const struct gateway *g, const struct run *run, struct buf *key)
{
	char name[GATEWAY_NAME_MAX + 1];

	if (run->session) {
		key_of_session(g, run->session, key);
		return;
	}
	gateway_agent_name(g, text_of(run->source), name);
	add_key(key, text_of(name), text_of(run->id));
}

/* As every screen says it: the state of the session.  Older runs of it may be at work, too. */
static bool is_live_in_crew(const struct gateway *g, const struct run *run)
{
	struct crew *crew = g->options.crew;
	const struct crew_member *m = crew_find(crew, text_of(run->id));
	enum crew_group group = m ? crew_group(crew, m, (double)clock_wall_ms()) : GROUP_OVER;

	if (group != GROUP_WORK && group != GROUP_WAITS)
		return false;
	for (unsigned i = 0; i + 1 < m->run_count; i++)
		if (strcmp(m->runs[i], run->id) == 0)
			return m->open_runs >> i & 1;
	return true;
}

/* Of what was asked here the run itself says it, too: others of its session may have begun or
 * ended meanwhile. */
bool gateway_is_live(const struct gateway *g, const struct run *run)
{
	bool is_live = is_live_in_crew(g, run);
	bool speaks = run->said && !said_is_finished(run->said);

	switch (gateway_sent_life(g, text_of(run->id))) {
	case SENT_UNKNOWN:
		break;
	case SENT_LIVES:
		return is_live || speaks;
	case SENT_OVER:
		return is_live && speaks;
	}
	return is_live;
}

/* ---- generations ---- */

#define GENERATIONS_MAX (2 * RUNS_MAX) /* then they are looked for anew */
#define GENERATION_MAX 1000000000

struct text gateway_name_base(struct text name, uint64_t *generation)
{
	size_t n = name.len;

	*generation = 1;
	while (n > 0 && name.at[n - 1] >= '0' && name.at[n - 1] <= '9')
		n--;
	if (n < 2 || n == name.len || name.at[n - 1] != '~' || name.at[n] == '0' ||
	    !text_to_u64((struct text){name.at + n, name.len - n}, generation) || *generation < 2 ||
	    *generation > GENERATION_MAX) {
		*generation = 1;
		return name;
	}
	return (struct text){name.at, n - 1};
}

/* One that somebody else gave to a conversation is left out. */
uint64_t gateway_next_name(const struct gateway *g, const struct gateway_place *place,
                           struct buf *name)
{
	uint64_t generation = place->generation;

	do {
		buf_clear(name);
		buf_add(name, place->rest);
		buf_print(name, "~%" PRIu64, ++generation);
	} while (runs_session(g->options.runs, buf_text(&place->source), buf_text(name)));
	return generation;
}

static void raise_generation(struct gateway *g, struct text key, uint64_t generation)
{
	if ((uintptr_t)map_get(&g->desk.begun, key) < generation)
		map_set(&g->desk.begun, key, (void *)(uintptr_t)generation);
}

/* Its first run says nothing if we began it; of very many runs the first was forgotten. */
static bool is_begun_by_us(const struct gateway *g, const struct run_session *session)
{
	const struct fold *first = &list_of(session->runs.next, struct run, in_session)->fold;

	return (!first->invocation_count && !first->errors) ||
	       runs_count(g->options.runs) >= RUNS_MAX;
}

static void note_session(struct gateway *g, const struct run_session *session)
{
	char name[GATEWAY_NAME_MAX + 1];
	uint64_t generation;
	struct text base = gateway_name_base(text_of(session->key), &generation);
	struct buf key;

	if (generation < 2 || gateway_key_agent(base).len || !is_begun_by_us(g, session))
		return;
	gateway_agent_name(g, text_of(session->source), name);
	buf_init(&key, 2 * KIB);
	add_key(&key, text_of(name), base);
	raise_generation(g, buf_text(&key), generation);
	buf_finish(&key);
}

void gateway_find_generations(struct gateway *g)
{
	map_finish(&g->desk.begun);
	map_init(&g->desk.begun);
	list_each(runs_sessions(g->options.runs), l)
		note_session(g, list_of(l, struct run_session, in_all));
}

void gateway_hear_generation(struct gateway *g, const struct run *run, const struct signal *s)
{
	if (run->session && text_is(s->type, "session.facts"))
		note_session(g, run->session);
}

void gateway_note_generation(struct gateway *g, struct text key, uint64_t generation)
{
	if (g->desk.begun.count >= GENERATIONS_MAX)
		gateway_find_generations(g);
	raise_generation(g, key, generation);
}

bool gateway_is_past(const struct gateway *g, const struct run *run)
{
	uint64_t generation, newest;
	struct buf key;

	if (!run->session || !g->desk.begun.count)
		return false;
	buf_init(&key, 2 * KIB);
	generation = key_of_session(g, run->session, &key);
	newest = (uintptr_t)map_get(&g->desk.begun, buf_text(&key));
	buf_finish(&key);
	return generation < newest;
}

/* ---- places ---- */

static void look_for_session(const struct gateway *g, struct gateway_place *p)
{
	struct runs *runs = g->options.runs;
	struct run *run = runs_find(runs, p->rest);
	struct text key = buf_text(&p->key);
	struct buf own;

	p->session = runs_session(runs, buf_text(&p->source), buf_text(&p->name));
	if (!p->session)
		p->session = runs_session(runs, buf_text(&p->source), key);
	if (!run || run->session)
		return;
	buf_init(&own, 2 * KIB);
	gateway_key_of_run(g, run, &own);
	p->run = text_equal(buf_text(&own), key) ? run : NULL;
	buf_finish(&own);
}

static struct run_session *find_named(const struct gateway *g, const struct gateway_place *p)
{
	struct text agent = gateway_key_agent(buf_text(&p->key));
	struct run_session *s = runs_session_of_any(g->options.runs, buf_text(&p->key));
	char name[GATEWAY_NAME_MAX + 1];

	if (s)
		return s;
	for (s = runs_session_of_any(g->options.runs, buf_text(&p->name)); s; s = s->older) {
		gateway_agent_name(g, text_of(s->source), name);
		if (text_is(agent, name))
			return s;
	}
	return NULL;
}

/* A conversation of a source that nobody can ask, or that another gateway named. */
static void look_for_named(const struct gateway *g, struct gateway_place *p)
{
	struct run_session *session = find_named(g, p);

	if (!session)
		return;
	p->session = session;
	buf_clear(&p->source);
	buf_add(&p->source, text_of(session->source));
}

/* A run of no session may be talked about in one of its name. */
static void look_for_place(const struct gateway *g, struct gateway_place *p)
{
	look_for_session(g, p);
	if (!p->session)
		look_for_named(g, p);
}

/* Did somebody else give this name, which looks like one of ours? */
static bool is_name_of_others(const struct gateway *g, struct gateway_place *p, struct text base,
                              uint64_t generation)
{
	struct text key = {p->key.at, p->key.len - (p->rest.len - base.len)};
	bool is_there;

	if ((uintptr_t)map_get(&g->desk.begun, key) >= generation)
		return false;
	buf_add(&p->name, p->rest);
	look_for_place(g, p);
	buf_clear(&p->name);
	is_there = p->session || p->run;
	p->session = NULL;
	p->run = NULL;
	return is_there;
}

/* Clients name a conversation, and never which generation of it. */
static void cut_generation(const struct gateway *g, struct gateway_place *p)
{
	uint64_t generation;
	struct text base = gateway_name_base(p->rest, &generation);

	if (generation < 2 || is_name_of_others(g, p, base, generation))
		return;
	p->key.len -= p->rest.len - base.len;
	p->rest = base;
}

static void name_conversation(const struct gateway *g, struct gateway_place *p)
{
	p->generation = (uintptr_t)map_get(&g->desk.begun, buf_text(&p->key));
	if (!p->generation)
		p->generation = 1;
	buf_add(&p->name, p->rest);
	if (p->generation > 1)
		buf_print(&p->name, "~%" PRIu64, p->generation);
}

void gateway_find_place(const struct gateway *g, struct text key, struct text agent,
                        struct gateway_place *out)
{
	char usual[GATEWAY_NAME_MAX + 1];
	struct text name = gateway_key_agent(key);

	*out = (struct gateway_place){0};
	buf_init(&out->key, 2 * KIB);
	buf_init(&out->source, KIB);
	buf_init(&out->name, 2 * KIB);
	gateway_default_agent(g, usual);
	if (!name.len)
		name = agent.len ? agent : text_of(usual);
	add_key(&out->key, name, key.len ? gateway_key_rest(key) : TEXT(MAIN));
	out->rest = gateway_key_rest(buf_text(&out->key));
	find_source(g, name, &out->source);
	cut_generation(g, out);
	name_conversation(g, out);
	look_for_place(g, out);
}

void gateway_place_finish(struct gateway_place *p)
{
	buf_finish(&p->key);
	buf_finish(&p->source);
	buf_finish(&p->name);
}

void gateway_place_runs(const struct gateway_place *p, void (*each)(void *self, struct run *run),
                        void *self)
{
	if (p->run)
		each(self, p->run);
	if (!p->session)
		return;
	list_each(&p->session->runs, l)
		each(self, list_of(l, struct run, in_session));
}
