/* kept.h - one checkpoint a segment, so that every moment of the past is near one.
 *
 * `%020llu.checkpoint` beside a segment is the first state that was saved while the journal
 * stood in that segment: as a rule shortly behind its first line, because each roll saves the
 * state.  It has less than the newest checkpoint (checkpoint.h): who folds leaves out what is
 * of use for a start alone.  The writer's thread compresses and writes it.  It goes with its
 * segment.
 *
 * magic, seq, length, epoch and checksum, then the state, compressed with zstd.  A file of
 * more than KEPT_MAX, or than a segment may have, is not kept: the next older one serves
 * then.  One that is torn, damaged, or of another timeline or box is passed over.
 */
#ifndef JOURNAL_KEPT_H
#define JOURNAL_KEPT_H

#include "base/buf.h"
#include "base/error.h"

#define KEPT_MAX (1 * MIB)        /* of a file */
#define KEPT_STATE_MAX (16 * MIB) /* of what is in it */

struct journal;

/* The state of the newest kept checkpoint at or before seq, and the seq it stands at: exactly
 * all up to that one is folded into it, but for folds that say themselves how far they are.
 * False: there is none; *at is 0, and who folds begins with the oldest signal.  It reads the
 * disk and waits for it.  For the owner's thread. */
bool journal_kept(struct journal *journal, uint64_t seq, struct buf *out, uint64_t *at);

/* ---- inside the journal ---- */

/* On the writer's thread, or when that has ended: keeps the state, which stands at seq and is
 * durable, unless it is empty or its segment has one.  What fails is logged, and once that one is
 * too big. */
void kept_offer(struct journal *journal, uint64_t seq, const struct buf *state);

/* At a start, when the epoch has begun: those without a segment go, and one of the newest
 * segment that is no good, so that another may take its place. */
void kept_sweep(struct journal *journal);

void kept_remove(int dir, uint64_t first); /* its segment goes */
/* Those that have heard this seq, and those of which nobody can say that. */
bool kept_remove_from(int dir, uint64_t seq, struct error *why);
bool kept_is_damaged(int dir, uint64_t first); /* one that is not there is not */

#endif
