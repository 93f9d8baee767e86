/* forget.c - finding what is to be forgotten, and forgetting it. */
#include "journal/forget.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "journal/checkpoint.h"
#include "journal/disk.h"
#include "journal/format.h"
#include "journal/kept.h"
#include "journal/lock.h"
#include "journal/placing.h"
#include "journal/recover.h"
#include "journal/rewrite.h"
#include "journal/shelf.h"
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
	struct buf batch;
};

/* One segment, opened and judged. */
struct opened_segment {
	struct segment_files files;
	uint64_t until; /* the first seq of the next segment, 0 for the newest */
	struct inspection in;
	uint64_t known; /* of the newest: up to here seqs were given out */
};

/* ---- what is meant ---- */

static bool is_in_range(const struct journal_forget *what, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < what->range_count; i++)
		if (from <= what->ranges[i].to && to >= what->ranges[i].from)
			return true;
	return false;
}

/* A line that cannot be read is not known to be innocent, but has no correlationId. */
static bool forget_is_meant(struct forgetting *f, uint64_t seq, struct text line)
{
	const struct journal_forget *what = f->what;
	struct signal s;

	if (is_in_range(what, seq, seq))
		return true;
	if (!what->correlation_count || !signal_read(f->signals, line, &s, NULL))
		return false;
	for (size_t i = 0; i < what->correlation_count; i++)
		if (text_equal(s.correlation, what->correlations[i]))
			return true;
	return false;
}

/* ---- segments ---- */

static void close_segment(struct opened_segment *o)
{
	inspection_finish(&o->in);
	segment_files_close(&o->files);
}

/* Nobody can say what is in an old segment without its index: it is not written anew. */
static bool has_entries(const struct opened_segment *o, struct error *why)
{
	return o->in.used > 0 || o->in.bytes <= o->in.title ||
	       error_set(why, "segment %llu: its index is missing, or all of it is damaged",
	                 (unsigned long long)o->files.first);
}

/* The newest may have lines at its end that only the next start would give a head: they
 * stay. */
static bool open_segment(struct forgetting *f, size_t i, struct opened_segment *o,
                         struct error *why)
{
	*o = (struct opened_segment){0};
	o->until = i + 1 < f->shelf.count ? f->shelf.firsts[i + 1] : 0;
	if (!segment_files_open(&o->files, f->dir, f->shelf.firsts[i], O_RDONLY))
		return error_errno(why, "segment %llu", (unsigned long long)f->shelf.firsts[i]);
	if ((o->until ? inspect(&o->in, &o->files, why)
	              : recovery_inspect(&o->in, &o->files, f->dir, &o->known, why)) &&
	    has_entries(o, why))
		return true;
	close_segment(o);
	return false;
}

static bool load_batch(struct forgetting *f, const struct opened_segment *o,
                       const struct index_entry *e, struct text *lines)
{
	char *at;

	buf_clear(&f->batch);
	at = buf_reserve(&f->batch, e->length);
	*lines = (struct text){at, e->length};
	return at && disk_read(o->files.fd, at, e->length, e->offset) == (ssize_t)e->length;
}

