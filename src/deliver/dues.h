/* dues.h - what is due when: the earliest first; pure. */
#ifndef DELIVER_DUES_H
#define DELIVER_DUES_H

#include <stddef.h>
#include <stdint.h>

/* In whatever is due; all zero at first. */
struct due {
	int64_t at_ms;
	size_t place; /* from 1 on; 0: it is not there */
};

struct dues {
	struct due **all; /* a heap */
	size_t count, room;
};

void dues_finish(struct dues *d); /* what is due is the caller's */

void dues_set(struct dues *d, struct due *one, int64_t at_ms); /* INT64_MAX: it is not due */
struct due *dues_first(const struct dues *d);                  /* NULL: nothing is */

#endif
