/* forget.c - finding what is to be forgotten, and forgetting it. */
#include "journal/forget.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "journal/anew.h"
#include "journal/checkpoint.h"
#include "journal/disk.h"
#include "journal/format.h"
#include "journal/kept.h"
#include "journal/lock.h"
#include "journal/placing.h"
#include "journal/rewrite.h"
#include "signal/signal.h"

#define MARK "forgetting" /* holds the first seq that is forgotten */
#define MARK_MAX 64
#define DRAFT "new" /* of disk.c */
#define REWRITTEN TEXT(".new")
#define QUARANTINES TEXT(".quarantine")

struct forgetting {
	struct journal_forget *what;
	struct shelf shelf;
	int dir;
	struct signal_reader *signals;
	struct anew_wish wish;
};

/* ---- what is meant ---- */

static bool is_in_range(void *self, uint64_t from, uint64_t to)
{
	const struct journal_forget *what = ((struct forgetting *)self)->what;

	for (size_t i = 0; i < what->range_count; i++)
		if (from <= what->ranges[i].to && to >= what->ranges[i].from)
			return true;
	return false;
}

/* A line that cannot be read is not known to be innocent, but has no correlationId. */
static bool forget_is_meant(void *self, uint64_t seq, struct text line)
{
	const struct forgetting *f = self;
	const struct journal_forget *what = f->what;
	struct signal s;

	if (is_in_range(self, seq, seq))
		return true;
	if (!what->correlation_count || !signal_read(f->signals, line, &s, NULL))
		return false;
	for (size_t i = 0; i < what->correlation_count; i++)
		if (text_equal(s.correlation, what->correlations[i]))
			return true;
	return false;
}

/* Nobody can say what is in a segment of which nothing can be read: it is not written anew. */
static bool open_segment(const struct forgetting *f, size_t i, struct anew *a, struct error *why)
{
	if (!anew_open(a, f->dir, &f->shelf, i, why))
		return false;
	if (a->in.used > 0 || a->in.bytes <= a->in.title)
		return true;
	error_set(why, "segment %llu: nothing in it can be read",
	          (unsigned long long)a->files.first);
	anew_close(a);
	return false;
}

/* ---- counting ---- */

static void forget_note(struct journal_forget *what, uint64_t from, uint64_t to)
{
	what->signals += to - from + 1;
	if (!what->first || from < what->first)
		what->first = from;
	if (to > what->last)
		what->last = to;
}

static uint64_t count_batch(struct forgetting *f, struct anew *a, const struct index_entry *e)
{
	uint64_t seq = e->first, found = 0;
	struct text lines;

	if (e->kind != ENTRY_LINES || !anew_load(a, e, &lines))
		return 0;
	for (; lines.len > 0; seq++) {
		struct text line = text_cut(lines, '\n', &lines);

		if (forget_is_meant(f, seq, line)) {
			forget_note(f->what, seq, seq);
			found++;
		}
	}
	return found;
}

static void count_segment(struct forgetting *f, struct anew *a)
{
	uint64_t found = 0;

	for (size_t i = 0; i < a->in.used; i++) {
		const struct index_entry *e = &a->in.entries[i];

		if (anew_is_spare(a, i))
			continue;
		if (inspection_is_good(&a->in, i)) {
			found += count_batch(f, a, e);
			continue;
		}
		f->what->damaged++;
		if (a->in.states[i] == BATCH_BAD && is_in_range(f, e->first, e->last)) {
			forget_note(f->what, e->first, e->last);
			found++;
		}
	}
	f->what->segments += found > 0;
}

static bool forget_count_all(struct forgetting *f, struct error *why)
{
	f->what->signals = f->what->first = f->what->last = 0;
	f->what->segments = f->what->damaged = 0;
	for (size_t i = 0; i < f->shelf.count; i++) {
		struct anew a;

		if (!open_segment(f, i, &a, why))
			return false;
		count_segment(f, &a);
		anew_close(&a);
		if (anew_failed(&a, why))
			return false;
	}
	return true;
}

/* ---- writing anew ---- */

static bool rewrite_all(struct forgetting *f, struct error *why)
{
	bool good = true;

	for (size_t i = 0; good && i < f->shelf.count; i++) {
		struct anew a;

		if (!open_segment(f, i, &a, why))
			return false;
		good = anew_is_needed(&a, &f->wish) ? anew_write(&a, &f->wish, why)
		                                    : !anew_failed(&a, why);
		anew_close(&a);
	}
	return good;
}

