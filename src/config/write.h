/* write.h - what the table of fields and the values behind it look like as JSON.
 *
 * JSON is YAML, and sizes and times are written as the file has them: what is written can
 * be read again, but for secrets, which are never written.
 */
#ifndef CONFIG_WRITE_H
#define CONFIG_WRITE_H

#include "base/buf.h"
#include "config/field.h"

/* The value of a field that is no group, in the struct that the table describes. */
void field_write(const struct field *field, const void *base, struct buf *out);

/* The JSON Schema (2020-12) of a file that the table would read. */
void field_schema(const struct field *fields, struct buf *out);

#endif
