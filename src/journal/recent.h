/* recent.h - the newest lines, in memory: what waits for the disk and what the
 * log on a screen shows.
 *
 * Lines lie in blocks, each whole in one.  A block is filled by the owner of the
 * journal and read at the same time by the writer, without a lock: the owner
 * publishes how much of a block is there with one atomic store, and a block
 * that follows with another.  Only the owner drops blocks.
 */
#ifndef JOURNAL_RECENT_H
#define JOURNAL_RECENT_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/text.h"
#include "journal/places.h"

#define RECENT_SIGNALS 10000
#define RECENT_BYTES_MAX (64 * MIB)
#define BLOCK_BYTES (256 * KIB)
#define BLOCK_LINES 4096

/* How much of a block is there: lines in the upper half, bytes in the lower. */
#define FILLED(lines, bytes) ((uint64_t)(lines) << 32 | (bytes))
#define FILLED_LINES(filled) ((uint32_t)((filled) >> 32))
#define FILLED_BYTES(filled) ((uint32_t)(filled))

struct block {
	_Atomic(struct block *) next;
	_Atomic uint64_t filled;
	uint64_t first;  /* seq of the first line */
	uint64_t gap_to; /* not 0: one journal.gap line, for first..gap_to */
	uint32_t room;
	uint32_t *ends;          /* the owner's: where each line ends */
	struct place_keys *keys; /* the owner's: what each is found by */
	char *at;
};

struct recent {
	struct block **ring; /* oldest first, from `oldest`; room is a power of two */
	size_t oldest, count, room;
	struct block *tail;
	uint64_t next;       /* the seq that is added next */
	size_t bytes;        /* memory of all blocks */
	struct block *spare; /* emptied blocks to use again, linked by next */
	unsigned spares;
};

/* There is always a block, if an empty one: the writer's cursor stands in it. */
void recent_init(struct recent *recent, uint64_t next);
void recent_finish(struct recent *recent);

/* Adds the line `next` and its newline.  keys: what it is found by; NULL: nobody knows. */
void recent_add(struct recent *recent, struct text head, struct text body,
                const struct place_keys *keys);

/* The line that was added last, without its newline. */
struct text recent_newest(const struct recent *recent);

/* Adds a line that stands for everything from `next` to `to`. */
void recent_add_gap(struct recent *recent, uint64_t to, struct text line);

/* Drops what is durable and old. */
void recent_trim(struct recent *recent, uint64_t durable);

uint64_t recent_first(const struct recent *recent); /* what is older is only on disk */

/* The block that seq is in; recent_first <= seq < next. */
const struct block *recent_find(const struct recent *recent, uint64_t seq);

/* What seq, a line of that block, is found by; NULL: nobody knows. */
const struct place_keys *recent_keys(const struct block *block, uint64_t seq);

/* Whole lines from seq on, of one block that is not a gap: at most max bytes, or
 * one line. */
struct text recent_lines(const struct block *block, uint64_t seq, size_t max);

#endif
