/* test_clock.c - a clock that is put forward, in the place of libc's. */
#include "net/test_clock.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND_US 1000000
#define MICROSECOND_NS 1000

static uint64_t now_us; /* 0: it goes by itself */

int clock_gettime(clockid_t which, struct timespec *t)
{
	if (now_us == 0 || (which != CLOCK_MONOTONIC && which != CLOCK_MONOTONIC_COARSE))
		return (int)syscall(SYS_clock_gettime, which, t);
	*t = (struct timespec){(time_t)(now_us / SECOND_US),
	                       (long)(now_us % SECOND_US) * MICROSECOND_NS};
	return 0;
}

void test_clock_stop(void)
{
	struct timespec t;

	if (now_us == 0 && clock_gettime(CLOCK_MONOTONIC, &t) == 0)
		now_us = (uint64_t)t.tv_sec * SECOND_US + (uint64_t)(t.tv_nsec / MICROSECOND_NS);
}

void test_clock_forward(unsigned ms)
{
	test_clock_forward_us(1000 * ms);
}

void test_clock_forward_us(unsigned us)
{
	now_us += us;
}
