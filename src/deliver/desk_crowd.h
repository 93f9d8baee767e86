/* desk_crowd.h - so that one person, or one chat, does not take the places of all others.
 *
 * A message beyond these ceilings is taken, because what follows it may be somebody else's, but
 * its agent is not asked: its writer is told once.
 */
#ifndef DELIVER_DESK_CROWD_H
#define DELIVER_DESK_CROWD_H

#include "deliver/desk_inside.h"

#define DESK_SENDER_MAX 100 /* requests of one person that are open: more than anybody reads */
#define DESK_CHAT_MAX 300   /* of people in one chat whom nobody knows */
#define DESK_ROOM 2000      /* of DESK_LIVE_MAX: of twenty people who are known, all theirs */
#define DESK_TOLD_MS 600000 /* before somebody is told again */
#define DESK_TOLD_MAX 1000  /* who were; then all are forgotten */
#define DESK_CROWD_SEATS 16384

/* How many requests are open of those whose senders, or chats, fall together.  Where that is
 * many, custody is asked whose they are. */
struct desk_crowd {
	uint64_t seed;
	uint16_t seats[DESK_CROWD_SEATS];
	struct map told; /* struct desk_rate by account and sender */
};

struct desk_crowd *desk_crowd_create(void);
void desk_crowd_destroy(struct desk_crowd *c);

/* A request is open from now on, or over. */
void desk_crowd_join(const struct nexus *x);
void desk_crowd_leave(const struct nexus *x);

/* Can another message be taken?  Who sent it with a credential is told at once if not, and leaves
 * the last places to others. */
bool desk_has_room(const struct desk *d, bool is_owner);
/* Why it is one too many of its sender, its chat or all; NULL: it is not.  Before it joins. */
const char *desk_crowd_excess(const struct nexus *x);
/* Who wrote it has to be told of that, and is. */
bool desk_crowd_tells(const struct nexus *x, int64_t now_ms);

#endif
