/* events.c - the table of events.
 *
 * The first version of each was found by looking into the published packages one by one,
 * and tests/peers tries the table with the programs.
 *
 * Two are not here.  WorktreeCreate must not be: a hook of it does not watch, it makes
 * the worktree, and what it prints is the path; one that prints nothing breaks every
 * worktree.  PostToolBatch says again what the tools' own hooks said.
 *
 * Not waited for are those that come often.  The others are rare, or come where Claude
 * Code may end before a process that it did not wait for has told us.
 */
#include "tap/events.h"

#include <stddef.h>

const struct version tap_oldest_supposed = {2, 0, 77};

const struct tap_event tap_events[] = {
	{"SessionStart", {1, 0, 62}},
	{"SessionEnd", {1, 0, 85}},
	{"Setup", {2, 1, 10}},
	{"UserPromptSubmit", {1, 0, 53}},
	{"UserPromptExpansion", {2, 1, 121}},
	{"PreToolUse", {1, 0, 38}, .is_async = true, .decides = true},
	{"PermissionRequest", {2, 0, 45}, .decides = true},
	{"PermissionDenied", {2, 1, 88}},
	{"PostToolUse", {1, 0, 38}, .is_async = true},
	{"PostToolUseFailure", {2, 0, 56}, .is_async = true},
	{"MessageDisplay", {2, 1, 152}, .is_async = true},
	{"Notification", {1, 0, 38}, .is_async = true},
	{"Stop", {1, 0, 38}},
	{"StopFailure", {2, 1, 78}},
	{"SubagentStart", {2, 0, 44}},
	{"SubagentStop", {1, 0, 41}},
	{"PreCompact", {1, 0, 48}},
	{"PostCompact", {2, 1, 76}},
	{"PreModelSwitch", {2, 1, 251}},
	{"PostModelSwitch", {2, 1, 251}},
	{"TeammateIdle", {2, 1, 33}},
	{"TaskCreated", {2, 1, 84}},
	{"TaskCompleted", {2, 1, 33}},
	{"Elicitation", {2, 1, 63}},
	{"ElicitationResult", {2, 1, 63}},
	{"ConfigChange", {2, 1, 48}},
	{"InstructionsLoaded", {2, 1, 69}, .is_async = true},
	{"CwdChanged", {2, 1, 83}, .is_async = true},
	{"FileChanged", {2, 1, 83}, .is_async = true},
	{"DirectoryAdded", {2, 1, 219}, .is_async = true},
	{"WorktreeRemove", {2, 1, 50}},
	{0},
};

const struct tap_event *tap_event_find(struct text name)
{
	for (const struct tap_event *e = tap_events; e->name; e++)
		if (text_is(name, e->name))
			return e;
	return NULL;
}
