/* holder.c - a walk through /proc. */
#include "source/transcript/holder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"

#define DESCRIPTORS_MAX 4096 /* of a process that are looked at */

static struct holder_wish *wish_of(struct holder_find *find, const char *path)
{
	const char *slash = strrchr(path, '/');

	for (unsigned i = 0; slash && path[0] == '/' && i < find->count; i++)
		if (!find->wishes[i].pid && strcmp(find->wishes[i].name, slash + 1) == 0)
			return &find->wishes[i];
	return NULL;
}

/* "flags:" and how it was opened, in octal. */
static bool is_written(uint64_t pid, const char *number)
{
	char path[64], said[256];
	unsigned flags = O_RDONLY;
	const char *at;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%llu/fdinfo/%.16s", (unsigned long long)pid, number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, said, sizeof(said) - 1);
		close(fd);
	}
	said[n > 0 ? n : 0] = '\0';
	at = strstr(said, "flags:");
	if (at)
		flags = (unsigned)strtoul(at + 6, NULL, 8);
	return (flags & O_ACCMODE) != O_RDONLY;
}

static void look_at_descriptor(struct holder_find *find, int dir, const char *number, uint64_t pid)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(dir, number, path, sizeof(path) - 1);
	struct holder_wish *wish;
	struct proc process;
	struct stat is;

	if (n <= 0)
		return;
	path[n] = '\0';
	wish = wish_of(find, path);
	if (wish && fstatat(dir, number, &is, 0) == 0 && is.st_ino == wish->inode &&
	    is.st_dev == wish->device && is_written(pid, number) && proc_look(pid, &process)) {
		wish->pid = pid;
		wish->start = process.start;
	}
}

static void look_at_process(struct holder_find *find, const char *number)
{
	uint64_t pid;
	char path[64];
	struct stat is;
	struct dirent *entry;
	unsigned looked = 0;
	DIR *dir;

	if (!text_to_u64(text_of(number), &pid) || pid == (uint64_t)getpid())
		return;
	snprintf(path, sizeof(path), "/proc/%llu/fd", (unsigned long long)pid);
	if (stat(path, &is) != 0 || is.st_uid != geteuid() || !(dir = opendir(path)))
		return;
	while (looked++ < DESCRIPTORS_MAX && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			look_at_descriptor(find, dirfd(dir), entry->d_name, pid);
	closedir(dir);
}

void holder_find_run(struct holder_find *find)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			look_at_process(find, entry->d_name);
	if (dir)
		closedir(dir);
}

void holder_find_finish(struct holder_find *find)
{
	for (unsigned i = 0; i < find->count; i++)
		free(find->wishes[i].name);
}
