/* spread.h - how many of many durations were how long; pure.
 *
 * A histogram whose steps are a thirty-second of what they count: the answers are at most
 * three in a hundred too long, and a billion durations take no more room than ten.
 */
#ifndef CLI_SPREAD_H
#define CLI_SPREAD_H

#include <stdint.h>

#define SPREAD_STEPS 32 /* in each doubling */
#define SPREAD_ROOM (SPREAD_STEPS * 60)

struct spread {
	uint64_t counts[SPREAD_ROOM];
	uint64_t count, max;
};

void spread_add(struct spread *spread, uint64_t ns);

/* So many of a hundred are not longer than this; 0 when there are none at all. */
uint64_t spread_at(const struct spread *spread, double percent);

#endif
