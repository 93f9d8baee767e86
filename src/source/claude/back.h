/* back.h - hooks of Claude Code as a back end: pauses and approvals. */
#ifndef SOURCE_CLAUDE_BACK_H
#define SOURCE_CLAUDE_BACK_H

#include "bus/backs.h"

struct approve;
struct pauses;

/* Both may come later and go earlier: then they are NULL. */
struct claude_back {
	struct approve *approve;
	struct pauses *pauses;
	struct back_end end;
};

void claude_back_init(struct claude_back *back); /* end is to be added */

#endif
