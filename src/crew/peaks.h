/* peaks.h - how many sessions were at work at the same moment, at most, in each hour of UTC; pure.
 *
 * Moments come in the order in which they were heard.  One that is told late, however late, changes
 * how many are at work, and no hour.
 */
#ifndef CREW_PEAKS_H
#define CREW_PEAKS_H

#include <yyjson.h>

#include "base/buf.h"

/* Hours: a year of work.  The oldest is forgotten, or one that is years ahead of the others. */
#define PEAKS_MAX 4000
#define PEAKS_LATE_MS (5 * 60e3) /* beyond it a moment is told late */
#define PEAKS_SILENT_HOURS 12    /* in which those that were at work still are */

struct peak {
	uint32_t hour; /* since 1970 */
	uint32_t most;
};

struct peaks {
	struct peak *all; /* by hour */
	size_t count;
	double newest_ms;
	unsigned at_work; /* now */
};

void peaks_finish(struct peaks *peaks); /* all zero is fine, before and after */

/* At this moment one more is at work (1), one less (-1), or as many as before (0). */
void peaks_note(struct peaks *peaks, double at_ms, int change);

/* Nothing was heard that lies behind now: who said so has a wrong clock, or now is one.  Hours
 * behind it are not told until it is their time. */
void peaks_cut(struct peaks *peaks, double now_ms);
size_t peaks_told(const struct peaks *peaks); /* how many of the hours, from the first on */

/* For the checkpoint, and back, into one that is empty; how many are at work is not in it. */
void peaks_save(const struct peaks *peaks, const char *name, struct buf *out);
void peaks_load(struct peaks *peaks, yyjson_val *saved);

#endif
