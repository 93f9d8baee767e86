/* cue.h - a signal as the show sees it: what it says, parsed.
 *
 * Only the type and the payload can be reached from a show.  A path is the names
 * from the payload down, with dots between: "deep.list.0.name"; an item of an
 * array is named by its index, and "length" is how many there are.  The path
 * "type" is the signal's type, whatever the payload has under that name.
 *
 * Nor are these of the payload: who is meant on the stage, where each session of an agent is
 * somebody (signal/figure.h; play/whose.h says of which session a signal is).  Of a signal that
 * is of no session they are what the payload says in brackets.
 *
 *	figure      whose doing it is [agentId]
 *	figureTo    who is given a task [to]
 *	figureFrom  by whom; of a subagent, the session that it belongs to [from]
 *	figurePart  the id of the subagent; nothing where it is none's
 */
#ifndef SIGNAL_CUE_H
#define SIGNAL_CUE_H

#include <yyjson.h>

#include "base/text.h"

struct cue {
	struct text type, source, correlation;
	yyjson_val *payload; /* an object */
	struct text part;    /* the subagent whose it is, or empty */
	struct text session; /* by which the stage knows it; empty: by the agent's name */
};

/* NULL: there is no such thing.  A type, a length or a figure, which no document holds,
 * is valid until the next call; strings may be without a NUL at their end. */
yyjson_val *cue_at(const struct cue *cue, struct text path);

/* A show writes "signal." before a path.  Cuts that off; false when it is not there,
 * and the path stays. */
bool cue_path(struct text *path);

#endif
