/* base64url.h - bytes as text for URLs and headers: RFC 4648, section 5, without padding. */
#ifndef BASE_BASE64URL_H
#define BASE_BASE64URL_H

#include "base/buf.h"
#include "base/text.h"

void base64url_add(struct buf *out, const void *bytes, size_t n);

/* Exactly n bytes; false: it is something else. */
bool base64url_read(struct text text, void *bytes, size_t n);

#endif
