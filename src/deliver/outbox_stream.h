/* outbox_stream.h - a letter of the kind stream, which grows while it is sent. */
#ifndef DELIVER_OUTBOX_STREAM_H
#define DELIVER_OUTBOX_STREAM_H

#include "deliver/outbox.h"

/* Its text so far.  False: it should be finished, because another one has to leave. */
bool outbox_say(struct outbox *o, struct text id, struct text text, int64_t now_ms);
void outbox_break(struct outbox *o, struct text id); /* its agent did not finish it */

#endif
