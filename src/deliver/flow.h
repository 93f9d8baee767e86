/* flow.h - a message that is shown as it is written, where what is shown stays; pure.
 *
 * Nothing of it can be taken back.  So it grows by whole words, and a word that is for the box
 * alone waits for what follows it.  A message ends behind a paragraph when it is nearly full, or
 * behind the last word that it has room for; another one goes on.  Code that is open there is
 * closed, and opened again.
 */
#ifndef DELIVER_FLOW_H
#define DELIVER_FLOW_H

#include "base/buf.h"
#include "deliver/chunk.h"
#include "deliver/fence.h"

struct flow {
	struct chunk_limit limit; /* of a message; lines are not looked at */
	size_t at;                /* where the message begins in the text of the turn */
	size_t shown;             /* bytes of it that are shown */
	bool is_full;             /* it ends there */
	struct fence open;        /* that it begins in, and the line that opens it again */
	struct buf head;
};

void flow_init(struct flow *f, const struct chunk_limit *limit);
void flow_finish(struct flow *f);

/* All of the turn so far; is_last: nothing follows. */
void flow_show(struct flow *f, struct text turn, bool is_last);

/* The message as far as it is shown; a full one is whole. */
void flow_put(const struct flow *f, struct text turn, struct buf *out);

/* It is over: the next one begins behind it. */
void flow_next(struct flow *f, struct text turn);

#endif
