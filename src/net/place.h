/* place.h - who is at the other end of a connection, as far as shares go: seats.h says
 * what each of them is, and what it may have. */
#ifndef NET_PLACE_H
#define NET_PLACE_H

#include <stddef.h>

enum place { PLACE_UNIX, PLACE_OWN, PLACE_KNOWN, PLACE_UNKNOWN, PLACE_KINDS };

/* How much of `max` this kind and those behind it may have together: what is before them
 * keeps its own. */
static inline size_t place_most(size_t max, enum place place)
{
	size_t kept = max / 8;

	return max - (place == PLACE_UNIX ? 0 : place == PLACE_OWN ? kept : 2 * kept);
}

/* And what the unknown may have. */
static inline size_t place_strangers(size_t max)
{
	return max / 4 ? max / 4 : 1;
}

#endif
