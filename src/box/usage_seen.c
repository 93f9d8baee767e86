/* usage_seen.c - hashes to and from their file. */
#include "box/usage_seen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/whole.h"
#include "crew/seen.h"

#define MARK TEXT("seen  1\n")
#define HEAD_BYTES 16
#define FILE_MAX (HEAD_BYTES + (size_t)SEEN_MAX * 8)

static uint64_t hash_at(const char *at)
{
	uint64_t n = 0;

	for (int i = 0; i < 8; i++)
		n |= (uint64_t)(unsigned char)at[i] << (8 * i);
	return n;
}

static void add_hash(struct buf *out, uint64_t n)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(n >> (8 * i));
	buf_add(out, (struct text){bytes, sizeof(bytes)});
}

static void keep_all(struct text bytes, struct seen_ids *seen)
{
	uint32_t count = (uint32_t)((bytes.len - HEAD_BYTES) / 8);
	uint64_t *hashes = must_alloc(((size_t)count + 1) * sizeof(*hashes));

	for (uint32_t i = 0; i < count; i++)
		hashes[i] = hash_at(bytes.at + HEAD_BYTES + (size_t)i * 8);
	seen_keep(seen, hashes, count);
	free(hashes);
}

bool usage_seen_load(const char *path, uint64_t seed, struct seen_ids *seen, struct error *why)
{
	struct buf bytes;
	bool good;

	buf_init(&bytes, FILE_MAX);
	good = whole_load(path, WHOLE_PRIVATE | WHOLE_NO_LINK, &bytes, why);
	if (!good && errno == ENOENT)
		good = true;
	else if (good && bytes.len >= HEAD_BYTES && text_starts(buf_text(&bytes), MARK) &&
	         hash_at(bytes.at + MARK.len) == seed)
		keep_all(buf_text(&bytes), seen);
	buf_finish(&bytes);
	return good;
}

/* What stands behind those that are kept was torn by a crash, or is of other sums. */
static bool write_behind(int fd, const struct usage_seen_news *news, struct text bytes)
{
	off_t at = news->kept ? (off_t)(HEAD_BYTES + (size_t)news->kept * 8) : 0;
	struct stat is;

	if (fstat(fd, &is) != 0)
		return false;
	if (is.st_size < at) {
		errno = EIO; /* somebody has cut it */
		return false;
	}
	return ftruncate(fd, at) == 0 && lseek(fd, at, SEEK_SET) == at && whole_write(fd, bytes) &&
	       fsync(fd) == 0;
}

bool usage_seen_write(const char *path, const struct usage_seen_news *news, struct error *why)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct buf bytes;
	bool good = fd >= 0;

	buf_init(&bytes, FILE_MAX);
	if (news->kept == 0) {
		buf_add(&bytes, MARK);
		add_hash(&bytes, news->seed);
	}
	for (uint32_t i = 0; i < news->count; i++)
		add_hash(&bytes, news->hashes[i]);
	good = good && write_behind(fd, news, buf_text(&bytes));
	if (!good)
		error_set(why, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	good = good && (news->kept || whole_sync_name(path));
	buf_finish(&bytes);
	return good;
}
