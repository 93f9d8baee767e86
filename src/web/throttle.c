/* throttle.c - a leaky bucket, kept as the time at which it will be empty. */
#include "web/throttle.h"

unsigned throttle_fail(struct throttle *throttle, uint64_t now_ms)
{
	const uint64_t most_ms = (uint64_t)THROTTLE_MOST * THROTTLE_EACH_MS;
	uint64_t fill_ms = 0;

	throttle->failures++;
	if (throttle->empty_at_ms > now_ms)
		fill_ms = throttle->empty_at_ms - now_ms;
	if (fill_ms + THROTTLE_EACH_MS <= most_ms) {
		throttle->empty_at_ms = now_ms + fill_ms + THROTTLE_EACH_MS;
		return 0;
	}
	return (unsigned)((fill_ms + THROTTLE_EACH_MS - most_ms + 999) / 1000);
}
