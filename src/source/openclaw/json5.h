/* json5.h - the JSON that people write by hand, into JSON that everybody reads;
 * pure.
 *
 * What is understood of JSON5: comments, trailing commas, keys without quotes,
 * strings in single quotes, their escapes and their continued lines.  Numbers in
 * hexadecimal or with a plus sign are not.
 */
#ifndef SOURCE_JSON5_H
#define SOURCE_JSON5_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/error.h"

/* NULL when it cannot be read, and why says where.  Free it with
 * yyjson_doc_free. */
yyjson_doc *json5_read(struct text raw, struct error *why);

/* Appends value with each ${NAME} replaced by what env() gives for it; $${NAME}
 * is a plain ${NAME}.  False when a name is not known or out is full. */
bool json5_expand(struct text value, const char *(*env)(const char *name), struct buf *out);

#endif
