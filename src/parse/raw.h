/* raw.h - the state of plain lines, for raw.c and lines.c alone. */
#ifndef PARSE_RAW_H
#define PARSE_RAW_H

#include "base/buf.h"

struct raw {
	struct buf shown; /* a line as a reader of the terminal saw it at last */
	struct buf said;  /* with the empty lines before it */
	unsigned blanks;  /* empty lines since the last words */
	bool has_spoken;
};

#endif
