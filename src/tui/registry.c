/* registry.c - every view, and every table of actions. */
#include "tui/inside.h"

const struct view *const views[] = {
	&view_live,
	&view_log,
	NULL,
};

const struct action *const actions[] = {
	actions_main,
	NULL,
};
