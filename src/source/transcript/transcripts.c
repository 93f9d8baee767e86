/* transcripts.c - looking, and telling the bus. */
#include "source/transcript/transcripts.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/proc.h"
#include "base/scan.h"
#include "bus/bus.h"
#include "net/loop.h"
#include "signal/metric.h"
#include "source/transcript/claude_registry.h"
#include "source/transcript/claude_tasks.h"
#include "source/transcript/facts.h"
#include "source/transcript/holders.h"
#include "source/transcript/kept.h"
#include "source/transcript/living.h"
#include "source/transcript/others.h"
#include "source/transcript/reading.h"
#include "source/transcript/titles.h"
#include "source/transcript/trail.h"

/* A process that ends tells its hook, which may be heard after it is gone. */
#define GRACE_MS 3000
#define SOON_MS 250
#define ALL_BEATS 20       /* from one look at all that is watched to the next */
#define KEPT_MAX 2         /* programs that keep files of their sessions, and nothing else */
#define HEAD_MAX (4 * KIB) /* of a payload: its session is named there */

struct transcripts {
	struct transcripts_options options;
	char *config;
	struct claude_registry *registry; /* NULL: it is not read */
	struct readings *readings;        /* likewise */
	struct claude_tasks *tasks;       /* likewise */
	struct kept *kept[KEPT_MAX];      /* likewise */
	struct titles *titles;            /* likewise */
	struct holders *holders;
	struct trails trails;
	struct others others;
	struct deadline look, soon;
	struct watches *watches;
	struct watcher watcher; /* of the registry */
	bool is_registry_due;
	unsigned beats;
};

/* --- telling ------------------------------------------------------------------------ */

static void transcripts_admit(struct transcripts *t, struct text envelope, bool is_box)
{
	struct bus_emit emit = {.raw = envelope,
	                        .from = bus_from(t->options.bus, TEXT("adapter:transcript"), true)};
	struct bus_verdict verdict;

	emit.from.is_box = is_box;
	bus_admit(t->options.bus, &emit, &verdict);
	if (verdict.answer != BUS_ACCEPTED)
		log_warn("transcripts", "%s", verdict.why.words);
}

/* Read again, also by a box that starts again, a file or a line of it is the same signals. */
static void transcripts_tell(void *self, struct text envelope)
{
	struct transcripts *t = self;
	struct bus_emit emit = {.raw = envelope,
	                        .from = bus_from(t->options.bus, TEXT("adapter:transcript"), true),
	                        .once = true};
	struct bus_verdict verdict;

	bus_admit(t->options.bus, &emit, &verdict);
}

static void tell_gone(struct transcripts *t, const struct living_one *one, const char *why,
                      const char *by)
{
	const struct gone gone = {.session = text_of(one->id),
	                          .why = why,
	                          .by = by,
	                          .pid = one->pid,
	                          .at_ms = clock_wall_ms(),
	                          /* A program that keeps files alone has no other way to end. */
	                          .is_left = one->is_left ||
	                                     (one->by == LIVING_BY_FILE && one->is_resting)};
	struct buf signal;

	buf_init(&signal, FACTS_MAX);
	if (gone_make(&gone, &signal))
		transcripts_admit(t, buf_text(&signal), true);
	buf_finish(&signal);
}

/* --- looking ------------------------------------------------------------------------ */

static const char *const by_names[] = {[LIVING_BY_NOBODY] = "deadline",
                                       [LIVING_BY_PEER] = "peer",
                                       [LIVING_BY_REGISTRY] = "registry",
                                       [LIVING_BY_FILE] = "file"};

static void look_for_process(struct transcripts *t, struct living_one *one)
{
	uint64_t now = loop_now_ms(t->options.loop);
	struct proc process;

	if (!one->is_left && proc_look(one->pid, &process) && process.start == one->start)
		one->missed_ms = 0;
	else if (!one->missed_ms)
		one->missed_ms = now ? now : 1;
	else if (now - one->missed_ms >= GRACE_MS)
		tell_gone(t, one,
		          one->is_left ? "its process went on with another session"
		                       : "its process ended",
		          by_names[one->by]);
}

/* Telling it ends it, by the fold. */
static void look_for(void *self, struct living_one *one)
{
	struct transcripts *t = self;

	if (one->pid)
		look_for_process(t, one);
	/* A process may have left one of its files for another. */
	if ((!one->pid || one->by == LIVING_BY_FILE) && !one->is_over && t->options.silent_ms &&
	    (double)clock_wall_ms() - one->last_ms > t->options.silent_ms)
		tell_gone(t, one, "it was silent for too long", "deadline");
}

