/* whose.h - whose doing a signal is: which session, by what signals said before.
 *
 * A run that says that it is a session (signal/session.h) is known by it from then on; runs of
 * one conversation are one session, and have the id of the first, as the crew gives it.  Where
 * subagents have names instead of ids, the first who is named is the session itself.
 */
#ifndef PLAY_WHOSE_H
#define PLAY_WHOSE_H

#include "play/episodes.h"
#include "signal/cue.h"

#define WHOSE_MAX 2048 /* runs, and sessions; the one that is longest unused is forgotten */

struct whose {
	struct episodes runs;     /* by run: its session, and the source that began it */
	struct episodes keys;     /* by conversation: its session */
	struct episodes sessions; /* by id: who it is, and its conversation */
};

void whose_init(struct whose *w);
void whose_finish(struct whose *w);

/* Hears of it, and fills in the session and the part of the cue, whose texts are valid until
 * the next call.  metadata: NULL where there is none. */
void whose_cast(struct whose *w, struct cue *cue, yyjson_val *metadata);
/* Is it one of those that must be heard although nothing is played for them? */
bool whose_wants(struct text type);

#endif
