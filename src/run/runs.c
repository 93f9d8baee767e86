/* runs.c - following the journal: which run a signal is of, what it means and how it is shown.
 *
 * A frame that is kept is one block of memory; a ring of these has the newest.  A run
 * that is forgotten stays in memory until the last frame of it has left the ring.
 */
#include "run/runs.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "bus/folds.h"
#include "run/inside.h"
#include "run/recall.h"
#include "run/sessions.h"

#define KEPT_MAX 65536 /* frames, however small: a power of two */

/* --- runs ------------------------------------------------------------------ */

struct run *run_create(struct runs *all, struct text id, struct text source)
{
	struct run *run = must_zero(1, sizeof(*run));

	run->id = text_dup(id);
	run->source = text_dup(source);
	fold_init(&run->fold);
	hearing_init(&run->hearing);
	map_set(&all->by_id, id, run);
	list_add(&all->all, &run->in_all);
	list_init(&run->in_session);
	return run;
}

static void run_destroy(struct run *run)
{
	assert(run->refs == 0);
	list_remove(&run->in_all);
	fold_finish(&run->fold);
	hearing_finish(&run->hearing);
	free(run->id);
	free(run->source);
	free(run->phase);
	free(run->debug);
	free(run->finished);
	free(run->spawned_by);
	free(run);
}

static void forget_run(struct runs *all, struct run *run)
{
	assert(!run->is_forgotten);
	runs_save_first(all, run);
	map_remove(&all->by_id, text_of(run->id));
	list_remove(&run->in_all);
	recall_forget(all, run);
	session_leave(all, run);
	run->is_forgotten = true;
	if (run->refs == 0)
		run_destroy(run);
}

struct run *runs_find(const struct runs *all, struct text id)
{
	return map_get(&all->by_id, id);
}

struct link *runs_all(struct runs *all)
{
	return &all->all;
}

size_t runs_count(const struct runs *all)
{
	return all->by_id.count;
}

static struct run *run_of(struct runs *all, const struct signal *s)
{
	struct text id = run_of_signal(s);
	struct run *run;

	if (!id.len)
		return NULL;
	run = runs_find(all, id);
	if (!run && run_is_told(s))
		return NULL;
	if (!run) {
		if (all->by_id.count >= RUNS_MAX)
			forget_run(all, list_of(all->all.next, struct run, in_all));
		run = run_create(all, id, s->source);
		run->first_seq = s->seq;
		run->first_ms = s->at_ms;
		run->said = said_create();
	}
	runs_save_first(all, run);
	list_remove(&run->in_all);
	list_add(&all->all, &run->in_all);
	run->last_seq = s->seq;
	run->last_ms = s->at_ms;
	run->signals++;
	assert(run->first_seq <= run->last_seq);
	return run;
}

/* --- frames ---------------------------------------------------------------- */

static struct kept_frame *kept_at(const struct runs *all, uint64_t at)
{
	return &all->ring[at & (all->ring_room - 1)];
}

static void drop_oldest(struct runs *all)
{
	struct kept_frame *k = kept_at(all, all->first);
	struct run *run = k->run;

	runs_save_frame_first(all, all->first);
	all->first++;
	all->bytes -= k->head_len + k->own_len + k->tail_len;
	free(k->bytes);
	assert(run->refs > 0);
	if (--run->refs == 0 && run->is_forgotten)
		run_destroy(run);
}

static void grow_ring(struct runs *all)
{
	size_t room = all->ring_room ? all->ring_room * 2 : 256;
	struct kept_frame *ring = must_zero(room, sizeof(*ring));

	for (uint64_t at = all->first; at < all->head; at++)
		ring[at & (room - 1)] = *kept_at(all, at);
	free(all->ring);
	all->ring = ring;
	all->ring_room = room;
}

