/* writer.c - the thread that puts lines on the disk.
 *
 * One commit at a time, each of everything that is there.  It sleeps until it is
 * asked; the owner asks at most once for each commit, because the question stands
 * until the writer takes it back.  The writer takes it back first and looks at the
 * blocks after that; the owner fills the blocks first and looks at the question
 * after that, once a turn, with a fence between: so at least one of them sees the
 * other, and no line is left lying.
 *
 * When writing or syncing fails, the segment is given up, because nobody knows
 * what of it is on the disk and the kernel reports it only once.  All that is
 * not acknowledged is still in the blocks and goes into a new segment.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/clock.h"
#include "journal/inside.h"
#include "journal/retention.h"

#define RETRY_MS_MIN 100
#define RETRY_MS_MAX 2000
#define CLOSE_PATIENCE_MS 3000 /* how long a stop waits for a failing disk */
#define HOUR_MS 3600000
#define LOOK_MS 5000                 /* between two looks at the room on the disk */
#define NO_SPACE_BYTES (1024 * 1024) /* less is none */

/* What one commit is made of. */
struct commit {
	struct commit_batch batches[COMMIT_BATCHES_MAX];
	size_t n;
	uint64_t bytes;
	struct writer_cursor after;
	bool full; /* there is more, for the next commit or the next segment */
};

void writer_ask(struct journal *j, enum write_urgency what)
{
	pthread_mutex_lock(&j->mutex);
	if (atomic_load(&j->asked) < (int)what)
		atomic_store(&j->asked, (int)what);
	pthread_cond_signal(&j->to_writer);
	pthread_mutex_unlock(&j->mutex);
}

/* True when the moment came before anybody called. */
static bool wait_until(struct journal *j, const struct timespec *moment)
{
	return pthread_cond_timedwait(&j->to_writer, &j->mutex, moment) == ETIMEDOUT;
}

static bool has_state_to_write(const struct journal *j)
{
	return j->state.count && j->state.seq <= j->durable;
}

/* With the mutex.  Returns when something is to be done, or when it is time to look at the
 * disk. */
static void writer_wait_for_work(struct journal *j)
{
	struct timespec look = journal_in_ms(LOOK_MS);
	struct timespec soon;

	while (!j->stopping && atomic_load(&j->asked) == ASK_NOTHING && !has_state_to_write(j))
		if (wait_until(j, &look))
			return;
	soon = journal_in_ms(j->options.commit_ms);
	while (!j->stopping && atomic_load(&j->asked) == ASK_SOON)
		if (wait_until(j, &soon))
			break;
	j->hurried = atomic_load(&j->asked) == ASK_NOW;
	atomic_store(&j->asked, ASK_NOTHING);
}

static struct commit_batch batch_of(const struct writer_cursor *c, uint64_t filled)
{
	const struct block *b = c->block;

	assert(FILLED_BYTES(filled) > c->bytes && FILLED_LINES(filled) >= c->lines);
	return (struct commit_batch){
		.first = b->first + c->lines,
		.last = b->gap_to ? b->gap_to : b->first + FILLED_LINES(filled) - 1,
		.bytes = {b->at + c->bytes, FILLED_BYTES(filled) - c->bytes},
		.is_gap = b->gap_to != 0,
	};
}

/* Adds what its block holds beyond the cursor; false when it does not fit. */
static bool writer_take_block(struct journal *j, struct commit *c, uint64_t filled)
{
	struct commit_batch batch = batch_of(&c->after, filled);
	uint64_t used = (j->segment.fd >= 0 ? j->segment.len : 0) + c->bytes;

	assert(c->n <= COMMIT_BATCHES_MAX);
	c->full = c->n == COMMIT_BATCHES_MAX ||
	          (used > 0 && used + batch.bytes.len > j->options.segment_bytes);
	if (c->full)
		return false;
	c->batches[c->n++] = batch;
	c->bytes += batch.bytes.len;
	c->after.lines = FILLED_LINES(filled);
	c->after.bytes = FILLED_BYTES(filled);
	return true;
}

/* A block that has a successor is complete, so its length is read again after
 * the successor was seen. */
