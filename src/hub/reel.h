/* reel.h - one encoding's frames, each signal once, in a ring of bytes; pure
 * memory.
 *
 * The ring is mapped twice in a row, so any stretch of it is contiguous.  Byte
 * positions are absolute (they only grow); [tail, head) is what is still there.
 * A second ring says where the frame of each seq starts.  A signal that the
 * encoding does not show has a frame of no bytes.
 */
#ifndef HUB_REEL_H
#define HUB_REEL_H

#include "base/text.h"

struct reel {
	char *ring;
	size_t size; /* a power of two */
	uint64_t tail, head;
	uint64_t first_seq, next_seq; /* whose frames are here: [first, next) */
	uint64_t *starts;             /* by seq */
	size_t frames_max;            /* a power of two */
};

void reel_init(struct reel *reel, size_t size, size_t frames_max);
void reel_finish(struct reel *reel);

/* Forgets everything; the next frame is next_seq's.  Positions go on. */
void reel_reset(struct reel *reel, uint64_t next_seq);

/* Room for a frame of at most max bytes, which may move the tail; then the
 * frame of next_seq with the bytes that were written. */
char *reel_reserve(struct reel *reel, size_t max);
void reel_commit(struct reel *reel, size_t written);

/* Where the frame of a seq starts; for next_seq that is the head. */
static inline uint64_t reel_start(const struct reel *reel, uint64_t seq)
{
	return seq == reel->next_seq ? reel->head : reel->starts[seq & (reel->frames_max - 1)];
}

/* The seq of the frame that the byte at `at` is in; tail <= at < head. */
uint64_t reel_seq_at(const struct reel *reel, uint64_t at);

static inline const char *reel_bytes(const struct reel *reel, uint64_t at)
{
	return reel->ring + (at & (reel->size - 1));
}

#endif
