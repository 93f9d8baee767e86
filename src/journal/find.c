/* find.c - asking, and answering a slice at a time. */
#include "journal/find.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "journal/inside.h"
#include "journal/sieve.h"

#define SLICE_NS 4000000      /* for one question, before the next has its turn */
#define READ_BYTES (64 * KIB) /* at once */
#define BLOCK_READ (16 * KIB) /* at once, where an index says which blocks */

/* ---- the owner ---- */

struct find *find_create(struct journal *j, struct journal_sieve *sieve)
{
	struct find *f = must_zero(1, sizeof(*f));

	f->journal = j;
	f->sieve = sieve;
	journal_sieve_ref(sieve);
	f->signals = signal_reader_create();
	walk_init_patient(&f->walk, j);
	buf_init(&f->found, BATCH_BYTES_MAX);
	list_init(&f->in_queue);
	return f;
}

static void find_free(struct find *f)
{
	journal_sieve_unref(f->sieve);
	signal_reader_destroy(f->signals);
	walk_finish(&f->walk);
	place_list_finish(&f->list);
	buf_finish(&f->found);
	free(f);
}

void find_destroy(struct find *f)
{
	struct journal *j;
	bool busy;

	if (!f)
		return;
	j = f->journal;
	pthread_mutex_lock(&j->mutex);
	busy = f->state == FIND_BUSY;
	f->is_orphan = busy;
	if (!busy)
		list_remove(&f->in_queue);
	pthread_mutex_unlock(&j->mutex);
	if (!busy)
		find_free(f);
}

void find_bury(struct journal *j)
{
	struct link dead;

	list_init(&dead);
	pthread_mutex_lock(&j->mutex);
	list_each(&j->found, l) {
		if (!list_of(l, struct find, in_queue)->is_orphan)
			continue;
		list_remove(l);
		list_add(&dead, l);
	}
	pthread_mutex_unlock(&j->mutex);
	list_each(&dead, l)
		find_free(list_of(l, struct find, in_queue));
}

bool find_is_waiting(struct find *f)
{
	bool waiting;

	pthread_mutex_lock(&f->journal->mutex);
	waiting = f->state == FIND_QUEUED || f->state == FIND_BUSY;
	pthread_mutex_unlock(&f->journal->mutex);
	return waiting;
}

void find_ask(struct find *f, uint64_t next, uint64_t until)
{
	struct journal *j = f->journal;

	f->next = next;
	f->until = until;
	f->memory = recent_first(&j->recent);
	f->gap.why = NULL;
	f->taken = 0;
	buf_clear(&f->found);
	pthread_mutex_lock(&j->mutex);
	assert(f->state == FIND_IDLE || f->state == FIND_DONE);
	list_remove(&f->in_queue);
	f->state = FIND_QUEUED;
	list_add(&j->finds, &f->in_queue);
	pthread_cond_signal(&j->to_warmer);
	pthread_mutex_unlock(&j->mutex);
}

/* ---- the reader's thread ---- */

/* Looks up what is known of the segment that `next` is in.  Where there is no index, that is
 * remembered for a slice. */
static void find_look_up(struct find *f)
{
	struct journal *j = f->journal;
	struct placing_question q = {
		.seq = f->next, .hashes = f->sieve->keys, .n = f->sieve->key_count};

	pthread_mutex_lock(&j->mutex);
	q.segment = shelf_find(&j->shelf, f->next, &q.until);
	pthread_mutex_unlock(&j->mutex);
	if (!q.segment || !placing_find(j, &q, &f->list))
		f->bare = q.until ? q.until - 1 : UINT64_MAX;
}

static bool find_has_list(const struct find *f)
{
	return f->next >= f->list.first && f->next <= f->list.last;
}

/* Passes over blocks that have nothing, up to `end`; what comes first must be read. */
static void find_skip(struct find *f, uint64_t end)
{
	uint64_t from = f->next;

	while (f->sieve->key_count && f->is_entered && f->next < end) {
		uint64_t at = f->next;

		if (!find_has_list(f) && at > f->bare)
			find_look_up(f);
		if (!find_has_list(f))
			break;
		f->next = place_list_next(&f->list, at);
		if (f->next <= f->list.last)
			break;
	}
	if (f->next > end)
		f->next = end;
	if (f->next != from)
		walk_leave_place(&f->walk);
}

/* Judges lines that were read, but for those in blocks that have nothing. */
static void find_judge(struct find *f, struct text lines, uint64_t end)
{
	struct text rest = lines;

	while (rest.len && f->next < end) {
		struct text line = text_cut(rest, '\n', &rest);
		bool is_listed = f->is_entered && find_has_list(f);

		if ((!is_listed || place_list_next(&f->list, f->next) == f->next) &&
		    journal_sieve_passes(f->sieve, line, f->signals)) {
			buf_add(&f->found, line);
			buf_add_char(&f->found, '\n');
		}
		f->next++;
	}
	walk_take(&f->walk, lines.len - rest.len);
}

static void find_note_gap(struct find *f, uint64_t to, const char *why)
{
	f->gap = (struct gap){f->next, to, why};
	f->next = to + 1;
	walk_leave_place(&f->walk);
}

/* One piece of the files; false: no more of them can be had now. */
static bool find_read(struct find *f, uint64_t end)
{
	struct text lines;
	uint64_t to;

	switch (walk_read(&f->walk, f->next, find_has_list(f) ? BLOCK_READ : READ_BYTES, &lines,
	                  &to)) {
	case WALK_LINES:
		find_judge(f, lines, end);
		break;
	case WALK_COLD:
		return false;
	case WALK_LOST:
		find_note_gap(f, to, "lost");
		break;
	case WALK_FORGOTTEN:
		find_note_gap(f, to, "forgotten");
		break;
	case WALK_EXPIRED:
		find_note_gap(f, to, "expired");
		break;
	case WALK_DAMAGED:
		find_note_gap(f, to, "damaged");
		break;
	}
	f->is_entered = true;
	return true;
}

void find_work(struct find *f)
{
	uint64_t end = f->until < f->memory ? f->until : f->memory;
	uint64_t late_ns = clock_mono_ns() + SLICE_NS;

	f->walk.memory = f->memory;
	f->bare = 0;
	do {
		find_skip(f, end);
		if (f->next >= end || !find_read(f, end))
			break;
	} while (!f->gap.why && f->found.len < f->sieve->piece && clock_mono_ns() < late_ns);
}
