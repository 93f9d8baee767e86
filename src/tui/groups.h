/* groups.h - invocations by their name, in the order in which people look at them; pure. */
#ifndef TUI_GROUPS_H
#define TUI_GROUPS_H

#include "run/fold.h"

struct group {
	const char *invoke;
	size_t count, done;
	size_t first; /* its invocations are groups.all[first..first+count] */
	enum invocation_status status;
	uint64_t tokens;
	double tps, active_ts;
};

/* Valid until the fold hears more. */
struct groups {
	struct group at[FOLD_INVOCATIONS_MAX];
	size_t count;
	const struct invocation *all[FOLD_INVOCATIONS_MAX];
};

/* Those that stream first, then who waits, failed, is done; and of these the latest. */
void groups_make(struct groups *groups, const struct fold *fold);

#endif
