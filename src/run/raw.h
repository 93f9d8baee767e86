/* raw.h - the bytes of a piece of JSON as they were written. */
#ifndef RUN_RAW_H
#define RUN_RAW_H

#include "signal/json.h"

/* The value of the member whose key this is, in a text that the reader read last. */
struct text raw_value(const struct json_reader *reader, struct text raw, yyjson_val *key);

/* The key of an object's member, for that; NULL when it has none. */
yyjson_val *raw_key(yyjson_val *object, const char *name);

/* What is before and after a piece of the whole. */
static inline struct text raw_before(struct text whole, struct text piece)
{
	return (struct text){whole.at, (size_t)(piece.at - whole.at)};
}

static inline struct text raw_after(struct text whole, struct text piece)
{
	const char *end = piece.at + piece.len;

	return (struct text){end, (size_t)(whole.at + whole.len - end)};
}

#endif
