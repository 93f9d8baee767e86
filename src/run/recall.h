/* recall.h - what the runs of a box have said: in memory, or read from the journal again.
 *
 * All of them together keep RECALL_KEPT_MAX.  When that is full, the texts of finished runs are
 * let go, and then those of the runs that were quiet for longest.  What was let go is made
 * again when somebody asks, in slices of the journal at the ends of turns; it is then what
 * it would have been.
 *
 * The checkpoint of a clean stop has the texts of the runs that spoke last.
 */
#ifndef RUN_RECALL_H
#define RUN_RECALL_H

#include "run/runs.h"
#include "run/said.h"

#define RECALL_KEPT_MAX (64 * MIB)
#define RECALL_SAVED_MAX (8 * MIB)    /* of a checkpoint, which the loop stands still for */
#define RECALL_MAX 4                  /* that are made again at once; others wait */
#define RECALL_TURN_BYTES (128 * KIB) /* of the journal, for all of them in a turn */

/* What it has said, valid until the end of the turn; NULL: it is made again, ask in a later
 * turn. */
const struct said *run_said(struct runs *runs, struct run *run);

/* The end of a turn, at a time that never jumps; true: another one should follow at once. */
bool recall_turn(struct runs *runs, uint64_t now_ms);
void recall_close(struct runs *runs); /* none is made again: the journal is about to close */

/* ---- for runs.c ---- */

void recall_hear(struct runs *runs, struct run *run, const struct run_event *e, uint64_t seq);
void recall_forget(struct runs *runs, struct run *run); /* it ends */
void recall_save(const struct runs *runs, struct buf *out);
void recall_load(struct runs *runs, struct text saved);

#endif
