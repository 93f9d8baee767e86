/* events.c - the table of events.
 *
 * WorktreeCreate is not here, and must not be: a hook of it does not watch, it
 * makes the worktree, and what it prints is the path.  One that prints nothing
 * breaks every worktree.
 */
#include "tap/events.h"

#include <stddef.h>

const struct tap_event tap_events[] = {
	{"SessionStart", true},
	{"SessionEnd", false},
	{"Setup", true},
	{"UserPromptSubmit", false},
	{"UserPromptExpansion", false},
	{"PreToolUse", false, true},
	{"PermissionRequest", false, true},
	{"PermissionDenied", false},
	{"PostToolUse", false},
	{"PostToolUseFailure", false},
	{"PostToolBatch", false},
	{"MessageDisplay", false},
	{"Notification", false},
	{"Stop", false},
	{"StopFailure", false},
	{"SubagentStart", false},
	{"SubagentStop", false},
	{"PreCompact", false},
	{"PostCompact", false},
	{"PreModelSwitch", false},
	{"PostModelSwitch", false},
	{"TeammateIdle", false},
	{"TaskCreated", false},
	{"TaskCompleted", false},
	{"Elicitation", false},
	{"ElicitationResult", false},
	{"ConfigChange", false},
	{"InstructionsLoaded", false},
	{"CwdChanged", false},
	{"FileChanged", false},
	{"DirectoryAdded", false},
	{"WorktreeRemove", false},
	{0},
};
