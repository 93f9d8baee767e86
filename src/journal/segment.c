/* segment.c - writing batches into a segment, and what follows when that fails. */
#include "journal/segment.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crc32c.h"
#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "journal/batch.h"
#include "journal/disk.h"
#include "signal/position.h"

#define FILLED_AT_ONCE (256 * KIB)
#define FILLED_LOW (128 * KIB) /* less than this is little */
#define PARTS_MAX 32768        /* batches of one commit: what a head can count, and to spare */
#define CACHED_BYTES (16 * MIB)
#define LET_GO_AT_ONCE (4 * MIB)

_Static_assert(sizeof(struct index_entry) == 40, "an entry is as on the disk");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "an entry is little-endian");

void index_entry_seal(struct index_entry *entry)
{
	entry->self = crc32c(0, entry, offsetof(struct index_entry, self));
}

static bool segment_is_whole(const struct index_entry *entry)
{
	return entry->self == crc32c(0, entry, offsetof(struct index_entry, self));
}

bool index_entry_is_newer(const struct index_entry *entry)
{
	return entry->format > ENTRY_FORMAT && segment_is_whole(entry);
}

bool index_entry_is_sound(const struct index_entry *entry)
{
	return segment_is_whole(entry) && entry->format == ENTRY_FORMAT && entry->first > 0 &&
	       entry->first <= entry->last && entry->last < SEGMENT_SEQ_MAX && entry->length > 0 &&
	       entry->length <= BATCH_BYTES_MAX && entry->offset <= INT64_MAX - BATCH_BYTES_MAX &&
	       entry->kind >= ENTRY_LINES && entry->kind <= ENTRY_FORGOTTEN;
}

bool index_entry_is_zero(const struct index_entry *entry)
{
	static const struct index_entry zero;

	return memcmp(entry, &zero, sizeof zero) == 0;
}

void segment_name(char out[SEGMENT_NAME_ROOM], uint64_t first, enum segment_file which)
{
	static const char *const suffixes[] = {"ndjson", "index", "quarantine"};

	assert((size_t)which < sizeof suffixes / sizeof *suffixes);
	snprintf(out, SEGMENT_NAME_ROOM, "%020llu.%s", (unsigned long long)first, suffixes[which]);
}

bool segment_parse_name(const char *name, uint64_t *first)
{
	struct text rest;
	struct text digits = text_cut(text_of(name), '.', &rest);

	return digits.len == 20 && text_is(rest, "ndjson") && text_to_u64(digits, first) &&
	       *first > 0 && *first < SEQ_MAX;
}

void segment_gap_line(struct buf *out, uint64_t from, uint64_t to, const char *why)
{
	char id[RANDOM_UUID_LEN];

	assert(from > 0 && from <= to);
	random_uuid(id);
	buf_print(out, "{\"seq\":%llu,\"id\":\"%.*s\",\"type\":\"journal.gap\",",
	          (unsigned long long)to, RANDOM_UUID_LEN, id);
	put_i64(out, "timestamp", clock_wall_ms());
	put_word(out, "source", "signalbox");
	put_object(out, "payload");
	put_u64(out, "from", from);
	put_u64(out, "to", to);
	put_word(out, "why", why);
	put_end(out);
	put_end(out);
	buf_add_char(out, '\n');
}

static bool remove_index(int dir, uint64_t first)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, SEGMENT_INDEX);
	return unlinkat(dir, name, 0) == 0;
}

bool segment_remove(int dir, uint64_t first)
{
	char name[SEGMENT_NAME_ROOM];
	bool done;

	segment_name(name, first, SEGMENT_LINES);
	done = unlinkat(dir, name, 0) == 0;
	remove_index(dir, first);
	return done;
}

void segment_drop_stale_index(int dir, uint64_t first)
{
	char name[SEGMENT_NAME_ROOM], start[BATCH_HEAD_MAX];
	size_t length;
	ssize_t got;
	int fd;

	segment_name(name, first, SEGMENT_LINES);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	got = fd >= 0 ? disk_read(fd, start, sizeof start, 0) : -1;
	if (got > 0 && batch_read_title((struct text){start, (size_t)got}, &length) == TITLE_OURS &&
	    remove_index(dir, first))
		fsync(dir); /* else a reader would believe it again after a power cut */
	if (fd >= 0)
		close(fd);
}

