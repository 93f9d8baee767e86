/* recall.h - the newest commands, for who follows and was away for a moment.
 *
 * Their versions have no holes between them.  There are never more than so many, nor
 * of more bytes than RECALL_BYTES together: the oldest are forgotten.
 */
#ifndef PLAY_RECALL_H
#define PLAY_RECALL_H

#include "base/text.h"

#define RECALL_BYTES ((size_t)8 << 20)

struct recalled {
	double at_ms;
	char *json;
	size_t len;
};

struct recall {
	struct recalled *ring; /* of `max` */
	size_t max, first, count, bytes;
	uint64_t version; /* of the newest */
};

void recall_init(struct recall *r, size_t max);
void recall_finish(struct recall *r);
/* Nothing is remembered, and the next has the version after this one. */
void recall_clear(struct recall *r, uint64_t version);

void recall_add(struct recall *r, double at_ms, struct text json);

typedef void recall_each_fn(void *self, uint64_t version, double at_ms, struct text json);
/* False when not all that came after this version is there, and then it calls none. */
bool recall_since(const struct recall *r, uint64_t version, recall_each_fn *each, void *self);

#endif
