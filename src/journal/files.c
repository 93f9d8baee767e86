/* files.c - segment by segment, batch by batch, to whoever wants the lines. */
#include "journal/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/must.h"
#include "journal/disk.h"
#include "journal/epochs.h"
#include "journal/format.h"
#include "journal/recover.h"
#include "journal/shelf.h"

struct files_reading {
	struct journal_files *files;
	struct shelf shelf;
	int dir;
	uint64_t next, to; /* seqs: the next to give, the last to give */
	struct buf batch;
	bool is_enough;
};

static void files_tell_gap(struct files_reading *r, uint64_t to, const char *why)
{
	struct gap gap = {r->next, to < r->to ? to : r->to, why};

	if (gap.from <= gap.to)
		r->files->gap(r->files->self, &gap);
	if (r->next <= to)
		r->next = to + 1;
}

static struct text files_first_lines(struct text lines, uint64_t count)
{
	struct text rest = lines;

	for (; count > 0 && rest.len > 0; count--)
		text_cut(rest, '\n', &rest);
	return (struct text){lines.at, lines.len - rest.len};
}

/* Of a batch that was good a moment ago: what is wanted of it. */
static bool give_batch(struct files_reading *r, int fd, const struct index_entry *e)
{
	uint64_t end = e->last < r->to ? e->last : r->to;
	struct text lines, before;
	char *at;

	buf_clear(&r->batch);
	at = buf_reserve(&r->batch, e->length);
	if (!at || disk_read(fd, at, e->length, e->offset) != (ssize_t)e->length)
		return false;
	lines = files_first_lines((struct text){at, e->length}, end - e->first + 1);
	before = files_first_lines(lines, r->next - e->first);
	lines = (struct text){lines.at + before.len, lines.len - before.len};
	r->is_enough = !r->files->lines(r->files->self, r->next, lines);
	r->next = e->last + 1;
	return true;
}

static void give_entry(struct files_reading *r, int fd, const struct index_entry *e)
{
	if (e->last < r->next)
		return;
	if (e->first > r->next)
		files_tell_gap(r, e->first - 1, "damaged");
	if (r->next > r->to)
		return;
	if (e->kind != ENTRY_LINES)
		files_tell_gap(r, e->last, e->kind == ENTRY_FORGOTTEN ? "forgotten" : "lost");
	else if (!give_batch(r, fd, e))
		files_tell_gap(r, e->last, "damaged");
}

/* until: the first seq of the next segment, 0 for the newest. */
static void give_segment(struct files_reading *r, uint64_t first, uint64_t until)
{
	uint64_t before = r->files->done;
	struct inspection in = {0};
	struct segment_files f;

	if (segment_files_open(&f, r->dir, first, O_RDONLY)) {
		if (until)
			inspect(&in, &f, NULL);
		else
			recovery_inspect(&in, &f, epochs_promised_in(r->dir), NULL, NULL);
	}
	for (size_t i = 0; i < in.used && r->next <= r->to && !r->is_enough; i++) {
		const struct index_entry *e = &in.entries[i];

		if (!inspection_is_good(&in, i))
			continue;
		if (until && e->last >= until)
			break;
		r->files->done = before + e->offset;
		give_entry(r, f.fd, e);
	}
	if (until && r->next < until && r->next <= r->to && !r->is_enough)
		files_tell_gap(r, until - 1, "damaged");
	inspection_finish(&in);
	segment_files_close(&f);
}

static bool files_is_wanted(const struct files_reading *r, size_t i, uint64_t *until)
{
	*until = i + 1 < r->shelf.count ? r->shelf.firsts[i + 1] : 0;
	return (!*until || *until > r->next) && r->shelf.firsts[i] <= r->to;
}

static void give_all(struct files_reading *r)
{
	uint64_t until, done = 0;

	for (size_t i = 0; i < r->shelf.count; i++)
		if (files_is_wanted(r, i, &until))
			r->files->total += r->shelf.bytes[i];
	for (size_t i = 0; i < r->shelf.count && !r->is_enough; i++) {
		uint64_t first = r->shelf.firsts[i];

		if (!files_is_wanted(r, i, &until))
			continue;
		if (first > r->next)
			files_tell_gap(r, first - 1, i ? "damaged" : "expired");
		r->files->done = done;
		give_segment(r, first, until);
		done += r->shelf.bytes[i];
	}
}

/* Where to begin; a position of a timeline that was lost gets its gap first. */
static bool find_start(struct files_reading *r, struct error *why)
{
	struct gap lost = {0};
	struct epochs epochs;

	if (!epochs_load(&epochs, r->dir, why))
		return false;
	r->next = epochs_resume(&epochs, &r->files->after, SEQ_MAX, &lost);
	epochs_finish(&epochs);
	if (lost.why)
		r->files->gap(r->files->self, &lost);
	else if (r->files->after.all[0].seq == 0 && r->shelf.count)
		r->next = r->shelf.firsts[0];
	return true;
}

bool journal_files_read(const char *data_dir, struct journal_files *files, struct error *why)
{
	char *path = must_print("%s/journal", data_dir);
	struct files_reading r = {.files = files, .to = files->to ? files->to : UINT64_MAX};
	bool good;

	files->done = files->total = 0;
	buf_init(&r.batch, BATCH_BYTES_MAX);
	r.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	good = r.dir >= 0 || error_errno(why, "%s", path);
	good = good && format_check(r.dir, why) && shelf_load(&r.shelf, r.dir, why) &&
	       find_start(&r, why);
	if (good)
		give_all(&r);
	shelf_finish(&r.shelf);
	buf_finish(&r.batch);
	if (r.dir >= 0)
		close(r.dir);
	free(path);
	return good;
}
