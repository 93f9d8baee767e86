/* writer.c - the thread that puts lines on the disk.
 *
 * One commit at a time, each of everything that is there: lines go to the page cache, and
 * are synced at once if somebody waits for them, else a little later, together with what
 * came meanwhile.  It sleeps until it is asked; the owner asks at most once for each
 * commit, because the question stands until the writer takes it back.  The writer takes
 * it back first and looks at the blocks after that; the owner fills the blocks first and
 * looks at the question after that, once a turn, with a fence between: so at least one of
 * them sees the other, and no line is left lying.
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
#include "base/log.h"
#include "journal/batch.h"
#include "journal/inside.h"
#include "journal/retention.h"

#define RETRY_MS_MIN 100
#define RETRY_MS_MAX 2000
#define CLOSE_PATIENCE_MS 3000 /* how long a stop waits for a failing disk */
#define HOUR_MS 3600000
#define LOOK_MS 5000                 /* between two looks at the room on the disk */
#define NO_SPACE_BYTES (1024 * 1024) /* less is none */
#define UNSYNCED_MAX (16 * MIB)      /* a commit is not greater, though more be there */
#define MS_NS UINT64_C(1000000)

/* What one write is made of. */
struct commit {
	struct commit_batch batches[COMMIT_BATCHES_MAX];
	size_t n;
	uint64_t bytes;
	struct writer_cursor after;
	bool is_more;      /* there is, for the next one */
	bool segment_full; /* and it goes into another segment */
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

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* With the mutex.  Returns when something is to be done, or when it is time to look at the
 * disk. */
static void writer_wait_for_work(struct journal *j)
{
	uint64_t now = clock_mono_ns(), due = j->pending.last ? j->pending.due_ns : UINT64_MAX;
	struct timespec look = journal_moment(earlier(now + LOOK_MS * MS_NS, due)), soon;

	while (!j->stopping && atomic_load(&j->asked) == ASK_NOTHING && !has_state_to_write(j) &&
	       !j->hold.is_over)
		if (wait_until(j, &look))
			break;
	soon = journal_moment(earlier(clock_mono_ns() + j->options.commit_ms * MS_NS, due));
	while (!j->stopping && atomic_load(&j->asked) == ASK_SOON)
		if (wait_until(j, &soon))
			break;
	j->hurried = j->stopping || atomic_load(&j->asked) == ASK_NOW;
	j->sync_ns = j->options.sync_ms * MS_NS;
	atomic_store(&j->asked, ASK_NOTHING);
}

/* How many lines from `from` on make a batch: as many as it aims at, at least one. */
static uint32_t end_of_batch(const struct block *b, const struct writer_cursor *from,
                             uint32_t lines)
{
	uint32_t low = from->lines, high = lines;

	assert(low < high);
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (b->ends[middle] - from->bytes <= BATCH_AIM)
			low = middle;
		else
			high = middle;
	}
	return low + 1;
}

static struct commit_batch batch_of(const struct writer_cursor *c, uint32_t end)
{
	const struct block *b = c->block;

	assert(end > c->lines && b->ends[end - 1] > c->bytes);
	return (struct commit_batch){
		.first = b->first + c->lines,
		.last = b->gap_to ? b->gap_to : b->first + end - 1,
		.bytes = {b->at + c->bytes, b->ends[end - 1] - c->bytes},
		.is_gap = b->gap_to != 0,
	};
}

/* Each segment takes one batch at least. */
static bool has_room(const struct journal *j, const struct commit *c, size_t bytes)
{
	const struct segment *s = &j->segment;

	if (c->n == 0 && !j->pending.last && (s->fd < 0 || segment_is_empty(s)))
		return true;
	return (s->fd < 0 ? 0 : s->len) + c->bytes + bytes + (c->n + 1) * BATCH_HEAD_MAX <=
	       j->options.segment_bytes;
}

