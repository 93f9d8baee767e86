/* delta.h - pieces of a message in the run dialect, to be joined; pure.
 *
 * Frames `llm/delta` of the same invokeid, session-id and type become one with all of
 * their text, the number of the last, and `coalesced`: how many there were.
 */
#ifndef RUN_DELTA_H
#define RUN_DELTA_H

#include "signal/coalesce.h"

extern const struct coalesce_kind coalesce_deltas;

#endif