static void holder_found(void *self, struct text session, const struct holder_wish *who)
{
	struct transcripts *t = self;
	const struct living_one *one = living_find(t->options.living, session);
	char start[TEXT_U64_MAX];
	const bool is_codex = text_starts(text_of(who->name), TEXT("rollout-"));
	struct facts facts = {.session = session,
	                      .from = "file",
	                      .agent = is_codex ? "codex" : "gemini",
	                      .harness = is_codex ? "codex" : "gemini-cli",
	                      .pid = who->pid,
	                      .at_ms = clock_wall_ms()};
	struct buf signal;

	if (!one || one->is_over || one->pid)
		return;
	facts.proc_start = text_of_u64(who->start, start);
	buf_init(&signal, FACTS_MAX);
	if (facts_make(&facts, &signal))
		transcripts_admit(t, buf_text(&signal), false);
	buf_finish(&signal);
}

static void look_for_holders(struct transcripts *t)
{
	uint64_t now = loop_now_ms(t->options.loop);

	if (!holders_begin(t->holders, now))
		return;
	for (int i = 0; i < KEPT_MAX; i++)
		if (t->kept[i])
			kept_want_holders(t->kept[i], t->holders);
	holders_go(t->holders, now);
}

static void transcripts_soon(void *self)
{
	struct transcripts *t = self;

	/* News that come all the time do not put it off. */
	if (!t->soon.in_wheel.next)
		deadline_set(t->options.loop, &t->soon, SOON_MS);
}

static void registry_has_news(struct watcher *w, const struct watch_news *news)
{
	struct transcripts *t = list_of(w, struct transcripts, watcher);

	t->is_registry_due = true;
	transcripts_soon(t);
}

static void look_at_registry(struct transcripts *t)
{
	t->is_registry_due = false;
	if (t->registry && claude_registry_look(t->registry)) {
		t->is_registry_due = true;
		transcripts_soon(t);
	}
}

/* What has news: the registry, directories of subagents, or task lists. */
static void look_soon(struct deadline *deadline)
{
	struct transcripts *t = list_of(deadline, struct transcripts, soon);

	if (t->is_registry_due)
		look_at_registry(t);
	if (t->readings)
		readings_look(t->readings, loop_now_ms(t->options.loop), false);
	if (t->tasks)
		claude_tasks_look(t->tasks, false);
}

static void transcripts_look(struct deadline *deadline)
{
	struct transcripts *t = list_of(deadline, struct transcripts, look);
	bool is_all = t->beats++ % ALL_BEATS == 0;

	watches_look(t->watches);
	trails_rest(&t->trails);
	if (is_all || t->is_registry_due || !watcher_is_on(&t->watcher))
		look_at_registry(t);
	if (t->readings)
		readings_look(t->readings, loop_now_ms(t->options.loop), is_all);
	if (t->tasks)
		claude_tasks_look(t->tasks, is_all);
	for (int i = 0; i < KEPT_MAX; i++)
		if (t->kept[i])
			kept_look(t->kept[i], is_all);
	if (t->titles)
		titles_look(t->titles, is_all);
	look_for_holders(t);
	living_each(t->options.living, look_for, t);
	deadline_set_beat(t->options.loop, &t->look);
}

/* --- hooks -------------------------------------------------------------------------- */

/* Claude Code names the session first. */
static struct text session_of(struct text payload)
{
	struct text key, value;
	struct scan scan;

	if (payload.len > HEAD_MAX)
		payload.len = HEAD_MAX;
	scan_object(&scan, payload);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, "session_id") && value.len > 2 && value.at[0] == '"')
			return (struct text){value.at + 1, value.len - 2};
	return (struct text){NULL, 0};
}

/* Who runs its hooks by another program has a new parent for each: only a process that ran two
 * of them is the agent.  The registry knows better. */
static bool is_news(struct living_one *one, uint64_t agent)
{
	bool is_second;

	if (!agent || !one || one->is_over || one->pid == agent)
		return false;
	if (one->by == LIVING_BY_REGISTRY && !one->missed_ms)
		return false;
	is_second = one->seen == agent;
	one->seen = agent;
	return is_second;
}

void transcripts_note_hook(struct transcripts *t, struct text payload, uint64_t agent)
{
	struct text session = session_of(payload);
	char start[TEXT_U64_MAX];
	struct facts facts = {.session = session, .from = "hook", .pid = agent};
	struct proc process;
	struct buf signal;

	if (!is_news(living_find(t->options.living, session), agent) || !proc_look(agent, &process))
		return;
	facts.at_ms = clock_wall_ms();
	facts.proc_start = text_of_u64(process.start, start);
	buf_init(&signal, FACTS_MAX);
	if (facts_make(&facts, &signal))
		transcripts_admit(t, buf_text(&signal), false);
	buf_finish(&signal);
}

