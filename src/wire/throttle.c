/* throttle.c - at most one within an interval. */
#include "wire/filter.h"

#include <math.h>

#include "signal/json.h"

struct throttle_filter {
	double interval_ms, last_ms;
	bool passed_any;
};

static bool throttle_init(void *self, yyjson_val *spec, struct error *why)
{
	struct throttle_filter *t = self;

	return filter_number(spec, "intervalMs", 0, &t->interval_ms, why);
}

static bool throttle_passes(void *self, struct cue *cue, double now_ms)
{
	struct throttle_filter *t = self;

	if (t->passed_any && now_ms - t->last_ms < t->interval_ms)
		return false;
	t->passed_any = true;
	t->last_ms = now_ms;
	return true;
}

static void throttle_save(const void *self, struct buf *out)
{
	const struct throttle_filter *t = self;

	json_add_number(out, t->passed_any ? t->last_ms : NAN);
}

static void throttle_load(void *self, yyjson_val *saved)
{
	struct throttle_filter *t = self;

	t->passed_any = json_number(saved, &t->last_ms);
}

static const char *const params[] = {"intervalMs", NULL};

const struct filter_kind filter_throttle = {
	.name = "throttle",
	.size = sizeof(struct throttle_filter),
	.params = params,
	.init = throttle_init,
	.passes = throttle_passes,
	.save = throttle_save,
	.load = throttle_load,
};
