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
#include "journal/disk.h"
#include "journal/syncer.h"
#include "signal/position.h"

#define ZEROED_AT_ONCE 1024 /* entries: 40 KiB */
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
	       entry->first <= entry->last && entry->last < SEQ_MAX && entry->length > 0 &&
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

static int segment_make(int dir, uint64_t first, enum segment_file which)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, which);
	return openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static void unlink_both(int dir, uint64_t first)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, SEGMENT_INDEX);
	unlinkat(dir, name, 0);
	segment_name(name, first, SEGMENT_LINES);
	unlinkat(dir, name, 0);
}

static void close_both(struct segment *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->index >= 0)
		close(s->index);
	s->fd = s->index = -1;
}

/* Lengthens the index with zeros, to be synced with the next entries. */
static bool add_zeros(struct segment *s, uint64_t upto)
{
	static const struct index_entry zeros[ZEROED_AT_ONCE];
	uint64_t want = upto + ZEROED_AT_ONCE / 2;

	while (s->zeroed < want) {
		struct iovec piece = {(void *)zeros, sizeof zeros};

		if (!disk_write(s->index, &piece, 1, s->zeroed * sizeof(struct index_entry)))
			return false;
		s->zeroed += ZEROED_AT_ONCE;
	}
	assert(s->zeroed >= upto);
	return true;
}

void segment_lengthen_index(struct segment *s)
{
	if (!add_zeros(s, s->entries))
		errno = 0; /* the next commit says what is wrong with the disk */
}

/* A kindness to the file system and to the commits; where it cannot be done, the
 * write itself says when the disk is full. */
void segment_reserve(struct segment *s, size_t bytes)
{
	assert(s->fd >= 0);
	while (fallocate(s->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) != 0 && errno == EINTR)
		;
}

bool segment_create(struct segment *s, int dir, uint64_t first, struct error *why)
{
	assert(first > 0 && first < SEQ_MAX);
	*s = (struct segment){.first = first};
	/* A file of this name may be left of an attempt in which nothing was
	 * committed; it may have seen a failed sync, so it is not used again. */
	unlink_both(dir, first);
	s->index = segment_make(dir, first, SEGMENT_INDEX);
	s->fd = segment_make(dir, first, SEGMENT_LINES);
	if (s->fd >= 0 && s->index >= 0 && add_zeros(s, 0) && fsync(s->index) == 0 &&
	    fsync(s->fd) == 0 && fsync(dir) == 0)
		return true;
	error_errno(why, "segment %llu cannot be made", (unsigned long long)first);
	close_both(s);
	unlink_both(dir, first);
	return false;
}

static bool write_lines(struct segment *s, const struct commit_batch *batches, size_t n)
{
	struct iovec pieces[COMMIT_BATCHES_MAX];

	assert(n > 0 && n <= COMMIT_BATCHES_MAX);
	for (size_t i = 0; i < n; i++)
		pieces[i] = (struct iovec){(void *)batches[i].bytes.at, batches[i].bytes.len};
	return disk_write(s->fd, pieces, n, s->len);
}

static bool write_entries(struct segment *s, const struct commit_batch *batches, size_t n,
                          uint64_t *end)
{
	struct index_entry entries[COMMIT_BATCHES_MAX];
	struct iovec piece = {entries, n * sizeof *entries};

	*end = s->len;
	for (size_t i = 0; i < n; i++) {
		const struct commit_batch *b = &batches[i];
		assert(b->first > 0 && b->first <= b->last);

		entries[i] = (struct index_entry){
			.first = b->first,
			.last = b->last,
			.offset = *end,
			.length = (uint32_t)b->bytes.len,
			.crc = crc32c(0, b->bytes.at, b->bytes.len),
			.kind = b->is_gap ? ENTRY_GAP : ENTRY_LINES,
			.place = (uint16_t)i,
		};
		assert(b->bytes.len > 0 && b->bytes.len <= BATCH_BYTES_MAX);
		index_entry_seal(&entries[i]);
		*end += b->bytes.len;
	}
	return disk_write(s->index, &piece, 1, s->entries * sizeof *entries);
}

/* Both at once, which costs two more switches between threads, or one after the
 * other.  Whatever becomes of the one, the other is waited for: the caller will
 * close both. */
static bool sync_both(struct segment *s, struct syncer *syncer)
{
	int lines, index;

	if (!syncer)
		return fdatasync(s->fd) == 0 && fdatasync(s->index) == 0;
	syncer_begin(syncer, s->index);
	lines = fdatasync(s->fd) == 0 ? 0 : errno;
	index = syncer_end(syncer);
	errno = lines ? lines : index;
	return errno == 0;
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

bool segment_commit(struct segment *s, const struct commit_batch *batches, size_t n,
                    struct syncer *syncer, struct error *why)
{
	uint64_t end;

	assert(s->fd >= 0 && s->index >= 0);
	/* Room for the entries comes before the lines: an index without any, and lines behind
	 * it, is one that lost its end. */
	if ((s->entries + n > s->zeroed && !add_zeros(s, s->entries + n)) ||
	    !write_lines(s, batches, n) || !write_entries(s, batches, n, &end))
		return error_errno(why, "writing");
	if (!sync_both(s, syncer))
		return error_errno(why, "syncing");
	assert(end > s->len);
	s->len = end;
	s->entries += n;
	assert(s->entries <= s->zeroed);
	let_go(s);
	return true;
}

/* The lengths are put right for a start that comes before the machine goes
 * down: it must not take for committed what is only in the page cache. */
void segment_abandon(struct segment *s, int dir)
{
	if (s->fd < 0)
		return;
	if (s->entries == 0)
		unlink_both(dir, s->first);
	else if (ftruncate(s->index, (off_t)(s->entries * sizeof(struct index_entry))) != 0 ||
	         ftruncate(s->fd, (off_t)s->len) != 0)
		errno = 0; /* the segment that follows is right all the same */
	close_both(s);
}

void segment_finish(struct segment *s)
{
	if (s->fd < 0)
		return;
	if (ftruncate(s->fd, (off_t)s->len) != 0 ||
	    ftruncate(s->index, (off_t)(s->entries * sizeof(struct index_entry))) != 0)
		errno = 0; /* space is wasted, nothing else */
	posix_fadvise(s->fd, (off_t)s->let_go, 0, POSIX_FADV_DONTNEED);
	close_both(s);
}