void runs_keep(struct runs *all, struct run *run, const struct frame_pieces *p)
{
	size_t len = p->head.len + p->own.len + p->tail.len;
	struct kept_frame *k;
	char *to;

	while (all->first < all->head &&
	       (all->bytes + len > RUNS_FRAMES_MAX || all->head - all->first == KEPT_MAX))
		drop_oldest(all);
	if (all->head - all->first == all->ring_room)
		grow_ring(all);
	k = kept_at(all, all->head++);
	to = must_alloc(len);
	*k = (struct kept_frame){
		.number = all->number,
		.own = run->frames,
		.run = run,
		.bytes = to,
		.head_len = (uint32_t)p->head.len,
		.own_len = (uint32_t)p->own.len,
		.tail_len = (uint32_t)p->tail.len,
		.is_numbered = p->is_numbered,
		.is_agents = p->is_agents,
	};
	memcpy(to, p->head.at, p->head.len);
	if (p->own.len)
		memcpy(to + p->head.len, p->own.at, p->own.len);
	if (p->tail.len)
		memcpy(to + p->head.len + p->own.len, p->tail.at, p->tail.len);
	all->bytes += len;
	run->refs++;
}

bool runs_frame(const struct runs *all, uint64_t at, struct run_frame *out)
{
	const struct kept_frame *k;

	if (at < all->first)
		at = all->first;
	if (at >= all->head)
		return false;
	k = kept_at(all, at);
	*out = (struct run_frame){
		.at = at,
		.number = k->number,
		.own = k->own,
		.run = k->run,
		.pieces =
			{
				.head = {k->bytes, k->head_len},
				.own = {k->bytes + k->head_len, k->own_len},
				.tail = {k->bytes + k->head_len + k->own_len, k->tail_len},
				.is_numbered = k->is_numbered,
				.is_agents = k->is_agents,
			},
	};
	return true;
}

uint64_t runs_head(const struct runs *all)
{
	return all->head;
}

uint64_t runs_number(const struct runs *all)
{
	return all->number;
}

static bool is_event_of(const struct kept_frame *k, const struct run *run)
{
	return k->is_numbered && (!run || k->run == run);
}

bool runs_place(const struct runs *all, const struct run *run, uint64_t number, uint64_t *at)
{
	for (*at = all->head; *at > all->first; --*at) {
		const struct kept_frame *k = kept_at(all, *at - 1);

		if (is_event_of(k, run) && (run ? k->own : k->number) == number)
			return true;
	}
	/* The newest of all, whose frame is gone: nothing that is kept was before it. */
	return number == (run ? run->frames : all->number);
}

uint64_t runs_back(const struct runs *all, const struct run *run, size_t events)
{
	uint64_t at = all->head;

	for (; events > 0 && at > all->first; at--)
		events -= is_event_of(kept_at(all, at - 1), run);
	return at;
}

/* --- folding --------------------------------------------------------------- */

/* A signal under way: whose it is. */
struct making {
	struct runs *all;
	struct run *run;
	const struct signal *s;
};

static void remember(char **kept, struct text frame)
{
	free(*kept);
	*kept = frame.len <= RUN_FRAME_KEPT ? text_dup(frame) : NULL;
}

uint64_t run_number(const struct run *run, const struct frame_pieces *p)
{
	uint64_t own;

	if (!p->is_numbered)
		return run->frames;
	return p->is_agents && text_to_u64(p->own, &own) ? own : run->frames + 1;
}

/* For screens; and what they want who come late. */
static void show(struct making *m, const struct run_event *e)
{
	struct run *run = m->run;
	struct frame_pieces p;

	if (!translate_event(m->s, e, &m->all->scratch, &p))
		return;
	m->all->number += p.is_numbered;
	run->frames = run_number(run, &p);
	runs_keep(m->all, run, &p);
	if (e->kind == RUN_PHASE)
		remember(&run->phase, p.head);
	else if (e->kind == RUN_DEBUG)
		remember(&run->debug, p.head);
	else if (e->kind == RUN_ENDED && !e->is_counted)
		remember(&run->finished, p.head);
}