/* Not believed: what the next segment has too. */
static bool is_spare(const struct opened_segment *o, size_t i)
{
	return o->until && o->in.entries[i].last >= o->until;
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

static uint64_t count_batch(struct forgetting *f, const struct opened_segment *o,
                            const struct index_entry *e)
{
	uint64_t seq = e->first, found = 0;
	struct text lines;

	if (e->kind != ENTRY_LINES || !load_batch(f, o, e, &lines))
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

static void count_segment(struct forgetting *f, const struct opened_segment *o)
{
	uint64_t found = 0;

	for (size_t i = 0; i < o->in.used; i++) {
		const struct index_entry *e = &o->in.entries[i];

		if (o->in.states[i] == BATCH_GOOD) {
			found += count_batch(f, o, e);
			continue;
		}
		if (is_spare(o, i))
			continue;
		f->what->damaged++;
		if (o->in.states[i] == BATCH_BAD && is_in_range(f->what, e->first, e->last)) {
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
		struct opened_segment o;

		if (!open_segment(f, i, &o, why))
			return false;
		count_segment(f, &o);
		close_segment(&o);
	}
	return true;
}

/* ---- writing anew ---- */

static bool batch_has_any(struct forgetting *f, const struct opened_segment *o,
                          const struct index_entry *e)
{
	uint64_t seq = e->first;
	struct text lines;

	if (e->kind != ENTRY_LINES || !load_batch(f, o, e, &lines))
		return false;
	for (; lines.len > 0; seq++)
		if (forget_is_meant(f, seq, text_cut(lines, '\n', &lines)))
			return true;
	return false;
}

/* Has it anything to forget, or bytes of which nobody can say that? */
static bool must_rewrite(struct forgetting *f, const struct opened_segment *o)
{
	uint64_t end = o->in.title;

	for (size_t i = 0; i < o->in.used; i++) {
		const struct index_entry *e = &o->in.entries[i];

		if (o->in.states[i] != BATCH_GOOD || is_spare(o, i) ||
		    inspection_start(&o->in, i) != end || batch_has_any(f, o, e))
			return true;
		end = e->offset + e->length;
	}
	return o->in.bytes != end;
}

static void rewrite_batch(struct forgetting *f, const struct opened_segment *o, struct rewrite *w,
                          const struct index_entry *e)
{
	struct text lines;

	rewrite_leave_out(w, e->first - 1, ENTRY_GAP);
	if (!load_batch(f, o, e, &lines))
		return;
	if (e->kind != ENTRY_LINES) {
		rewrite_copy(w, e, lines);
		return;
	}
	while (lines.len > 0) {
		struct text line = text_cut(lines, '\n', &lines);

		if (forget_is_meant(f, w->next, line))
			rewrite_leave_out(w, w->next, ENTRY_FORGOTTEN);
		else
			rewrite_line(w, line);
	}
	rewrite_end_batch(w);
}

static bool rewrite_segment(struct forgetting *f, const struct opened_segment *o, struct error *why)
{
	struct rewrite w;

	rewrite_begin(&w, f->dir, o->files.first);
	for (size_t i = 0; i < o->in.used; i++) {
		const struct index_entry *e = &o->in.entries[i];

		if (is_spare(o, i))
			continue;
		if (o->in.states[i] == BATCH_GOOD)
			rewrite_batch(f, o, &w, e);
		else if (o->in.states[i] == BATCH_BAD)
			rewrite_leave_out(&w, e->last,
			                  is_in_range(f->what, e->first, e->last) ? ENTRY_FORGOTTEN
			                                                          : ENTRY_GAP);
	}
	rewrite_leave_out(&w, o->until ? o->until - 1 : o->known, ENTRY_GAP);
	return rewrite_end(&w, o->files.fd, why);
}

static bool rewrite_all(struct forgetting *f, struct error *why)
{
	bool good = true;

	for (size_t i = 0; good && i < f->shelf.count; i++) {
		struct opened_segment o;

		if (!open_segment(f, i, &o, why))
			return false;
		good = !must_rewrite(f, &o) || rewrite_segment(f, &o, why);
		close_segment(&o);
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

	if (!forget_read_mark(dir, &first))
		return errno == ENOENT || error_errno(why, MARK);
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
	if (rewrite_all(f, why) &&
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

	f.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	buf_init(&f.batch, BATCH_BYTES_MAX);
	f.signals = signal_reader_create();
	good = f.dir >= 0 || error_errno(why, "%s", path);
	good = good && format_check(f.dir, why);
	good = good && (only_count || forget_complete(f.dir, why));
	good = good && shelf_load(&f.shelf, f.dir, why) && forget_count_all(&f, why);
	if (good && !only_count && what->signals)
		good = forget_all(&f, why);
	shelf_finish(&f.shelf);
	signal_reader_destroy(f.signals);
	buf_finish(&f.batch);
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
