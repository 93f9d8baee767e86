/* recover.c - the newest segment after a stop of any kind.
 *
 * What is bad in the last commit was never acknowledged and is cut off.  What is
 * bad before it was acknowledged once and is damaged: it is put aside, and
 * readers are told.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "journal/disk.h"
#include "journal/inspect.h"

static int open_file(int dir, uint64_t first, enum segment_file which, int flags)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, which);
	return openat(dir, name, O_CLOEXEC | O_NOFOLLOW | flags, 0600);
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

/* Of what is cut off, that which an entry vouches for, or which has lost its
 * index, may have been acknowledged after all: then it is copied first. */
static bool tail_is_dubious(const struct inspection *in, size_t kept)
{
	if (in->used == 0)
		return in->bytes > 0;
	for (size_t i = kept; i < in->used; i++)
		if (in->states[i] == BATCH_GOOD || in->states[i] == BATCH_BAD)
			return true;
	return false;
}

static bool cut_tail(struct segment *s, const struct inspection *in, struct error *why)
{
	if (in->bytes > s->len)
		log_warn("journal", "cut %llu bytes that were never acknowledged from segment %llu",
		         (unsigned long long)(in->bytes - s->len), (unsigned long long)s->first);
	if (ftruncate(s->index, (off_t)(s->entries * sizeof(struct entry))) != 0 ||
	    ftruncate(s->fd, (off_t)s->len) != 0 || fsync(s->index) != 0 || fsync(s->fd) != 0)
		return error_errno(why, "segment %llu cannot be put right",
		                   (unsigned long long)s->first);
	return true;
}

static bool recover(struct segment *s, int dir, uint64_t *last, struct error *why)
{
	struct inspection in = {0};
	bool done;

	if (!inspect(&in, s->fd, s->index, s->first, why))
		return false;
	s->entries = s->zeroed = inspection_committed(&in);
	*last = s->first - 1;
	if (s->entries > 0) {
		const struct entry *e = &in.entries[s->entries - 1];

		*last = e->last;
		s->len = e->offset + e->length;
	}
	put_aside(&in, dir, s);
	if (in.bytes > s->len && tail_is_dubious(&in, s->entries))
		segment_quarantine(dir, s->fd, *last + 1, s->len, in.bytes - s->len);
	done = cut_tail(s, &in, why);
	inspection_finish(&in);
	return done;
}

bool segment_recover(struct segment *s, int dir, uint64_t first, uint64_t *last, struct error *why)
{
	*s = (struct segment){.first = first, .fd = -1, .index = -1};
	s->fd = open_file(dir, first, SEGMENT_LINES, O_RDWR);
	s->index = open_file(dir, first, SEGMENT_INDEX, O_RDWR | O_CREAT);
	if (s->fd < 0 || s->index < 0)
		error_errno(why, "segment %llu", (unsigned long long)first);
	else if (recover(s, dir, last, why) && (fsync(dir) == 0 || error_errno(why, "fsync")))
		return true;
	if (s->fd >= 0)
		close(s->fd);
	if (s->index >= 0)
		close(s->index);
	s->fd = s->index = -1;
	return false;
}

/* Returns how many bytes were copied, which is fewer than len where reading or
 * writing fails. */
static uint64_t copy_range(int from, uint64_t offset, uint64_t len, int to)
{
	char part[16 * KIB];
	uint64_t done = 0;

	while (done < len) {
		size_t want = len - done < sizeof part ? (size_t)(len - done) : sizeof part;
		ssize_t got = disk_read(from, part, want, offset + done);
		struct iovec piece = {part, got > 0 ? (size_t)got : 0};

		if (got <= 0 || !disk_write(to, &piece, 1, done))
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
	copied = copy_range(fd, offset, len, out);
	log_error("journal", "damaged at %llu: put %llu of %llu bytes aside",
	          (unsigned long long)first, (unsigned long long)copied, (unsigned long long)len);
	close(out);
}
