/* scratch.c - makes it, and takes it away. */
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static int take_away(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static void leave(void)
{
	nftw(dir, take_away, 8, FTW_DEPTH | FTW_PHYS);
}

const char *scratch(void)
{
	if (dir[0])
		return dir;
	snprintf(dir, sizeof(dir), "%s/signalbox-fuzz-%ld",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
	if (mkdir(dir, 0700) != 0)
		abort();
	atexit(leave);
	return dir;
}
