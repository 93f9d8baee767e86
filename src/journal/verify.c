/* verify.c - every batch of every segment, every line of every batch. */
#include "journal/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "journal/checkpoint.h"
#include "journal/epochs.h"
#include "journal/format.h"
#include "journal/inspect.h"
#include "journal/shelf.h"

#define WORDS_MAX 200

/* The segment that is being looked at. */
struct look {
	struct journal_report *report;
	uint64_t first;       /* its name */
	uint64_t until;       /* the first seq of the next segment, 0 for the newest */
	uint64_t next;        /* the seq that should come next */
	uint64_t read, total; /* bytes */
};

__attribute__((format(printf, 2, 3))) static void say(struct journal_report *r, const char *format,
                                                      ...)
{
	char words[WORDS_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof words, format, args);
	va_end(args);
	r->problems++;
	if (r->problem)
		r->problem(r->self, words);
}

static bool line_has_seq(struct text line, uint64_t seq)
{
	char start[40];
	int len = snprintf(start, sizeof start, "{\"seq\":%llu", (unsigned long long)seq);

	return text_starts(line, (struct text){start, (size_t)len}) && line.len > (size_t)len &&
	       (line.at[len] == ',' || line.at[len] == '}');
}

static bool lines_are_in_order(void *self, const struct entry *e, struct text lines)
{
	uint64_t seq = e->kind == ENTRY_LINES ? e->first : e->last;
	struct look *l = self;

	l->read += lines.len;
	if (l->report->progress)
		l->report->progress(l->report->self, l->read, l->total);
	for (; lines.len > 0; seq++) {
		struct text line = text_cut(lines, '\n', &lines);

		if (seq > e->last || !line_has_seq(line, seq))
			return false;
	}
	return seq == e->last + 1;
}

static void count(struct look *l, const struct entry *e)
{
	struct journal_report *r = l->report;

	r->batches++;
	if (e->kind == ENTRY_GAP)
		r->lost += e->last - e->first + 1;
	else if (e->kind == ENTRY_FORGOTTEN)
		r->forgotten += e->last - e->first + 1;
	else
		r->signals += e->last - e->first + 1;
	r->last = e->last;
}

static bool is_sound(const struct inspection *in, size_t i)
{
	return in->states[i] == BATCH_GOOD || in->states[i] == BATCH_BAD;
}

/* One batch.  The seqs of those that are no good are told by the next good one. */
static void look_at_entry(struct look *l, const struct inspection *in, size_t i)
{
	const struct entry *e = &in->entries[i];
	if (in->states[i] == BATCH_BROKEN) {
		say(l->report, "segment %llu: entry %zu of the index is damaged",
		    (unsigned long long)l->first, i);
	} else if (in->states[i] == BATCH_BAD) {
		say(l->report, "segment %llu: signals %llu to %llu, at byte %llu, are damaged",
		    (unsigned long long)l->first, (unsigned long long)e->first,
		    (unsigned long long)e->last, (unsigned long long)e->offset);
	} else if (in->states[i] == BATCH_GOOD) {
		count(l, e);
	}
	if (!is_sound(in, i))
		return;
	if (e->first > l->next)
		say(l->report, "segment %llu: signals %llu to %llu are missing",
		    (unsigned long long)l->first, (unsigned long long)l->next,
		    (unsigned long long)e->first - 1);
	l->next = e->last + 1;
}

/* What the next segment has too is believed there.  Of the newest, the end may be
 * a commit that is under way, or that a crash cut short. */
static void look_at_all(struct look *l, const struct inspection *in)
{
	size_t n = l->until ? in->used : inspection_committed(in);
	uint64_t end = 0;

	for (size_t i = 0; i < n && (!l->until || l->next < l->until); i++) {
		const struct entry *e = &in->entries[i];

		look_at_entry(l, in, i);
		if (is_sound(in, i))
			end = e->offset + e->length;
	}
	l->report->bytes += in->bytes;
	if (!l->until && in->bytes > end)
		l->report->uncommitted = in->bytes - end;
}

