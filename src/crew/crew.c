/* crew.c - all sessions, by run, by handle, by conversation. */
#include "crew/crew.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "bus/admit.h"
#include "bus/folds.h"
#include "crew/inside.h"
#include "run/hear.h"

#define REACH_NS 4000000 /* that who wants the present folds on for */
#define REMOVED_MAX (256 * KIB)
#define KEY_MAX_BYTES 512

/* ---- members ---- */

void crew_add(struct crew *crew, struct crew_member *m)
{
	for (unsigned i = 0; i < m->run_count; i++)
		map_set(&crew->by_run, text_of(m->runs[i]), m);
	map_set(&crew->by_handle, text_of(m->handle), m);
	if (m->key)
		map_set(&crew->by_key, text_of(m->key), m);
	list_add(&crew->all, &m->in_all);
	crew->count++;
}

void crew_forget(struct crew *crew, struct crew_member *m)
{
	saving_change(&crew->saving, &m->to_save);
	for (unsigned i = 0; i < m->run_count; i++)
		map_remove(&crew->by_run, text_of(m->runs[i]));
	map_remove(&crew->by_handle, text_of(m->handle));
	if (m->key)
		map_remove(&crew->by_key, text_of(m->key));
	if (crew->removed.len)
		buf_add_char(&crew->removed, ',');
	buf_add_json(&crew->removed, text_of(m->id));
	if (m->is_at_work)
		peaks_note(&crew->peaks, 0, -1);
	assert(crew->count > 0);
	crew->count--;
	member_destroy(m);
}

void crew_count_work(struct crew *crew, struct crew_member *m, double at_ms)
{
	enum crew_state state = member_standing(m)->state;
	bool was = m->is_at_work;

	m->is_at_work = state_group(state) == GROUP_WORK ||
	                (state == CREW_IDLE && member_has_busy_agent(m));
	if (crew->options.now_ms) {
		double now_ms = (double)crew->options.now_ms();

		peaks_cut(&crew->peaks, now_ms);
		at_ms = fmin(at_ms, now_ms);
	}
	peaks_note(&crew->peaks, at_ms, (int)m->is_at_work - (int)was);
}

const struct peaks *crew_peaks(const struct crew *crew)
{
	return &crew->peaks;
}

static void tell_news(struct crew *crew)
{
	if (crew->is_told || !crew->options.news)
		return;
	crew->is_told = true;
	crew->options.news(crew->options.self);
}

static void note_change(struct crew *crew, struct crew_member *m)
{
	if (list_is_empty(&m->in_changed))
		list_add(&crew->changed, &m->in_changed);
	tell_news(crew);
}

/* Of a conversation of several runs: whose it is, and its key.  False: it says none. */
static bool read_key(const struct crew_heard *h, struct buf *key)
{
	const struct session_said *said = &h->session;

	if (!member_can_be(said->key) || !member_can_be(said->owner))
		return false;
	buf_add(key, said->owner);
	buf_add_char(key, '\n');
	buf_add(key, said->key);
	return !key->full;
}

static void add_run(struct crew *crew, struct crew_member *m, struct text run)
{
	if (m->run_count == MEMBER_RUNS_MAX) {
		map_remove(&crew->by_run, text_of(m->runs[0]));
		free(m->runs[0]);
		m->run_count--;
		m->open_runs >>= 1;
		memmove(m->runs, m->runs + 1, m->run_count * sizeof(m->runs[0]));
	}
	m->runs[m->run_count++] = text_dup(run);
	map_set(&crew->by_run, run, m);
}

/* The newest stays what it is. */
static void add_run_aside(struct crew *crew, struct crew_member *m, struct text run)
{
	unsigned last;

	add_run(crew, m, run);
	last = m->run_count - 1;
	if (last) {
		char *aside = m->runs[last];

		m->runs[last] = m->runs[last - 1];
		m->runs[last - 1] = aside;
		m->open_runs |= (m->open_runs >> (last - 1) & 1) << last;
		m->open_runs &= ~(UINT64_C(1) << (last - 1));
	}
}

/* The owner of a key stands before the name of the conversation. */
static struct text name_in_key(const char *key, struct text *owner)
{
	struct text name;

	*owner = text_cut(text_of(key), '\n', &name);
	return name;
}

