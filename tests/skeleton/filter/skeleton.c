/* skeleton.c - the least that a filter with a memory can be: it skips the first few.
 *
 *	{"type": "skeleton", "skip": 3}
 */
#include "wire/filter.h"

struct skeleton_filter {
	double skip;
	uint64_t count; /* of those that were skipped */
};

/* self is zeroed.  A fault says where in the document it is. */
static bool skeleton_init(void *self, yyjson_val *spec, struct error *why)
{
	struct skeleton_filter *f = self;

	return filter_number(spec, "skip", 0, &f->skip, why);
}

/* The time is an argument: a filter reads no clock, so the same cues always pass alike. */
static bool skeleton_passes(void *self, struct cue *cue, double now_ms)
{
	struct skeleton_filter *f = self;

	if ((double)f->count >= f->skip)
		return true;
	f->count++;
	return false;
}

/* What it remembers survives a restart, as one JSON value. */
static void skeleton_save(const void *self, struct buf *out)
{
	const struct skeleton_filter *f = self;

	buf_add_u64(out, f->count);
}

static void skeleton_load(void *self, yyjson_val *saved)
{
	struct skeleton_filter *f = self;

	f->count = yyjson_get_uint(saved);
}

static const char *const params[] = {"skip", NULL};

const struct filter_kind filter_skeleton = {
	.name = "skeleton",
	.size = sizeof(struct skeleton_filter),
	.params = params,
	.init = skeleton_init,
	.passes = skeleton_passes,
	.save = skeleton_save,
	.load = skeleton_load,
};
