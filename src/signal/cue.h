/* cue.h - a signal as the show sees it: what it says, parsed.
 *
 * Only the type and the payload can be reached from a show.  A path is the names
 * from the payload down, with dots between: "deep.list.0.name"; an item of an
 * array is named by its index, and "length" is how many there are.  The path
 * "type" is the signal's type, whatever the payload has under that name.
 */
#ifndef SIGNAL_CUE_H
#define SIGNAL_CUE_H

#include <yyjson.h>

#include "base/text.h"

struct cue {
	struct text type, source, correlation;
	yyjson_val *payload; /* an object */
};

/* NULL: there is no such thing.  A type or a length, which no document holds, is
 * valid until the next call; strings may be without a NUL at their end. */
yyjson_val *cue_at(const struct cue *cue, struct text path);

/* A show writes "signal." before a path.  Cuts that off; false when it is not there,
 * and the path stays. */
bool cue_path(struct text *path);

#endif
