/* zone.h - the days of whoever asks: how far they are from UTC, and since when; pure.
 *
 * Sums are kept by hours of UTC.  A zone with summer time has days of 23 and of 25 hours, so one
 * distance would put hours of the other half of the year into the wrong day.
 */
#ifndef CREW_ZONE_H
#define CREW_ZONE_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define ZONE_CHANGES_MAX 64
#define ZONE_MINUTES_MAX (14 * 60) /* no zone is further from UTC */

struct zone {
	int first; /* minutes east of UTC, before the first change */
	struct {
		double from_ms;
		int minutes;
	} changes[ZONE_CHANGES_MAX]; /* in their order */
	unsigned count;
};

/* "120", or "120,60@1792890000000,..": from each moment on another.  False: it is none. */
bool zone_read(struct zone *zone, struct text words, struct error *why);

/* Minutes east of UTC in an hour since 1970; NULL is UTC. */
int zone_minutes(const struct zone *zone, uint32_t hour);

#endif
