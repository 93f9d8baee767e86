/* recover.c - reading the newest segment with suspicion, and putting it right. */
#include "journal/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "journal/batch.h"
#include "journal/disk.h"
#include "journal/quarantine.h"
#include "journal/rewrite.h"

/* ---- what is to be done ---- */

static bool is_in_file(const struct inspection *in, size_t i)
{
	return in->entries[i].offset + in->entries[i].length <= in->bytes;
}

static void find_known(struct recovery *r, uint64_t promised)
{
	size_t last_commit = inspection_last_commit(&r->in);

	r->acked = r->known = promised;
	for (size_t i = 0; i < r->in.used; i++) {
		uint64_t last = r->in.entries[i].last;

		if (!inspection_is_sound(&r->in, i))
			continue;
		if (last > r->known)
			r->known = last;
		if (i < last_commit && last > r->acked)
			r->acked = last;
	}
}

static bool is_followed_by_acked(const struct recovery *r, size_t i)
{
	for (i++; i < r->in.used; i++)
		if (inspection_is_sound(&r->in, i))
			return r->in.entries[i].last <= r->acked;
	return false;
}

/* A hole in the index before the last commit stays; one in it, or behind, is for the lines
 * themselves to fill. */
static bool ends_what_is_kept(const struct recovery *r, size_t i)
{
	switch (r->in.states[i]) {
	case BATCH_GOOD:
		return false;
	case BATCH_BAD:
		return !is_in_file(&r->in, i) || r->in.entries[i].last > r->acked;
	default:
		return i >= inspection_last_commit(&r->in) && !is_followed_by_acked(r, i);
	}
}

static void find_kept(struct recovery *r)
{
	r->kept = 0;
	for (size_t i = 0; i < r->in.used && !ends_what_is_kept(r, i); i++)
		if (inspection_is_sound(&r->in, i))
			r->kept = i + 1;
}

/* Where the entries that are kept end. */
static uint64_t kept_end(const struct recovery *r)
{
	const struct index_entry *e;

	if (r->kept == 0)
		return r->in.title;
	e = &r->in.entries[r->kept - 1];
	return e->offset + e->length;
}

/* Up to the first batch of which an entry says that it is not what was written. */
static void find_more(struct recovery *r, const struct segment_files *f)
{
	uint64_t next = r->kept ? r->in.entries[r->kept - 1].last + 1 : f->first;
	uint64_t offset = kept_end(r), end = r->in.bytes;

	for (size_t i = r->in.used; i-- > r->kept;)
		if (r->in.states[i] == BATCH_BAD && is_in_file(&r->in, i))
			end = inspection_start(&r->in, i);
	salvage_init(&r->more, f->fd, next, offset, end > offset ? end : offset);
	/* Without a title and any head it is an old one that has lost its index. */
	r->more.has_heads = !r->in.is_old && (r->in.used > 0 || r->in.title > 0);
	r->more.acked = r->acked;
	salvage_run(&r->more);
	r->torn = r->in.bytes > r->more.offset ? r->in.bytes - r->more.offset : 0;
	r->is_cut_short = false;
	for (size_t i = r->kept; i < r->in.used; i++)
		if (r->in.states[i] == BATCH_BAD && r->in.entries[i].first < r->more.next)
			r->is_cut_short = true;
}

bool recovery_plan(struct recovery *r, const struct segment_files *f, uint64_t promised,
                   struct error *why)
{
	if (!inspect(&r->in, f, why))
		return false;
	find_known(r, promised);
	find_kept(r);
	find_more(r, f);
	return true;
}

void recovery_finish(struct recovery *r)
{
	salvage_finish(&r->more);
	inspection_finish(&r->in);
}

bool recovery_is_torn(const struct recovery *r, size_t i)
{
	return i >= inspection_last_commit(&r->in) &&
	       (inspection_is_sound(&r->in, i) ? r->in.entries[i].last > r->acked : !r->in.is_old);
}

