/* warmer.c - the reader's thread: it waits for the disk in the readers' place.
 *
 * Cold pages come first, for somebody stands still without them; then questions (find.h), each a
 * slice at a time; and when nobody waits, the indexes that are to be made (placing.h).
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "journal/disk.h"
#include "journal/find.h"
#include "journal/inside.h"
#include "journal/warm.h"

#define AHEAD_BYTES (4 * MIB) /* what a reader will want next */
#define SCRATCH_BYTES (256 * KIB)
#define NO_FILES_MS 50
#define REST_MS 6 /* between two slices of what nobody waits for: a quarter of a processor */

/* Opening it once brings the name and the inode into memory.  When there is no
 * descriptor left, the reader would ask again at once, so it has to wait. */
static void touch_names(struct journal *j, uint64_t first)
{
	for (int which = SEGMENT_LINES; which <= SEGMENT_INDEX; which++) {
		char name[SEGMENT_NAME_ROOM];
		int fd;

		segment_name(name, first, (enum segment_file)which);
		fd = openat(j->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0)
			close(fd);
		else if (errno == EMFILE || errno == ENFILE)
			poll(NULL, 0, NO_FILES_MS);
	}
}

/* Reads it, for the page cache; false when it cannot be read. */
static bool warmer_fetch(const struct warm *w, char *scratch)
{
	uint64_t at = w->whole_file ? 0 : w->wanted.offset;
	uint64_t end = w->wanted.offset + w->wanted.len;
	ssize_t got;
	int fd;

	assert(w->wanted.file && w->wanted.len > 0);
	fd = w->wanted.file->fds[w->wanted.which];
	do {
		size_t want = w->whole_file || end - at > SCRATCH_BYTES ? SCRATCH_BYTES : end - at;

		got = disk_read(fd, scratch, want, at);
		at += got > 0 ? (uint64_t)got : 0;
	} while (got > 0 && (at < end || w->whole_file));
	posix_fadvise(fd, (off_t)at, AHEAD_BYTES, POSIX_FADV_WILLNEED);
	return at >= end;
}

static struct warm *next_request(struct journal *j)
{
	struct warm *w;

	if (list_is_empty(&j->cold))
		return NULL;
	w = list_of(j->cold.next, struct warm, in_queue);
	list_remove(&w->in_queue);
	assert(!w->is_orphan);
	w->state = WARM_BUSY;
	return w;
}

static struct find *next_find(struct journal *j)
{
	struct find *f;

	if (list_is_empty(&j->finds))
		return NULL;
	f = list_of(j->finds.next, struct find, in_queue);
	list_remove(&f->in_queue);
	assert(f->state == FIND_QUEUED && !f->is_orphan);
	f->state = FIND_BUSY;
	return f;
}

static void warmer_serve(struct journal *j, struct warm *w, char *scratch)
{
	if (w->wanted.file)
		w->failed = !warmer_fetch(w, scratch);
	else
		touch_names(j, w->wanted.first);
}

/* Answered: the owner is told.  With the mutex, which it lets go for that. */
static void tell_owner(struct journal *j)
{
	bool wake;

	j->warmed = true;
	wake = journal_has_news(j);
	pthread_mutex_unlock(&j->mutex);
	if (wake)
		journal_wake(j);
	pthread_mutex_lock(&j->mutex);
}

/* A little of what nobody waits for, and a rest, unless somebody comes.  With the mutex. */
static void work_unasked(struct journal *j)
{
	struct timespec until;

	j->is_placing_due = false;
	pthread_mutex_unlock(&j->mutex);
	if (!placing_work(j)) {
		pthread_mutex_lock(&j->mutex);
		return;
	}
	pthread_mutex_lock(&j->mutex);
	j->is_placing_due = true;
	until = journal_moment(clock_mono_ns() + REST_MS * UINT64_C(1000000));
	if (!j->stopping && list_is_empty(&j->cold) && list_is_empty(&j->finds))
		pthread_cond_timedwait(&j->to_warmer, &j->mutex, &until);
}

/* One thing, whatever is due first.  With the mutex. */
static void warmer_step(struct journal *j, char *scratch)
{
	struct warm *w = next_request(j);
	struct find *f = w ? NULL : next_find(j);

	if (w) {
		pthread_mutex_unlock(&j->mutex);
		warmer_serve(j, w, scratch);
		pthread_mutex_lock(&j->mutex);
		assert(w->state == WARM_BUSY);
		w->state = WARM_DONE;
		list_add(&j->warm, &w->in_queue);
		tell_owner(j);
	} else if (f) {
		pthread_mutex_unlock(&j->mutex);
		find_work(f);
		pthread_mutex_lock(&j->mutex);
		assert(f->state == FIND_BUSY);
		f->state = FIND_DONE;
		list_add(&j->found, &f->in_queue);
		tell_owner(j);
	} else if (j->is_placing_due) {
		work_unasked(j);
	} else {
		pthread_cond_wait(&j->to_warmer, &j->mutex);
	}
}

static void *warmer_run(void *self)
{
	struct journal *j = self;
	char *scratch = must_alloc(SCRATCH_BYTES);

	pthread_mutex_lock(&j->mutex);
	while (!j->stopping)
		warmer_step(j, scratch);
	pthread_mutex_unlock(&j->mutex);
	free(scratch);
	return NULL;
}

void warmer_bury(struct journal *j)
{
	struct link dead;

	list_init(&dead);
	pthread_mutex_lock(&j->mutex);
	list_each(&j->warm, l) {
		struct warm *w = list_of(l, struct warm, in_queue);

		if (!w->is_orphan)
			continue;
		list_remove(l);
		list_add(&dead, l);
	}
	pthread_mutex_unlock(&j->mutex);
	list_each(&dead, l)
		warm_destroy(list_of(l, struct warm, in_queue));
}

void warmer_start(struct journal *j)
{
	list_init(&j->cold);
	list_init(&j->warm);
	list_init(&j->finds);
	list_init(&j->found);
	j->is_placing_due = true;
	journal_spawn(&j->warmer, "journal-warm", warmer_run, j);
}

void warmer_stop(struct journal *j)
{
	pthread_join(j->warmer, NULL);
	warmer_bury(j);
	find_bury(j);
}
