/* places.h - where in a segment the signals of a run, a source or a type are; pure.
 *
 * The seqs of a segment are counted in blocks of PLACE_BLOCK.  For each text that signals
 * have as correlationId, source or type, the index has the numbers of the blocks with such
 * a signal.  Texts are known by a hash of 32 bits: two may share one, so whoever reads a
 * block looks at its lines, too.  Nothing here knows where lines are in a file.
 *
 * A draft is made in memory, seq after seq.  Its written form is read page by page, and a
 * page with a wrong checksum, or a number that cannot be, makes it no index at all:
 *
 *   header   magic, first, last, what it knows its segment by, keys, bytes of lists
 *   keys     hash and end of its list, sorted by hash
 *   lists    numbers of blocks, each as its distance from the one before, 7 bits a byte
 *
 * in pages of 4,096 bytes, the last four of which are the page's checksum; little-endian.
 */
#ifndef JOURNAL_PLACES_H
#define JOURNAL_PLACES_H

#include "base/buf.h"
#include "base/text.h"

#define PLACE_BLOCK 16 /* signals */
#define PLACE_PAGE 4096
#define PLACE_FILE_MAX (1024 * MIB) /* of one segment of the greatest size, with room to spare */

enum place_kind { PLACE_RUN = 1, PLACE_SOURCE, PLACE_TYPE };

/* Stands for what must be read whatever is looked for: a gap, a line that nobody knows. */
#define PLACE_ANY 0

uint32_t place_hash(enum place_kind kind, struct text text); /* never PLACE_ANY */

/* What a signal can be found by; without a correlationId its source stands for it. */
#define PLACE_KEYS 3
struct place_keys {
	uint32_t of[PLACE_KEYS];
};
struct place_keys place_keys_of(struct text run, struct text source, struct text type);

/* ---- in memory ---- */

struct place_block {
	uint32_t number;
	uint32_t end; /* in hashes; it begins where the one before ends */
};

struct place_draft {
	uint64_t first, next; /* seq: all from first to next - 1 are in it */
	uint32_t *hashes;
	struct place_block *blocks;
	size_t hash_count, hash_room, block_count, block_room;
	struct place_keys newest; /* of the last signal in its block that had some */
	bool is_void;             /* too much for an index: it cannot be written or asked */
};

void place_draft_init(struct place_draft *draft, uint64_t first);
void place_draft_finish(struct place_draft *draft);

/* The signal `next`; NULL: it must be read. */
void place_draft_add(struct place_draft *draft, const struct place_keys *keys);
/* From `next` to `to` there is a gap, and whoever comes by must hear of it. */
void place_draft_gap(struct place_draft *draft, uint64_t to);

/* ---- written ---- */

/* What ties an index to the bytes that it was made of. */
struct place_segment {
	uint64_t bytes; /* length of the file */
	uint32_t tail;  /* crc32c of its end */
};

/* False: it is void, or longer than the ceiling of out. */
bool place_draft_write(const struct place_draft *draft, const struct place_segment *of,
                       struct buf *out);

/* The written form, wherever it lies. */
struct place_file {
	bool (*read)(const struct place_file *file, void *into, size_t len, uint64_t offset);
	uint64_t size;
	struct text bytes; /* for place_file_in_memory */
	int fd;            /* for whoever reads from a file */
};

struct place_file place_file_in_memory(struct text bytes);

/* Does it speak of this segment, from its first seq on?  False: it is not whole, or of another. */
bool place_file_is_of(const struct place_file *file, uint64_t first,
                      const struct place_segment *segment);

/* ---- looking up ---- */

/* Blocks that may have what was looked for, of the seqs from first to last. */
struct place_list {
	uint32_t *numbers; /* ascending */
	size_t count, room;
	uint64_t first, last; /* last < first: nothing is known */
};

void place_list_finish(struct place_list *list);
void place_list_begin(struct place_list *list, uint64_t first, uint64_t last);
void place_list_note(struct place_list *list, uint32_t number); /* in any order, if sorted then */

/* Any of these hashes.  False: there is no index here, and the list knows nothing. */
bool place_draft_find(const struct place_draft *draft, const uint32_t *hashes, size_t n,
                      struct place_list *out);
bool place_file_find(const struct place_file *file, const uint32_t *hashes, size_t n,
                     struct place_list *out);

/* The first seq, from `seq` on, that may be one of them; list.last + 1 when there is none. */
uint64_t place_list_next(const struct place_list *list, uint64_t seq);

#endif
