/* verify.c - every batch of every segment, every line of every batch. */
#include "journal/verify.h"

#include <assert.h>
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
#include "journal/kept.h"
#include "journal/recover.h"
#include "journal/shelf.h"

#define WORDS_MAX 200

/* The segment that is being looked at. */
struct verify_look {
	struct journal_report *report;
	uint64_t first;       /* its name */
	uint64_t until;       /* the first seq of the next segment, 0 for the newest */
	uint64_t next;        /* the seq that should come next */
	uint64_t promised;    /* up to here everything was acknowledged */
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

	assert(len > 0 && (size_t)len < sizeof start);
	return text_starts(line, (struct text){start, (size_t)len}) && line.len > (size_t)len &&
	       memchr(", }", line.at[len], 3);
}

static bool are_in_order(const struct index_entry *e, struct text lines)
{
	uint64_t seq = e->kind == ENTRY_LINES ? e->first : e->last;

	for (; lines.len > 0; seq++) {
		struct text line = text_cut(lines, '\n', &lines);

		if (seq > e->last || !line_has_seq(line, seq))
			return false;
	}
	return seq == e->last + 1;
}

/* What was written in a wrong order is as it was written: a start believes it, too. */
static bool look_at_lines(void *self, const struct index_entry *e, struct text lines)
{
	struct verify_look *l = self;

	l->read += lines.len;
	if (l->report->progress)
		l->report->progress(l->report->self, l->read, l->total);
	if ((!l->until || e->last < l->until) && !are_in_order(e, lines))
		say(l->report, "segment %llu: signals %llu to %llu, at byte %llu, are not in order",
		    (unsigned long long)l->first, (unsigned long long)e->first,
		    (unsigned long long)e->last, (unsigned long long)e->offset);
	return true;
}

static void verify_count(struct verify_look *l, const struct index_entry *e)
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

static void tell_damage(struct verify_look *l, const struct inspection *in, size_t i)
{
	const struct index_entry *e = &in->entries[i];

	if (in->states[i] == BATCH_BROKEN && in->is_old)
		say(l->report, "segment %llu: entry %zu of the index is damaged",
		    (unsigned long long)l->first, i);
	else if (in->states[i] == BATCH_BROKEN)
		say(l->report, "segment %llu: the head of a batch at byte %llu is damaged",
		    (unsigned long long)l->first, (unsigned long long)e->offset);
	else if (in->states[i] == BATCH_BAD)
		say(l->report, "segment %llu: signals %llu to %llu, at byte %llu, are damaged",
		    (unsigned long long)l->first, (unsigned long long)e->first,
		    (unsigned long long)e->last, (unsigned long long)e->offset);
}

/* One batch.  The seqs of those that are no good are told by the next good one. */
static void look_at_entry(struct verify_look *l, const struct inspection *in, size_t i)
{
	const struct index_entry *e = &in->entries[i];

	tell_damage(l, in, i);
	if (in->states[i] == BATCH_GOOD)
		verify_count(l, e);
	if (!inspection_is_sound(in, i))
		return;
	if (e->first > l->next)
		say(l->report, "segment %llu: signals %llu to %llu are missing",
		    (unsigned long long)l->first, (unsigned long long)l->next,
		    (unsigned long long)e->first - 1);
	l->next = e->last + 1;
}

static void look_at_title(struct verify_look *l, const struct inspection *in)
{
	if (in->is_title_bad)
		say(l->report,
		    "segment %llu: its first line is damaged, or it is old and its index is "
		    "missing",
		    (unsigned long long)l->first);
}

/* What the next segment has too is believed there. */
static void look_at_old(struct verify_look *l, const struct inspection *in)
{
	look_at_title(l, in);
	for (size_t i = 0; i < in->used && l->next < l->until; i++)
		look_at_entry(l, in, i);
	l->report->bytes += in->bytes;
}

static uint64_t last_in_index(const struct inspection *in)
{
	uint64_t last = 0;

	for (size_t i = 0; i < in->used; i++)
		if (inspection_is_sound(in, i))
			last = in->entries[i].last;
	return last;
}

/* An index that was in use when a crash came ends with zeros; one that was closed ends where
 * the lines end. */
static void look_at_index(struct verify_look *l, const struct recovery *r)
{
	if (r->in.is_odd || (r->in.count == r->in.used &&
	                     r->more.next - 1 > last_in_index(&r->in) && salvage_count(&r->more)))
		say(l->report, "segment %llu: its index is cut short",
		    (unsigned long long)l->first);
}

