/* anew.c - batch by batch, line by line, into another file. */
#include "journal/anew.h"

#include <fcntl.h>
#include <stdlib.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "journal/disk.h"
#include "journal/epochs.h"
#include "journal/recover.h"
#include "journal/rewrite.h"
#include "journal/salvage.h"

/* ---- what is in it ---- */

/* The stretch between two batches, and the seqs that are due there. */
struct anew_hole {
	uint64_t from, to;
	uint64_t first, end;
};

/* Lines in it that are whole go into `out`, as long as the seqs are those that are due. */
static void find_in_hole(const struct anew *a, const struct anew_hole *h, struct buf *out)
{
	struct salvage more;

	salvage_init(&more, a->files.fd, h->first, h->from, h->to);
	more.has_heads = !a->in.is_old;
	more.acked = h->end - 1;
	salvage_run(&more);
	if (more.next <= h->end)
		buf_add(out, buf_text(&more.entries));
	salvage_finish(&more);
}

static void take_found(struct anew *a, size_t at, const struct buf *found)
{
	struct inspection *in = &a->in;
	size_t n = found->len / sizeof *in->entries;

	if (!n)
		return;
	in->entries = must_grow(in->entries, (in->used + n) * sizeof *in->entries);
	in->states = must_grow(in->states, in->used + n);
	memmove(in->entries + at + n, in->entries + at, (in->used - at) * sizeof *in->entries);
	memmove(in->states + at + n, in->states + at, in->used - at);
	memcpy(in->entries + at, found->at, n * sizeof *in->entries);
	memset(in->states + at, BATCH_BARE, n);
	in->count = in->used += n;
}

/* What begins at h->from, up to the next sound entry; the entries go where `at` is. */
static void fill_hole(struct anew *a, struct anew_hole h, size_t at, size_t next)
{
	const struct inspection *in = &a->in;
	struct buf found;

	if (next == in->used || in->entries[next].first <= h.first ||
	    inspection_start(in, next) <= h.from)
		return;
	h.to = inspection_start(in, next);
	h.end = in->entries[next].first;
	buf_init(&found, BATCH_BYTES_MAX);
	find_in_hole(a, &h, &found);
	take_found(a, at, &found);
	buf_finish(&found);
}

/* From the last to the first, for each adds entries behind those that are to be looked at. */
static void fill_holes(struct anew *a)
{
	const struct inspection *in = &a->in;
	size_t next = in->used;

	for (size_t i = in->used; i-- > 0;) {
		const struct index_entry *e = &in->entries[i];

		if (!inspection_is_sound(in, i))
			continue;
		fill_hole(a, (struct anew_hole){e->offset + e->length, 0, e->last + 1, 0}, i + 1,
		          next);
		next = i;
	}
	fill_hole(a, (struct anew_hole){in->title, 0, a->files.first, 0}, 0, next);
}

static void count_bare(struct anew *a)
{
	for (size_t i = 0; i < a->in.used; i++) {
		const struct index_entry *e = &a->in.entries[i];

		if (a->in.states[i] != BATCH_BARE)
			continue;
		a->has_bare = true;
		if (e->kind == ENTRY_LINES && !anew_is_spare(a, i))
			a->bare += e->last - e->first + 1;
	}
}

bool anew_open(struct anew *a, int dir, const struct shelf *shelf, size_t i, struct error *why)
{
	uint64_t first = shelf->firsts[i], acked;

	*a = (struct anew){.dir = dir};
	a->until = i + 1 < shelf->count ? shelf->firsts[i + 1] : 0;
	acked = a->until ? a->until - 1 : epochs_promised_in(dir);
	if (!segment_files_open(&a->files, dir, first, O_RDONLY))
		return error_errno(why, "segment %llu", (unsigned long long)first);
	if (!recovery_inspect(&a->in, &a->files, acked, &a->known, why)) {
		segment_files_close(&a->files);
		return false;
	}
	buf_init(&a->batch, BATCH_BYTES_MAX);
	fill_holes(a);
	count_bare(a);
	return true;
}

void anew_close(struct anew *a)
{
	buf_finish(&a->batch);
	inspection_finish(&a->in);
	segment_files_close(&a->files);
}

