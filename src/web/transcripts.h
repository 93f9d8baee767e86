/* transcripts.h - what is told of agents' transcripts, as this room sees it. */
#ifndef WEB_TRANSCRIPTS_H
#define WEB_TRANSCRIPTS_H

#include "base/error.h"

struct web_transcripts {
	void *self;
	const char *(*mode)(void *self); /* "off", "facts", "text" */
	/* Durably.  False: it cannot be kept. */
	bool (*set)(void *self, bool is_text, struct error *why);
};

#endif
