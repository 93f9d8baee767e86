/* clock.c - the three clocks. */
#include "base/clock.h"

#include <time.h>

int64_t clock_wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static uint64_t nanoseconds(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
	return nanoseconds(CLOCK_MONOTONIC);
}

uint64_t clock_work_ns(void)
{
	return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}