static void writer_gather(struct journal *j, struct commit *c)
{
	*c = (struct commit){.after = j->cursor};
	for (;;) {
		uint64_t filled = atomic_load(&c->after.block->filled);
		struct block *next;

		if (FILLED_BYTES(filled) > c->after.bytes && !writer_take_block(j, c, filled))
			return;
		next = atomic_load_explicit(&c->after.block->next, memory_order_acquire);
		if (!next)
			return;
		if (atomic_load(&c->after.block->filled) == filled)
			c->after = (struct writer_cursor){.block = next};
	}
}

static bool begin_segment(struct journal *j, uint64_t first, struct error *why)
{
	assert(j->segment.fd < 0);
	if (!segment_create(&j->segment, j->dir, first, why))
		return false;
	segment_reserve(&j->segment, j->options.segment_bytes);
	pthread_mutex_lock(&j->mutex);
	shelf_add(&j->shelf, first);
	j->rolled = j->shelf.count > 1;
	pthread_mutex_unlock(&j->mutex);
	retention_apply(j);
	return true;
}

/* Tells the owner how it went; why is empty when it went well.  With the mutex, which it
 * lets go. */
static void writer_publish(struct journal *j, const struct error *why)
{
	bool wake = journal_has_news(j);

	j->failing = *why;
	if (why->words[0])
		j->failed = *why;
	pthread_mutex_unlock(&j->mutex);
	if (wake)
		journal_wake(j);
}

#define MICROSECOND UINT64_C(1000)

const uint64_t journal_bucket_ns[JOURNAL_BUCKETS] = {
	100 * MICROSECOND,   250 * MICROSECOND,    500 * MICROSECOND,    1000 * MICROSECOND,
	2500 * MICROSECOND,  5000 * MICROSECOND,   10000 * MICROSECOND,  25000 * MICROSECOND,
	50000 * MICROSECOND, 100000 * MICROSECOND, 500000 * MICROSECOND, 2000000 * MICROSECOND,
};

static void count_commit(struct journal_stats *stats, uint64_t took_ns)
{
	unsigned i = 0;

	while (i < JOURNAL_BUCKETS && took_ns > journal_bucket_ns[i])
		i++;
	stats->buckets[i]++;
	stats->commits++;
	stats->commit_ns_total += took_ns;
}

static void succeed(struct journal *j, const struct commit *c, uint64_t began_ns)
{
	static const struct error fine;

	assert(c->n > 0);
	j->cursor = c->after;
	atomic_fetch_add(&j->written, c->bytes);
	pthread_mutex_lock(&j->mutex);
	assert(j->shelf.count > 0 && c->batches[c->n - 1].last > j->durable);
	j->durable = c->batches[c->n - 1].last;
	j->shelf.bytes[j->shelf.count - 1] = j->segment.len;
	count_commit(&j->stats, clock_mono_ns() - began_ns);
	writer_publish(j, &fine);
}

static void writer_fail(struct journal *j, const struct error *why)
{
	bool was_empty = j->segment.fd >= 0 && j->segment.entries == 0;

	segment_abandon(&j->segment, j->dir);
	pthread_mutex_lock(&j->mutex);
	if (was_empty)
		shelf_drop_newest(&j->shelf);
	j->stats.sync_failures++;
	writer_publish(j, why);
}

/* All that is there, or as much as one segment takes.  False on a failure; *more
 * says whether something is left. */
static bool commit(struct journal *j, bool *more)
{
	uint64_t began_ns = clock_mono_ns();
	struct error why;
	struct commit c;

	writer_gather(j, &c);
	if (c.n == 0 && c.full) {
		segment_finish(&j->segment);
		writer_gather(j, &c);
	}
	*more = c.full;
	if (c.n == 0)
		return true;
	if ((j->segment.fd < 0 && !begin_segment(j, c.batches[0].first, &why)) ||
	    !segment_commit(&j->segment, c.batches, c.n, j->hurried ? &j->syncer : NULL, &why)) {
		writer_fail(j, &why);
		return false;
	}
	succeed(j, &c, began_ns);
	return true;
}

