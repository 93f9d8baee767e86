/* pieces.h - a stream of bytes, handed on as lines or as it comes.
 *
 * A line that is longer than it may be is cut there, and what follows of it is dropped; the next
 * is whole again.
 */
#ifndef NET_PIECES_H
#define NET_PIECES_H

#include "base/buf.h"

struct pieces {
	struct buf held; /* what came and was not taken */
	size_t line_max; /* 0: bytes */
	bool skips;      /* what comes belongs to a line that was cut */
	bool is_over;    /* no more will come: a line without an end is one, too */
};

struct piece {
	struct text bytes; /* of a line all but its end; in the rest that it was taken from */
	bool is_cut;
};

/* Room for read_max bytes at once, beside a line that has not ended. */
void pieces_init(struct pieces *pieces, size_t line_max, size_t read_max);
void pieces_finish(struct pieces *pieces);

/* From pieces_rest() on: the next piece is taken off the rest; false: it needs more bytes. */
bool pieces_take(struct pieces *pieces, struct text *rest, struct piece *piece);
struct text pieces_rest(const struct pieces *pieces);
void pieces_keep(struct pieces *pieces, struct text rest); /* of what pieces_rest() gave */

#endif
