/* state.h - what somebody has folded from the journal, on its way to a checkpoint.
 *
 * It is made of pieces, one behind the other.  Some of them may stay with a segment (kept.h).
 * Whoever folds fills them, and the journal writes them on a thread of its own: no byte is
 * copied on the way.
 */
#ifndef JOURNAL_STATE_H
#define JOURNAL_STATE_H

#include "base/buf.h"

#define CHECKPOINT_MAX (64 * MIB) /* of all pieces */
#define STATE_PIECES_MAX 32

struct journal;

struct state_piece {
	struct buf bytes;
	bool is_kept; /* it may stay with a segment */
};

struct saved_state {
	uint64_t seq; /* everything up to and with this signal is folded into it */
	size_t count;
	struct state_piece pieces[STATE_PIECES_MAX];
};

/* One more, empty; it stays where it is as long as the state does. */
struct state_piece *saved_state_add(struct saved_state *state, bool is_kept);
void saved_state_finish(struct saved_state *state); /* it is empty after that */

/* A checkpoint, of a state that the journal asked for.  It is the journal's from now on, and
 * written as soon as all it stands for is on the disk. */
void journal_take_state(struct journal *journal, struct saved_state *state);

/* ---- inside the journal ---- */

/* Writes it where it belongs, and frees it; nothing, if it is empty.  The journal's files must
 * be the caller's. */
void saved_state_write(struct journal *journal, struct saved_state *state);

#endif
