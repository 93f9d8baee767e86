/* clock.c - a library to preload: somebody puts the clock on the wall, or time flies.
 *
 * CLOCK_SHIFT   a path: a symbolic link of that name leads to the number of seconds by
 *               which the wall's clock is put forward, or back if there is a minus
 * CLOCK_PASSED  likewise, to the seconds that have passed besides, by the clock of deadlines; who
 *               sleeps sees it when something else wakes it
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long seconds_of(const char *name)
{
	const char *path = getenv(name);
	char words[32] = "";

	if (!path || readlink(path, words, sizeof(words) - 1) < 0)
		return 0;
	return strtol(words, NULL, 10);
}

int clock_gettime(clockid_t which, struct timespec *t)
{
	int failed = (int)syscall(SYS_clock_gettime, which, t);

	if (!failed && which == CLOCK_REALTIME)
		t->tv_sec += seconds_of("CLOCK_SHIFT");
	else if (!failed && (which == CLOCK_MONOTONIC || which == CLOCK_MONOTONIC_COARSE))
		t->tv_sec += seconds_of("CLOCK_PASSED");
	return failed;
}
