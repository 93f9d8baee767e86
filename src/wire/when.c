/* when.c - what fulfils a condition. */
#include "signal/when.h"

#include "signal/pointer.h"
#include "wire/filter.h"

struct condition {
	struct when *when;
};

static bool condition_init(void *self, yyjson_val *spec, struct error *why)
{
	struct condition *c = self;
	yyjson_val *clause = yyjson_obj_get(spec, "clause");

	if (!clause)
		pointer_fault(why, "a condition is wanted");
	else if ((c->when = when_create(clause, WHEN_PREFIX_OPTIONAL, why)))
		return true;
	return pointer_member(why, TEXT("clause"));
}

static void condition_finish(void *self)
{
	struct condition *c = self;

	when_destroy(c->when);
}

static bool condition_passes(void *self, struct cue *cue, double now_ms)
{
	struct condition *c = self;

	return when_holds(c->when, cue);
}

static const char *const params[] = {"clause", NULL};

const struct filter_kind filter_when = {
	.name = "when",
	.size = sizeof(struct condition),
	.params = params,
	.init = condition_init,
	.finish = condition_finish,
	.passes = condition_passes,
};
