/* near.h - the name somebody probably meant.
 *
 * Offer every name there is, then ask for the best: the one that is the fewest
 * slips away (a letter wrong, missing, too many, or two swapped), or NULL when
 * none is near enough to be worth saying.
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include "base/text.h"

struct near {
	struct text word;
	const char *best;
	unsigned slips;
};

void near_init(struct near *near, struct text word);
void near_offer(struct near *near, const char *name);
const char *near_best(const struct near *near);

/* How many slips lie between the two; both are cut at 48 bytes. */
unsigned near_slips(struct text a, struct text b);

#endif
