/* groups.h - invocations by their name, in the order in which people look at them; pure. */
#ifndef TUI_GROUPS_H
#define TUI_GROUPS_H

#include "run/fold.h"

struct group {
	const char *invoke;
	size_t count, done;
	size_t first; /* its invocations are groups.all[first..first+count] */
	enum invocation_status status;
	struct amounts amounts;
	double active_ts;
};

/* Valid until the fold hears more. */
struct groups {
	struct group at[FOLD_INVOCATIONS_MAX];
	size_t count;
	const struct invocation *all[FOLD_INVOCATIONS_MAX];
};

/* Those that stream first, then who waits, failed, is done; and of these the latest. */
void groups_make(struct groups *groups, const struct fold *fold);

/* `28 tok`, or else `3 pcs`, pieces; `12.5 t/s`, or else `4.0 p/s`; of several perhaps both, and
 * `-` where it is not known.  The first number is `width` wide.  Gives `words`. */
#define AMOUNT_MAX 80
const char *amount_words(char words[AMOUNT_MAX], const struct amounts *a, int width);
const char *rate_words(char words[AMOUNT_MAX], const struct amounts *a, int width, int digits);

#endif
