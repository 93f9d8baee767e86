/* echoes.h - two programs that answer each other without end; pure.
 *
 * In each chat the answers to one sender are counted.  A pause ends the count, and so does a
 * person that is sure to be one: an owner, or for people that nobody knows somebody who is known.
 * Beyond the most that a person asks in one go, that sender is not answered any more.
 */
#ifndef DELIVER_ECHOES_H
#define DELIVER_ECHOES_H

#include "base/list.h"
#include "base/text.h"

#define ECHOES_ANSWERS_MAX 50
#define ECHOES_PAUSE_MS (10 * 60 * INT64_C(1000))
#define ECHOES_KNOWN_PAUSE_MS INT64_C(60000) /* who is known may ask for hours */
#define ECHOES_MAX 1000                      /* senders; then the oldest is forgotten */

struct echoes {
	struct link all; /* the one that wrote last is the last */
	size_t count;
};

enum echo_who { ECHO_UNKNOWN, ECHO_KNOWN, ECHO_OWNER };

/* Who wants an answer, and where. */
struct echo_turn {
	struct text chat, sender;
	enum echo_who who;
};

void echoes_init(struct echoes *e);
void echoes_finish(struct echoes *e);

enum echo_step {
	ECHO_ANSWER, /* which counts */
	ECHO_TELL,   /* that this was the last: a person should know why nobody answers */
	ECHO_SILENCE,
};

enum echo_step echoes_step(struct echoes *e, const struct echo_turn *turn, int64_t now_ms);

#endif
