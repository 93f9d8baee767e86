/* brake.c - the files, changed under a lock on their directory. */
#include "base/brake.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "base/whole.h"

#define NAME_MAX_LEN 200
#define EACH_MAX 4096 /* files that are looked at; there are never so many */

bool brake_can(struct text session)
{
	if (session.len == 0 || session.len > NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < session.len; i++)
		if (!isalnum((unsigned char)session.at[i]) && !memchr("-_:", session.at[i], 3))
			return false;
	return true;
}

static char *brake_path_of(const char *data, struct text session)
{
	return must_print("%s/held/%.*s", data, TEXT_ARG(session));
}

/* The directory, locked; -1: it cannot be had. */
static int lock(const char *data, bool makes)
{
	char *dir = must_print("%s/held", data);
	int fd;

	if (makes && mkdir(dir, 0700) == 0)
		whole_sync_name(dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && flock(fd, LOCK_EX) != 0) {
		close(fd);
		fd = -1;
	}
	free(dir);
	return fd;
}

/* A file that is there and cannot be read holds: whoever wrote it wanted that.  One that
 * nobody can say is there does not: a DATA that is another's, or no directory, pauses
 * nothing. */
static bool read_uses(const char *path, uint64_t *uses)
{
	struct buf bytes;
	struct stat is;
	bool is_there;

	buf_init(&bytes, 64);
	is_there = whole_load(path, WHOLE_NO_LINK, &bytes, NULL) || lstat(path, &is) == 0;
	if (!text_to_u64(text_trim(buf_text(&bytes)), uses) || *uses > BRAKE_MAX)
		*uses = 0;
	buf_finish(&bytes);
	return is_there;
}

static bool write_uses(const char *path, uint64_t uses, struct error *why)
{
	char digits[TEXT_U64_MAX];

	return whole_replace(path, 0600, text_of_u64(uses, digits), why);
}

static bool brake_change(const char *data, struct text session, uint64_t uses, bool adds,
                         struct error *why)
{
	char *path;
	uint64_t has;
	bool good;
	int fd;

	if (!brake_can(session))
		return error_set(why, "a session of that name cannot be held");
	fd = lock(data, true);
	if (fd < 0)
		return error_errno(why, "%s/held", data);
	path = brake_path_of(data, session);
	if (adds && read_uses(path, &has))
		uses += has;
	good = write_uses(path, uses < BRAKE_MAX ? uses : BRAKE_MAX, why);
	close(fd);
	free(path);
	return good;
}

bool brake_set(const char *data, struct text session, uint64_t uses, struct error *why)
{
	return brake_change(data, session, uses, false, why);
}

bool brake_add(const char *data, struct text session, uint64_t more, struct error *why)
{
	return brake_change(data, session, more < BRAKE_MAX ? more : BRAKE_MAX, true, why);
}

bool brake_release(const char *data, struct text session, struct error *why)
{
	char *path;
	bool good;

	if (!brake_can(session))
		return true;
	path = brake_path_of(data, session);
	good = unlink(path) == 0 ? whole_sync_name(path) : errno == ENOENT || errno == ENOTDIR;
	if (!good)
		error_errno(why, "%s", path);
	free(path);
	return good;
}

bool brake_look(const char *data, struct text session, uint64_t *uses)
{
	char *path;
	bool is_held;

	if (!brake_can(session))
		return false;
	path = brake_path_of(data, session);
	is_held = read_uses(path, uses);
	free(path);
	return is_held;
}

/* In place: the name stays, and a use that a power cut gives back harms nobody. */
static bool take_use(const char *path, uint64_t uses)
{
	char digits[TEXT_U64_MAX];
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);
	bool good = fd >= 0 && whole_write(fd, text_of_u64(uses, digits));

	if (fd >= 0)
		close(fd);
	return good;
}

enum brake_pass brake_pass(const char *data, struct text session)
{
	enum brake_pass pass = BRAKE_FREE;
	uint64_t uses;
	char *path;
	int fd;

	if (!brake_look(data, session, &uses))
		return BRAKE_FREE;
	if (uses == 0)
		return BRAKE_HELD;
	fd = lock(data, false);
	if (fd < 0)
		return BRAKE_HELD;
	path = brake_path_of(data, session);
	if (read_uses(path, &uses))
		pass = uses && take_use(path, uses - 1) ? BRAKE_PASSED : BRAKE_HELD;
	close(fd);
	free(path);
	return pass;
}

void brake_each(const char *data, brake_each_fn *each, void *self)
{
	char *path = must_print("%s/held", data);
	DIR *dir = opendir(path);
	const struct dirent *entry;

	for (unsigned i = 0; dir && i < EACH_MAX && (entry = readdir(dir)); i++)
		if (brake_can(text_of(entry->d_name)))
			each(self, text_of(entry->d_name));
	if (dir)
		closedir(dir);
	free(path);
}
