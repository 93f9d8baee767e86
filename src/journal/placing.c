/* placing.c - drafts of the newest, files of the others, and making what is missing. */
#include "journal/placing.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "journal/disk.h"
#include "journal/inside.h"
#include "journal/place_disk.h"
#include "journal/walk.h"
#include "signal/signal.h"

#define WORK_NS 2000000             /* at a time, between two looks at who waits */
#define READ_BYTES (64 * KIB)       /* of a segment at once */
#define SWEEP_NS (60 * 1000000000u) /* at least, between two looks at all segments */

#define FRESH_MAX 4096 /* signals */

/* Of signals that are on the disk now: what they are found by, and perhaps a gap behind them. */
struct fresh_keys {
	struct link in_placing;
	uint64_t segment, first;
	uint64_t gap_to; /* not 0: from behind the last of them up to there is a gap */
	uint32_t count;
	struct place_keys keys[FRESH_MAX];
};

/* What is in memory of one segment. */
struct segment_draft {
	struct link in_placing;
	uint64_t segment; /* its first seq */
	bool is_sealed;   /* nothing is added any more: there is a next one */
	struct place_draft draft;
};

/* A segment that is read for its index. */
struct place_making {
	uint64_t segment, until;
	bool is_newest; /* up to `until`, and the draft is the index */
	struct place_draft draft;
	struct walk walk;
	struct signal_reader *signals;
};

void placing_init(struct journal *j)
{
	struct placing *p = &j->placing;

	pthread_mutex_init(&p->mutex, NULL);
	list_init(&p->drafts);
	list_init(&p->fresh);
	p->sweep = UINT64_MAX;
	p->known_at_open = j->last;
}

static void making_end(struct placing *p)
{
	struct place_making *m = p->making;

	if (!m)
		return;
	p->making = NULL;
	place_draft_finish(&m->draft);
	walk_finish(&m->walk);
	signal_reader_destroy(m->signals);
	free(m);
}

static void segment_draft_destroy(struct segment_draft *d)
{
	list_remove(&d->in_placing);
	place_draft_finish(&d->draft);
	free(d);
}

void placing_finish(struct journal *j)
{
	struct placing *p = &j->placing;

	making_end(p);
	list_each(&p->fresh, l)
		free(list_of(l, struct fresh_keys, in_placing));
	list_each(&p->drafts, l)
		segment_draft_destroy(list_of(l, struct segment_draft, in_placing));
	pthread_mutex_destroy(&p->mutex);
}

/* The segment of a seq, 0 if there is none, and where the next begins, 0 if it is the newest. */
static uint64_t segment_of(struct journal *j, uint64_t seq, uint64_t *until)
{
	uint64_t first;

	pthread_mutex_lock(&j->mutex);
	first = shelf_find(&j->shelf, seq, until);
	pthread_mutex_unlock(&j->mutex);
	return first;
}

static void wake_reader(struct journal *j)
{
	pthread_mutex_lock(&j->mutex);
	j->is_placing_due = true;
	pthread_cond_signal(&j->to_warmer);
	pthread_mutex_unlock(&j->mutex);
}

/* ---- the owner ---- */

/* Has the chunk that came last room for seq? */
static struct fresh_keys *fresh_for(struct placing *p, uint64_t segment, uint64_t seq)
{
	struct fresh_keys *f = list_of(p->fresh.prev, struct fresh_keys, in_placing);

	if (!list_is_empty(&p->fresh) && f->segment == segment && !f->gap_to &&
	    f->count < FRESH_MAX && f->first + f->count == seq)
		return f;
	f = must_alloc(sizeof(*f));
	f->segment = segment;
	f->first = seq;
	f->gap_to = 0;
	f->count = 0;
	list_add(&p->fresh, &f->in_placing);
	return f;
}

/* Lines of one block of memory, from seq on to before `end`; returns what follows them. */
static uint64_t feed_block(struct fresh_keys *f, const struct block *b, uint64_t seq, uint64_t end)
{
	uint64_t filled = atomic_load_explicit(&b->filled, memory_order_relaxed);
	uint64_t n = b->first + FILLED_LINES(filled) - seq;

	if (b->gap_to) {
		f->gap_to = b->gap_to;
		return b->gap_to + 1;
	}
	n = n < end - seq ? n : end - seq;
	n = n < FRESH_MAX - f->count ? n : FRESH_MAX - f->count;
	memcpy(f->keys + f->count, b->keys + (seq - b->first), n * sizeof(*f->keys));
	f->count += (uint32_t)n;
	return seq + n;
}

