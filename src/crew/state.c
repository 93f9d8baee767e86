/* state.c - the table of states. */
#include "crew/state.h"

#include <assert.h>

/* A letter for each state, in the order of the enum. */
static const char letters[CREW_STATES + 1] = "itaoxwdfg";

/* What each moment makes of each state.  A session that is over comes back only by what a living
 * one does: work, words, a call, a question.  A late report of something that ended does not
 * wake it.
 *
 *	none, began, told, busy, said, called, returned, asked, answered, held, over, failed,
 *	ended, vanished
 */
static const char table[CREW_STATES][MOMENTS + 1] = {
	[CREW_IDLE] = "iittaoixiwifdg",      [CREW_THINKING] = "tittaotxtwifdg",
	[CREW_ANSWERING] = "aitaaotxawifdg", [CREW_TOOL] = "oitoaotxowifdg",
	[CREW_ASKS] = "xittaotxtwifdg",      [CREW_WAITS] = "wittaotxtwifdg",
	[CREW_FINISHED] = "ditdaodxdddfdd",  [CREW_FAILED] = "fittaofxfwffff",
	[CREW_GONE] = "gittaogxgggfdg",
};

static const struct {
	const char *name;
	enum crew_group group;
} states[CREW_STATES] = {
	[CREW_IDLE] = {"idle", GROUP_IDLE},           [CREW_THINKING] = {"thinking", GROUP_WORK},
	[CREW_ANSWERING] = {"answering", GROUP_WORK}, [CREW_TOOL] = {"tool", GROUP_WORK},
	[CREW_ASKS] = {"asks", GROUP_WAITS},          [CREW_WAITS] = {"waits", GROUP_WORK},
	[CREW_FINISHED] = {"finished", GROUP_OVER},   [CREW_FAILED] = {"failed", GROUP_FAILED},
	[CREW_GONE] = {"gone", GROUP_FAILED},
};

enum crew_state state_after(enum crew_state state, enum crew_moment moment)
{
	assert(state < CREW_STATES && moment < MOMENTS);
	return (enum crew_state)(strchr(letters, table[state][moment]) - letters);
}

bool state_is_work(enum crew_state state)
{
	return state == CREW_THINKING || state == CREW_ANSWERING || state == CREW_TOOL;
}

bool state_is_over(enum crew_state state)
{
	return state == CREW_FINISHED || state == CREW_GONE;
}

const char *state_name(enum crew_state state)
{
	return states[state].name;
}

bool state_of_name(struct text name, enum crew_state *out)
{
	for (unsigned i = 0; i < CREW_STATES; i++)
		if (text_is(name, states[i].name)) {
			*out = (enum crew_state)i;
			return true;
		}
	return false;
}

enum crew_group state_group(enum crew_state state)
{
	return states[state].group;
}

const char *state_group_name(enum crew_group group)
{
	static const char *const names[GROUPS] = {"waits", "failed", "work", "idle", "over"};

	return names[group];
}