static void segment_close(struct segment *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

/* A kindness to the file system and to the commits; where it cannot be done, the
 * write itself says when the disk is full. */
void segment_reserve(struct segment *s, size_t bytes)
{
	assert(s->fd >= 0);
	while (fallocate(s->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) != 0 && errno == EINTR)
		;
}

static bool write_title(struct segment *s)
{
	char title[BATCH_HEAD_MAX];
	struct iovec piece = {title, batch_write_title(title, s->first)};

	s->len = s->synced = s->filled = piece.iov_len;
	return disk_write(s->fd, &piece, 1, 0);
}

bool segment_create(struct segment *s, int dir, uint64_t first, struct error *why)
{
	char name[SEGMENT_NAME_ROOM];

	assert(first > 0 && first < SEQ_MAX);
	*s = (struct segment){.first = first};
	/* A file of this name may be left of an attempt in which nothing was
	 * committed; it may have seen a failed sync, so it is not used again. */
	segment_remove(dir, first);
	segment_name(name, first, SEGMENT_LINES);
	s->fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (s->fd >= 0 && write_title(s) && fsync(s->fd) == 0 && fsync(dir) == 0)
		return true;
	error_errno(why, "segment %llu cannot be made", (unsigned long long)first);
	segment_close(s);
	segment_remove(dir, first);
	return false;
}

/* The lines where they lie, and their heads between them. */
bool segment_write(struct segment *s, const struct commit_batch *batches, size_t n,
                   struct error *why)
{
	char heads[COMMIT_BATCHES_MAX][BATCH_HEAD_MAX];
	struct iovec pieces[2 * COMMIT_BATCHES_MAX];
	uint64_t end = s->len;

	assert(s->fd >= 0 && n > 0 && n <= COMMIT_BATCHES_MAX && s->part < PARTS_MAX);
	for (size_t i = 0; i < n; i++) {
		const struct commit_batch *b = &batches[i];
		struct index_entry e = {
			.first = b->first,
			.last = b->last,
			.length = (uint32_t)b->bytes.len,
			.crc = crc32c(0, b->bytes.at, b->bytes.len),
			.kind = b->is_gap ? ENTRY_GAP : ENTRY_LINES,
			.place = (uint16_t)(s->part + i),
		};
		struct iovec *piece = &pieces[2 * i];
		size_t head_len = batch_head_write(heads[i], &e);

		assert(b->first > 0 && b->first <= b->last);
		assert(b->bytes.len > 0 && b->bytes.len <= BATCH_BYTES_MAX);
		piece[0] = (struct iovec){heads[i], head_len};
		piece[1] = (struct iovec){(void *)b->bytes.at, b->bytes.len};
		end += piece[0].iov_len + piece[1].iov_len;
	}
	if (!disk_write(s->fd, pieces, 2 * n, s->len))
		return error_errno(why, "writing");
	s->len = end;
	s->filled = s->filled > end ? s->filled : end;
	s->part = (uint16_t)(s->part + n);
	return true;
}

bool segment_must_sync(const struct segment *s)
{
	return s->part >= PARTS_MAX;
}

/* What is new is read from our own memory, and what is old seldom: so the page cache
 * gives it back, and the next lines go to the same pages.  A flood into ever new ones
 * takes twice the processor, and the memory of the programs beside us. */
static void let_go(struct segment *s)
{
	assert(s->let_go <= s->len);
	while (s->len - s->let_go >= CACHED_BYTES + LET_GO_AT_ONCE) {
		posix_fadvise(s->fd, (off_t)s->let_go, LET_GO_AT_ONCE, POSIX_FADV_DONTNEED);
		s->let_go += LET_GO_AT_ONCE;
	}
}

bool segment_sync(struct segment *s, struct error *why)
{
	assert(s->fd >= 0 && s->len > s->synced);
	if (fdatasync(s->fd) != 0)
		return error_errno(why, "syncing");
	s->synced = s->len;
	s->part = 0;
	let_go(s);
	return true;
}

bool segment_fill(struct segment *s, size_t bytes)
{
	static char newlines[FILLED_AT_ONCE];
	struct iovec piece = {newlines, sizeof newlines};

	assert(s->fd >= 0 && s->synced == s->len && s->filled >= s->len);
	if (s->cannot_fill || s->filled - s->len >= FILLED_LOW ||
	    s->filled + sizeof newlines > bytes)
		return true;
	if (!newlines[0])
		memset(newlines, '\n', sizeof newlines);
	if (disk_write(s->fd, &piece, 1, s->filled))
		s->filled += sizeof newlines;
	else
		s->cannot_fill = true; /* no room: commits find out for themselves */
	return fdatasync(s->fd) == 0;
}

bool segment_is_empty(const struct segment *s)
{
	char title[BATCH_HEAD_MAX];

	return s->synced <= batch_write_title(title, s->first);
}

/* The length is put right for a start that comes before the machine goes
 * down: it must not take for committed what is only in the page cache. */
void segment_abandon(struct segment *s, int dir)
{
	if (s->fd < 0)
		return;
	if (segment_is_empty(s))
		segment_remove(dir, s->first);
	else if (ftruncate(s->fd, (off_t)s->synced) != 0)
		errno = 0; /* the segment that follows is right all the same */
	segment_close(s);
}

void segment_finish(struct segment *s)
{
	if (s->fd < 0)
		return;
	if (ftruncate(s->fd, (off_t)s->len) != 0)
		errno = 0; /* it ends in newlines, nothing else */
	posix_fadvise(s->fd, (off_t)s->let_go, 0, POSIX_FADV_DONTNEED);
	segment_close(s);
}
