/* etag.h - the tags of If-Match and If-None-Match (RFC 9110, section 13). */
#ifndef WEB_ETAG_H
#define WEB_ETAG_H

#include "base/text.h"

/* Is the tag, given with its quotes, in a field of these, or is the field `*`?  A weak
 * tag, W/"...", counts only when nothing is to be changed. */
bool etag_is_in(struct text field, struct text tag);
bool etag_is_in_weakly(struct text field, struct text tag);

#endif
