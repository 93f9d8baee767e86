/* follow.h - who follows what is said in sessions, and is told of each message when it is whole.
 *
 * A client follows one session, or all of them by following the list of sessions.  What its
 * followers alone get has no number.
 */
#ifndef GATEWAY_FOLLOW_H
#define GATEWAY_FOLLOW_H

#include "base/text.h"

struct gateway;
struct gateway_follow;
struct gateway_follows;
struct gateway_view;
struct run;
struct signal;

struct gateway_follows *gateway_follows_create(void);
void gateway_follows_destroy(struct gateway_follows *follows);

void gateway_follow_list(struct gateway_view *view); /* all of them */
void gateway_follow_leave(struct gateway_view *view);
/* By sessions.messages.subscribe: of a client that wants these alone, what it is told of. */
bool gateway_follow_has(const struct gateway_view *view, struct text key);

/* A run has this signal. */
void gateway_follow_hear(struct gateway *g, const struct run *run, const struct signal *s);
void gateway_follow_tell(struct gateway *g); /* what was heard since */

/* A frame for those who follow a session, or the list alone (an empty key).  may_drop: for who
 * is slow. */
void gateway_follow_say(struct gateway *g, struct text key, struct text frame, bool may_drop);
bool gateway_follow_is_any(const struct gateway *g);

#endif
