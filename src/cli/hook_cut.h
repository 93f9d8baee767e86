/* hook_cut.h - what is short of an object that is too long to keep, as it comes by; pure. */
#ifndef CLI_HOOK_CUT_H
#define CLI_HOOK_CUT_H

#include "base/buf.h"

struct hook_cut {
	size_t depth;
	bool in_string, is_escaped;
	unsigned count;
	struct buf member; /* the one that comes by, as far as there is room */
	struct buf kept;   /* those that came, each with a comma */
};

void hook_cut_init(struct hook_cut *cut);
void hook_cut_finish(struct hook_cut *cut);

void hook_cut_take(struct hook_cut *cut, struct text bytes);

/* Its members, those that are long only by their names, and `cut` with the size of all and how
 * it began. */
void hook_cut_tell(struct hook_cut *cut, struct buf *out, struct text first, uint64_t whole);

#endif
