/* coalesce.h - adjacent pieces of one message joined, for a screen that is slow; pure.
 *
 * Frames `llm/delta` of the same invokeid, session-id and type become one with all of
 * their text, the number of the last, and `coalesced`: how many there were.
 */
#ifndef RUN_COALESCE_H
#define RUN_COALESCE_H

#include "base/buf.h"
#include "signal/json.h"

#define COALESCE_TEXT_MAX (64 * KIB) /* of one frame */

struct coalesce {
	struct json_reader reader;
	struct buf last; /* the newest frame that is held; empty: none is */
	struct buf key, text;
	uint64_t count;
};

void coalesce_init(struct coalesce *c);
void coalesce_finish(struct coalesce *c);

/* True: it is held, with those before it.  False: it is not of their message, or of none;
 * then what is held goes first, and a piece of another message may be given again. */
bool coalesce_add(struct coalesce *c, struct text frame);

/* What is held, as one frame; false when nothing is. */
bool coalesce_take(struct coalesce *c, struct buf *out);

#endif
