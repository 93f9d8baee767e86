/* test_clock.c - a clock that is put forward, in the place of libc's. */
#include "net/test_clock.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND_MS 1000
#define MILLISECOND_NS 1000000

static uint64_t now_ms; /* 0: it goes by itself */

int clock_gettime(clockid_t which, struct timespec *t)
{
	if (now_ms == 0 || (which != CLOCK_MONOTONIC && which != CLOCK_MONOTONIC_COARSE))
		return (int)syscall(SYS_clock_gettime, which, t);
	*t = (struct timespec){(time_t)(now_ms / SECOND_MS),
	                       (long)(now_ms % SECOND_MS) * MILLISECOND_NS};
	return 0;
}

void test_clock_stop(void)
{
	struct timespec t;

	if (now_ms == 0 && clock_gettime(CLOCK_MONOTONIC, &t) == 0)
		now_ms = (uint64_t)t.tv_sec * SECOND_MS + (uint64_t)(t.tv_nsec / MILLISECOND_NS);
}

void test_clock_forward(unsigned ms)
{
	now_ms += ms;
}