static int open_one(int dir, uint64_t first, enum segment_file which)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, which);
	return openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

static bool look_at_segment(struct look *l, int dir, struct error *why)
{
	struct inspection in = {.judge = lines_are_in_order, .self = l};
	int fd = open_one(dir, l->first, SEGMENT_LINES);
	int index = open_one(dir, l->first, SEGMENT_INDEX);
	bool read = fd >= 0 && index >= 0 && inspect(&in, fd, index, l->first, why);

	if (read)
		look_at_all(l, &in);
	else if (fd < 0 || index < 0)
		error_errno(why, "its %s", fd < 0 ? "lines" : "index");
	if (fd >= 0)
		close(fd);
	if (index >= 0)
		close(index);
	inspection_finish(&in);
	return read;
}

/* Retention takes the oldest first: if that is there, it has taken nothing. */
static bool was_taken_by_retention(const struct shelf *shelf, int dir)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, shelf->firsts[0], SEGMENT_LINES);
	return faccessat(dir, name, F_OK, 0) != 0;
}

static void look_at_shelf(struct journal_report *r, const struct shelf *shelf, int dir)
{
	struct look l = {.report = r, .total = shelf_bytes(shelf)};
	size_t skipped = r->newest && r->newest < shelf->count ? shelf->count - r->newest : 0;

	for (size_t i = skipped; i < shelf->count; i++) {
		struct error why;

		l.first = shelf->firsts[i];
		l.until = i + 1 < shelf->count ? shelf->firsts[i + 1] : 0;
		if (i > skipped && l.next < l.first)
			say(r, "signals %llu to %llu are missing before segment %llu",
			    (unsigned long long)l.next, (unsigned long long)l.first - 1,
			    (unsigned long long)l.first);
		l.next = l.first;
		r->segments++;
		if (look_at_segment(&l, dir, &why))
			continue;
		if (was_taken_by_retention(shelf, dir))
			l.next = l.until;
		else
			say(r, "segment %llu cannot be read: %s", (unsigned long long)l.first,
			    why.words);
	}
	r->first = shelf->count ? shelf->firsts[skipped] : 0;
}

static void look_at_epochs(struct journal_report *r, int dir)
{
	const struct epoch *current;
	struct epochs epochs;
	struct position mark;
	struct error why;

	if (!epochs_load(&epochs, dir, &why)) {
		say(r, "the epochs cannot be read: %s", why.words);
		return;
	}
	current = epochs_current(&epochs);
	if (!current && r->segments)
		say(r, "there is no epoch");
	r->stopped_cleanly =
		current && clean_mark_read(dir, &mark) && strcmp(mark.epoch, current->name) == 0;
	if (r->stopped_cleanly && mark.seq > r->last && r->segments)
		say(r, "signals %llu to %llu are missing at the end",
		    (unsigned long long)r->last + 1, (unsigned long long)mark.seq);
	epochs_finish(&epochs);
}

static void look_at_checkpoints(struct journal_report *r, int dir)
{
	uint64_t seqs[CHECKPOINTS_MAX];
	size_t n = checkpoint_list(dir, seqs);

	for (size_t i = 0; i < n; i++)
		if (checkpoint_is_damaged(dir, seqs[i]))
			say(r, "the checkpoint at %llu is damaged", (unsigned long long)seqs[i]);
}

bool journal_verify(const char *data_dir, struct journal_report *r, struct error *why)
{
	char *path = must_print("%s/journal", data_dir);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct shelf shelf = {0};
	bool read = dir >= 0 ? format_check(dir, why) && shelf_load(&shelf, dir, why)
	                     : error_errno(why, "%s", path);

	if (read) {
		look_at_shelf(r, &shelf, dir);
		look_at_epochs(r, dir);
		look_at_checkpoints(r, dir);
	}
	shelf_finish(&shelf);
	if (dir >= 0)
		close(dir);
	free(path);
	return read;
}
