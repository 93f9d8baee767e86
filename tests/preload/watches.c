/* watches.c - a library to preload: the kernel has no watch left for any directory. */
#include <errno.h>
#include <sys/inotify.h>

int inotify_add_watch(int fd, const char *name, uint32_t mask)
{
	(void)fd, (void)name, (void)mask;
	errno = ENOSPC;
	return -1;
}
