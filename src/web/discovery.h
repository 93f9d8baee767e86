/* discovery.h - what is found on this machine, from a room that web may not know. */
#ifndef WEB_DISCOVERY_H
#define WEB_DISCOVERY_H

#include "base/text.h"

typedef void web_found_fn(void *of, struct text json);

struct web_discovery {
	void *self;
	/* What is found on this machine: found() is called once, later, unless it is
	 * forgotten before.  rescan: the list of sources follows. */
	void *(*ask)(void *self, bool rescan, web_found_fn *found, void *of);
	void (*forget)(void *self, void *ask);
	char *(*openclaw_token)(void *self); /* NULL: there is none; the caller frees it */
};

#endif
