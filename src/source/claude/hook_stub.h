/* hook_stub.h - a payload that is too long or too deep, as one that is not; pure. */
#ifndef SOURCE_HOOK_STUB_H
#define SOURCE_HOOK_STUB_H

#include "base/buf.h"

#define HOOK_STUB_FIRST (64 * KIB) /* bytes that are kept */

/* What is short stays: event, session, tool.  What is long or deep goes, and `cut` has the size
 * of all and how it began.  whole: its size if not all of it is here; or 0.  False: it is not
 * known what event it is of.  The caller finishes out, which this inits. */
bool hook_stub(struct buf *out, struct text payload, uint64_t whole);

#endif
