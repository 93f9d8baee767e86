/* pieces.h - a whole text as messages of a channel: how many, and the text of each; pure.
 *
 * A text that grows has the same pieces as before, but for the last one.
 */
#ifndef DELIVER_PIECES_H
#define DELIVER_PIECES_H

#include "base/buf.h"
#include "deliver/chunk.h"

/* The piece with this number, from 1 on, is added to the buffer; how many there are. */
unsigned pieces_cut(const struct chunk_limit *limit, struct text text, unsigned number,
                    struct buf *piece);

/* The hash of each piece, at most `room` of them; how many there are.  Space around a piece does
 * not count, and none is 0. */
unsigned pieces_hash(const struct chunk_limit *limit, struct text text, uint64_t *hashes,
                     unsigned room);
uint64_t pieces_mark(struct text piece); /* of one */

#endif
