/* json.h - a JSON text, read into memory that the next one uses again.
 *
 * Strict RFC 8259 on valid UTF-8, with two mercies: no number is too big (such
 * a one is kept as it is written), and an escaped lone surrogate is U+FFFD.
 *
 * Every string of the document begins in `copy` exactly where it begins in the
 * text: so whoever wants the bytes of a member as they were written takes the
 * offset from here and the bytes from the text.
 */
#ifndef SIGNAL_JSON_H
#define SIGNAL_JSON_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

struct json_reader {
	struct buf copy; /* the text, with its strings decoded in place */
	char *pool;      /* the values */
	size_t pool_room;
};

/* max: bytes of the longest text that will be given. */
void json_reader_init(struct json_reader *reader, size_t max);
void json_reader_finish(struct json_reader *reader);

/* NULL when it is not JSON.  The document is valid until the next call and must
 * not be freed. */
yyjson_doc *json_read(struct json_reader *reader, struct text raw, struct error *why);

/* For documents of yyjson's own, where one that is not read for want of memory must not be
 * taken for one that is damaged: as must_alloc(). */
extern const yyjson_alc json_memory;

/* The string, decoded; empty with a NULL pointer when it is none. */
static inline struct text json_text(yyjson_val *value)
{
	const char *at = yyjson_get_str(value);

	return (struct text){at, at ? yyjson_get_len(value) : 0};
}

/* The same of a member; of what is no object, too. */
static inline struct text json_text_at(yyjson_val *object, const char *name)
{
	return json_text(yyjson_obj_get(object, name));
}

/* The number, however it is held; false when it is none or no double holds it. */
bool json_number(yyjson_val *value, double *out);

/* Is there a container within so many others of this value? */
bool json_is_deeper(yyjson_val *value, unsigned levels);

/* Appends a value as JSON; false when the buffer is full.  A number is as short as it
 * can be and still be the same one: a whole number has no point, what is not finite
 * is null. */
bool json_add(struct buf *out, yyjson_val *value);
bool json_add_number(struct buf *out, double number);

/* The members of an object but those that are named: `before` stands in front of the first, a
 * comma between them.  without: names, NULL at the end. */
void json_add_members(struct buf *out, yyjson_val *object, const char *const *without, char before);

/* Further members of an object, each with its comma.  A text or a JSON that is NULL is
 * left out. */
void json_member_text(struct buf *out, const char *name, const char *text);
void json_member_json(struct buf *out, const char *name, const char *json);
void json_member_number(struct buf *out, const char *name, double number);
void json_member_count(struct buf *out, const char *name, uint64_t count);

#endif
