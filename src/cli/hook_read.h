/* hook_read.h - one JSON object from an agent that may not close its end. */
#ifndef CLI_HOOK_READ_H
#define CLI_HOOK_READ_H

#include "base/buf.h"
#include "cli/out.h"

/* In the environment of an agent whose output `signalbox run` reads: its hooks would only
 * tell the same again. */
#define HOOK_TOLD "SIGNALBOX_TOLD_BY_RUN"

/* Where in a JSON text we are; all zeroes at its beginning. */
struct hook_scan {
	size_t depth;
	bool in_string, is_escaped;
};

/* True: the object, or array, is whole after these bytes. */
bool hook_scan(struct hook_scan *scan, struct text bytes);

/* Until the object is whole, or the end, or a minute is over.  False: there is nothing.  One
 * that has no room in payload is there as a stub: what is short of it, and `cut`.  whole: the
 * bytes that it had. */
bool hook_read(int fd, struct buf *payload, uint64_t *whole);

/* Likewise, and all of it comes out again, however long it is.  False: it is not in payload. */
bool hook_pass(int fd, struct buf *payload, struct out *out);

#endif
