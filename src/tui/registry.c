/* registry.c - every view, and every table of actions. */
#include "tui/inside.h"

const struct view *const views[] = {
	&view_crew,       &view_live,    &view_log,     &view_prompt, &view_inspect,
	&view_transcript, &view_sources, &view_signals, &view_page,   NULL,
};

const struct action *const actions[] = {
	actions_main,
	actions_more,
	NULL,
};
