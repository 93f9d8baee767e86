/* inspect.c - reading an index with suspicion. */
#include "journal/inspect.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "base/must.h"
#include "journal/disk.h"

#define INDEX_BYTES_MAX (256 * MIB) /* ours have 40 bytes for each commit in 64 MiB */

static bool load_index(struct inspection *out, int index)
{
	struct stat st;
	ssize_t got;

	if (fstat(index, &st) != 0)
		return false;
	out->count = (size_t)st.st_size / sizeof(struct entry);
	if (out->count > INDEX_BYTES_MAX / sizeof(struct entry))
		out->count = INDEX_BYTES_MAX / sizeof(struct entry);
	out->entries = must_zero(out->count + 1, sizeof *out->entries);
	out->states = must_zero(out->count + 1, 1);
	got = disk_read(index, out->entries, out->count * sizeof *out->entries, 0);
	if (got < 0)
		return false;
	out->count = (size_t)got / sizeof(struct entry);
	return true;
}

static bool batch_is_good(int fd, const struct entry *e, struct buf *scratch)
{
	char *at;

	buf_clear(scratch);
	at = buf_reserve(scratch, e->length);
	return at && disk_read(fd, at, e->length, e->offset) == (ssize_t)e->length &&
	       crc32c(0, at, e->length) == e->crc && at[e->length - 1] == '\n';
}

bool inspect(struct inspection *out, int fd, int index, uint64_t first, struct error *why)
{
	uint64_t next = first, end = 0;
	struct buf scratch;
	struct stat st;

	*out = (struct inspection){0};
	if (fstat(fd, &st) != 0 || !load_index(out, index)) {
		inspection_finish(out);
		return error_errno(why, "segment %llu", (unsigned long long)first);
	}
	out->bytes = (uint64_t)st.st_size;
	buf_init(&scratch, BATCH_BYTES_MAX);
	for (size_t i = 0; i < out->count; i++) {
		const struct entry *e = &out->entries[i];

		if (entry_is_zero(e))
			continue;
		out->used = i + 1;
		if (!entry_is_sound(e) || e->first < next || e->offset < end) {
			out->states[i] = BATCH_BROKEN;
			continue;
		}
		next = e->last + 1;
		end = e->offset + e->length;
		out->states[i] = end <= out->bytes && batch_is_good(fd, e, &scratch) ? BATCH_GOOD
		                                                                     : BATCH_BAD;
	}
	buf_finish(&scratch);
	return true;
}

void inspection_finish(struct inspection *inspection)
{
	free(inspection->entries);
	free(inspection->states);
	*inspection = (struct inspection){0};
}
