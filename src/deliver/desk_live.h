/* desk_live.h - messages that are edited while a request is answered: drafts and status. */
#ifndef DELIVER_DESK_LIVE_H
#define DELIVER_DESK_LIVE_H

#include "deliver/desk_inside.h"

bool desk_live(void *self, const struct draft_step *step); /* of a nexus, for its reply */
void desk_live_drop(void *self);
bool desk_stream(void *self, enum reply_flow act, struct text text); /* likewise */
int64_t desk_live_ready(void *self);
/* The draft is x->letter from now on, with its last text.  False: there is none. */
bool desk_live_finish(struct nexus *x, const char *kind, uint64_t number,
                      const struct payload *payload);
void desk_look_at_live(struct nexus *x);                  /* what became of it? */
bool desk_end_draft(struct nexus *x, struct text notice); /* of the last life, if there is one */
void desk_keep_draft(struct nexus *x); /* of the last life, for the next answer; or none */
void desk_drop_stale(struct desk *d);  /* all others of it */

#endif
