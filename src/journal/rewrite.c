/* rewrite.c - lines and gaps into a new file. */
#include "journal/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "journal/batch.h"
#include "journal/disk.h"
#include "journal/placing.h"

static void rewrite_name(char out[REWRITE_NAME_ROOM], uint64_t first)
{
	char name[SEGMENT_NAME_ROOM];

	segment_name(name, first, SEGMENT_LINES);
	snprintf(out, REWRITE_NAME_ROOM, "%s.new", name);
}

void rewrite_fail(struct rewrite *w, const struct error *why)
{
	if (!w->failed)
		w->why = *why;
	w->failed = true;
}

static void rewrite_fail_by_errno(struct rewrite *w)
{
	struct error why;

	error_errno(&why, "segment %llu", (unsigned long long)w->first);
	rewrite_fail(w, &why);
}

static void rewrite_put(struct rewrite *w, struct text bytes)
{
	struct iovec piece = {(void *)bytes.at, bytes.len};

	if (!w->failed && !disk_write(w->fd, &piece, 1, w->offset))
		rewrite_fail_by_errno(w);
	w->offset += bytes.len;
}

void rewrite_begin(struct rewrite *w, int dir, uint64_t first)
{
	char name[REWRITE_NAME_ROOM], title[BATCH_HEAD_MAX];

	*w = (struct rewrite){.dir = dir, .first = first, .next = first, .batch_first = first};
	buf_init(&w->batch, BATCH_BYTES_MAX);
	rewrite_name(name, first);
	w->fd = openat(dir, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (w->fd < 0)
		rewrite_fail_by_errno(w);
	rewrite_put(w, (struct text){title, batch_write_title(title, first)});
}

/* Each is a commit of its own. */
static void write_batch(struct rewrite *w, struct index_entry *e, struct text lines)
{
	char head[BATCH_HEAD_MAX];

	e->length = (uint32_t)lines.len;
	e->crc = crc32c(0, lines.at, lines.len);
	rewrite_put(w, (struct text){head, batch_head_write(head, e)});
	rewrite_put(w, lines);
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
	if (w->batch.len > 0 && w->batch.len + line.len >= BATCH_AIM)
		rewrite_end_batch(w);
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

void rewrite_copy(struct rewrite *w, const struct index_entry *entry, struct text lines)
{
	struct index_entry e = {.first = entry->first, .last = entry->last, .kind = entry->kind};

	rewrite_end_batch(w);
	end_gap(w);
	write_batch(w, &e, lines);
	w->next = e.last + 1;
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
	if (!w->failed && !finish_lines(w, like))
		rewrite_fail_by_errno(w);
	if (w->failed && why)
		*why = w->why;
	if (w->failed) {
		char name[REWRITE_NAME_ROOM];

		rewrite_name(name, w->first);
		unlinkat(w->dir, name, 0);
	}
	if (w->fd >= 0)
		close(w->fd);
	buf_finish(&w->batch);
	return !w->failed;
}

bool rewrite_put_in_place(int dir, uint64_t first, struct error *why)
{
	char fresh[REWRITE_NAME_ROOM], name[SEGMENT_NAME_ROOM];

	rewrite_name(fresh, first);
	segment_name(name, first, SEGMENT_LINES);
	if (faccessat(dir, fresh, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		placing_remove(dir, first); /* it would still tell what was there */
	if ((renameat(dir, fresh, dir, name) != 0 && errno != ENOENT) || fsync(dir) != 0)
		return error_errno(why, "%s", name);
	segment_drop_stale_index(dir, first);
	return true;
}
