/* halves.h - characters that a back end cut in two between one event and the next.
 *
 * Servers that count in UTF-16 send \ud83d at the end of one delta and \ude00 at the
 * beginning of the next; those that count in bytes cut UTF-8 in the same way.  The first
 * part is taken out of its event and put in front of the second, so that every event
 * is JSON of whole characters.
 */
#ifndef PARSE_HALVES_H
#define PARSE_HALVES_H

#include "base/buf.h"
#include "base/text.h"

#define HALVES_MAX 8      /* held at the same time; the oldest gives way */
#define HALVES_KEY_MAX 24 /* of a member's name */

struct half {
	char key[HALVES_KEY_MAX]; /* of the member it was the end of; "": none */
	uint64_t index;           /* of the choice or block, as the event has it */
	char bytes[6];            /* an escape, or the first bytes of a character */
	size_t len;
};

/* Zeroed memory holds nothing; out is to be made with buf_init(). */
struct halves {
	struct half held[HALVES_MAX];
	unsigned count; /* ever held */
	struct buf out; /* the event that was made */
};

/* The event, made whole; itself, when nothing of it is torn.  What is given is valid
 * until the next call. */
struct text halves_join(struct halves *halves, struct text event);

#endif
