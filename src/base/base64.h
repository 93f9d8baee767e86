/* base64.h - bytes as text in JSON: RFC 4648, section 4, with padding. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

void base64_add(struct buf *out, struct text bytes);
/* Appends the bytes; false, and nothing: it is something else, or they do not fit. */
bool base64_read(struct text text, struct buf *out);

#endif
