/* state.h - the one state of a session, and what makes another of it; pure.
 *
 * The table in state.c is all there is: every screen and every route shows what it says.  What a
 * signal means for it, its moment, is read in moment.h; tools that are open and questions that
 * wait are kept in standing.h.
 */
#ifndef CREW_STATE_H
#define CREW_STATE_H

#include <stdbool.h>

#include "base/text.h"

enum crew_state {
	CREW_IDLE,      /* its turn is over, or it was not asked anything yet */
	CREW_THINKING,  /* at work; nothing more is known */
	CREW_ANSWERING, /* it writes */
	CREW_TOOL,      /* a tool is at work for it */
	CREW_ASKS,      /* it waits for a person */
	CREW_WAITS,     /* for another agent, or for a limit to end */
	CREW_FINISHED,  /* the session is over */
	CREW_FAILED,    /* its turn, or all of it */
	CREW_GONE,      /* its process or connection ended without a word */
	CREW_STATES
};

enum crew_moment {
	MOMENT_NONE,     /* the state stays as it is */
	MOMENT_BEGAN,    /* the session is there; nobody has asked anything */
	MOMENT_TOLD,     /* it was given work */
	MOMENT_BUSY,     /* it is said to be at work, or it thinks */
	MOMENT_SAID,     /* a piece of an answer */
	MOMENT_CALLED,   /* it called a tool */
	MOMENT_RETURNED, /* a tool is done */
	MOMENT_ASKED,    /* a person is asked */
	MOMENT_ANSWERED, /* that question is over */
	MOMENT_HELD,     /* it waits for something else */
	MOMENT_OVER,     /* its turn is over */
	MOMENT_FAILED,   /* and went wrong */
	MOMENT_ENDED,    /* it says good-bye */
	MOMENT_VANISHED, /* it is gone */
	MOMENTS
};

enum crew_state state_after(enum crew_state state, enum crew_moment moment);

bool state_is_work(enum crew_state state); /* thinking, answering, a tool */
bool state_is_over(enum crew_state state); /* nothing more is expected of it */
const char *state_name(enum crew_state state);
bool state_of_name(struct text name, enum crew_state *out);

/* Where a list of sessions has it, in the order of a person's interest. */
enum crew_group { GROUP_WAITS, GROUP_FAILED, GROUP_WORK, GROUP_IDLE, GROUP_OVER, GROUPS };
enum crew_group state_group(enum crew_state state);
const char *state_group_name(enum crew_group group);

#endif