const char *crew_parent(const struct crew *crew, const struct crew_member *m)
{
	const char *word = m->words[WORD_PARENT];
	const struct crew_member *parent = word ? map_get(&crew->by_run, text_of(word)) : NULL;
	struct text owner;
	struct buf key;

	if (word && !parent && m->key) {
		name_in_key(m->key, &owner);
		buf_init(&key, 4 * KIB);
		buf_print(&key, "%.*s\n%s", TEXT_ARG(owner), word);
		parent = map_get(&crew->by_key, buf_text(&key));
		buf_finish(&key);
	}
	if (!parent)
		return word;
	return parent == m || member_is_strange(parent, text_of(m->source)) ? NULL : parent->id;
}

/* Those that named it before it was known. */
static void change_children(struct crew *crew, const struct crew_member *m)
{
	struct text owner, name = m->key ? name_in_key(m->key, &owner) : TEXT("");

	list_each(&crew->all, l) {
		struct crew_member *child = list_of(l, struct crew_member, in_all);
		const char *word = child->words[WORD_PARENT];

		if (word && (strcmp(word, m->id) == 0 || text_is(name, word)))
			note_change(crew, child);
	}
}

/* The conversation that a run says it is of; makes a member know its own. */
static struct crew_member *join_conversation(struct crew *crew, struct crew_member *m,
                                             struct text run, struct text key)
{
	struct crew_member *known = map_get(&crew->by_key, key);

	if (m && !m->key && !known) {
		m->key = text_dup(key);
		map_set(&crew->by_key, key, m);
		change_children(crew, m);
	}
	if (m || !known)
		return m;
	saving_change(&crew->saving, &known->to_save);
	add_run(crew, known, run);
	return known;
}

static struct crew_member *find_member(struct crew *crew, const struct signal *s,
                                       const struct crew_heard *h, struct text run)
{
	struct crew_member *m = map_get(&crew->by_run, run);
	struct buf key;

	if (m && (m->key || member_is_strange(m, s->source)))
		return m;
	buf_init(&key, 4 * KIB);
	if (read_key(h, &key))
		m = join_conversation(crew, m, run, buf_text(&key));
	buf_finish(&key);
	return m;
}

/* ---- hearing ---- */

/* Who can be asked again under the name of the conversation has not finished: its turn is over. */
static void go_on(struct crew_heard *h, const struct crew_member *m)
{
	if (m->key && h->ends_task && h->news.moment == MOMENT_ENDED)
		h->news.moment = MOMENT_OVER;
}

static void forget_quietest(struct crew *crew)
{
	if (crew->count < CREW_MAX)
		return;
	list_each(&crew->all, l) {
		struct crew_member *m = list_of(l, struct crew_member, in_all);

		if (state_is_over(m->standing.state)) {
			crew_forget(crew, m);
			return;
		}
	}
	crew_forget(crew, list_of(crew->all.next, struct crew_member, in_all));
}

/* It has its handle when its first signal was heard, which says where it works. */
static void welcome_member(struct crew *crew, const struct signal *s, const struct crew_heard *h,
                           struct text run)
{
	char base[MEMBER_BASE_MAX + 1];
	struct crew_member *m;
	struct buf key;

	forget_quietest(crew);
	m = member_create(run, s->source);
	member_hear(m, s, h);
	member_base(m, base);
	do { /* none that is the name of a run */
		free(m->handle);
		m->handle = handles_give(&crew->handles, base);
	} while (map_get(&crew->by_run, text_of(m->handle)));
	buf_init(&key, 4 * KIB);
	if (read_key(h, &key))
		m->key = text_dup(buf_text(&key));
	buf_finish(&key);
	crew_add(crew, m);
	crew_count_work(crew, m, s->at_ms);
	note_change(crew, m);
	change_children(crew, m);
}

/* What somebody wrote to the box says nothing of the agent in whose session that was. */
static void hear_command(struct crew *crew, const struct signal *s, struct text run)
{
	struct crew_heard heard;
	struct crew_member *m = NULL;
	struct buf key;

	moment_read(&heard, s);
	buf_init(&key, 4 * KIB);
	if (read_key(&heard, &key))
		m = map_get(&crew->by_key, buf_text(&key));
	buf_finish(&key);
	if (!m || map_get(&crew->by_run, run))
		return;
	saving_change(&crew->saving, &m->to_save);
	add_run_aside(crew, m, run);
	note_change(crew, m);
}

void crew_hear(struct crew *crew, const struct signal *s)
{
	struct text run = run_of_signal(s);
	struct crew_heard heard;
	struct crew_member *m;

	crew->seq = s->seq;
	if (!member_can_be(run))
		return;
	if (session_is_command(s->type, s->source)) {
		hear_command(crew, s, run);
		return;
	}
	moment_read(&heard, s);
	m = find_member(crew, s, &heard, run);
	if (!m) {
		if (heard.is_agents)
			welcome_member(crew, s, &heard, run);
		return;
	}
	if (member_is_strange(m, s->source))
		return;
	saving_change(&crew->saving, &m->to_save);
	go_on(&heard, m);
	member_hear(m, s, &heard);
	crew_count_work(crew, m, s->at_ms);
	list_remove(&m->in_all);
	list_add(&crew->all, &m->in_all);
	note_change(crew, m);
}

