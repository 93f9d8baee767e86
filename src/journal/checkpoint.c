/* checkpoint.c - writing and finding checkpoints. */
#include "journal/checkpoint.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/log.h"
#include "journal/disk.h"
#include "journal/inside.h"

#define PREFIX "checkpoint-"
#define KEPT 2

/* As on the disk, little-endian. */
struct header {
	char magic[8];
	uint64_t seq, length;
	uint32_t crc; /* crc32c of the fields above and the bytes */
	uint32_t zero;
};

/* A byte more, because a whole file is read with one to spare. */
#define FILE_MAX (CHECKPOINT_MAX + sizeof(struct header) + 1)

static const char magic[8] = {'s', 'b', 'x', 's', 't', 'a', 't', '1'};

static uint32_t sum(const struct header *h, struct text state)
{
	return crc32c(crc32c(0, h, offsetof(struct header, crc)), state.at, state.len);
}

static void checkpoint_name_of(char out[SEGMENT_NAME_ROOM], uint64_t seq)
{
	snprintf(out, SEGMENT_NAME_ROOM, PREFIX "%llu", (unsigned long long)seq);
}

static int newest_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

size_t checkpoint_list(int dir, uint64_t seqs[CHECKPOINTS_MAX])
{
	DIR *names = disk_list(dir);
	struct dirent *d;
	size_t n = 0;

	if (!names)
		return 0;
	while (n < CHECKPOINTS_MAX && (d = readdir(names))) {
		struct text name = text_of(d->d_name);
		struct text number = {name.at + sizeof PREFIX - 1, name.len - (sizeof PREFIX - 1)};

		if (text_starts(name, TEXT(PREFIX)) && text_to_u64(number, &seqs[n]))
			n++;
	}
	closedir(names);
	qsort(seqs, n, sizeof *seqs, newest_first);
	assert(n <= CHECKPOINTS_MAX);
	return n;
}

static void remove_old(int dir)
{
	uint64_t seqs[CHECKPOINTS_MAX];
	size_t n = checkpoint_list(dir, seqs);
	char name[SEGMENT_NAME_ROOM];

	for (size_t i = KEPT; i < n; i++) {
		checkpoint_name_of(name, seqs[i]);
		unlinkat(dir, name, 0);
	}
}

void checkpoint_remove_from(int dir, uint64_t seq)
{
	uint64_t seqs[CHECKPOINTS_MAX];
	size_t n = checkpoint_list(dir, seqs);
	char name[SEGMENT_NAME_ROOM];

	for (size_t i = 0; i < n && seqs[i] >= seq; i++) {
		checkpoint_name_of(name, seqs[i]);
		unlinkat(dir, name, 0);
	}
}

void checkpoint_write(int dir, uint64_t seq, struct text state)
{
	struct header h = {.seq = seq, .length = state.len};
	char name[SEGMENT_NAME_ROOM];
	struct error why;
	struct buf file;

	memcpy(h.magic, magic, sizeof magic);
	h.crc = sum(&h, state);
	buf_init(&file, FILE_MAX);
	buf_add(&file, (struct text){(const char *)&h, sizeof h});
	buf_add(&file, state);
	checkpoint_name_of(name, seq);
	if (file.full)
		log_warn("journal", "the state at %llu is too big for a checkpoint",
		         (unsigned long long)seq);
	else if (disk_replace(dir, name, buf_text(&file), &why))
		remove_old(dir);
	else
		log_warn("journal", "no checkpoint: %s", why.words);
	buf_finish(&file);
}

static bool load(int dir, uint64_t seq, struct buf *out)
{
	char name[SEGMENT_NAME_ROOM];
	struct header h;
	struct text state;

	buf_clear(out);
	checkpoint_name_of(name, seq);
	if (!disk_load(dir, name, out) || out->len < sizeof h)
		return false;
	memcpy(&h, out->at, sizeof h);
	state = (struct text){out->at + sizeof h, out->len - sizeof h};
	if (memcmp(h.magic, magic, sizeof magic) != 0 || h.seq != seq || h.length != state.len ||
	    h.crc != sum(&h, state))
		return false;
	buf_drop(out, sizeof h);
	return true;
}

bool checkpoint_is_damaged(int dir, uint64_t seq)
{
	struct buf file;
	bool whole;

	buf_init(&file, FILE_MAX);
	errno = 0;
	whole = load(dir, seq, &file);
	buf_finish(&file);
	return !whole && errno != ENOENT;
}

size_t checkpoint_remove_damaged(int dir)
{
	uint64_t seqs[CHECKPOINTS_MAX];
	size_t n = checkpoint_list(dir, seqs), removed = 0;

	for (size_t i = 0; i < n; i++) {
		char name[SEGMENT_NAME_ROOM];

		if (!checkpoint_is_damaged(dir, seqs[i]))
			continue;
		checkpoint_name_of(name, seqs[i]);
		removed += unlinkat(dir, name, 0) == 0;
	}
	return removed;
}

/* A state from beyond the last line belongs to a timeline that is lost, and
 * would look valid again once the new one gets there. */
bool checkpoint_load(int dir, uint64_t last, struct buf *out, uint64_t *seq)
{
	uint64_t seqs[CHECKPOINTS_MAX];
	size_t n = checkpoint_list(dir, seqs);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++) {
		char name[SEGMENT_NAME_ROOM];

		*seq = seqs[i];
		found = seqs[i] <= last && load(dir, seqs[i], out);
		if (found)
			break;
		checkpoint_name_of(name, seqs[i]);
		log_warn("journal", "%s is no good, and removed", name);
		unlinkat(dir, name, 0);
	}
	if (found)
		return true;
	buf_clear(out);
	*seq = 0;
	return false;
}
