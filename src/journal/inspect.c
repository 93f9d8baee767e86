/* inspect.c - reading an index with suspicion. */
#include "journal/inspect.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/must.h"
#include "journal/disk.h"
#include "journal/format.h"

#define INDEX_BYTES_MAX (256 * MIB) /* ours have 40 bytes for each commit in 64 MiB */

static bool load_index(struct inspection *out, int index)
{
	struct stat st = {0};
	ssize_t got = 0;

	if (index >= 0 && fstat(index, &st) != 0)
		return false;
	out->count = (size_t)st.st_size / sizeof(struct index_entry);
	out->is_odd = (size_t)st.st_size % sizeof(struct index_entry) != 0;
	if (out->count > INDEX_BYTES_MAX / sizeof(struct index_entry))
		out->count = INDEX_BYTES_MAX / sizeof(struct index_entry);
	out->entries = must_zero(out->count + 1, sizeof *out->entries);
	out->states = must_zero(out->count + 1, 1);
	if (index >= 0)
		got = disk_read(index, out->entries, out->count * sizeof *out->entries, 0);
	if (got < 0)
		return false;
	out->count = (size_t)got / sizeof(struct index_entry);
	return true;
}

static bool batch_is_good(const struct inspection *in, int fd, const struct index_entry *e,
                          struct buf *scratch)
{
	char *at;

	buf_clear(scratch);
	at = buf_reserve(scratch, e->length);
	return at && disk_read(fd, at, e->length, e->offset) == (ssize_t)e->length &&
	       crc32c(0, at, e->length) == e->crc && at[e->length - 1] == '\n' &&
	       (!in->judge || in->judge(in->self, e, (struct text){at, e->length}));
}

static void judge_entries(struct inspection *in, int fd, uint64_t first)
{
	uint64_t next = first, end = 0;
	struct buf scratch;

	buf_init(&scratch, BATCH_BYTES_MAX);
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
		if (end <= in->bytes && batch_is_good(in, fd, e, &scratch))
			in->states[i] = BATCH_GOOD;
		else
			in->states[i] = BATCH_BAD;
	}
	buf_finish(&scratch);
}

static bool is_newer(const struct inspection *in)
{
	for (size_t i = 0; i < in->count; i++)
		if (index_entry_is_newer(&in->entries[i]))
			return true;
	return false;
}

bool inspect(struct inspection *in, int fd, int index, uint64_t first, struct error *why)
{
	struct stat st;

	in->entries = NULL;
	in->states = NULL;
	in->count = in->used = 0;
	/* The index first: what it speaks of is in the file by then. */
	if (!load_index(in, index) || fstat(fd, &st) != 0) {
		inspection_finish(in);
		return error_errno(why, "segment %llu", (unsigned long long)first);
	}
	in->bytes = (uint64_t)st.st_size;
	if (is_newer(in)) {
		inspection_finish(in);
		return error_set(why, "segment %llu" NEWER_WORDS, (unsigned long long)first);
	}
	judge_entries(in, fd, first);
	return true;
}

bool inspection_is_sound(const struct inspection *in, size_t i)
{
	return in->states[i] == BATCH_GOOD || in->states[i] == BATCH_BAD;
}

/* The entries of a torn commit may be garbled themselves, so the last sound one is
 * asked. */
size_t inspection_last_commit(const struct inspection *in)
{
	size_t i = in->used;
	size_t place;

	while (i > 0 && !inspection_is_sound(in, i - 1))
		i--;
	if (i == 0)
		return 0;
	place = in->entries[i - 1].place;
	return i - 1 - (place < i ? place : i - 1);
}

void inspection_finish(struct inspection *in)
{
	free(in->entries);
	free(in->states);
	*in = (struct inspection){0};
}
