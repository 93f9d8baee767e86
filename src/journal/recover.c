/* recover.c - reading the newest segment with suspicion, and putting it right. */
#include "journal/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "base/must.h"
#include "journal/disk.h"

static int recover_open_file(int dir, uint64_t first, enum segment_file which, int flags)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, which);
	return openat(dir, name, O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

/* Returns how many bytes were copied, which is fewer than len where reading or
 * writing fails. */
static uint64_t copy_range(int from, uint64_t offset, uint64_t len, int to, uint64_t at)
{
	char part[16 * KIB];
	uint64_t done = 0;

	while (done < len) {
		size_t want = len - done < sizeof part ? (size_t)(len - done) : sizeof part;
		ssize_t got = disk_read(from, part, want, offset + done);
		struct iovec piece = {part, got > 0 ? (size_t)got : 0};

		if (got <= 0 || !disk_write(to, &piece, 1, at + done))
			break;
		done += (uint64_t)got;
	}
	return done;
}

void segment_quarantine(int dir, int fd, uint64_t first, uint64_t offset, uint64_t len)
{
	int out = recover_open_file(dir, first, SEGMENT_QUARANTINE, O_WRONLY | O_CREAT | O_EXCL);
	uint64_t copied;

	if (out < 0) {
		if (errno != EEXIST)
			log_warn("journal", "what is damaged at %llu cannot be put aside",
			         (unsigned long long)first);
		return;
	}
	copied = copy_range(fd, offset, len, out, 0);
	log_error("journal", "damaged at %llu: put %llu of %llu bytes aside",
	          (unsigned long long)first, (unsigned long long)copied, (unsigned long long)len);
	close(out);
}

/* The same for what is going to be cut off: behind what was cut off there before.  True
 * when all of it is on the disk. */
static bool copy_tail(int dir, int fd, uint64_t first, uint64_t offset, uint64_t len)
{
	int out = recover_open_file(dir, first, SEGMENT_QUARANTINE, O_WRONLY | O_CREAT);
	struct stat st;
	bool good = out >= 0 && fstat(out, &st) == 0 &&
	            copy_range(fd, offset, len, out, (uint64_t)st.st_size) == len &&
	            fsync(out) == 0 && fsync(dir) == 0;

	if (out >= 0)
		close(out);
	return good;
}

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
		return i >= inspection_last_commit(&r->in);
	}
}

static void find_kept(struct recovery *r)
{
	r->kept = 0;
	for (size_t i = 0; i < r->in.used && !ends_what_is_kept(r, i); i++)
		if (inspection_is_sound(&r->in, i))
			r->kept = i + 1;
}

/* Up to the first batch of which an entry says that it is not what was written. */
static void find_more(struct recovery *r, const struct segment *s)
{
	uint64_t next = s->first, offset = 0, end = r->in.bytes;

	if (r->kept) {
		const struct index_entry *e = &r->in.entries[r->kept - 1];

		next = e->last + 1;
		offset = e->offset + e->length;
	}
	for (size_t i = r->in.used; i-- > r->kept;)
		if (r->in.states[i] == BATCH_BAD && is_in_file(&r->in, i))
			end = r->in.entries[i].offset;
	salvage_init(&r->more, s->fd, next, offset, end > offset ? end : offset);
	salvage_run(&r->more);
	r->torn = r->in.bytes > r->more.offset ? r->in.bytes - r->more.offset : 0;
	r->is_cut_short = false;
	for (size_t i = r->kept; i < r->in.used; i++)
		if (r->in.states[i] == BATCH_BAD && r->in.entries[i].first < r->more.next)
			r->is_cut_short = true;
}

bool recovery_plan(struct recovery *r, const struct segment *s, uint64_t promised,
                   struct error *why)
{
	if (!inspect(&r->in, s->fd, s->index, s->first, why))
		return false;
	find_known(r, promised);
	find_kept(r);
	find_more(r, s);
	return true;
}

void recovery_finish(struct recovery *r)
{
	salvage_finish(&r->more);
	inspection_finish(&r->in);
}

bool recovery_inspect(struct inspection *in, const struct segment *s, uint64_t *known,
                      struct error *why)
{
	struct recovery r = {.in = *in};
	size_t n;

	if (!recovery_plan(&r, s, 0, why))
		return false;
	*in = r.in;
	n = salvage_count(&r.more);
	in->count = in->used = r.kept + n;
	in->entries = must_grow(in->entries, (in->used + 1) * sizeof *in->entries);
	in->states = must_grow(in->states, in->used + 1);
	if (n)
		memcpy(in->entries + r.kept, r.more.entries.at, n * sizeof *in->entries);
	memset(in->states + r.kept, BATCH_GOOD, n);
	if (known)
		*known = r.known;
	salvage_finish(&r.more);
	return true;
}

/* ---- doing it ---- */

