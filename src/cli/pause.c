/* pause.c - waiting before the next try, each time longer. */
#include "cli/pause.h"

#include <time.h>

unsigned pause_for(unsigned ms)
{
	struct timespec left = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&left, NULL);
	return ms * 2 < PAUSE_LONGEST_MS ? ms * 2 : PAUSE_LONGEST_MS;
}
