/* coalesce.h - adjacent pieces of one message joined, for who is slow; pure.
 *
 * What a piece is, and how the joined one is written, differs from one format to the
 * next: a kind of pieces says it.
 */
#ifndef SIGNAL_COALESCE_H
#define SIGNAL_COALESCE_H

#include <yyjson.h>

#include "base/buf.h"
#include "signal/json.h"

#define COALESCE_TEXT_MAX (64 * KIB) /* of one that was joined */
#define COALESCE_KEY_MAX (4 * KIB)   /* longer names are not joined */

struct coalesce_piece {
	struct text text;
	uint64_t seq;   /* of the first of it */
	uint64_t count; /* it may have been joined before */
};

struct coalesce_kind {
	/* What the pieces of one message have in common goes into the key; false: it is
	 * no piece. */
	bool (*read)(yyjson_val *root, struct buf *key, struct coalesce_piece *out);
	/* Into the last of the pieces, what all of them are. */
	void (*write)(yyjson_mut_doc *doc, const struct coalesce_piece *all);
};

struct coalesce {
	const struct coalesce_kind *kind;
	struct json_reader reader;
	struct buf last; /* the newest piece that is held; empty: none is */
	struct buf key, text;
	uint64_t seq, count;
};

/* max: bytes of the longest JSON that will be given. */
void coalesce_init(struct coalesce *c, const struct coalesce_kind *kind, size_t max);
void coalesce_finish(struct coalesce *c);

/* True: it is held, with those before it.  False: it is not of their message, or of none;
 * then what is held goes first, and a piece of another message may be given again. */
bool coalesce_add(struct coalesce *c, struct text json);

/* What is held, as one; false when nothing is. */
bool coalesce_take(struct coalesce *c, struct buf *out);

/* For kinds: a name and its end. */
void coalesce_name(struct buf *key, struct text name);

#endif