void placing_feed(struct journal *j, uint64_t to)
{
	uint64_t seq = j->durable_seen + 1;
	struct placing *p = &j->placing;

	while (seq <= to) {
		uint64_t until, segment = segment_of(j, seq, &until), end = to + 1;
		bool is_due; /* much, or the end of a segment */

		if (until && until < end)
			end = until;
		pthread_mutex_lock(&p->mutex);
		while (seq < end)
			seq = feed_block(fresh_for(p, segment, seq), recent_find(&j->recent, seq),
			                 seq, end);
		is_due = p->fresh.next != p->fresh.prev || segment != p->fed;
		p->fed = segment;
		pthread_mutex_unlock(&p->mutex);
		if (is_due)
			wake_reader(j);
	}
}

/* ---- drafts ---- */

/* The draft that goes on with seq.  A new one has the newest segment, so that the others are
 * complete. */
static struct segment_draft *draft_for(struct placing *p, uint64_t segment, uint64_t seq)
{
	struct segment_draft *d;

	list_each(&p->drafts, l) {
		d = list_of(l, struct segment_draft, in_placing);
		if (d->segment == segment && d->draft.next == seq && !d->is_sealed)
			return d;
		d->is_sealed = d->is_sealed || d->segment != segment;
	}
	d = must_zero(1, sizeof(*d));
	d->segment = segment;
	place_draft_init(&d->draft, seq);
	list_add(&p->drafts, &d->in_placing);
	return d;
}

static void digest_one(struct placing *p, const struct fresh_keys *f)
{
	struct place_draft *draft = &draft_for(p, f->segment, f->first)->draft;

	for (uint32_t i = 0; i < f->count; i++)
		place_draft_add(draft, f->keys[i].of[0] == PLACE_ANY ? NULL : &f->keys[i]);
	if (f->gap_to)
		place_draft_gap(draft, f->gap_to);
}

/* What the owner has handed over goes into the drafts. */
static void digest(struct placing *p)
{
	struct link fresh;

	list_init(&fresh);
	pthread_mutex_lock(&p->mutex);
	list_each(&p->fresh, l) {
		list_remove(l);
		list_add(&fresh, l);
	}
	pthread_mutex_unlock(&p->mutex);
	list_each(&fresh, l) {
		struct fresh_keys *f = list_of(l, struct fresh_keys, in_placing);

		digest_one(p, f);
		free(f);
	}
}

/* ---- looking up ---- */

static bool find_in_drafts(struct placing *p, const struct placing_question *q,
                           struct place_list *out)
{
	list_each(&p->drafts, l) {
		const struct segment_draft *d = list_of(l, struct segment_draft, in_placing);

		if (d->segment == q->segment && q->seq >= d->draft.first && q->seq < d->draft.next)
			return place_draft_find(&d->draft, q->hashes, q->n, out);
	}
	return false;
}

bool placing_find(struct journal *j, const struct placing_question *q, struct place_list *out)
{
	struct placing *p = &j->placing;

	digest(p);
	if (find_in_drafts(p, q, out) || (q->until && place_disk_find(j->dir, q, out)))
		return true;
	place_list_begin(out, 1, 0);
	if (q->until && clock_mono_ns() - p->swept_ns > SWEEP_NS)
		p->sweep = UINT64_MAX; /* it was there, or is being made: look again */
	return false;
}

/* ---- making ---- */

/* Of a segment that went meanwhile it goes again. */
static void write_places(struct journal *j, uint64_t segment, const struct place_draft *draft)
{
	uint64_t until;

	place_disk_write(j->dir, segment, draft);
	if (segment_of(j, segment, &until) != segment)
		placing_remove(j->dir, segment);
}

/* The draft of a sealed segment is written if it has all of it; else that is read again. */
static bool write_sealed(struct journal *j)
{
	struct placing *p = &j->placing;

	digest(p);
	list_each(&p->drafts, l) {
		struct segment_draft *d = list_of(l, struct segment_draft, in_placing);

		uint64_t until;

		if (!d->is_sealed)
			continue;
		if (d->draft.first == d->segment &&
		    segment_of(j, d->segment, &until) == d->segment && d->draft.next == until)
			write_places(j, d->segment, &d->draft);
		else
			p->sweep = UINT64_MAX;
		segment_draft_destroy(d);
		return true;
	}
	return false;
}

