/* places.h - where the items of one document's list are in that of another.
 *
 * For what is remembered about a document when it is read again, perhaps changed: an
 * item is the same if it is written the same.
 */
#ifndef SIGNAL_PLACES_H
#define SIGNAL_PLACES_H

#include <yyjson.h>

#include "base/buf.h"

#define PLACES_NONE SIZE_MAX

struct places {
	size_t *at;
	size_t count;
};

/* A JSON list of what the items of a list are known by.  The list may be NULL. */
void places_sign(yyjson_val *list, struct buf *out);

/* Of those that were signed, in this list. */
void places_init(struct places *places, yyjson_val *signs, yyjson_val *list);
void places_finish(struct places *places);

/* Where item i is now. */
static inline size_t places_of(const struct places *places, size_t i)
{
	return i < places->count ? places->at[i] : PLACES_NONE;
}

#endif
