/* journal.c - the owner's side: open, append, poll, close. */
#include "journal/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "journal/checkpoint.h"
#include "journal/find.h"
#include "journal/forget.h"
#include "journal/format.h"
#include "journal/hold.h"
#include "journal/inside.h"
#include "journal/kept.h"
#include "journal/lock.h"
#include "journal/recover.h"
#include "journal/warm.h"

#define EAGER_BYTES (1 * MIB) /* a commit of this size waits no longer */
#define TOO_SLOW "the disk does not keep up"

/* --- threads ------------------------------------------------------------- */

bool journal_has_news(struct journal *j)
{
	bool first = !j->news;

	j->news = true;
	pthread_cond_signal(&j->to_owner);
	return first;
}

void journal_wake(struct journal *j)
{
	if (j->options.wake)
		j->options.wake(j->options.self);
}

struct timespec journal_moment(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

void journal_spawn(pthread_t *thread, const char *name, void *(*run)(void *), void *self)
{
	if (pthread_create(thread, NULL, run, self) != 0) {
		log_error("journal", "no thread can be started");
		abort();
	}
	pthread_setname_np(*thread, name);
}

static void init_threads(struct journal *j)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&j->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&j->to_writer, &attr);
	pthread_cond_init(&j->to_owner, &attr);
	pthread_cond_init(&j->to_warmer, &attr);
	pthread_condattr_destroy(&attr);
}

static void finish_threads(struct journal *j)
{
	pthread_cond_destroy(&j->to_writer);
	pthread_cond_destroy(&j->to_owner);
	pthread_cond_destroy(&j->to_warmer);
	pthread_mutex_destroy(&j->mutex);
}

/* --- open ---------------------------------------------------------------- */

