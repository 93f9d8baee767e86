/* ears.h - who hears what people say in voice notes, for the desk. */
#ifndef DELIVER_EARS_H
#define DELIVER_EARS_H

#include "base/error.h"
#include "base/text.h"

struct voice_note {
	uint64_t number; /* what it is called in desk_take_heard() */
	const char *path;
	struct text type; /* as a stranger says */
};

struct ears {
	void *self;
	/* desk_take_heard() follows, and not from inside; false: why.  NULL: nobody hears. */
	bool (*hear)(void *self, const struct voice_note *note, struct error *why);
	void (*forget)(void *self, uint64_t number); /* nobody wants to know any more */
};

#endif
