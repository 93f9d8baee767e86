/* figure.h - by which name somebody is known on the stage; inside this room.
 *
 * An agent's own name says who it is where there is one of it.  Of a program that people run
 * many times at once, each session is somebody: a signal of one is of the figure `@SESSION`.  A
 * subagent is `NAME#PART@SESSION`, each invocation one of its own.
 */
#ifndef SIGNAL_FIGURE_H
#define SIGNAL_FIGURE_H

#include "signal/cue.h"

/* One of the paths that begin with "figure"; false: it is none of them, but one of the
 * payload.  *found is NULL where the signal has no such thing. */
bool figure_at(const struct cue *cue, struct text path, yyjson_val **found);

#endif
