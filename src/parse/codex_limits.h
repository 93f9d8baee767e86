/* codex_limits.h - how much of its limits an account of Codex has used, where that is news. */
#ifndef PARSE_CODEX_LIMITS_H
#define PARSE_CODEX_LIMITS_H

#include <yyjson.h>

#include "base/buf.h"

#define CODEX_LIMITS 4 /* kinds that a thread has; its lines alternate between them */

/* Of one kind, as they were told last. */
struct codex_limit {
	char *id; /* NULL: the place is free */
	char *windows;
	double at_ms;
};

struct codex_limits {
	struct codex_limit known[CODEX_LIMITS];
};

/* Adds the list of windows, with how much of each is used, in percent.  False: they were told. */
bool codex_limits_take(struct codex_limits *all, yyjson_val *limits, double at_ms, struct buf *out);
void codex_limits_finish(struct codex_limits *all);

#endif
