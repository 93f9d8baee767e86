/* whole.c - small files that are read, made and replaced whole. */
#include "base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"

#define PIECE (4 * KIB)

/* ---- bytes ---- */

bool whole_read(int fd, struct buf *out)
{
	for (;;) {
		size_t room = out->max - out->len < PIECE ? out->max - out->len : PIECE;
		char beyond; /* one that fits exactly has its end to be read, too */
		ssize_t n = room ? read(fd, buf_reserve(out, room), room) : read(fd, &beyond, 1);

		if (n < 0 && errno != EINTR)
			return false;
		if (n == 0)
			return true;
		if (n > 0 && room == 0) {
			errno = EFBIG;
			return false;
		}
		out->len += n > 0 ? (size_t)n : 0;
	}
}

bool whole_write(int fd, struct text bytes)
{
	while (bytes.len) {
		ssize_t n = write(fd, bytes.at, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO; /* a disk that takes nothing would keep us here for ever */
		if (n <= 0)
			return false;
		bytes = (struct text){bytes.at + n, bytes.len - (size_t)n};
	}
	return true;
}

void whole_forget(struct buf *secret)
{
	if (secret->at)
		explicit_bzero(secret->at, secret->room);
	buf_finish(secret);
}

/* ---- reading ---- */

static bool is_private(int fd, const char *path, struct error *why)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return error_errno(why, "%s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(why, "%s is not a file", path);
	if (st.st_uid != geteuid())
		return error_set(why, "%s belongs to another user; chown %u it", path,
		                 (unsigned)geteuid());
	return !(st.st_mode & 077) ||
	       error_set(why, "%s can be read by others (mode %04o); chmod 600 it", path,
	                 (unsigned)(st.st_mode & 07777));
}

bool whole_load(const char *path, unsigned demands, struct buf *out, struct error *why)
{
	int link = demands & WHOLE_NO_LINK ? O_NOFOLLOW : 0;
	/* A pipe in its place does not hold us up. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | link), failure = errno;
	bool good;

	if (fd < 0) {
		error_errno(why, "%s", path);
		errno = failure;
		return false;
	}
	good = !(demands & WHOLE_PRIVATE) || is_private(fd, path, why);
	if (good && !whole_read(fd, out))
		good = errno == EFBIG ? error_set(why, "%s is too big", path)
		                      : error_errno(why, "%s", path);
	close(fd);
	if (!good)
		errno = EPERM; /* whatever it was, it is there */
	return good;
}

bool whole_load_secret(const char *path, struct buf *out, struct error *why)
{
	struct text line;

	if (!whole_load(path, WHOLE_PRIVATE, out, why))
		return false;
	line = text_trim(buf_text(out));
	if (line.len == 0)
		return error_set(why, "%s is empty", path);
	memmove(out->at, line.at, line.len);
	out->len = line.len;
	return true;
}

static bool whole_check_dir(const char *path, const struct stat *st, struct error *why)
{
	if (!S_ISDIR(st->st_mode))
		return error_set(why, "%s is not a directory", path);
	if (st->st_uid != geteuid())
		return error_set(why, "%s belongs to another user; chown %u %s", path,
		                 (unsigned)geteuid(), path);
	return !(st->st_mode & 077) ||
	       error_set(why, "%s is open to others (mode %04o); chmod 700 %s", path,
	                 (unsigned)(st->st_mode & 07777), path);
}

void whole_make_dirs(const char *path)
{
	char *part = must_dup(path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(part, 0700);
		*slash = '/';
	}
	mkdir(part, 0700);
	free(part);
}

bool whole_dir_is_private(const char *path, struct error *why)
{
	struct stat st;
	int failure = EPERM; /* whatever it was, it is there */
	bool good = stat(path, &st) == 0;

	if (good) {
		good = whole_check_dir(path, &st, why);
	} else {
		failure = errno;
		error_errno(why, "%s", path);
	}
	if (!good)
		errno = failure;
	return good;
}

/* ---- writing ---- */

bool whole_sync_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = must_dup(slash ? path : ".");
	int fd;
	bool good;

	if (slash)
		dir[slash > path ? slash - path : 1] = '\0';
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	good = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	free(dir);
	return good;
}

/* Under a name of its own.  NULL: it could not be, and nothing is left of it. */
static char *write_draft(const char *path, mode_t mode, struct text bytes)
{
	char *draft = must_print("%s.XXXXXX", path);
	int fd = mkostemp(draft, O_CLOEXEC);
	bool good = fd >= 0 && fchmod(fd, mode) == 0 && whole_write(fd, bytes) && fsync(fd) == 0;
	int failure;

	if (fd >= 0 && close(fd) != 0)
		good = false;
	if (good)
		return draft;
	failure = errno;
	if (fd >= 0)
		unlink(draft);
	free(draft);
	errno = failure;
	return NULL;
}

static bool whole_put(const char *path, char *draft, bool in_place, struct error *why)
{
	bool good = draft && (in_place ? rename(draft, path) : link(draft, path)) == 0;
	int failure = errno;

	if (draft && !(good && in_place))
		unlink(draft);
	if (good && !whole_sync_name(path)) {
		good = false;
		failure = errno;
	}
	free(draft);
	errno = failure;
	if (!good)
		error_errno(why, "%s", path);
	errno = failure;
	return good;
}

bool whole_replace(const char *path, mode_t mode, struct text bytes, struct error *why)
{
	return whole_put(path, write_draft(path, mode, bytes), true, why);
}

bool whole_create(const char *path, mode_t mode, struct text bytes, struct error *why)
{
	return whole_put(path, write_draft(path, mode, bytes), false, why);
}
