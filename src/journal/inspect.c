/* inspect.c - reading a segment with suspicion. */
#include "journal/inspect.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/must.h"
#include "journal/batch.h"
#include "journal/disk.h"
#include "journal/format.h"

#define INDEX_BYTES_MAX (256 * MIB) /* ours have 40 bytes for each commit in 64 MiB */
#define WINDOW_BYTES (1 * MIB)
#define PAGE_BYTES 4096

/* ---- files ---- */

static int inspect_open(int dir, uint64_t first, enum segment_file which, int how)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, which);
	return openat(dir, name, how | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

bool segment_files_open(struct segment_files *f, int dir, uint64_t first, int how)
{
	int failed;

	*f = (struct segment_files){.first = first, .index = -1};
	f->fd = inspect_open(dir, first, SEGMENT_LINES, how);
	if (f->fd < 0)
		return false;
	f->index = inspect_open(dir, first, SEGMENT_INDEX, how);
	if (f->index >= 0 || errno == ENOENT)
		return true;
	failed = errno;
	segment_files_close(f);
	errno = failed;
	return false;
}

void segment_files_close(struct segment_files *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->index >= 0)
		close(f->index);
	f->fd = f->index = -1;
}

/* ---- a part of a file, in memory ---- */

struct file_window {
	int fd;
	uint64_t from; /* where in the file the part begins */
	struct buf part;
};

