/* spool.c - appending and taking, under a lock that is held for a write and no longer. */
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/whole.h"

#define LOCK_TRIES 50 /* a millisecond apart; others hold it for one write */
/* A pipe in its place does not hold us up. */
#define TO_APPEND (O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
#define LOST_MAX MIB /* counted; there is no file that only grows */

static char *spool_path_of(const char *data, const char *end)
{
	return must_print("%s/spool%s", data, end);
}

static bool spool_lock(int fd)
{
	for (unsigned i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

/* Whoever takes the lines may have renamed the file before it was locked. */
static bool is_still(int fd, const char *path)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && stat(path, &named) == 0 && ours.st_ino == named.st_ino &&
	       ours.st_dev == named.st_dev;
}

/* The file that has the name, locked; -1: it cannot be had. */
static int open_locked(const char *path)
{
	for (unsigned i = 0; i < LOCK_TRIES; i++) {
		int fd = open(path, TO_APPEND, 0600);

		if (fd < 0)
			return -1;
		if (!spool_lock(fd)) {
			close(fd);
			return -1;
		}
		if (is_still(fd, path))
			return fd;
		close(fd);
	}
	return -1;
}

static void count_lost(const char *data)
{
	char *path = spool_path_of(data, ".lost");
	int fd = open(path, TO_APPEND, 0600);
	struct stat is;

	if (fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_size < (off_t)LOST_MAX)
		whole_write(fd, TEXT("."));
	if (fd >= 0)
		close(fd);
	free(path);
}

/* The first line break ends what a full disk cut off. */
static void spool_add_line(struct buf *line, int64_t at_ms, struct text payload)
{
	buf_init(line, payload.len + 64);
	buf_print(line, "\n%lld ", (long long)at_ms);
	buf_add(line, payload);
	for (char *c = line->at + 1; c < line->at + line->len; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	buf_add_char(line, '\n');
}

bool spool_add(const char *data, int64_t at_ms, struct text payload)
{
	char *path = spool_path_of(data, "");
	int fd = open_locked(path);
	struct buf line;
	struct stat is;
	bool good;

	if (fd < 0 && errno == ENOENT) {
		whole_make_dirs(data); /* no box was ever there: what comes before it counts, too */
		fd = open_locked(path);
	}
	spool_add_line(&line, at_ms, payload);
	good = fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode) &&
	       (size_t)is.st_size + line.len <= SPOOL_MAX && whole_write(fd, buf_text(&line));
	if (fd >= 0)
		close(fd);
	if (!good)
		count_lost(data);
	buf_finish(&line);
	free(path);
	return good;
}

static size_t spool_size_of(const char *data, const char *end)
{
	char *path = spool_path_of(data, end);
	struct stat is;
	bool good = lstat(path, &is) == 0 && S_ISREG(is.st_mode);

	free(path);
	return good ? (size_t)is.st_size : 0;
}

size_t spool_size(const char *data)
{
	return spool_size_of(data, "") + spool_size_of(data, ".taken");
}

uint64_t spool_lost(const char *data)
{
	return spool_size_of(data, ".lost");
}

bool spool_is_taken(const char *data)
{
	return spool_size_of(data, ".taken") > 0;
}

/* Nobody appends to it any more: who has it open still holds the lock, and who comes to
 * the lock later finds that the name is another file's. */
static bool is_quiet(const char *taken)
{
	int fd = open(taken, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool quiet = fd >= 0 && spool_lock(fd);

	if (fd >= 0)
		close(fd);
	return quiet;
}

bool spool_take(const char *data, struct buf *lines, struct error *why)
{
	char *path = spool_path_of(data, ""), *taken = spool_path_of(data, ".taken");
	bool good =
		spool_is_taken(data) || (spool_size_of(data, "") > 0 && rename(path, taken) == 0);

	good = good && is_quiet(taken) && whole_load(taken, WHOLE_NO_LINK, lines, why);
	free(path);
	free(taken);
	return good;
}

void spool_end(const char *data)
{
	char *taken = spool_path_of(data, ".taken");

	unlink(taken);
	free(taken);
}

bool spool_next(struct text *lines, int64_t *at_ms, struct text *payload)
{
	struct text line, rest;
	uint64_t at;

	do {
		if (lines->len == 0)
			return false;
		line = text_cut(*lines, '\n', lines);
	} while (line.len == 0);
	*payload = line;
	*at_ms = -1;
	if (text_to_u64(text_cut(line, ' ', &rest), &at) && at <= INT64_MAX && rest.len) {
		*at_ms = (int64_t)at;
		*payload = rest;
	}
	return true;
}