bool anew_load(struct anew *a, const struct index_entry *e, struct text *lines)
{
	char *at;

	buf_clear(&a->batch);
	at = buf_reserve(&a->batch, e->length);
	*lines = (struct text){at, e->length};
	if (at && disk_read(a->files.fd, at, e->length, e->offset) == (ssize_t)e->length &&
	    crc32c(0, at, e->length) == e->crc)
		return true;
	a->failed = true;
	return error_set(&a->why, "segment %llu: signals %llu to %llu can no longer be read",
	                 (unsigned long long)a->files.first, (unsigned long long)e->first,
	                 (unsigned long long)e->last);
}

bool anew_failed(const struct anew *a, struct error *why)
{
	if (a->failed && why)
		*why = a->why;
	return a->failed;
}

bool anew_is_spare(const struct anew *a, size_t i)
{
	return a->until && inspection_is_sound(&a->in, i) && a->in.entries[i].first >= a->until;
}

/* ---- is it needed? ---- */

static bool batch_is_meant(struct anew *a, const struct anew_wish *wish,
                           const struct index_entry *e)
{
	uint64_t seq = e->first;
	struct text lines;

	if (!wish || e->kind != ENTRY_LINES || !anew_load(a, e, &lines))
		return false;
	for (; lines.len > 0; seq++)
		if (wish->is_meant(wish->self, seq, text_cut(lines, '\n', &lines)))
			return true;
	return false;
}

bool anew_is_needed(struct anew *a, const struct anew_wish *wish)
{
	uint64_t end = a->in.title, next = a->files.first;

	if (a->in.is_title_bad || a->in.is_odd || a->has_bare)
		return true;
	for (size_t i = 0; i < a->in.used; i++) {
		const struct index_entry *e = &a->in.entries[i];

		if (a->in.states[i] != BATCH_GOOD || anew_is_spare(a, i) || e->first != next ||
		    inspection_start(&a->in, i) != end || batch_is_meant(a, wish, e))
			return true;
		end = e->offset + e->length;
		next = e->last + 1;
	}
	return a->in.bytes != end || next <= a->known || (a->until && next != a->until);
}

/* ---- writing it ---- */

/* A damaged batch has nothing that could be searched: the whole of it goes. */
static void leave_out(struct anew *a, struct rewrite *w, uint64_t to, uint16_t kind)
{
	if (to >= w->next && kind == ENTRY_GAP)
		a->gone += to - w->next + 1;
	rewrite_leave_out(w, to, kind);
}

static void write_lines(const struct anew *a, const struct anew_wish *wish, struct rewrite *w,
                        struct text lines)
{
	while (lines.len > 0 && (!a->until || w->next < a->until)) {
		struct text line = text_cut(lines, '\n', &lines);

		if (wish && wish->is_meant(wish->self, w->next, line))
			rewrite_leave_out(w, w->next, ENTRY_FORGOTTEN);
		else
			rewrite_line(w, line);
	}
	rewrite_end_batch(w);
}

static void write_good(struct anew *a, const struct anew_wish *wish, struct rewrite *w,
                       const struct index_entry *e)
{
	struct text lines;

	leave_out(a, w, e->first - 1, ENTRY_GAP);
	if (!anew_load(a, e, &lines))
		return;
	if (e->kind == ENTRY_LINES)
		write_lines(a, wish, w, lines);
	else if (a->until && e->last >= a->until)
		rewrite_leave_out(w, a->until - 1, e->kind);
	else
		rewrite_copy(w, e, lines);
}

static void write_bad(struct anew *a, const struct anew_wish *wish, struct rewrite *w,
                      const struct index_entry *e)
{
	uint64_t to = a->until && e->last >= a->until ? a->until - 1 : e->last;
	bool is_meant = wish && wish->has_any(wish->self, e->first, to);

	leave_out(a, w, e->first - 1, ENTRY_GAP);
	leave_out(a, w, to, is_meant ? ENTRY_FORGOTTEN : ENTRY_GAP);
}

bool anew_write(struct anew *a, const struct anew_wish *wish, struct error *why)
{
	struct rewrite w;

	a->gone = 0;
	rewrite_begin(&w, a->dir, a->files.first);
	for (size_t i = 0; i < a->in.used; i++) {
		if (anew_is_spare(a, i))
			continue;
		if (inspection_is_good(&a->in, i))
			write_good(a, wish, &w, &a->in.entries[i]);
		else if (a->in.states[i] == BATCH_BAD)
			write_bad(a, wish, &w, &a->in.entries[i]);
	}
	leave_out(a, &w, a->until ? a->until - 1 : a->known, ENTRY_GAP);
	if (a->failed)
		rewrite_fail(&w, &a->why);
	return rewrite_end(&w, a->files.fd, why);
}
