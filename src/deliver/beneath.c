/* beneath.c - files below a directory. */
#define _GNU_SOURCE
#include "deliver/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"

static int open_below(int dir, const char *path)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
	                       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

static bool check_file(int fd, uint64_t max, struct error *why)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return error_errno(why, "it cannot be read");
	if (!S_ISREG(st.st_mode))
		return error_set(why, "it is no file");
	return (uint64_t)st.st_size <= max ||
	       error_set(why, "it is larger than %llu MiB", (unsigned long long)(max / MIB));
}

int beneath_open(const char *directory, const char *path, uint64_t max, struct error *why)
{
	int dir = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = dir < 0 ? -1 : open_below(dir, path);

	if (fd < 0 && (errno == EXDEV || errno == ELOOP))
		error_set(why, "it is not in the directory that files are taken from");
	else if (fd < 0)
		error_errno(why, "it cannot be read");
	if (dir >= 0)
		close(dir);
	if (fd < 0 || check_file(fd, max, why))
		return fd;
	close(fd);
	return -1;
}
