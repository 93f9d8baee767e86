/* diff.h - how one text becomes another, as a unified diff; pure.
 *
 * What it says can be given to patch(1): applied to the one it makes the other, to
 * the byte.
 */
#ifndef TAP_DIFF_H
#define TAP_DIFF_H

#include "base/buf.h"
#include "base/text.h"

/* A text that is not there is called /dev/null. */
struct diff_side {
	const char *name;
	struct text text;
	bool is_there;
};

/* Appends it; nothing when they are the same. */
void diff_add(struct buf *out, const struct diff_side *before, const struct diff_side *after);

#endif