bool recovery_inspect(struct inspection *in, const struct segment_files *f, uint64_t promised,
                      uint64_t *known, struct error *why)
{
	struct recovery r = {.in = *in};
	size_t n;

	if (!recovery_plan(&r, f, promised, why))
		return false;
	*in = r.in;
	n = salvage_count(&r.more);
	in->count = in->used = r.kept + n;
	in->entries = must_grow(in->entries, (in->used + 1) * sizeof *in->entries);
	in->states = must_grow(in->states, in->used + 1);
	if (n)
		memcpy(in->entries + r.kept, r.more.entries.at, n * sizeof *in->entries);
	memset(in->states + r.kept, BATCH_BARE, n);
	if (known)
		*known = r.known;
	salvage_finish(&r.more);
	return true;
}

/* ---- doing it ---- */

/* Copies what is damaged among the entries that are kept. */
static void recover_put_aside(const struct recovery *r, int dir, const struct segment_files *f)
{
	const struct inspection *in = &r->in;
	uint64_t next = f->first, end = in->title;

	for (size_t i = 0; i < r->kept; i++) {
		const struct index_entry *e = &in->entries[i];
		uint64_t start = inspection_start(in, i);

		if (in->states[i] == BATCH_BAD)
			quarantine_copy(dir, f->fd, e->first, e->offset, e->length);
		if (!inspection_is_sound(in, i))
			continue;
		if (start > end)
			quarantine_copy(dir, f->fd, next, end, start - end);
		next = e->last + 1;
		end = e->offset + e->length;
	}
}

static void recover_tell(const struct recovery *r, const struct segment_files *f)
{
	unsigned long long name = f->first, next = r->more.next;

	if (salvage_count(&r->more))
		log_warn("journal", "segment %llu: kept signals %llu to %llu, %s", name,
		         (unsigned long long)r->more.first, next - 1,
		         r->is_cut_short
		                 ? "whole lines of a batch that is cut short, without its checksum"
		                 : "whole lines that no head or index knows");
	if (r->torn)
		log_warn("journal",
		         "cut %llu bytes from segment %llu, which are in %020llu.quarantine",
		         (unsigned long long)r->torn, name, next);
	if (next <= r->acked)
		log_error("journal", "signals %llu to %llu were acknowledged and are gone", next,
		          (unsigned long long)r->acked);
	if (r->known > r->acked && r->known >= next)
		log_warn("journal",
		         "signals up to %llu are gone with the last commit, which is torn",
		         (unsigned long long)r->known);
}

/* ---- lines without a checksum, and what is gone ---- */

static void fail_to_copy(struct rewrite *w)
{
	struct error why;

	error_errno(&why, "segment %llu", (unsigned long long)w->first);
	rewrite_fail(w, &why);
}

static void copy_salvaged(struct recovery *r, struct rewrite *w)
{
	struct buf lines;

	buf_init(&lines, BATCH_BYTES_MAX);
	for (size_t i = 0; i < salvage_count(&r->more); i++) {
		struct index_entry e;
		char *at;

		memcpy(&e, r->more.entries.at + i * sizeof e, sizeof e);
		buf_clear(&lines);
		at = buf_reserve(&lines, e.length);
		if (!at || disk_read(r->more.fd, at, e.length, e.offset) != (ssize_t)e.length)
			fail_to_copy(w);
		else
			rewrite_copy(w, &e, (struct text){at, e.length});
	}
	buf_finish(&lines);
}

static void add_gap(struct recovery *r, struct rewrite *w)
{
	struct index_entry e = {.first = r->more.next, .last = r->known, .kind = ENTRY_GAP};
	struct buf line;

	if (e.last < e.first)
		return;
	buf_init(&line, GAP_LINE_MAX);
	segment_gap_line(&line, e.first, e.last, e.first <= r->acked ? "damaged" : "torn");
	rewrite_copy(w, &e, buf_text(&line));
	buf_finish(&line);
}

static bool has_rest(const struct recovery *r)
{
	return salvage_count(&r->more) || r->known >= r->more.next;
}