static bool open_dir(struct journal *j, struct error *why)
{
	int data = open(j->options.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool made = data >= 0 && mkdirat(data, "journal", 0700) == 0;

	if (data >= 0 && (!made || fsync(data) == 0) && (made || errno == EEXIST))
		j->dir = openat(data, "journal", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->dir < 0)
		error_errno(why, "%s/journal", j->options.dir);
	if (data >= 0)
		close(data);
	return j->dir >= 0;
}

/* *fork: the first seq that the new epoch has for itself. */
static bool find_last(struct journal *j, uint64_t *fork, struct error *why)
{
	j->last = epochs_promised(&j->epochs, j->dir);
	*fork = j->last + 1;
	if (!j->shelf.count)
		return true;
	j->segment.first = j->shelf.firsts[j->shelf.count - 1];
	if (!segment_recover(&j->segment, j->dir, &j->last, fork, why))
		return false;
	if (j->segment.fd >= 0)
		segment_reserve(&j->segment, j->options.segment_bytes);
	shelf_finish(&j->shelf); /* one may have come, and one may have gone */
	return shelf_load(&j->shelf, j->dir, why);
}

/* The mark goes before anything is appended, so that the next start sees it only
 * if this run stops cleanly too. */
static bool begin_epoch(struct journal *j, uint64_t fork, struct error *why)
{
	assert(fork > 0 && fork <= j->last + 1);
	epochs_drop_before(&j->epochs, j->shelf.count ? j->shelf.firsts[0] : 0);
	return epochs_add(&j->epochs, j->dir, fork, why) && epochs_mark_remove(j->dir, why);
}

/* A rewriting that was cut short may have left them: readers know the old form by them. */
static void drop_stale_indexes(const struct journal *j)
{
	for (size_t i = 0; i < j->shelf.count; i++) {
		char name[SEGMENT_NAME_ROOM];

		segment_name(name, j->shelf.firsts[i], SEGMENT_INDEX);
		if (faccessat(j->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			segment_drop_stale_index(j->dir, j->shelf.firsts[i]);
	}
}

static bool journal_load(struct journal *j, struct error *why)
{
	uint64_t fork;
	bool found;

	if (!format_check_start(j->dir, why) || !forget_complete(j->dir, why) ||
	    !shelf_load(&j->shelf, j->dir, why) || !epochs_load(&j->epochs, j->dir, why) ||
	    !find_last(j, &fork, why))
		return false;
	drop_stale_indexes(j);
	found = checkpoint_load(j->dir, j->last, &j->checkpoint, &j->checkpoint_seq);
	if (!begin_epoch(j, fork, why))
		return false;
	kept_sweep(j);
	if (!found)
		journal_kept(j, j->last, &j->checkpoint, &j->checkpoint_seq);
	return true;
}

static void journal_destroy(struct journal *j)
{
	segment_finish(&j->segment);
	if (j->dir >= 0)
		close(j->dir);
	if (j->lock_fd >= 0)
		close(j->lock_fd);
	shelf_finish(&j->shelf);
	epochs_finish(&j->epochs);
	buf_finish(&j->checkpoint);
	buf_finish(&j->scratch);
	saved_state_finish(&j->state);
	finish_threads(j);
	free(j);
}

void journal_adjust(struct journal *j, const struct journal_options *options)
{
	pthread_mutex_lock(&j->mutex);
	j->options.keep_bytes = options->keep_bytes;
	j->options.keep_days = options->keep_days;
	j->options.commit_ms = options->commit_ms;
	j->options.sync_ms = options->sync_ms;
	pthread_mutex_unlock(&j->mutex);
}

struct journal *journal_open(const struct journal_options *options, struct error *why)
{
	struct journal *j = must_zero(1, sizeof *j);

	j->options = *options;
	j->dir = j->segment.fd = -1;
	init_threads(j);
	list_init(&j->files);
	buf_init(&j->checkpoint, CHECKPOINT_MAX + KIB);
	buf_init(&j->scratch, BATCH_BYTES_MAX);
	j->lock_fd = lock_take(options->dir, why);
	if (j->lock_fd < 0 || !open_dir(j, why) || !journal_load(j, why)) {
		journal_destroy(j);
		return NULL;
	}
	j->durable = j->durable_seen = j->last;
	recent_init(&j->recent, j->last + 1);
	placing_init(j);
	writer_start(j);
	warmer_start(j);
	return j;
}

/* --- append -------------------------------------------------------------- */

static size_t waiting(const struct journal *j)
{
	assert(j->appended >= atomic_load_explicit(&j->written, memory_order_relaxed));
	return (size_t)(j->appended - atomic_load_explicit(&j->written, memory_order_relaxed));
}

/* An open gap stays open until the disk takes something again, so that one line
 * stands for all that was left out; and that line comes first. */
bool journal_has_room(const struct journal *j, size_t bytes)
{
	size_t now = waiting(j);

	if (j->gap_from && now > 0 && now >= j->gap_waiting)
		return false;
	return now + bytes + (j->gap_from ? GAP_LINE_MAX : 0) <= j->options.wait_max;
}

/* So near the ceiling that a big signal may not fit: what does not fit then is
 * refused with a reason, because there is trouble to name. */
static bool is_full(const struct journal *j)
{
	return j->gap_from || waiting(j) > j->options.wait_max - j->options.wait_max / 16;
}

bool journal_is_behind(const struct journal *j)
{
	return !j->fails && waiting(j) > j->options.wait_max / 4;
}

/* One line for all the signals that were live only. */
static void close_gap(struct journal *j)
{
	struct buf line;

	assert(j->gap_from > 0 && j->gap_from <= j->last);
	buf_init(&line, GAP_LINE_MAX);
	segment_gap_line(&line, j->gap_from, j->last, "disk");
	assert(!line.full && line.len > 1);
	recent_add_gap(&j->recent, j->last, (struct text){line.at, line.len - 1});
	j->appended += line.len;
	j->gap_from = 0;
	buf_finish(&line);
	writer_ask(j, ASK_NOW);
}

static enum journal_append leave_out(struct journal *j)
{
	assert(j->last < SEQ_MAX);
	j->last++;
	if (!j->gap_from) {
		j->gap_from = j->last;
		j->gap_waiting = waiting(j);
	}
	return JOURNAL_LIVE_ONLY;
}

enum journal_append journal_append(struct journal *j, struct text head, struct text body,
                                   bool hurry, const struct place_keys *keys)
{
	size_t len = head.len + body.len + 1;

	if (!journal_has_room(j, len))
		return leave_out(j);
	if (j->gap_from)
		close_gap(j);
	assert(!j->gap_from && j->last < SEQ_MAX);
	recent_add(&j->recent, head, body, keys);
	j->last++;
	j->appended += len;
	if (hurry || waiting(j) >= EAGER_BYTES)
		j->wanted = ASK_NOW;
	else if (j->wanted == ASK_NOTHING)
		j->wanted = ASK_SOON;
	assert(j->recent.next == j->last + 1);
	return JOURNAL_KEPT;
}

struct text journal_newest(const struct journal *j)
{
	return recent_newest(&j->recent);
}

void journal_hurry(struct journal *j)
{
	j->wanted = ASK_NOW;
}

/* The fence is the owner's half of a promise that writer.c explains. */
void journal_commit(struct journal *j)
{
	if (j->wanted == ASK_NOTHING)
		return;
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load(&j->asked) < (int)j->wanted)
		writer_ask(j, j->wanted);
	j->wanted = ASK_NOTHING;
}

/* --- poll ---------------------------------------------------------------- */

/* What the threads had to say. */
struct report {
	uint64_t durable;
	struct error failing, failed, no_space;
	bool rolled, warmed, held;
};

static struct report take_report(struct journal *j)
{
	struct report r;

	pthread_mutex_lock(&j->mutex);
	r = (struct report){j->durable, j->failing, j->failed,       j->no_space,
	                    j->rolled,  j->warmed,  j->hold.is_asked};
	j->failed = (struct error){0};
	j->news = j->rolled = j->warmed = j->hold.is_asked = false;
	pthread_mutex_unlock(&j->mutex);
	return r;
}

static void set_trouble(struct journal *j, const struct error *now)
{
	bool changed = (now->words[0] == '\0') != (j->trouble.words[0] == '\0');

	j->trouble = *now;
	if (changed && j->options.trouble)
		j->options.trouble(j->options.self, now->words[0] ? now->words : NULL);
}

/* A disk that takes too long is as bad as one that fails once memory is full.  One that
 * failed and works again since the last poll is told of, too. */
static void tell_trouble(struct journal *j, struct report *r)
{
	if (r->failed.words[0])
		set_trouble(j, &r->failed);
	if (!r->failing.words[0] && is_full(j))
		error_set(&r->failing, TOO_SLOW);
	set_trouble(j, r->failing.words[0] ? &r->failing : &r->no_space);
}

void journal_poll(struct journal *j)
{
	struct report r = take_report(j);

	assert(r.durable >= j->durable_seen && r.durable <= j->last);
	j->fails = r.failing.words[0] != '\0';
	tell_trouble(j, &r);
	if (r.durable > j->durable_seen) {
		placing_feed(j, r.durable);
		j->durable_seen = r.durable;
		recent_trim(&j->recent, r.durable);
		if (j->options.durable)
			j->options.durable(j->options.self, r.durable);
	}
	if (j->gap_from && journal_has_room(j, 0))
		close_gap(j);
	if (r.rolled) {
		cold_note_ends(j);
		journal_save_state(j);
	}
	if (r.held && j->options.held)
		j->options.held(j->options.self);
	if (r.warmed) {
		warmer_bury(j);
		find_bury(j);
		if (j->options.warmed)
			j->options.warmed(j->options.self);
	}
}

void journal_release(struct journal *j, uint64_t seq)
{
	pthread_mutex_lock(&j->mutex);
	assert(seq <= j->last);
	if (seq > j->hold.released)
		j->hold.released = seq;
	j->hold.is_over |= j->hold.is_back;
	j->hold.is_back = false;
	if (j->hold.is_over)
		pthread_cond_signal(&j->to_writer);
	pthread_mutex_unlock(&j->mutex);
}

void journal_wait(struct journal *j, unsigned ms)
{
	struct timespec until = journal_moment(clock_mono_ns() + ms * 1000000ull);

	journal_commit(j);
	pthread_mutex_lock(&j->mutex);
	while (!j->news)
		if (pthread_cond_timedwait(&j->to_owner, &j->mutex, &until) == ETIMEDOUT)
			break;
	pthread_mutex_unlock(&j->mutex);
}

/* --- close --------------------------------------------------------------- */

/* The writer has ended, so its files are ours. */
static void seal(struct journal *j)
{
	struct error why;

	journal_save_state(j);
	saved_state_write(j, &j->state);
	if (!epochs_mark_write(j->dir, journal_epoch(j), j->last, &why))
		log_error("journal", "no mark of a clean stop: %s", why.words);
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	if (j->gap_from)
		close_gap(j);
	writer_stop(j);
	warmer_stop(j);
	journal_poll(j);
	assert(j->durable_seen <= j->last);
	if (j->durable_seen == j->last)
		seal(j);
	else
		log_error("journal", "stopped with %llu signals that are not on the disk",
		          (unsigned long long)(j->last - j->durable_seen));
	recent_finish(&j->recent);
	placing_finish(j);
	journal_destroy(j);
}

/* --- questions ----------------------------------------------------------- */

struct text journal_checkpoint(const struct journal *j, uint64_t *seq)
{
	*seq = j->checkpoint_seq;
	return buf_text(&j->checkpoint);
}

uint64_t journal_last_seq(const struct journal *j)
{
	return j->last;
}

uint64_t journal_durable_seq(const struct journal *j)
{
	return j->durable_seen;
}

uint64_t journal_first_seq(const struct journal *j)
{
	struct journal *locked = (struct journal *)j;
	uint64_t first = recent_first(&j->recent);

	pthread_mutex_lock(&locked->mutex);
	if (j->shelf.count && j->shelf.firsts[0] < first)
		first = j->shelf.firsts[0];
	pthread_mutex_unlock(&locked->mutex);
	return first;
}

const char *journal_epoch(const struct journal *j)
{
	return epochs_current(&j->epochs)->name;
}

const char *journal_trouble(const struct journal *j)
{
	if (j->trouble.words[0])
		return j->trouble.words;
	return is_full(j) ? TOO_SLOW : NULL;
}

bool journal_fails(const struct journal *j)
{
	return j->fails || is_full(j);
}

struct journal_stats journal_stats(const struct journal *j)
{
	struct journal *locked = (struct journal *)j;
	struct journal_stats stats;

	pthread_mutex_lock(&locked->mutex);
	stats = j->stats;
	stats.bytes = shelf_bytes(&j->shelf);
	stats.segments = j->shelf.count;
	pthread_mutex_unlock(&locked->mutex);
	stats.waiting = waiting(j);
	return stats;
}
