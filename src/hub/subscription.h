/* subscription.h - what a client wants to hear. */
#ifndef HUB_SUBSCRIPTION_H
#define HUB_SUBSCRIPTION_H

#include "base/error.h"
#include "signal/filter.h"
#include "signal/position.h"

/* What a client that fell behind gets. */
enum slow_policy { SLOW_RESUME, SLOW_DROP, SLOW_DISCONNECT, SLOW_COALESCE };
bool slow_policy_parse(struct text word, enum slow_policy *out, struct error *why);

struct subscription {
	struct filter filter;
	struct positions after;
	bool has_after;  /* else: from now on */
	bool sends_only; /* it wants to hear nothing */
	enum slow_policy policy;
};

#endif
