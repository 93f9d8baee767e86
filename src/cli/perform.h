/* perform.h - a show played to a recording, as quickly as it can be. */
#ifndef CLI_PERFORM_H
#define CLI_PERFORM_H

#include <stdio.h>

#include "stage/show.h"

struct perform {
	const struct show *show;
	const char *signals; /* a file of envelopes, one a line; "-": standard input */
	FILE *out;           /* commands, one a line */
	const char *stage;   /* a file for how the stage looks at the end, or NULL */
	double frame_ms;     /* 0: no frames */
};

bool perform(const struct perform *how, struct error *why);

/* Can it be played at all?  What the reading of a show does not find. */
bool perform_check(const struct show *show, struct error *why);

#endif