bool transcripts_words(const struct transcripts *t, int64_t *from_ms)
{
	if (from_ms)
		*from_ms = t->options.words_from_ms;
	return t->options.words;
}

void transcripts_set_words(struct transcripts *t, bool words, int64_t from_ms)
{
	t->options.words = words;
	t->options.words_from_ms = from_ms;
	if (t->readings)
		readings_set_words(t->readings, words, from_ms);
	for (int i = 0; i < KEPT_MAX; i++)
		if (t->kept[i])
			kept_set_words(t->kept[i], words, from_ms);
}

void transcripts_metrics(const struct transcripts *t, struct buf *out)
{
	static const struct metric reads = {"signalbox_transcript_reads_total", METRIC_COUNTER,
	                                    "How often a transcript was opened to be read."};

	metric_add(out, &reads, (double)t->trails.reads);
}

/* --- life --------------------------------------------------------------------------- */

static struct kept *make_kept(struct transcripts *t, const char *home,
                              const struct kept_options *how)
{
	struct kept_options o = *how;
	char *dir = home ? must_print("%s/%s", home, how->dir) : NULL;
	struct kept *kept = NULL;

	o.loop = t->options.loop;
	o.others = &t->others;
	o.trails = &t->trails;
	o.living = t->options.living;
	o.dir = dir;
	o.self = t;
	o.tell = transcripts_tell;
	if (dir)
		kept = kept_create(&o);
	free(dir);
	return kept;
}

struct transcripts *transcripts_create(const struct transcripts_options *options)
{
	struct transcripts *t = must_zero(1, sizeof(*t));

	t->options = *options;
	t->config = must_dup(options->config);
	t->look.fire = transcripts_look;
	t->soon.fire = look_soon;
	t->watches = watches_create(options->loop);
	trails_init(&t->trails, options->loop, t->watches);
	others_init(&t->others, options->bus);
	if (options->config)
		t->registry = claude_registry_create(&(struct claude_registry_options){
			.config = options->config, .self = t, .tell = transcripts_tell});
	if (options->config)
		t->readings = readings_create(&(struct readings_options){.config = options->config,
		                                                         .trails = &t->trails,
		                                                         .living = options->living,
		                                                         .others = &t->others,
		                                                         .self = t,
		                                                         .tell = transcripts_tell,
		                                                         .soon = transcripts_soon});
	if (options->config)
		t->tasks = claude_tasks_create(
			&(struct claude_tasks_options){.config = options->config,
		                                       .watches = t->watches,
		                                       .living = options->living,
		                                       .self = t,
		                                       .tell = transcripts_tell,
		                                       .soon = transcripts_soon,
		                                       .plans = options->plans});
	t->kept[0] = make_kept(t, options->codex,
	                       &(struct kept_options){.dir = "sessions",
	                                              .protocol = "codex-rollout",
	                                              .begin = "rollout-"});
	t->kept[1] = make_kept(t, options->gemini,
	                       &(struct kept_options){.dir = "tmp",
	                                              .protocol = "gemini-chat",
	                                              .within = "/chats/",
	                                              .begin = "",
	                                              .place = ".project_root",
	                                              .program = "gemini"});
	if (options->codex)
		t->titles = titles_create(&(struct titles_options){.trails = &t->trails,
		                                                   .living = options->living,
		                                                   .dir = options->codex,
		                                                   .name = "session_index.jsonl",
		                                                   .protocol = "codex-rollout",
		                                                   .self = t,
		                                                   .tell = transcripts_tell});
	t->holders = holders_create(&(struct holders_options){options->loop, t, holder_found});
	t->watcher.news = registry_has_news;
	if (t->registry)
		watcher_init(&t->watcher, t->watches, t->config, TEXT("sessions"));
	transcripts_set_words(t, options->words, options->words_from_ms);
	transcripts_look(&t->look);
	return t;
}

void transcripts_destroy(struct transcripts *t)
{
	if (!t)
		return;
	deadline_clear(&t->look);
	deadline_clear(&t->soon);
	readings_destroy(t->readings);
	claude_tasks_destroy(t->tasks);
	for (int i = 0; i < KEPT_MAX; i++)
		kept_destroy(t->kept[i]);
	titles_destroy(t->titles);
	holders_destroy(t->holders);
	trails_finish(&t->trails);
	others_finish(&t->others);
	watcher_finish(&t->watcher);
	watches_destroy(t->watches);
	claude_registry_destroy(t->registry);
	free(t->config);
	free(t);
}