void crew_touch(struct crew *crew, struct text run)
{
	struct crew_member *m = map_get(&crew->by_run, run);

	if (m)
		note_change(crew, m);
}

struct crew_member *crew_find(const struct crew *crew, struct text name)
{
	struct crew_member *m = map_get(&crew->by_handle, name);

	return m ? m : map_get(&crew->by_run, name);
}

bool crew_has_plan(const struct crew *crew, struct text name, struct text items)
{
	const struct crew_member *m = crew_find(crew, name);
	struct json_reader reader;
	bool has = false;

	if (!m)
		return false;
	json_reader_init(&reader, items.len);
	has = plan_says(&m->plan, yyjson_doc_get_root(json_read(&reader, items, NULL)));
	json_reader_finish(&reader);
	return has;
}

size_t crew_count(const struct crew *crew)
{
	return crew->count;
}

struct link *crew_all(struct crew *crew)
{
	return &crew->all;
}

void crew_each_silent(struct crew *crew, uint64_t seq,
                      void (*each)(void *self, const struct crew_member *m), void *self)
{
	list_each(&crew->all, l) {
		const struct crew_member *m = list_of(l, struct crew_member, in_all);

		if (m->seq <= seq && !m->pid &&
		    (state_is_work(m->standing.state) || m->standing.state == CREW_WAITS))
			each(self, m);
	}
}

uint64_t crew_seq(const struct crew *crew)
{
	return crew->folded ? fold_seq(crew->folded) : crew->seq;
}

/* ---- the fold ---- */

static void fold_heard(void *self, const struct signal *s)
{
	crew_hear(self, s);
}

static void fold_had_piece(void *self, bool is_all)
{
	struct crew *crew = self;

	if (is_all && !list_is_empty(&crew->changed))
		tell_news(crew);
}

static void fold_save_begins(void *self)
{
	crew_save_begin(self);
}

static bool fold_saves(void *self, struct buf *out)
{
	return crew_save_more(self, out);
}

static bool fold_loaded(void *self, struct text saved, uint64_t *seq)
{
	struct crew *crew = self;

	crew->seq = *seq;
	return crew_load(crew, saved);
}

static const struct fold_kind crew_fold = {
	.name = "crew",
	.pace = FOLD_LATER,
	.saved_max = CREW_SAVED_MAX,
	.kept_max = CREW_KEPT_MAX,
	.hear = fold_heard,
	.heard = fold_had_piece,
	.save_begin = fold_save_begins,
	.save_more = fold_saves,
	.load = fold_loaded,
};

void crew_join(struct crew *crew, struct folds *folds)
{
	crew->folded = folds_add(folds, &crew_fold, crew);
}

bool crew_reach(struct crew *crew)
{
	return !crew->folded || fold_reach(crew->folded, REACH_NS);
}

void crew_watch(struct crew *crew, bool on)
{
	if (crew->folded)
		fold_watch(crew->folded, on);
}

struct crew *crew_create(const struct crew_options *options)
{
	struct crew *crew = must_zero(1, sizeof(*crew));

	crew->options = *options;
	crew->round = 1;
	map_init(&crew->by_run);
	map_init(&crew->by_handle);
	map_init(&crew->by_key);
	list_init(&crew->all);
	list_init(&crew->changed);
	handles_init(&crew->handles);
	buf_init(&crew->removed, REMOVED_MAX);
	buf_init(&crew->head, CREW_SAVED_MAX);
	return crew;
}

void crew_forget_all(struct crew *crew)
{
	saving_finish(&crew->saving);
	list_each(&crew->all, l)
		member_destroy(list_of(l, struct crew_member, in_all));
	crew->count = 0;
	peaks_finish(&crew->peaks);
	map_finish(&crew->by_run);
	map_finish(&crew->by_handle);
	map_finish(&crew->by_key);
	handles_finish(&crew->handles);
	map_init(&crew->by_run);
	map_init(&crew->by_handle);
	map_init(&crew->by_key);
	handles_init(&crew->handles);
}

void crew_destroy(struct crew *crew)
{
	if (!crew)
		return;
	crew_forget_all(crew);
	buf_finish(&crew->removed);
	buf_finish(&crew->head);
	free(crew);
}