static void making_begin(struct journal *j, uint64_t segment, uint64_t until, bool is_newest)
{
	struct place_making *m = must_zero(1, sizeof(*m));

	assert(!j->placing.making && segment < until);
	m->segment = segment;
	m->until = until;
	m->is_newest = is_newest;
	place_draft_init(&m->draft, segment);
	walk_init_patient(&m->walk, j);
	m->walk.memory = until;
	m->signals = signal_reader_create();
	j->placing.making = m;
}

static void make_of_lines(struct place_making *m, struct text lines)
{
	struct text all = lines;

	while (lines.len && m->draft.next < m->until) {
		struct text line = text_cut(lines, '\n', &lines);
		struct place_keys keys;
		struct signal s;

		if (signal_read(m->signals, line, &s, NULL)) {
			keys = place_keys_of(s.correlation, s.source, s.type);
			place_draft_add(&m->draft, &keys);
		} else {
			place_draft_add(&m->draft, NULL);
		}
	}
	walk_take(&m->walk, all.len - lines.len);
}

/* What was there of the newest segment before this start; it may be the newest no more. */
static void keep_draft(struct journal *j, struct place_making *m)
{
	struct segment_draft *d = must_zero(1, sizeof(*d));
	struct placing *p = &j->placing;
	uint64_t until;

	d->is_sealed = segment_of(j, m->segment, &until) != m->segment || until;
	d->segment = m->segment;
	d->draft = m->draft;
	m->draft = (struct place_draft){0};
	list_add(&p->drafts, &d->in_placing);
}

static void making_done(struct journal *j, struct place_making *m)
{
	if (m->is_newest)
		keep_draft(j, m);
	else
		write_places(j, m->segment, &m->draft);
	making_end(&j->placing);
}

/* One piece of the segment; false: no more of it can be had now. */
static bool make_on(struct place_making *m)
{
	struct text lines;
	uint64_t to;

	switch (walk_read(&m->walk, m->draft.next, READ_BYTES, &lines, &to)) {
	case WALK_LINES:
		make_of_lines(m, lines);
		return true;
	case WALK_COLD:
		return false;
	case WALK_LOST:
	case WALK_FORGOTTEN:
	case WALK_EXPIRED:
	case WALK_DAMAGED:
		break;
	}
	place_draft_gap(&m->draft, to < m->until ? to : m->until - 1);
	walk_leave_place(&m->walk);
	return true;
}

/* The newest segment that nobody has looked at yet; false: all were. */
static bool sweep_on(struct journal *j)
{
	struct placing *p = &j->placing;
	uint64_t until, segment;

	if (p->sweep == UINT64_MAX)
		p->swept_ns = clock_mono_ns();
	segment = p->sweep ? segment_of(j, p->sweep - 1, &until) : 0;
	p->sweep = segment;
	if (!segment)
		return false;
	if (until && !place_disk_is_good(j->dir, segment))
		making_begin(j, segment, until, false);
	else if (!until && segment <= p->known_at_open)
		making_begin(j, segment, p->known_at_open + 1, true);
	if (!until)
		p->known_at_open = 0;
	return true;
}

/* ---- files of segments that are gone ---- */

static bool is_outdated(struct journal *j, const char *name)
{
	struct text suffix, digits = text_cut(text_of(name), '.', &suffix);
	uint64_t segment, until;

	if (text_is(suffix, PLACE_DISK_FRESH))
		return true;
	return text_is(suffix, PLACE_DISK_SUFFIX) && text_to_u64(digits, &segment) &&
	       (segment_of(j, segment, &until) != segment || !until);
}

static void remove_outdated(struct journal *j)
{
	DIR *names = disk_list(j->dir);
	struct dirent *d;

	while (names && (d = readdir(names)))
		if (is_outdated(j, d->d_name))
			unlinkat(j->dir, d->d_name, 0);
	if (names)
		closedir(names);
}

bool placing_work(struct journal *j)
{
	uint64_t until = clock_mono_ns() + WORK_NS;
	struct placing *p = &j->placing;
	struct place_making *m = p->making;

	if (!p->is_tidy) {
		p->is_tidy = true;
		remove_outdated(j);
		return true;
	}
	if (write_sealed(j))
		return true;
	if (!m)
		return sweep_on(j);
	while (m->draft.next < m->until && !m->draft.is_void && clock_mono_ns() < until)
		if (!make_on(m))
			return true;
	if (m->draft.next >= m->until || m->draft.is_void)
		making_done(j, m);
	return true;
}
