/* file.c - one settings file: found, read, and replaced in one step. */
#include "tap/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "base/whole.h"
#include "tap/settings.h"

#define BACKUP ".before-signalbox"

/* ---- finding ---- */

static bool is_inside(const char *path, const char *dir)
{
	char *real = realpath(dir, NULL);
	bool inside =
		real && text_starts(text_of(path), text_of(real)) && path[strlen(real)] == '/';

	free(real);
	return inside;
}

/* The real path of dir/name, though name may not be there yet. */
static bool file_find(struct file *file, const struct file_where *where, struct error *why)
{
	char *dir, *linked;
	struct stat st;

	if (where->make && mkdir(where->dir, 0777) != 0 && errno != EEXIST)
		return error_errno(why, "%s", where->dir);
	dir = realpath(where->dir, NULL);
	if (!dir && errno != ENOENT)
		return error_errno(why, "%s", where->dir);
	file->path = must_print("%s/%s", dir ? dir : where->dir, where->name);
	free(dir);
	if (lstat(file->path, &st) == 0 && S_ISLNK(st.st_mode)) {
		linked = realpath(file->path, NULL);
		if (!linked)
			return error_errno(why, "%s is a link that leads nowhere", file->path);
		free(file->path);
		file->path = linked;
	}
	if (where->inside && dir && !is_inside(file->path, where->inside))
		return error_set(why, "%s is outside of %s: a link leads there", file->path,
		                 where->inside);
	return true;
}

/* ---- reading ---- */

static bool file_is_ours(const struct file *file, struct error *why)
{
	if (!S_ISREG(file->was.st_mode))
		return error_set(why, "%s is not a file", file->path);
	if (file->was.st_uid != geteuid())
		return error_set(why, "%s belongs to somebody else", file->path);
	return true;
}

static bool file_read_path(struct file *file, struct error *why)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	bool good;

	buf_init(&file->text, SETTINGS_MAX + 128 * KIB);
	if (fd < 0 && errno == ENOENT)
		return true;
	if (fd < 0)
		return error_errno(why, "%s", file->path);
	file->is_there = true;
	good = fstat(fd, &file->was) == 0 || error_errno(why, "%s", file->path);
	good = good && file_is_ours(file, why);
	if (good && !whole_read(fd, &file->text) && errno != EFBIG)
		good = error_errno(why, "%s", file->path);
	close(fd);
	return good;
}

bool file_read(struct file *file, const struct file_where *where, struct error *why)
{
	*file = (struct file){0};
	return file_find(file, where, why) && file_read_path(file, why);
}

void file_finish(struct file *file)
{
	free(file->path);
	buf_finish(&file->text);
}

/* ---- writing ---- */

static bool is_as_it_was(const struct file *file, struct error *why)
{
	struct stat now;
	bool same;

	if (lstat(file->path, &now) != 0)
		same = errno == ENOENT && !file->is_there;
	else
		same = file->is_there && now.st_ino == file->was.st_ino &&
		       now.st_dev == file->was.st_dev && now.st_size == file->was.st_size &&
		       now.st_mtim.tv_sec == file->was.st_mtim.tv_sec &&
		       now.st_mtim.tv_nsec == file->was.st_mtim.tv_nsec;
	return same ||
	       error_set(why, "%s was changed by somebody else just now; try again", file->path);
}

/* The new bytes are on the disk, with the mode and group of the old ones, before
 * they get the name. */
static bool write_beside(const struct file *file, const char *fresh, int fd, struct text text)
{
	if (file->is_there) {
		if (fchown(fd, (uid_t)-1, file->was.st_gid) != 0 && errno != EPERM)
			return false;
		if (fchmod(fd, file->was.st_mode & 07777) != 0)
			return false;
	}
	return whole_write(fd, text) && fsync(fd) == 0;
}

static bool file_put(const struct file *file, const char *path, struct text text, struct error *why)
{
	char *fresh = must_print("%s.XXXXXX", path);
	int fd = mkostemp(fresh, O_CLOEXEC);
	bool good = fd >= 0 && write_beside(file, fresh, fd, text);

	if (!good)
		error_errno(why, "%s", path);
	if (fd >= 0)
		close(fd);
	good = good && is_as_it_was(file, why);
	if (good && rename(fresh, path) != 0)
		good = error_errno(why, "%s", path);
	if (fd >= 0 && !good)
		unlink(fresh);
	if (good)
		whole_sync_name(path);
	free(fresh);
	return good;
}

bool file_replace(const struct file *file, struct text with, struct error *why)
{
	return file_put(file, file->path, with, why);
}

bool file_remove(const struct file *file, struct error *why)
{
	if (!is_as_it_was(file, why))
		return false;
	if (unlink(file->path) != 0)
		return error_errno(why, "%s", file->path);
	whole_sync_name(file->path);
	return true;
}

/* ---- the backup ---- */

bool file_back_up(const struct file *file, struct error *why)
{
	char *path = must_print("%s" BACKUP, file->path);
	bool good = file_put(file, path, buf_text(&file->text), why);

	free(path);
	return good;
}

char *file_backup(const struct file *file)
{
	char *path = must_print("%s" BACKUP, file->path);

	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

void file_drop_backup(const struct file *file, struct text text)
{
	struct file backup = {.path = file_backup(file)};

	if (backup.path && file_read_path(&backup, NULL) && backup.is_there &&
	    text_equal(buf_text(&backup.text), text))
		unlink(backup.path);
	file_finish(&backup);
}
