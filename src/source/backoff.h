/* backoff.h - how long to wait before the next try; pure.
 *
 * Doubling from the first wait to the longest, with something at random on top so
 * that those who were cut off together do not come back together.
 */
#ifndef SOURCE_BACKOFF_H
#define SOURCE_BACKOFF_H

#include <stdbool.h>

struct backoff_rule {
	unsigned first_ms, most_ms;
	unsigned spread;    /* per cent that chance may add */
	unsigned tries_max; /* 0: for ever */
	unsigned rest_ms;   /* between those that follow; 0: none does */
};

/* Every network source but those whose rule has figures of its own. */
extern const struct backoff_rule backoff_usual, backoff_openclaw, backoff_run;

/* No peer is waited for longer than that, whatever it asks for. */
#define BACKOFF_PATIENCE_MS (60 * 60 * 1000u)

struct backoff {
	unsigned tries; /* since it last worked */
};

/* chance: 0 to below 1.  asked_ms: the patience that the peer asked for.  False: it was
 * tried often enough; wait_ms is 0 if that was the last time. */
bool backoff_next(struct backoff *b, const struct backoff_rule *rule, double chance,
                  unsigned asked_ms, unsigned *wait_ms);

#endif
