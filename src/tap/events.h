/* events.h - the hooks of Claude Code that we listen to, and which version has which.
 *
 * Up to 2.1.97 one event that it does not know makes Claude Code pass over the whole
 * settings file: deny rules and everybody's hooks stop working, and nothing is said.  Later
 * ones complain about each.  So no file gets an event that its reader does not know.
 */
#ifndef TAP_EVENTS_H
#define TAP_EVENTS_H

#include <stdbool.h>

#include "tap/version.h"

struct tap_event {
	const char *name;
	struct version since;
	bool is_async; /* it is not waited for, and what it prints decides nothing */
	bool decides;  /* it may wait for a person */
};

/* Ended by a row without a name. */
extern const struct tap_event tap_events[];

/* What is taken for the version where none can be found. */
extern const struct version tap_oldest_supposed;

static inline bool tap_event_is_known(const struct tap_event *event, struct version version)
{
	return version_compare(event->since, version) <= 0;
}

const struct tap_event *tap_event_find(struct text name); /* NULL: none of ours */

#endif