/* ---- in the places of the old ones ---- */

static bool put_all_in_place(int dir, struct error *why)
{
	struct shelf shelf;
	bool good = shelf_load(&shelf, dir, why);

	for (size_t i = 0; good && i < shelf.count; i++)
		good = rewrite_put_in_place(dir, shelf.firsts[i], why);
	shelf_finish(&shelf);
	return good;
}

static bool forget_ends_in(struct text name, struct text end)
{
	return name.len > end.len &&
	       text_equal((struct text){name.at + name.len - end.len, end.len}, end);
}

static bool remove_ending(int dir, struct text end, struct error *why)
{
	DIR *names = disk_list(dir);
	bool good = true;
	struct dirent *d;

	if (!names)
		return error_errno(why, "the journal's directory");
	while (good && (d = readdir(names)))
		if (forget_ends_in(text_of(d->d_name), end) && unlinkat(dir, d->d_name, 0) != 0)
			good = error_errno(why, "%s", d->d_name);
	closedir(names);
	return good;
}

static bool forget_read_mark(int dir, uint64_t *first)
{
	struct buf mark;
	bool good;

	buf_init(&mark, MARK_MAX);
	good = disk_load(dir, MARK, &mark);
	if (good && !text_to_u64(text_trim(buf_text(&mark)), first))
		*first = 0; /* every checkpoint goes */
	buf_finish(&mark);
	return good;
}

bool forget_complete(int dir, struct error *why)
{
	uint64_t first;

	if (!forget_read_mark(dir, &first)) {
		if (errno != ENOENT)
			return error_errno(why, MARK);
		return remove_ending(dir, REWRITTEN, why); /* of what was cut short before that */
	}
	if (!put_all_in_place(dir, why) || !remove_ending(dir, QUARANTINES, why) ||
	    !kept_remove_from(dir, first, why))
		return false;
	checkpoint_remove_from(dir, first);
	unlinkat(dir, DRAFT, 0);
	if (fsync(dir) != 0)
		return error_errno(why, "the journal's directory");
	return disk_remove(dir, MARK, why);
}

static bool forget_all(struct forgetting *f, struct error *why)
{
	char mark[MARK_MAX];
	int len = snprintf(mark, sizeof mark, "%llu\n", (unsigned long long)f->what->first);

	assert(len > 0 && (size_t)len < sizeof mark);
	/* What an attempt that was cut short has left is of another day. */
	if (!remove_ending(f->dir, REWRITTEN, why) || !format_write(f->dir, why))
		return false;
	if (rewrite_all(f, why) && (fsync(f->dir) == 0 || error_errno(why, "fsync")) &&
	    disk_replace(f->dir, MARK, (struct text){mark, (size_t)len}, why))
		return forget_complete(f->dir, why);
	remove_ending(f->dir, REWRITTEN, NULL);
	return false;
}

/* ---- from outside ---- */

static bool forget_run(const char *data_dir, struct journal_forget *what, bool only_count,
                       struct error *why)
{
	char *path = must_print("%s/journal", data_dir);
	struct forgetting f = {.what = what};
	bool good;

	f.wish = (struct anew_wish){forget_is_meant, is_in_range, &f};
	f.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f.signals = signal_reader_create();
	good = f.dir >= 0 || error_errno(why, "%s", path);
	good = good && format_check(f.dir, why);
	good = good && (only_count || forget_complete(f.dir, why));
	good = good && shelf_load(&f.shelf, f.dir, why) && forget_count_all(&f, why);
	if (good && !only_count && what->signals)
		good = forget_all(&f, why);
	shelf_finish(&f.shelf);
	signal_reader_destroy(f.signals);
	if (f.dir >= 0)
		close(f.dir);
	free(path);
	return good;
}

bool journal_forget_count(const char *data_dir, struct journal_forget *what, struct error *why)
{
	return forget_run(data_dir, what, true, why);
}

bool journal_forget(const char *data_dir, struct journal_forget *what, struct error *why)
{
	int lock = lock_take(data_dir, why);
	bool good = lock >= 0 && forget_run(data_dir, what, false, why);

	if (lock >= 0)
		close(lock);
	return good;
}
