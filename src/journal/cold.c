/* cold.c - the owner's side of cold reads: try, and ask the warmer if need be. */
#include "journal/cold.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/must.h"
#include "journal/disk.h"
#include "journal/inside.h"
#include "journal/warm.h"

#define NO_FILES_MS 50

void warm_destroy(struct warm *w)
{
	cold_unref(w->wanted.file);
	free(w);
}

/* A request that the warmer is busy with is left to it: journal_poll buries what
 * nobody waits for any more. */
void cold_forget(struct journal *j, struct warm **warm)
{
	struct warm *w = *warm;
	bool busy;

	if (!w)
		return;
	*warm = NULL;
	pthread_mutex_lock(&j->mutex);
	busy = w->state == WARM_BUSY;
	w->is_orphan = busy;
	if (!busy)
		list_remove(&w->in_queue);
	pthread_mutex_unlock(&j->mutex);
	if (!busy)
		warm_destroy(w);
}

bool cold_is_waiting(struct journal *j, struct warm *w)
{
	bool waiting;

	if (!w)
		return false;
	pthread_mutex_lock(&j->mutex);
	waiting = w->state != WARM_DONE;
	pthread_mutex_unlock(&j->mutex);
	return waiting;
}

/* Read here and there to find a place, so that no answer of the warmer is of use for long:
 * the index or, in the new form, the lines. */
static bool is_searched(const struct wanted *wanted)
{
	return wanted->which == SEGMENT_INDEX || wanted->file->fds[SEGMENT_INDEX] < 0;
}

static enum cold_answer cold_ask(struct journal *j, const struct wanted *wanted, struct warm **warm)
{
	struct warm *w = must_zero(1, sizeof *w);

	cold_forget(j, warm);
	assert(!*warm);
	w->wanted = *wanted;
	if (wanted->file) {
		wanted->file->refs++;
		w->whole_file = wanted->file->cannot_ask && is_searched(wanted);
	}
	pthread_mutex_lock(&j->mutex);
	list_add(&j->cold, &w->in_queue);
	pthread_cond_signal(&j->to_warmer);
	pthread_mutex_unlock(&j->mutex);
	*warm = w;
	return COLD_WAIT;
}

/* The answer of the warmer to this very question, taken off the books. */
static struct warm *cold_take_answer(struct journal *j, const struct wanted *wanted,
                                     struct warm **warm)
{
	struct warm *w = *warm;

	if (!w || cold_is_waiting(j, w) || w->wanted.file != wanted->file ||
	    w->wanted.first != wanted->first || w->wanted.which != wanted->which ||
	    w->wanted.offset != wanted->offset || w->wanted.len != wanted->len)
		return NULL;
	*warm = NULL;
	assert(!w->is_orphan);
	pthread_mutex_lock(&j->mutex);
	list_remove(&w->in_queue);
	pthread_mutex_unlock(&j->mutex);
	return w;
}

/* ------------------------------------------------------------------------ */

static int open_at(int dir, uint64_t first, enum segment_file which, bool may_wait)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW};
	char name[SEGMENT_NAME_ROOM];
	int fd;

	segment_name(name, first, which);
	if (!may_wait) {
		how.resolve = RESOLVE_CACHED;
		fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
		if (fd >= 0 || errno == EAGAIN)
			return fd;
	}
	return openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* The index is of the old form: without one, it is of the new one. */
static enum cold_answer open_both(struct journal *j, uint64_t first, bool may_wait,
                                  struct open_file **out)
{
	struct open_file *f = must_zero(1, sizeof *f);
	int failed;

	f->first = first;
	f->fds[SEGMENT_LINES] = open_at(j->dir, first, SEGMENT_LINES, may_wait);
	failed = f->fds[SEGMENT_LINES] < 0 ? errno : 0;
	f->fds[SEGMENT_INDEX] = failed ? -1 : open_at(j->dir, first, SEGMENT_INDEX, may_wait);
	if (!failed && f->fds[SEGMENT_INDEX] < 0 && errno != ENOENT)
		failed = errno;
	if (!failed) {
		f->refs = 1;
		list_init(&f->in_journal);
		*out = f;
		return COLD_READY;
	}
	if (f->fds[SEGMENT_LINES] >= 0)
		close(f->fds[SEGMENT_LINES]);
	free(f);
	/* Without a descriptor to spare, a later attempt may succeed. */
	return failed == EAGAIN || failed == EMFILE || failed == ENFILE ? COLD_WAIT : COLD_FAILED;
}

enum cold_answer cold_open(struct journal *j, uint64_t first, struct warm **warm,
                           struct open_file **out)
{
	struct wanted wanted = {.first = first};
	struct warm *tried;
	enum cold_answer answer;

