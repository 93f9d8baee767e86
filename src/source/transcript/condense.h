/* condense.h - a line of JSON of any length, as one that is short enough to be read; pure.
 *
 * It comes in pieces, cut anywhere.  Long strings lose their ends, and once there is much of the
 * line, what stands deep in it loses nearly all: strings all but their first character, lists and
 * objects what is in them.  What was JSON is JSON.  So a file that a tool returned, or a picture,
 * costs a look at each byte and no memory, and what a line is about is still there.
 */
#ifndef SOURCE_CONDENSE_H
#define SOURCE_CONDENSE_H

#include "base/buf.h"

#define CONDENSE_DEEP 4 /* a member of a block of the content of a message */

/* In bytes. */
struct condense_limits {
	size_t most;   /* that may be left of a line */
	size_t much;   /* from here on depth matters */
	size_t string; /* of a string; a line that is no longer is left as it is */
	size_t then;   /* of a string when there is much */
};

struct condense {
	const struct condense_limits *limits;
	struct buf out;
	uint64_t dropped; /* bytes */
	unsigned depth;
	unsigned empty;     /* the depth of the list or object that is emptied; 0: none is */
	size_t string, max; /* bytes of the string that were kept, and may be */
	unsigned hex;       /* digits that are still to come of a \u */
	bool is_in_string, is_cut;
	bool is_escaped; /* the next byte is */
	bool was_unit;   /* the last character was a \u, and may be half of a pair */
	bool is_bad;     /* too much is left of it */
};

void condense_init(struct condense *c, const struct condense_limits *limits); /* theirs */
void condense_finish(struct condense *c); /* frees; it is empty and usable after */
void condense_clear(struct condense *c);  /* another line begins */

void condense_add(struct condense *c, struct text piece);

/* Of a whole line, that the same line always has. */
uint64_t condense_hash(const struct condense *c);

#endif
