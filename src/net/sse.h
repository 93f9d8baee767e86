/* sse.h - writing Server-Sent Events (WHATWG HTML, section 9.2); pure.
 *
 * A field's value never ends its line by accident: CR, LF and CRLF in data start
 * another data line; an id or event name with CR, LF or NUL is refused.
 */
#ifndef NET_SSE_H
#define NET_SSE_H

#include "base/buf.h"

bool sse_add_event(struct buf *out, struct text id, struct text event, struct text data);
bool sse_add_comment(struct buf *out, struct text words);
bool sse_add_retry(struct buf *out, unsigned ms);

#endif
