/* rewrite.c - lines, gaps and entries into two new files. */
#include "journal/rewrite.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "journal/disk.h"

#define ENTRIES_MAX (1024 * MIB) /* a gap between any two lines of a big segment */

void rewrite_name(char out[REWRITE_NAME_ROOM], uint64_t first, enum segment_file which)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, which);
	snprintf(out, REWRITE_NAME_ROOM, "%s.new", name);
}

static int rewrite_make(int dir, uint64_t first, enum segment_file which)
{
	char name[REWRITE_NAME_ROOM];

	rewrite_name(name, first, which);
	return openat(dir, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
}

void rewrite_begin(struct rewrite *w, int dir, uint64_t first)
{
	*w = (struct rewrite){.dir = dir, .first = first, .next = first, .batch_first = first};
	buf_init(&w->batch, BATCH_BYTES_MAX);
	buf_init(&w->entries, ENTRIES_MAX);
	w->fd = rewrite_make(dir, first, SEGMENT_LINES);
	w->failed = w->fd < 0;
	if (w->failed)
		error_errno(&w->why, "segment %llu", (unsigned long long)first);
}

static void write_batch(struct rewrite *w, struct index_entry *e, struct text bytes)
{
	struct iovec piece = {(void *)bytes.at, bytes.len};

	if (w->failed)
		return;
	e->offset = w->offset;
	e->length = (uint32_t)bytes.len;
	e->crc = crc32c(0, bytes.at, bytes.len);
	index_entry_seal(e);
	if (!disk_write(w->fd, &piece, 1, w->offset) ||
	    !buf_add(&w->entries, (struct text){(const char *)e, sizeof *e})) {
		w->failed = true;
		error_errno(&w->why, "segment %llu", (unsigned long long)w->first);
	}
	w->offset += bytes.len;
}

static void end_gap(struct rewrite *w)
{
	struct index_entry e = {.first = w->gap_first, .last = w->next - 1, .kind = w->gap_kind};
	struct buf line;

	if (!w->gap_first)
		return;
	buf_init(&line, GAP_LINE_MAX);
	segment_gap_line(&line, e.first, e.last,
	                 e.kind == ENTRY_FORGOTTEN ? "forgotten" : "damaged");
	write_batch(w, &e, buf_text(&line));
	buf_finish(&line);
	w->gap_first = 0;
}

void rewrite_end_batch(struct rewrite *w)
{
	struct index_entry e = {.first = w->batch_first, .last = w->next - 1, .kind = ENTRY_LINES};

	if (w->batch.len)
		write_batch(w, &e, buf_text(&w->batch));
	buf_clear(&w->batch);
}

void rewrite_line(struct rewrite *w, struct text line)
{
	end_gap(w);
	if (w->batch.len == 0)
		w->batch_first = w->next;
	buf_add(&w->batch, line);
	buf_add_char(&w->batch, '\n');
	w->next++;
}

void rewrite_leave_out(struct rewrite *w, uint64_t to, uint16_t kind)
{
	if (to < w->next)
		return;
	rewrite_end_batch(w);
	if (w->gap_first && w->gap_kind != kind)
		end_gap(w);
	if (!w->gap_first)
		w->gap_first = w->next;
	w->gap_kind = kind;
	w->next = to + 1;
}

void rewrite_copy_gap(struct rewrite *w, const struct index_entry *entry, struct text line)
{
	struct index_entry e = {.first = entry->first, .last = entry->last, .kind = entry->kind};

	rewrite_end_batch(w);
	end_gap(w);
	write_batch(w, &e, line);
	w->next = e.last + 1;
}

static bool write_index(struct rewrite *w)
{
	struct iovec piece = {w->entries.at, w->entries.len};
	int fd = rewrite_make(w->dir, w->first, SEGMENT_INDEX);
	bool good = fd >= 0 && (!w->entries.len || disk_write(fd, &piece, 1, 0)) && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return good;
}

/* Retention goes by when a segment was written last; this was no writing of that kind. */
static bool finish_lines(struct rewrite *w, int like)
{
	struct stat st;

	if (fstat(like, &st) == 0)
		futimens(w->fd, (struct timespec[]){st.st_atim, st.st_mtim});
	return fsync(w->fd) == 0;
}

bool rewrite_end(struct rewrite *w, int like, struct error *why)
{
	rewrite_end_batch(w);
	end_gap(w);
	if (!w->failed && (!finish_lines(w, like) || !write_index(w))) {
		w->failed = true;
		error_errno(&w->why, "segment %llu", (unsigned long long)w->first);
	}
	if (w->failed && why)
		*why = w->why;
	if (w->fd >= 0)
		close(w->fd);
	buf_finish(&w->batch);
	buf_finish(&w->entries);
	return !w->failed;
}
