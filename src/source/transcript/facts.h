/* facts.h - the signals session.facts and session.gone; pure. */
#ifndef SOURCE_FACTS_H
#define SOURCE_FACTS_H

#include "base/buf.h"

#define FACTS_MAX (64 * KIB)     /* of a signal */
#define FACTS_TEXT_MAX (4 * KIB) /* of one of its texts; a longer one is cut */

/* What is empty or 0 is not known. */
struct facts {
	struct text session;
	const char *from;            /* "registry", "hook", "file" */
	const char *agent, *harness; /* NULL: Claude Code */
	int64_t at_ms;               /* when it was so */
	struct text version, cwd, title, status, waiting_for;
	uint64_t pid;
	struct text proc_start; /* field 22 of /proc/PID/stat */
};

/* The same facts at the same time are the same signal, with the same id. */
bool facts_make(const struct facts *facts, struct buf *out);
uint64_t facts_hash(const struct facts *facts); /* of all but the time */

struct gone {
	struct text session;
	const char *why, *by;
	uint64_t pid;
	int64_t at_ms;
	bool is_left; /* its process went on with another: it has ended, and nothing is amiss */
};

bool gone_make(const struct gone *gone, struct buf *out);

#endif