/* Adds what its block holds beyond the cursor; false when it does not fit. */
static bool writer_take_block(struct journal *j, struct commit *c, uint32_t lines)
{
	while (c->after.lines < lines) {
		uint32_t end = end_of_batch(c->after.block, &c->after, lines);
		struct commit_batch batch = batch_of(&c->after, end);

		assert(c->n <= COMMIT_BATCHES_MAX);
		c->segment_full = !has_room(j, c, batch.bytes.len);
		c->is_more = c->segment_full || c->n == COMMIT_BATCHES_MAX;
		if (c->is_more)
			return false;
		c->batches[c->n++] = batch;
		c->bytes += batch.bytes.len;
		c->after.lines = end;
		c->after.bytes = c->after.block->ends[end - 1];
	}
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

		if (!writer_take_block(j, c, FILLED_LINES(filled)))
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

static void succeed(struct journal *j)
{
	struct writer_pending done = j->pending;
	static const struct error fine;

	assert(done.last > 0);
	j->synced = j->cursor;
	j->pending = (struct writer_pending){0};
	atomic_fetch_add(&j->written, done.bytes);
	pthread_mutex_lock(&j->mutex);
	assert(j->shelf.count > 0 && done.last > j->durable);
	j->durable = done.last;
	j->shelf.bytes[j->shelf.count - 1] = j->segment.len;
	count_commit(&j->stats, done.took_ns);
	writer_publish(j, &fine);
}

/* Nobody knows what of it is on the disk: all since the last sync is written again. */
static bool writer_fail(struct journal *j, const struct error *why)
{
	bool was_empty = j->segment.fd >= 0 && segment_is_empty(&j->segment);

	segment_abandon(&j->segment, j->dir);
	j->cursor = j->synced;
	j->pending = (struct writer_pending){0};
	j->hurried = true; /* everybody waits to hear that it goes on */
	pthread_mutex_lock(&j->mutex);
	if (was_empty)
		shelf_drop_newest(&j->shelf);
	j->stats.sync_failures++;
	writer_publish(j, why);
	return false;
}

static bool sync_pending(struct journal *j)
{
	uint64_t began_ns = clock_mono_ns();
	struct error why;

	if (!j->pending.last)
		return true;
	if (!segment_sync(&j->segment, &why))
		return writer_fail(j, &why);
	j->pending.took_ns += clock_mono_ns() - began_ns;
	succeed(j);
	return true;
}

static bool write_batches(struct journal *j, const struct commit *c)
{
	uint64_t began_ns = clock_mono_ns();
	struct error why;

	if ((j->segment.fd < 0 && !begin_segment(j, c->batches[0].first, &why)) ||
	    !segment_write(&j->segment, c->batches, c->n, &why))
		return writer_fail(j, &why);
	j->cursor = c->after;
	if (!j->pending.last)
		j->pending.due_ns = began_ns + j->sync_ns;
	j->pending.last = c->batches[c->n - 1].last;
	j->pending.bytes += c->bytes;
	j->pending.took_ns += clock_mono_ns() - began_ns;
	return true;
}

static bool is_sync_due(const struct journal *j, bool is_more)
{
	if (segment_must_sync(&j->segment) || j->pending.bytes >= UNSYNCED_MAX)
		return true;
	return !is_more && (j->hurried || clock_mono_ns() >= j->pending.due_ns);
}

/* All that is there, or as much as one segment takes.  False on a failure; *more
 * says whether something is left. */
static bool commit(struct journal *j, bool *more)
{
	struct commit c;

	writer_gather(j, &c);
	if (c.n == 0 && c.segment_full) {
		if (!sync_pending(j))
			return false;
		segment_finish(&j->segment);
		writer_gather(j, &c);
	}
	*more = c.is_more;
	if (c.n > 0 && !write_batches(j, &c))
		return false;
	return !j->pending.last || !is_sync_due(j, c.is_more) || sync_pending(j);
}

/* Waits before the next attempt; false when there will be none. */
static bool wait_to_retry(struct journal *j, unsigned wait_ms, uint64_t *give_up_ns)
{
	struct timespec moment = journal_moment(clock_mono_ns() + wait_ms * MS_NS);
	bool go_on;

	pthread_mutex_lock(&j->mutex);
	while (!j->stopping && !wait_until(j, &moment))
		;
	if (j->stopping && *give_up_ns == 0)
		*give_up_ns = clock_mono_ns() + CLOSE_PATIENCE_MS * MS_NS;
	while (j->stopping && !wait_until(j, &moment))
		;
	go_on = *give_up_ns == 0 || clock_mono_ns() < *give_up_ns;
	pthread_mutex_unlock(&j->mutex);
	return go_on;
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

/* Segments that wait for somebody go where there is no room for others. */
static void relieve_disk(struct journal *j)
{
	bool is_back;

	pthread_mutex_lock(&j->mutex);
	is_back = j->hold.is_back;
	pthread_mutex_unlock(&j->mutex);
	if (!is_back)
		return;
	look_for_space(j);
	retention_apply(j);
}

/* Until everything that is there is written, and on the disk if somebody waits for it. */
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
		relieve_disk(j);
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

/* While nobody asks for anything. */
static void fill_ahead(struct journal *j)
{
	if (j->segment.fd < 0 || j->pending.last || atomic_load(&j->asked) != ASK_NOTHING)
		return;
	if (segment_fill(&j->segment, j->options.segment_bytes))
		return;
	log_warn("journal", "segment %llu ends early: %s", (unsigned long long)j->segment.first,
	         strerror(errno));
	segment_finish(&j->segment);
}

static bool is_let_go(struct journal *j)
{
	bool is;

	pthread_mutex_lock(&j->mutex);
	is = j->hold.is_over;
	j->hold.is_over = false;
	pthread_mutex_unlock(&j->mutex);
	return is;
}

static void *writer_run(void *self)
{
	struct journal *j = self;
	uint64_t tidy_ns = 0; /* when to look for old segments */
	uint64_t look_ns = 0; /* when to look for space */
	bool stopping = false;

	while (!stopping) {
		if (clock_mono_ns() >= tidy_ns || is_let_go(j)) {
			retention_tidy(j);
			tidy_ns = clock_mono_ns() + HOUR_MS * MS_NS;
		}
		if (clock_mono_ns() >= look_ns) {
			look_for_space(j);
			look_ns = clock_mono_ns() + LOOK_MS * MS_NS;
		}
		fill_ahead(j);
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
	j->cursor = j->synced = (struct writer_cursor){.block = j->recent.tail};
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
}
