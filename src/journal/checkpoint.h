/* checkpoint.h - the folded state of everything up to some seq, in one file.
 *
 * `checkpoint-SEQ`: magic, length, seq and checksum, then the bytes of whoever
 * folds.  The newest two are kept.
 */
#ifndef JOURNAL_CHECKPOINT_H
#define JOURNAL_CHECKPOINT_H

#include "base/buf.h"
#include "base/text.h"

/* What fails is logged: a start can do without the newest one. */
void checkpoint_write(int dir, uint64_t seq, struct text state);

/* The newest that is whole and not from beyond `last`; removes those that are.
 * False: there is none. */
bool checkpoint_load(int dir, uint64_t last, struct buf *out, uint64_t *seq);

/* The seqs of those that are there, newest first; how many. */
#define CHECKPOINTS_MAX 64 /* more than we ever leave behind */
size_t checkpoint_list(int dir, uint64_t seqs[CHECKPOINTS_MAX]);
bool checkpoint_is_damaged(int dir, uint64_t seq); /* one that is gone is not */

size_t checkpoint_remove_damaged(int dir); /* how many there were */

/* Those of this seq and beyond it. */
void checkpoint_remove_from(int dir, uint64_t seq);

#endif
