/* came.h - what a gateway behind the box sent: clients of its protocol get the frame as it came.
 *
 * The parser keeps of a frame what its signal does not say (metadata.origin); the text so far is
 * put back here.  Numbers are ours, and members that the protocol does not know stay away.
 * Clients of the other protocol are told of the signal as of any other.
 */
#ifndef GATEWAY_CAME_H
#define GATEWAY_CAME_H

#include "gateway/telling.h"

void came_find(struct telling *t); /* the frame of its signal, if it came as one */

/* Is an event `agent` that is told now the frame itself?  A run's beginning has one of its own. */
bool came_is_due(const struct telling *t);
bool came_begins(const struct telling *t); /* the frame says that the run does */

/* The members of its payload behind those that all have; data: what the signal says. */
void came_put_agent(struct buf *out, const struct telling *t, struct text data);
void came_tell(struct telling *t); /* a frame that no other signal stands for */

#endif