static void count_more(struct verify_look *l, const struct salvage *more)
{
	struct journal_report *r = l->report;
	uint64_t before = r->signals;

	for (size_t i = 0; i < salvage_count(more); i++) {
		struct index_entry e;

		memcpy(&e, more->entries.at + i * sizeof e, sizeof e);
		verify_count(l, &e);
	}
	r->unindexed = r->signals - before;
}

/* As the next start will find it. */
static void look_at_newest(struct verify_look *l, const struct recovery *r)
{
	struct journal_report *report = l->report;

	if (r->in.bytes) /* of one that was only begun, nothing is missing */
		look_at_title(l, &r->in);
	if (r->in.is_old)
		look_at_index(l, r);
	for (size_t i = 0; i < r->kept; i++)
		look_at_entry(l, &r->in, i);
	for (size_t i = r->kept; i < r->in.used; i++)
		if (!recovery_is_torn(r, i))
			tell_damage(l, &r->in, i);
	count_more(l, &r->more);
	if (r->known >= r->more.next && r->acked >= r->more.next)
		say(report, "segment %llu: signals %llu to %llu are missing at the end",
		    (unsigned long long)l->first, (unsigned long long)r->more.next,
		    (unsigned long long)r->known);
	report->uncommitted = r->torn;
	report->bytes += r->in.bytes;
}

static bool look_at_files(struct verify_look *l, const struct segment_files *f, struct error *why)
{
	struct recovery r = {.in = {.judge = look_at_lines, .self = l}};
	bool read;

	if (l->until) {
		read = inspect(&r.in, f, why);
		if (read)
			look_at_old(l, &r.in);
		inspection_finish(&r.in);
		return read;
	}
	read = recovery_plan(&r, f, l->promised, why);
	if (read) {
		look_at_newest(l, &r);
		recovery_finish(&r);
	}
	return read;
}

static bool look_at_segment(struct verify_look *l, int dir, struct error *why)
{
	struct segment_files f;
	bool read;

	if (!segment_files_open(&f, dir, l->first, O_RDONLY))
		return error_errno(why, "its files");
	read = look_at_files(l, &f, why);
	segment_files_close(&f);
	return read;
}

/* Retention takes the oldest first: if that is there, it has taken nothing. */
static bool was_taken_by_retention(const struct shelf *shelf, int dir)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, shelf->firsts[0], SEGMENT_LINES);
	return faccessat(dir, name, F_OK, 0) != 0;
}

static void look_at_shelf(struct journal_report *r, const struct shelf *shelf, int dir,
                          uint64_t promised)
{
	struct verify_look l = {.report = r, .total = shelf_bytes(shelf), .promised = promised};
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
		if (kept_is_damaged(dir, l.first))
			say(r, "segment %llu: its checkpoint is damaged; it has no signals",
			    (unsigned long long)l.first);
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

/* Returns up to where everything was acknowledged. */
static uint64_t look_at_epochs(struct journal_report *r, const struct shelf *shelf, int dir)
{
	const struct epoch *current;
	struct epochs epochs;
	struct position mark;
	struct error why;
	uint64_t promised;

	if (!epochs_load(&epochs, dir, &why)) {
		say(r, "the epochs cannot be read: %s", why.words);
		return 0;
	}
	current = epochs_current(&epochs);
	if (!current && shelf->count)
		say(r, "there is no epoch");
	r->stopped_cleanly =
		current && epochs_mark_read(dir, &mark) && strcmp(mark.epoch, current->name) == 0;
	promised = epochs_promised(&epochs, dir);
	epochs_finish(&epochs);
	return promised;
}

static void look_at_format(struct journal_report *r, const struct shelf *shelf, int dir)
{
	struct error why;

	if (!format_check_files(dir, &why))
		say(r, "%s; the next start refuses it", why.words);
	if (shelf->count && !format_is_there(dir))
		say(r, "journal/format is missing; the next start writes it");
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
		look_at_format(r, &shelf, dir);
		look_at_shelf(r, &shelf, dir, look_at_epochs(r, &shelf, dir));
		look_at_checkpoints(r, dir);
	}
	shelf_finish(&shelf);
	if (dir >= 0)
		close(dir);
	free(path);
	return read;
}