/* Copies what is damaged among the entries that are kept. */
static void recover_put_aside(const struct recovery *r, int dir, const struct segment *s)
{
	const struct inspection *in = &r->in;
	uint64_t next = s->first, end = 0;

	for (size_t i = 0; i < r->kept; i++) {
		const struct index_entry *e = &in->entries[i];

		if (in->states[i] == BATCH_BAD)
			segment_quarantine(dir, s->fd, e->first, e->offset, e->length);
		if (!inspection_is_sound(in, i))
			continue;
		if (e->offset > end)
			segment_quarantine(dir, s->fd, next, end, e->offset - end);
		next = e->last + 1;
		end = e->offset + e->length;
	}
}

static void recover_tell(const struct recovery *r, const struct segment *s)
{
	unsigned long long name = s->first, next = r->more.next;

	if (salvage_count(&r->more))
		log_warn("journal", "segment %llu: kept signals %llu to %llu, %s", name,
		         (unsigned long long)r->more.first, next - 1,
		         r->is_cut_short
		                 ? "whole lines of a batch that is cut short, without its checksum"
		                 : "which its index had lost");
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

/* Of what is gone: its line, and its entry behind those of what was found. */
static bool add_gap(struct recovery *r, struct buf *line)
{
	struct index_entry e = {
		.first = r->more.next,
		.last = r->known,
		.offset = r->more.offset,
		.kind = ENTRY_GAP,
	};

	if (r->known < r->more.next)
		return true;
	segment_gap_line(line, e.first, e.last, e.first <= r->acked ? "damaged" : "torn");
	e.length = (uint32_t)line->len;
	e.crc = crc32c(0, line->at, line->len);
	index_entry_seal(&e);
	return buf_add(&r->more.entries, (struct text){(const char *)&e, sizeof e});
}

/* The entries go over the old ones, each a commit of its own, before the lines are cut: so
 * whenever this ends, the index knows every seq that it knew. */
static bool write_all(struct recovery *r, struct segment *s, struct text gap)
{
	struct iovec entries = {r->more.entries.at, r->more.entries.len};
	struct iovec line = {(void *)gap.at, gap.len};
	uint64_t start = r->kept * sizeof(struct index_entry), end = start + entries.iov_len;

	if ((entries.iov_len && !disk_write(s->index, &entries, 1, start)) ||
	    ftruncate(s->index, (off_t)end) != 0 || fsync(s->index) != 0 ||
	    ftruncate(s->fd, (off_t)r->more.offset) != 0 ||
	    (gap.len && !disk_write(s->fd, &line, 1, r->more.offset)) || fsync(s->fd) != 0)
		return false;
	s->len = r->more.offset + gap.len;
	s->entries = s->zeroed = end / sizeof(struct index_entry);
	segment_lengthen_index(s);
	return true;
}

static bool mend(struct recovery *r, struct segment *s, struct error *why)
{
	struct buf gap;
	bool done;

	buf_init(&gap, GAP_LINE_MAX);
	recover_tell(r, s);
	done = (add_gap(r, &gap) && write_all(r, s, buf_text(&gap))) ||
	       error_errno(why, "segment %llu cannot be put right", (unsigned long long)s->first);
	buf_finish(&gap);
	return done;
}

/* Everything stays as it is: another segment follows. */
static void recover_leave(struct segment *s, const char *reason)
{
	log_error("journal", "segment %llu stays as it is: %s", (unsigned long long)s->first,
	          reason);
	close(s->fd);
	close(s->index);
	s->fd = s->index = -1;
}

static bool recover(struct segment *s, int dir, uint64_t *last, uint64_t *fork, struct error *why)
{
	struct recovery r = {0};
	uint64_t found;
	bool done = true;

	if (!recovery_plan(&r, s, *last, why))
		return false;
	found = r.more.next - 1;
	*last = found > r.known ? found : r.known;
	*fork = (found > r.acked ? found : r.acked) + 1;
	recover_put_aside(&r, dir, s);
	if (r.torn && !copy_tail(dir, s->fd, r.more.next, r.more.offset, r.torn))
		recover_leave(s, "its torn end cannot be copied");
	else
		done = mend(&r, s, why);
	recovery_finish(&r);
	return done;
}

bool segment_recover(struct segment *s, int dir, uint64_t *last, uint64_t *fork, struct error *why)
{
	uint64_t first = s->first;

	s->fd = recover_open_file(dir, first, SEGMENT_LINES, O_RDWR);
	s->index = recover_open_file(dir, first, SEGMENT_INDEX, O_RDWR | O_CREAT);
	if (s->fd < 0 || s->index < 0)
		error_errno(why, "segment %llu", (unsigned long long)first);
	else if (recover(s, dir, last, fork, why) && (fsync(dir) == 0 || error_errno(why, "fsync")))
		return true;
	if (s->fd >= 0)
		close(s->fd);
	if (s->index >= 0)
		close(s->index);
	s->fd = s->index = -1;
	return false;
}
