/* groups.h - invocations by their run and name, in the order in which people look at them; pure. */
#ifndef TUI_GROUPS_H
#define TUI_GROUPS_H

#include "tui/model.h"

struct group {
	const char *run, *invoke;
	size_t count, done;
	size_t first; /* its invocations are groups.all[first..first+count] */
	enum invocation_status status;
	uint64_t tokens;
	double tps, active_ts;
};

/* Valid until the model hears more; of more than there is room for, those of the newest runs. */
struct groups {
	struct group at[FOLD_INVOCATIONS_MAX];
	size_t count;
	const struct invocation *all[FOLD_INVOCATIONS_MAX];
	size_t all_count;
};

/* Those that stream first, then who waits, failed, is done; and of these the latest.  Of all runs,
 * or of those that are wanted. */
void groups_make(struct groups *groups, const struct model *model,
                 bool (*wanted)(void *self, const char *run), void *self);

#endif