	list_each(&j->files, l) {
		struct open_file *f = list_of(l, struct open_file, in_journal);

		if (f->first == first) {
			f->refs++;
			*out = f;
			return COLD_READY;
		}
	}
	tried = cold_take_answer(j, &wanted, warm);
	answer = open_both(j, first, tried != NULL, out);
	if (tried)
		warm_destroy(tried);
	if (answer == COLD_READY)
		list_add(&j->files, &(*out)->in_journal);
	return answer == COLD_WAIT ? cold_ask(j, &wanted, warm) : answer;
}

/* Whoever finds no descriptor to spare will ask again at once, so it has to wait a little. */
enum cold_answer cold_open_patiently(struct journal *j, uint64_t first, struct open_file **out)
{
	enum cold_answer answer = open_both(j, first, true, out);

	if (answer == COLD_WAIT)
		poll(NULL, 0, NO_FILES_MS);
	return answer;
}

enum cold_answer cold_read_patiently(const struct wanted *wanted, void *into)
{
	ssize_t got =
		disk_read(wanted->file->fds[wanted->which], into, wanted->len, wanted->offset);

	return got == (ssize_t)wanted->len ? COLD_READY : COLD_FAILED;
}

void cold_unref(struct open_file *f)
{
	assert(!f || f->refs > 0);
	if (!f || --f->refs > 0)
		return;
	list_remove(&f->in_journal);
	close(f->fds[SEGMENT_LINES]);
	if (f->fds[SEGMENT_INDEX] >= 0)
		close(f->fds[SEGMENT_INDEX]);
	free(f);
}

void cold_note_ends(struct journal *j)
{
	list_each(&j->files, l) {
		struct open_file *f = list_of(l, struct open_file, in_journal);
		uint64_t until;

		if (f->until)
			continue;
		pthread_mutex_lock(&j->mutex);
		if (shelf_find(&j->shelf, f->first, &until) == f->first)
			f->until = until;
		pthread_mutex_unlock(&j->mutex);
	}
}

static bool read_now(struct open_file *f, const struct wanted *wanted, void *into)
{
	struct iovec piece = {into, wanted->len};
	ssize_t got;

	if (f->cannot_ask)
		return false;
	do
		got = preadv2(f->fds[wanted->which], &piece, 1, (off_t)wanted->offset, RWF_NOWAIT);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EOPNOTSUPP)
		f->cannot_ask = true;
	return got == (ssize_t)wanted->len;
}

/* Right after the warmer has read the same bytes: hardly ever a wait. */
static enum cold_answer read_warmed(struct open_file *f, const struct wanted *wanted, void *into)
{
	ssize_t got = disk_read(f->fds[wanted->which], into, wanted->len, wanted->offset);

	if (is_searched(wanted))
		f->is_warm = true;
	return got == (ssize_t)wanted->len ? COLD_READY : COLD_FAILED;
}

/* Is a stretch of it known not to be readable?  It is not asked for again: a reader begins its
 * search anew each time, and would come back for ever. */
static bool is_unread(const struct open_file *f, const struct wanted *wanted)
{
	unsigned n = f->unread_count < COLD_UNREAD ? f->unread_count : COLD_UNREAD;

	for (unsigned i = 0; i < n && wanted->which == SEGMENT_LINES; i++)
		if (f->unread[i].offset >= wanted->offset &&
		    f->unread[i].offset + f->unread[i].len <= wanted->offset + wanted->len)
			return true;
	return false;
}

static void note_failure(struct open_file *f, const struct wanted *wanted)
{
	unsigned i = f->unread_count % COLD_UNREAD;

	if (wanted->which == SEGMENT_INDEX) {
		f->index_is_bad = true;
		return;
	}
	f->unread[i].offset = wanted->offset;
	f->unread[i].len = wanted->len;
	f->unread_count++;
}

enum cold_answer cold_read(struct journal *j, const struct wanted *wanted, struct warm **warm,
                           void *into)
{
	struct open_file *f = wanted->file;
	struct warm *answer;
	bool failed, whole_file;

	assert(wanted->len > 0);
	/* A search reads here and there in the index: it must not come back for ever
	 * to the place that cannot be read. */
	if ((wanted->which == SEGMENT_INDEX && f->index_is_bad) || is_unread(f, wanted))
		return COLD_FAILED;
	if (read_now(f, wanted, into))
		return COLD_READY;
	if (f->cannot_ask && f->is_warm && is_searched(wanted))
		return read_warmed(f, wanted, into);
	answer = cold_take_answer(j, wanted, warm);
	if (!answer)
		return cold_ask(j, wanted, warm);
	failed = answer->failed;
	whole_file = answer->whole_file;
	warm_destroy(answer);
	if (failed && whole_file && wanted->which == SEGMENT_LINES)
		return read_warmed(f, wanted, into); /* it may be another part of it */
	if (failed) {
		note_failure(f, wanted);
		return COLD_FAILED;
	}
	return f->cannot_ask ? read_warmed(f, wanted, into) : cold_ask(j, wanted, warm);
}