/* Waits before the next attempt; false when there will be none. */
static bool wait_to_retry(struct journal *j, unsigned wait_ms, uint64_t *give_up_ns)
{
	struct timespec moment = journal_in_ms(wait_ms);
	bool go_on;

	pthread_mutex_lock(&j->mutex);
	while (!j->stopping && !wait_until(j, &moment))
		;
	if (j->stopping && *give_up_ns == 0)
		*give_up_ns = clock_mono_ns() + CLOSE_PATIENCE_MS * 1000000ull;
	while (j->stopping && !wait_until(j, &moment))
		;
	go_on = *give_up_ns == 0 || clock_mono_ns() < *give_up_ns;
	pthread_mutex_unlock(&j->mutex);
	return go_on;
}

/* Until everything that is there is on the disk. */
static bool commit_all(struct journal *j)
{
	unsigned wait_ms = 0; /* a fresh segment often helps at once */
	uint64_t give_up_ns = 0;
	bool more = true;

	while (more) {
		if (commit(j, &more)) {
			wait_ms = 0;
			continue;
		}
		more = true;
		if (!wait_to_retry(j, wait_ms, &give_up_ns))
			return false;
		wait_ms = wait_ms ? wait_ms * 2 : RETRY_MS_MIN;
		if (wait_ms > RETRY_MS_MAX)
			wait_ms = RETRY_MS_MAX;
	}
	return true;
}

static void write_state(struct journal *j)
{
	struct saved_state state = {0};

	pthread_mutex_lock(&j->mutex);
	if (has_state_to_write(j)) {
		state = j->state;
		j->state = (struct saved_state){0};
	}
	pthread_mutex_unlock(&j->mutex);
	saved_state_write(j, &state);
}

static bool has_space(const struct journal *j)
{
	struct statvfs v;

	if (fstatvfs(j->dir, &v) != 0 || v.f_blocks == 0)
		return true; /* it does not say */
	return (uint64_t)v.f_bavail * v.f_frsize >= NO_SPACE_BYTES &&
	       (v.f_files == 0 || v.f_favail > 0);
}

/* What is reserved ahead lasts for weeks where little happens, and all that time nobody
 * would know. */
static void look_for_space(struct journal *j)
{
	bool has = has_space(j), wake = false;

	pthread_mutex_lock(&j->mutex);
	if (has == (j->no_space.words[0] != '\0')) {
		j->no_space = (struct error){0};
		if (!has)
			error_set(&j->no_space, "the disk is full: %s", strerror(ENOSPC));
		wake = journal_has_news(j);
	}
	pthread_mutex_unlock(&j->mutex);
	if (wake)
		journal_wake(j);
}

static void *writer_run(void *self)
{
	struct journal *j = self;
	uint64_t tidy_ns = 0; /* when to look for old segments */
	uint64_t look_ns = 0; /* when to look for space */
	bool stopping = false;

	while (!stopping) {
		if (clock_mono_ns() >= tidy_ns) {
			retention_tidy(j);
			tidy_ns = clock_mono_ns() + HOUR_MS * 1000000ull;
		}
		if (clock_mono_ns() >= look_ns) {
			look_for_space(j);
			look_ns = clock_mono_ns() + LOOK_MS * 1000000ull;
		}
		pthread_mutex_lock(&j->mutex);
		writer_wait_for_work(j);
		stopping = j->stopping;
		pthread_mutex_unlock(&j->mutex);
		if (!commit_all(j))
			break;
		write_state(j);
	}
	return NULL;
}

void writer_start(struct journal *j)
{
	assert(j->recent.tail && !j->recent.tail->next);
	j->cursor = (struct writer_cursor){.block = j->recent.tail};
	syncer_start(&j->syncer);
	journal_spawn(&j->writer, "journal-write", writer_run, j);
}

void writer_stop(struct journal *j)
{
	pthread_mutex_lock(&j->mutex);
	j->stopping = true;
	pthread_cond_broadcast(&j->to_writer);
	pthread_cond_broadcast(&j->to_warmer);
	pthread_mutex_unlock(&j->mutex);
	pthread_join(j->writer, NULL);
	syncer_stop(&j->syncer);
}