static void take_event(void *self, const struct run_event *e)
{
	struct making *m = self;

	fold_event(&m->run->fold, e);
	recall_hear(m->all, m->run, e, m->s->seq);
	show(m, e);
	if (e->kind == RUN_TOLD || e->kind == RUN_BEGAN || e->kind == RUN_MOVED)
		session_note(m->all, m->run, m->s);
	if (!m->run->fold.finished && m->run->finished)
		remember(&m->run->finished, TEXT(""));
}

/* --- the journal ----------------------------------------------------------- */

void runs_hear(struct runs *all, const struct signal *s)
{
	struct making m = {.all = all, .s = s};

	if (!yyjson_is_obj(yyjson_obj_get(s->envelope, "payload")))
		return;
	m.run = run_of(all, s);
	if (!m.run)
		return;
	list_each(&all->listeners, l) {
		struct runs_listener *listener = list_of(l, struct runs_listener, in_runs);

		if (listener->before)
			listener->before(listener, m.run);
	}
	hear_signal(&m.run->hearing, s, take_event, &m);
	if (s->kind == KIND_OTHER &&
	    (text_is(s->type, "session.facts") || (s->correlation.len && !m.run->session)))
		session_note(all, m.run, s); /* a session may begin before anything is said in it */
	list_each(&all->listeners, l) {
		struct runs_listener *listener = list_of(l, struct runs_listener, in_runs);

		listener->hear(listener, m.run, s);
	}
}

void runs_listen(struct runs *all, struct runs_listener *listener)
{
	list_add(&all->listeners, &listener->in_runs);
}

static void hear(void *self, const struct signal *s)
{
	runs_hear(self, s);
}

static void heard(void *self, bool is_all)
{
	struct runs *all = self;

	if ((all->head != all->told || is_all) && all->options.news)
		all->options.news(all->options.self);
	all->told = all->head;
}

static void save_begin(void *self)
{
	runs_save_begin(self);
}

static bool save_more(void *self, struct buf *out)
{
	return runs_save_more(self, out);
}

static bool load(void *self, struct text saved, uint64_t *seq)
{
	return runs_load(self, saved, seq);
}

static void save_texts(const void *self, struct buf *out)
{
	recall_save(self, out);
}

static void load_texts(void *self, struct text saved)
{
	recall_load(self, saved);
}

static const struct fold_kind runs_fold = {
	.name = "runs",
	.pace = FOLD_LATER,
	.durable_first = true,
	.kept_max = RUNS_KEPT_MAX,
	.hear = hear,
	.heard = heard,
	.save_begin = save_begin,
	.save_more = save_more,
	.load = load,
	.save_texts = save_texts,
	.load_texts = load_texts,
};

void runs_join(struct runs *all, struct folds *folds)
{
	all->folded = folds_add(folds, &runs_fold, all);
}

bool runs_reach(struct runs *all)
{
	return fold_reach(all->folded, RUNS_REACH_NS);
}

uint64_t runs_seq(const struct runs *all)
{
	return fold_seq(all->folded);
}

void runs_watch(struct runs *all, bool watch)
{
	fold_watch(all->folded, watch);
}

/* --- from start to end ----------------------------------------------------- */

struct runs *runs_create(const struct runs_options *options)
{
	struct runs *all = must_zero(1, sizeof(*all));

	all->options = *options;
	map_init(&all->by_id);
	list_init(&all->all);
	list_init(&all->recalls);
	list_init(&all->sessions);
	list_init(&all->listeners);
	map_init(&all->session_names);
	map_init(&all->session_keys);
	buf_init(&all->scratch, TRANSLATE_FRAME_MAX);
	return all;
}

void runs_destroy(struct runs *all)
{
	if (!all)
		return;
	runs_save_end(all);
	while (all->first < all->head)
		drop_oldest(all);
	list_each(&all->all, l)
		forget_run(all, list_of(l, struct run, in_all));
	map_finish(&all->by_id);
	map_finish(&all->session_names);
	map_finish(&all->session_keys);
	buf_finish(&all->scratch);
	free(all->ring);
	free(all);
}
