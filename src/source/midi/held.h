/* held.h - what came from a source that cannot be made to wait, until there is room.
 *
 * A port goes on playing, whether somebody listens or not.  Of what it plays
 * meanwhile the newest is kept: how things stand now matters more than how they
 * came to it.
 */
#ifndef SOURCE_HELD_H
#define SOURCE_HELD_H

#include "base/text.h"

#define HELD_MAX 1024 /* signals: of a port, some 200 bytes each */

struct midi_held {
	char *signals[HELD_MAX];
	size_t first, count;
};

/* All zero is empty.  False: the oldest was dropped for it. */
bool held_put(struct midi_held *held, struct text envelope);
/* The oldest, which the caller frees; NULL: there is none. */
char *held_take(struct midi_held *held);

#endif
