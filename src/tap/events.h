/* events.h - the hooks of Claude Code that we listen to. */
#ifndef TAP_EVENTS_H
#define TAP_EVENTS_H

#include <stdbool.h>

struct tap_event {
	const char *name;
	bool by_command; /* an http hook is not allowed for it */
	bool decides;    /* it may wait for a person */
};

/* Ended by a row without a name. */
extern const struct tap_event tap_events[];

#endif
