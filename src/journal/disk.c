/* disk.c - the few file operations that the whole room needs, done to the end. */
#include "journal/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a crash leaves of it is written over by the next replacement, of any file:
 * the room makes one at a time. */
#define DRAFT "new"

bool disk_write(int fd, struct iovec *pieces, size_t n, uint64_t offset)
{
	while (n > 0) {
		int now = n < IOV_MAX ? (int)n : IOV_MAX;
		ssize_t wrote = pwritev(fd, pieces, now, (off_t)offset);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			return false;
		if (wrote == 0) {
			errno = EIO; /* a disk that takes nothing would keep us here for ever */
			return false;
		}
		offset += (uint64_t)wrote;
		for (; n > 0 && (size_t)wrote >= pieces->iov_len; pieces++, n--)
			wrote -= (ssize_t)pieces->iov_len;
		if (n > 0) {
			pieces->iov_base = (char *)pieces->iov_base + wrote;
			pieces->iov_len -= (size_t)wrote;
		}
	}
	return true;
}

ssize_t disk_read(int fd, void *into, size_t len, uint64_t offset)
{
	size_t have = 0;

	while (have < len) {
		ssize_t got = pread(fd, (char *)into + have, len - have, (off_t)(offset + have));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

bool disk_load(int dir, const char *name, struct buf *out)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	ssize_t got = -1;
	char *at;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0) {
		errno = EFBIG;
		at = st.st_size >= 0 ? buf_reserve(out, (size_t)st.st_size + 1) : NULL;
		if (at)
			got = disk_read(fd, at, (size_t)st.st_size, 0);
	}
	if (got > 0)
		out->len += (size_t)got;
	close(fd);
	return got >= 0;
}

static bool disk_write_new(int dir, const char *name, struct text bytes)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct iovec all = {(void *)bytes.at, bytes.len};
	bool good;

	if (fd < 0)
		return false;
	good = (bytes.len == 0 || disk_write(fd, &all, 1, 0)) && fsync(fd) == 0;
	return close(fd) == 0 && good;
}

bool disk_replace(int dir, const char *name, struct text bytes, struct error *why)
{
	if (disk_write_new(dir, DRAFT, bytes) && renameat(dir, DRAFT, dir, name) == 0 &&
	    fsync(dir) == 0)
		return true;
	error_errno(why, "%s", name);
	unlinkat(dir, DRAFT, 0);
	return false;
}

bool disk_remove(int dir, const char *name, struct error *why)
{
	if (unlinkat(dir, name, 0) != 0)
		return errno == ENOENT || error_errno(why, "%s", name);
	return fsync(dir) == 0 || error_errno(why, "%s", name);
}

DIR *disk_list(int dir)
{
	int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = again >= 0 ? fdopendir(again) : NULL;
	int code = errno;

	if (!list && again >= 0)
		close(again);
	errno = code;
	return list;
}
