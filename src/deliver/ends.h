/* ends.h - runs that ended and were not looked at yet, folded from signals; pure.
 *
 *	nex.routed {"on": bool}   from here on ends are kept; or no longer, and all are forgotten
 *	nex.routed {"upTo": seq}  all up to there were looked at, and are forgotten
 *
 * Only those of SOURCE_OF_BOX count.  An end is a completion, an error that is no warning, an
 * agent that is done (or in error), or a turn of a session that is over; of a subagent it is
 * none.  An end long before the newest nex.routed is of the past, as when old sessions are read,
 * and is not kept.
 */
#ifndef DELIVER_ENDS_H
#define DELIVER_ENDS_H

#include "base/buf.h"
#include "base/list.h"
#include "signal/json.h"

#define ENDS_MAX 1024              /* then the oldest is forgotten */
#define ENDS_PAYLOAD_MAX (4 * KIB) /* bytes; of a longer one `result` is left out, or all of it */
#define ENDS_OLD_MS 600000.0

struct fold_kind;
struct signal;

struct run_end {
	char *run, *source, *type;
	char *task, *payload; /* the task that is over, or NULL; JSON */
	char *cwd;            /* where it worked, or NULL */
	uint64_t seq;
	double at_ms;
	bool is_heartbeat;  /* of a run that began by itself, now and then */
	struct link in_all; /* ends.all, oldest first */
};

struct run_ends {
	bool is_on;
	double mark_ms; /* of the newest nex.routed */
	struct link all;
	size_t count;
	struct json_reader reader;
	void *self;
	void (*changed)(void *self); /* one more; or NULL */
};

struct run_ends *ends_create(void);
void ends_destroy(struct run_ends *e);
void ends_hear(struct run_ends *e, const struct signal *s);               /* each, in their order */
const struct run_end *ends_after(const struct run_ends *e, uint64_t seq); /* the next, or NULL */

extern const struct fold_kind ends_fold;

#endif