/* As much as can be had, up to the first page that the disk does not give. */
static size_t read_readable(int fd, char *room, size_t len, uint64_t at)
{
	ssize_t got = disk_read(fd, room, len, at);
	size_t have = 0;

	if (got >= 0)
		return (size_t)got;
	while (have < len) {
		size_t want = PAGE_BYTES - (size_t)((at + have) % PAGE_BYTES);

		got = disk_read(fd, room + have, want < len - have ? want : len - have, at + have);
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return have;
}

/* Up to len bytes from `at` on: fewer where the file ends, or cannot be read. */
static struct text window_get(struct file_window *w, uint64_t at, size_t len)
{
	size_t want = len > WINDOW_BYTES ? len : WINDOW_BYTES;

	if (at < w->from || at + len > w->from + w->part.len) {
		char *room;

		buf_clear(&w->part);
		room = buf_reserve(&w->part, want);
		w->part.len = room ? read_readable(w->fd, room, want, at) : 0;
		w->from = at;
	}
	at -= w->from;
	if (at >= w->part.len)
		return TEXT("");
	return (struct text){w->part.at + at, w->part.len - at < len ? w->part.len - at : len};
}

/* ---- entries ---- */

static void inspection_add(struct inspection *in, const struct index_entry *e,
                           enum batch_state state)
{
	if ((in->count & (in->count - 1)) == 0) {
		size_t room = in->count ? in->count * 2 : 1;

		in->entries = must_grow(in->entries, room * sizeof *in->entries);
		in->states = must_grow(in->states, room);
	}
	in->entries[in->count] = *e;
	in->states[in->count++] = (unsigned char)state;
	in->used = in->count;
}

static bool batch_is_good(const struct inspection *in, struct file_window *w,
                          const struct index_entry *e)
{
	struct text lines;

	if (e->offset + e->length > in->bytes)
		return false;
	lines = window_get(w, e->offset, e->length);
	return lines.len == e->length && crc32c(0, lines.at, lines.len) == e->crc &&
	       text_ends(lines, TEXT("\n")) && (!in->judge || in->judge(in->self, e, lines));
}

/* ---- the old form ---- */

static bool load_index(struct inspection *out, int index)
{
	struct stat st;
	ssize_t got;

	if (fstat(index, &st) != 0)
		return false;
	out->count = (size_t)st.st_size / sizeof(struct index_entry);
	out->is_odd = (size_t)st.st_size % sizeof(struct index_entry) != 0;
	if (out->count > INDEX_BYTES_MAX / sizeof(struct index_entry))
		out->count = INDEX_BYTES_MAX / sizeof(struct index_entry);
	out->entries = must_zero(out->count + 1, sizeof *out->entries);
	out->states = must_zero(out->count + 1, 1);
	got = disk_read(index, out->entries, out->count * sizeof *out->entries, 0);
	if (got < 0)
		return false;
	out->count = (size_t)got / sizeof(struct index_entry);
	return true;
}

static void judge_entries(struct inspection *in, struct file_window *w, uint64_t first)
{
	uint64_t next = first, end = 0;

	for (size_t i = 0; i < in->count; i++) {
		const struct index_entry *e = &in->entries[i];

		if (index_entry_is_zero(e))
			continue;
		in->used = i + 1;
		if (!index_entry_is_sound(e) || e->first < next || e->offset < end) {
			in->states[i] = BATCH_BROKEN;
			continue;
		}
		next = e->last + 1;
		end = e->offset + e->length;
		in->states[i] = batch_is_good(in, w, e) ? BATCH_GOOD : BATCH_BAD;
	}
}

static bool has_newer_entry(const struct inspection *in)
{
	for (size_t i = 0; i < in->count; i++)
		if (index_entry_is_newer(&in->entries[i]))
			return true;
	return false;
}

/* ---- the new form ---- */

/* Is there a head at this place?  Its entry then says where its lines are. */
static bool read_head(const struct inspection *in, struct file_window *w, uint64_t at,
                      struct index_entry *e)
{
	struct text rest, bytes = window_get(w, at, BATCH_HEAD_MAX);
	struct text line = text_cut(bytes, '\n', &rest);

	if (at >= in->bytes || line.len == bytes.len || !batch_head_read(line, e))
		return false;
	e->offset = at + line.len + 1;
	return true;
}

/* The next place behind `at` where there is one; the end of the file if there is none. */
static uint64_t find_head(const struct inspection *in, struct file_window *w, uint64_t at)
{
	bool at_line = false;

	while (at < in->bytes) {
		struct text part = window_get(w, at, WINDOW_BYTES);
		struct index_entry e;
		const char *newline;
		size_t found;

		if (part.len == 0) { /* behind a page that cannot be read there may be more */
			at += PAGE_BYTES - at % PAGE_BYTES;
			at_line = false;
			continue;
		}
		if (batch_find_head(part, at_line, &e, &found))
			return at + found;
		/* A head that the part ends in is seen whole in the next one. */
		newline = memrchr(part.at, '\n', part.len);
		at_line = newline != NULL;
		at += at_line ? (size_t)(newline + 1 - part.at) : part.len;
	}
	return in->bytes;
}

static void scan(struct inspection *in, struct file_window *w, uint64_t first)
{
	uint64_t next = first, at = in->title;

	while (at < in->bytes) {
		struct index_entry e;

		if (!read_head(in, w, at, &e)) {
			uint64_t found = find_head(in, w, at), hole = found - at;

			if (found >= in->bytes)
				return; /* lines without a head, or nothing of ours */
			e = (struct index_entry){.offset = at};
			e.length = hole > UINT32_MAX ? UINT32_MAX : (uint32_t)hole;
			inspection_add(in, &e, BATCH_BROKEN);
			at = found;
			continue;
		}
		at = e.offset + e.length;
		if (e.first < next) {
			inspection_add(in, &e, BATCH_BROKEN);
			continue;
		}
		next = e.last + 1;
		inspection_add(in, &e, batch_is_good(in, w, &e) ? BATCH_GOOD : BATCH_BAD);
	}
}

/* A title that is damaged is as long as it was. */
static void find_title(struct inspection *in, struct file_window *w, uint64_t first)
{
	char title[BATCH_HEAD_MAX];
	uint64_t length = batch_write_title(title, first);
	struct index_entry e;

	in->is_title_bad = true;
	if (read_head(in, w, length, &e))
		in->title = length;
}

/* Without the newlines and zeros that the file ends in, but for the end of its last line. */
static uint64_t find_end(struct file_window *w, uint64_t size)
{
	while (size > 0) {
		size_t len = size < WINDOW_BYTES ? (size_t)size : WINDOW_BYTES;
		struct text part = window_get(w, size - len, len);

		if (part.len < len)
			return size; /* it cannot be read */
		while (part.len > 0 && batch_is_blank((struct text){part.at + part.len - 1, 1}))
			part.len--;
		if (part.len > 0)
			return size - len + part.len +
			       (part.len < len && part.at[part.len] == '\n');
		size -= len;
	}
	return 0;
}

/* ---- both ---- */

static bool inspect_files(struct inspection *in, struct file_window *w,
                          const struct segment_files *f, uint64_t size, struct error *why)
{
	struct text start = window_get(w, 0, BATCH_HEAD_MAX);
	size_t length;
	enum batch_title title = batch_read_title(start, &length);

	in->title = length;
	in->is_old = f->index >= 0 && title == TITLE_NONE;
	if (in->is_old && !load_index(in, f->index))
		return error_errno(why, "segment %llu", (unsigned long long)f->first);
	if (title == TITLE_NEWER || (in->is_old && has_newer_entry(in)))
		return error_set(why, "segment %llu" NEWER_WORDS, (unsigned long long)f->first);
	in->bytes = in->is_old ? size : find_end(w, size);
	if (in->is_old) {
		judge_entries(in, w, f->first);
		return true;
	}
	if (title == TITLE_NONE)
		find_title(in, w, f->first);
	scan(in, w, f->first);
	return true;
}

bool inspect(struct inspection *in, const struct segment_files *f, struct error *why)
{
	struct file_window w = {.fd = f->fd};
	struct stat st;
	bool good;

	in->entries = NULL;
	in->states = NULL;
	in->count = in->used = 0;
	in->is_odd = in->is_title_bad = false;
	buf_init(&w.part, BATCH_BYTES_MAX);
	good = fstat(f->fd, &st) == 0 ||
	       error_errno(why, "segment %llu", (unsigned long long)f->first);
	good = good && inspect_files(in, &w, f, (uint64_t)st.st_size, why);
	if (!good)
		inspection_finish(in);
	buf_finish(&w.part);
	return good;
}

bool inspection_is_good(const struct inspection *in, size_t i)
{
	return in->states[i] == BATCH_GOOD || in->states[i] == BATCH_BARE;
}

bool inspection_is_sound(const struct inspection *in, size_t i)
{
	return inspection_is_good(in, i) || in->states[i] == BATCH_BAD;
}

uint64_t inspection_start(const struct inspection *in, size_t i)
{
	const struct index_entry *e = &in->entries[i];
	bool has_head = !in->is_old && inspection_is_sound(in, i) && in->states[i] != BATCH_BARE;

	return has_head ? e->offset - batch_head_length(e) : e->offset;
}

/* May entry i, which is sound, be of the same commit as `after`, of which it is a part that
 * comes later?  What stands between them, if anything, is broken, and may be several batches. */
static bool is_same_commit(const struct inspection *in, size_t i, size_t after)
{
	const struct index_entry *e = &in->entries[i], *next = &in->entries[after];
	bool is_next = e->last + 1 == next->first;

	return is_next ? e->place + 1 == next->place : e->place + 1 < next->place;
}

/* How many entries before the last sound one, i, belong to its commit, or may. */
static size_t count_before(const struct inspection *in, size_t i)
{
	size_t place = in->entries[i].place, n = 0, after = i;

	if (in->is_old)
		return place < i + 1 ? place : i;
	for (; n < i && in->entries[after].place > 0; n++) {
		size_t before = i - n - 1;

		if (!inspection_is_sound(in, before))
			continue;
		if (!is_same_commit(in, before, after))
			break;
		after = before;
	}
	return n;
}

/* The entries of a torn commit may be garbled themselves, so the last sound one is
 * asked. */
size_t inspection_last_commit(const struct inspection *in)
{
	size_t i = in->used;

	while (i > 0 && !inspection_is_sound(in, i - 1))
		i--;
	return i == 0 ? 0 : i - 1 - count_before(in, i - 1);
}

void inspection_finish(struct inspection *in)
{
	free(in->entries);
	free(in->states);
	in->entries = NULL;
	in->states = NULL;
	in->count = in->used = 0;
}
