/* skeleton_fold.c - counts the signals of type `skeleton.step`, and remembers the last.
 *
 * A fold sees the signals and nothing else: no clock, no configuration, nothing random.  So the
 * same journal gives the same state, whether it was heard live, in the past or both.
 */
#include "skeleton_fold/skeleton_fold.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

#define SAVED_MAX 64

struct skeleton_fold {
	uint64_t count, last; /* last: its seq */
};

static bool skeleton_wants(const struct signal *s)
{
	return text_is(s->type, "skeleton.step");
}

/* Each signal of the past and of the present comes here once, in the order of seq. */
static void skeleton_hear(void *self, const struct signal *s)
{
	struct skeleton_fold *f = self;

	if (!skeleton_wants(s)) /* of the past all come */
		return;
	f->count++;
	f->last = s->seq;
}

static void skeleton_save(const void *self, struct buf *out)
{
	const struct skeleton_fold *f = self;

	buf_add_u64(out, f->count);
	buf_add_char(out, ' ');
	buf_add_u64(out, f->last);
}

/* A checkpoint comes from the disk: what is not such a state is refused, and all is heard again. */
static bool skeleton_load(void *self, struct text saved, uint64_t *seq)
{
	struct skeleton_fold *f = self, loaded;
	struct text last, count = text_cut(saved, ' ', &last);

	if (!text_to_u64(count, &loaded.count) || !text_to_u64(last, &loaded.last))
		return false;
	*f = loaded;
	return true;
}

const struct fold_kind skeleton_fold = {
	.name = "skeleton",
	.pace = FOLD_AT_ONCE,
	.saved_max = SAVED_MAX,
	.wants = skeleton_wants,
	.hear = skeleton_hear,
	.save = skeleton_save,
	.load = skeleton_load,
};

void *skeleton_fold_create(void)
{
	return must_zero(1, sizeof(struct skeleton_fold));
}

void skeleton_fold_destroy(void *self)
{
	free(self);
}
