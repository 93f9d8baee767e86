/* deadlines.h - performances by when they are due: a heap; for this room alone.
 *
 * Each knows its place, so that one that is interrupted is taken out without a
 * search.
 */
#ifndef CHOREO_DEADLINES_H
#define CHOREO_DEADLINES_H

#include <stddef.h>

struct performance;

struct deadlines {
	struct performance **at;
	size_t count, room;
};

void deadlines_finish(struct deadlines *d); /* performances are the caller's */

void deadlines_add(struct deadlines *d, struct performance *p);
void deadlines_remove(struct deadlines *d, struct performance *p);

/* The one due first; NULL when there is none. */
static inline struct performance *deadlines_first(const struct deadlines *d)
{
	return d->count ? d->at[0] : NULL;
}

#endif
