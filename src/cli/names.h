/* names.h - what sessions are called, for a verb that goes on while they come and go.
 *
 * Asks the box for them when a name comes that is not known, at most once a second, by a line of
 * its own.
 */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include "base/map.h"
#include "cli/remote.h"
#include "crew/roll.h"

struct names {
	struct remote *remote;
	struct roll roll;
	struct map known; /* id or run -> its member of the roll */
	uint64_t asked_ms;
	struct map judged; /* run -> whether names_is() said yes */
};

void names_init(struct names *names, struct remote *remote); /* borrows remote */
void names_finish(struct names *names);

/* Of a run; empty: none is known.  Valid until the next call. */
struct text names_of(struct names *names, struct text run);

/* Is it a run of the session with this handle, which is the same in every call?  Each run is asked
 * about once. */
bool names_is(struct names *names, struct text run, struct text handle);

#endif
