/* hold.h - old segments wait until what matters of them is kept elsewhere.
 *
 * With options.is_held no segment goes for its size or age before somebody said that all up to its
 * last signal is on the disk in another place.  Who cannot say so must not fill the disk: where the
 * journal is HOLD_PART of its limit beyond it, at least HOLD_BYTES, or the disk is full, segments
 * that are over the limit go all the same, and the log says so.  Age waits without end.
 */
#ifndef JOURNAL_HOLD_H
#define JOURNAL_HOLD_H

#include <stdint.h>

#include "base/buf.h"

#define HOLD_PART 4
#define HOLD_BYTES (64 * MIB)

struct journal;

/* All up to seq is kept elsewhere.  On the owner's thread, as all of journal.h. */
void journal_release(struct journal *journal, uint64_t seq);

#endif
