/* backoff.c - how long to wait before the next try. */
#include "source/backoff.h"

const struct backoff_rule backoff_usual = {500, 30000, 25, 0, 0};
const struct backoff_rule backoff_openclaw = {1000, 30000, 0, 10, 5 * 60 * 1000};
const struct backoff_rule backoff_run = {500, 10000, 25, 0, 0};

bool backoff_next(struct backoff *b, const struct backoff_rule *rule, double chance,
                  unsigned asked_ms, unsigned *wait_ms)
{
	unsigned ms = rule->first_ms;

	if (rule->tries_max && b->tries == rule->tries_max) {
		*wait_ms = rule->rest_ms;
		return false;
	}
	for (unsigned i = 0; i < b->tries && ms < rule->most_ms; i++)
		ms *= 2;
	if (ms > rule->most_ms)
		ms = rule->most_ms;
	ms += (unsigned)(ms * chance * rule->spread / 100);
	if (asked_ms > BACKOFF_PATIENCE_MS)
		asked_ms = BACKOFF_PATIENCE_MS;
	b->tries++;
	*wait_ms = ms > asked_ms ? ms : asked_ms;
	return true;
}
