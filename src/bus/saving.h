/* saving.h - things of a fold, saved a piece at a time, as they were when that began.
 *
 * Each has a number among those that are to be saved.  Whoever is about to change one, or to
 * free it, says so first: it is written then, and put in its place later.  What is new has no
 * number, and is not saved.
 */
#ifndef BUS_SAVING_H
#define BUS_SAVING_H

#include "base/buf.h"

#define SAVING_PIECE (16 * KIB) /* at a time, or one thing */

struct saving_slot {
	const void *thing; /* NULL: it was written */
	size_t *number;    /* its own: where it stands here, from 1 on; 0: nowhere */
	struct buf earlier;
};

struct saving {
	struct saving_slot *slots;
	size_t count, next, room;
	char between; /* a comma; may be set to 0, for bytes that need none */
	void (*save)(const void *thing, struct buf *out);
};

void saving_begin(struct saving *saving, size_t room,
                  void (*save)(const void *thing, struct buf *out));
void saving_add(struct saving *saving, const void *thing, size_t *number); /* at most room */

/* The thing with this number is about to change, or to go. */
void saving_change(struct saving *saving, const size_t *number);

/* Some of them, with what stands between; false: these were the last, and it is over. */
bool saving_more(struct saving *saving, struct buf *out);

/* Whether it was over or not. */
void saving_finish(struct saving *saving);

#endif
