/* sample.c - every Nth, and not the first. */
#include "wire/filter.h"

#include "signal/pointer.h"

#define EVERY_MAX 1e9

struct sample {
	uint64_t every, count;
};

static bool sample_init(void *self, yyjson_val *spec, struct error *why)
{
	struct sample *s = self;
	double every;

	if (!filter_number(spec, "every", 1, &every, why))
		return false;
	if (every > EVERY_MAX || every != (double)(uint64_t)every) {
		pointer_fault(why, "a whole number up to %.0f is wanted", EVERY_MAX);
		return pointer_member(why, TEXT("every"));
	}
	s->every = (uint64_t)every;
	return true;
}

static bool sample_passes(void *self, struct cue *cue, double now_ms)
{
	struct sample *s = self;

	if (++s->count < s->every)
		return false;
	s->count = 0;
	return true;
}

static void sample_save(const void *self, struct buf *out)
{
	const struct sample *s = self;

	buf_add_u64(out, s->count);
}

/* One that counted further than it may passes the next, as if it had come there. */
static void sample_load(void *self, yyjson_val *saved)
{
	struct sample *s = self;

	s->count = yyjson_get_uint(saved);
}

static const char *const params[] = {"every", NULL};

const struct filter_kind filter_sample = {
	.name = "sample",
	.size = sizeof(struct sample),
	.params = params,
	.init = sample_init,
	.passes = sample_passes,
	.save = sample_save,
	.load = sample_load,
};
