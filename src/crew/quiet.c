/* quiet.c - marks that are a part of the silence apart. */
#include "crew/quiet.h"

#include <stdbool.h>

#define PARTS (QUIET_MARKS / 2) /* so the marks reach back twice as long as is asked for */

uint64_t quiet_note(struct quiet *quiet, uint64_t now_ms, uint64_t seq, unsigned silent_ms)
{
	unsigned newest = (quiet->count + QUIET_MARKS - 1) % QUIET_MARKS;
	uint64_t found = 0;

	if (quiet->count == 0 || now_ms - quiet->marks[newest].at_ms >= silent_ms / PARTS) {
		newest = quiet->count++ % QUIET_MARKS;
		quiet->marks[newest].at_ms = now_ms;
		quiet->marks[newest].seq = seq;
	}
	for (unsigned i = 0; i < QUIET_MARKS && i < quiet->count; i++) {
		bool is_old = now_ms - quiet->marks[i].at_ms >= silent_ms;

		if (is_old && quiet->marks[i].seq > found)
			found = quiet->marks[i].seq;
	}
	return found;
}
