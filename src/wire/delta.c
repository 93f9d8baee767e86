/* delta.c - a number that has changed enough since it last passed.  The first passes,
 * and what is no number does not. */
#include "wire/filter.h"

#include <math.h>

#include "signal/json.h"

struct delta {
	struct text path;
	double threshold, last;
	bool passed_any;
};

static bool delta_init(void *self, yyjson_val *spec, struct error *why)
{
	struct delta *d = self;

	if (!filter_text(spec, "path", &d->path, why))
		return false;
	cue_path(&d->path);
	return filter_number(spec, "threshold", 0, &d->threshold, why);
}

static bool delta_passes(void *self, struct cue *cue, double now_ms)
{
	struct delta *d = self;
	double value;

	if (!json_number(cue_at(cue, d->path), &value))
		return false;
	if (d->passed_any && !(fabs(value - d->last) >= d->threshold))
		return false;
	d->passed_any = true;
	d->last = value;
	return true;
}

static void delta_save(const void *self, struct buf *out)
{
	const struct delta *d = self;

	json_add_number(out, d->passed_any ? d->last : NAN);
}

static void delta_load(void *self, yyjson_val *saved)
{
	struct delta *d = self;

	d->passed_any = json_number(saved, &d->last);
}

static const char *const params[] = {"path", "threshold", NULL};

const struct filter_kind filter_delta = {
	.name = "delta",
	.size = sizeof(struct delta),
	.params = params,
	.init = delta_init,
	.passes = delta_passes,
	.save = delta_save,
	.load = delta_load,
};