/* In a segment that follows what is kept, or takes the place of one of which nothing is. */
static bool write_rest(struct recovery *r, int dir, int like, uint64_t first, struct error *why)
{
	struct rewrite w;

	rewrite_begin(&w, dir, first);
	copy_salvaged(r, &w);
	add_gap(r, &w);
	return rewrite_end(&w, like, why) && rewrite_put_in_place(dir, first, why);
}

static bool cut_to_kept(const struct recovery *r, const struct segment_files *f)
{
	size_t entries = r->kept * sizeof(struct index_entry);

	if (r->in.is_old && (ftruncate(f->index, (off_t)entries) != 0 || fsync(f->index) != 0))
		return false;
	return ftruncate(f->fd, (off_t)kept_end(r)) == 0 && fsync(f->fd) == 0;
}

/* ---- doing it ---- */

/* The newest segment of this form, to go on in it. */
static bool recover_open(struct segment *s, int dir, uint64_t first)
{
	char name[SEGMENT_NAME_ROOM];
	struct stat st;

	segment_name(name, first, SEGMENT_LINES);
	*s = (struct segment){.first = first};
	s->fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (s->fd < 0 || fstat(s->fd, &st) != 0)
		return false;
	s->len = s->synced = s->filled = (uint64_t)st.st_size;
	return true;
}

static bool mend_title(const struct recovery *r, const struct segment_files *f)
{
	char title[BATCH_HEAD_MAX];
	struct iovec piece = {title, batch_write_title(title, f->first)};

	return !r->in.is_title_bad || r->in.title != piece.iov_len ||
	       (disk_write(f->fd, &piece, 1, 0) && fsync(f->fd) == 0);
}

/* The rest is whole in its place before the end of the old segment goes. */
static bool mend(struct recovery *r, const struct segment_files *f, int dir, struct segment *s)
{
	uint64_t first = r->kept ? r->more.first : f->first;
	struct error why;

	if (has_rest(r) && !write_rest(r, dir, f->fd, first, &why))
		return false;
	if (r->kept && (!cut_to_kept(r, f) || !mend_title(r, f)))
		return false;
	if (has_rest(r))
		return recover_open(s, dir, first);
	if (!r->kept)
		return segment_remove(dir, f->first);
	return r->in.is_old || recover_open(s, dir, f->first);
}

/* As segment_recover says of them. */
struct journal_ends {
	uint64_t last, fork;
};

static bool recover(const struct segment_files *f, int dir, struct segment *s,
                    struct journal_ends *ends, struct error *why)
{
	struct recovery r = {0};
	uint64_t found;
	bool done = true;

	if (!recovery_plan(&r, f, ends->last, why))
		return false;
	found = r.more.next - 1;
	ends->last = found > r.known ? found : r.known;
	ends->fork = (found > r.acked ? found : r.acked) + 1;
	recover_put_aside(&r, dir, f);
	if (r.torn && !quarantine_append(dir, f->fd, r.more.next, r.more.offset, r.torn)) {
		log_error("journal", "segment %llu stays as it is: its torn end cannot be copied",
		          (unsigned long long)f->first);
		if (ends->last < f->first)
			ends->last = f->first; /* the next one needs a name of its own */
	} else {
		recover_tell(&r, f);
		done = mend(&r, f, dir, s) || error_errno(why, "segment %llu cannot be put right",
		                                          (unsigned long long)f->first);
	}
	recovery_finish(&r);
	return done;
}

bool segment_recover(struct segment *s, int dir, uint64_t *last, uint64_t *fork, struct error *why)
{
	struct journal_ends ends = {.last = *last, .fork = *fork};
	struct segment_files f;
	uint64_t first = s->first;
	bool done;

	s->fd = -1;
	if (!segment_files_open(&f, dir, first, O_RDWR))
		return error_errno(why, "segment %llu", (unsigned long long)first);
	done = recover(&f, dir, s, &ends, why) && (fsync(dir) == 0 || error_errno(why, "fsync"));
	if (done) {
		*last = ends.last;
		*fork = ends.fork;
	}
	segment_files_close(&f);
	segment_drop_stale_index(dir, first);
	return done;
}
