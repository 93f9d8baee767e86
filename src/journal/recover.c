/* recover.c - the newest segment after a stop of any kind.
 *
 * Whole lines behind the index are kept.  What is bad in the last commit was never
 * acknowledged: it is copied and cut off.  What is bad before it, or before the last seq
 * that the journal is known to have acknowledged, is damaged: it is put aside, and
 * readers are told.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "journal/disk.h"
#include "journal/inspect.h"
#include "journal/salvage.h"

/* The segment, what its index says, and what is behind that. */
struct rescue {
	struct segment *segment;
	int dir;
	struct inspection in;
	struct salvage more;
	uint64_t torn; /* bytes at the end that are no whole line */
};

static int open_file(int dir, uint64_t first, enum segment_file which, int flags)
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
	int out = open_file(dir, first, SEGMENT_QUARANTINE, O_WRONLY | O_CREAT | O_EXCL);
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
	int out = open_file(dir, first, SEGMENT_QUARANTINE, O_WRONLY | O_CREAT);
	struct stat st;
	bool good = out >= 0 && fstat(out, &st) == 0 &&
	            copy_range(fd, offset, len, out, (uint64_t)st.st_size) == len &&
	            fsync(out) == 0 && fsync(dir) == 0;

	if (out >= 0)
		close(out);
	return good;
}

/* Copies what is damaged among the entries that are kept. */
static void put_aside(const struct inspection *in, int dir, const struct segment *s)
{
	uint64_t next = s->first, end = 0;

	for (size_t i = 0; i < s->entries; i++) {
		const struct entry *e = &in->entries[i];

		if (in->states[i] == BATCH_BAD)
			segment_quarantine(dir, s->fd, e->first, e->offset, e->length);
		if (in->states[i] != BATCH_GOOD && in->states[i] != BATCH_BAD)
			continue;
		if (e->offset > end)
			segment_quarantine(dir, s->fd, next, end, e->offset - end);
		next = e->last + 1;
		end = e->offset + e->length;
	}
}

/* What follows the lines that are committed, and is to be judged by itself: up to the first
 * batch of which an entry says that it is not what was written. */
static uint64_t end_of_unknown(const struct inspection *in, size_t kept)
{
	for (size_t i = kept; i < in->used; i++)
		if (in->states[i] == BATCH_BAD)
			return in->entries[i].offset;
	return in->bytes;
}

static void find_more(struct rescue *r, uint64_t next)
{
	const struct segment *s = r->segment;
	uint64_t end = end_of_unknown(&r->in, s->entries);

	salvage_init(&r->more, s->fd, next, s->len, end > s->len ? end : s->len);
	salvage_run(&r->more);
	if (r->more.next > next)
		log_warn("journal",
		         "segment %llu: kept signals %llu to %llu, which its index had lost",
		         (unsigned long long)s->first, (unsigned long long)next,
		         (unsigned long long)r->more.next - 1);
}

/* The torn rest goes, and what was found gets its entries, each of which is a commit of
 * its own: so the next start will not take them for one that was torn. */
static bool mend(struct rescue *r, struct error *why)
{
	struct segment *s = r->segment;
	struct iovec piece = {r->more.entries.at, r->more.entries.len};
	uint64_t end = s->entries * sizeof(struct entry);

	if (r->torn)
		log_warn("journal", "cut %llu bytes that were never acknowledged from segment %llu",
		         (unsigned long long)r->torn, (unsigned long long)s->first);
	if (ftruncate(s->index, (off_t)end) != 0 || ftruncate(s->fd, (off_t)r->more.offset) != 0 ||
	    (piece.iov_len && !disk_write(s->index, &piece, 1, end)) || fsync(s->index) != 0 ||
	    fsync(s->fd) != 0)
		return error_errno(why, "segment %llu cannot be put right",
		                   (unsigned long long)s->first);
	s->len = r->more.offset;
	s->entries = s->zeroed = s->entries + salvage_count(&r->more);
	return true;
}

/* Everything stays as it is: another segment follows. */
static void leave(struct segment *s, const char *reason)
{
	log_error("journal", "segment %llu stays as it is: %s", (unsigned long long)s->first,
	          reason);
	close(s->fd);
	close(s->index);
	s->fd = s->index = -1;
}

static bool mend_or_leave(struct rescue *r, uint64_t promised, struct error *why)
{
	struct segment *s = r->segment;
	const struct salvage *more = &r->more;

	r->torn = r->in.bytes > more->offset ? r->in.bytes - more->offset : 0;
	if (more->next <= promised) {
		if (r->torn)
			segment_quarantine(r->dir, s->fd, more->next, more->offset, r->torn);
		leave(s, "what is missing at its end was acknowledged");
		return true;
	}
	if (r->torn && !copy_tail(r->dir, s->fd, more->next, more->offset, r->torn)) {
		leave(s, "its torn end cannot be copied");
		return true;
	}
	return mend(r, why);
}

static bool recover(struct rescue *r, uint64_t promised, uint64_t *last, struct error *why)
{
	struct segment *s = r->segment;
	bool done;

	if (!inspect(&r->in, s->fd, s->index, s->first, why))
		return false;
	s->entries = inspection_committed(&r->in);
	*last = s->first - 1;
	if (s->entries > 0) {
		const struct entry *e = &r->in.entries[s->entries - 1];

		*last = e->last;
		s->len = e->offset + e->length;
	}
	put_aside(&r->in, r->dir, s);
	find_more(r, *last + 1);
	*last = r->more.next - 1;
	done = mend_or_leave(r, promised, why);
	salvage_finish(&r->more);
	inspection_finish(&r->in);
	return done;
}

bool segment_recover(struct segment *s, int dir, uint64_t promised, uint64_t *last,
                     struct error *why)
{
	struct rescue rescue = {.segment = s, .dir = dir};
	uint64_t first = s->first;

	s->fd = open_file(dir, first, SEGMENT_LINES, O_RDWR);
	s->index = open_file(dir, first, SEGMENT_INDEX, O_RDWR | O_CREAT);
	if (s->fd < 0 || s->index < 0)
		error_errno(why, "segment %llu", (unsigned long long)first);
	else if (recover(&rescue, promised, last, why) &&
	         (fsync(dir) == 0 || error_errno(why, "fsync")))
		return true;
	if (s->fd >= 0)
		close(s->fd);
	if (s->index >= 0)
		close(s->index);
	s->fd = s->index = -1;
	return false;
}
