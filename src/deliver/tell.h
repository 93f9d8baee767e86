/* tell.h - what the box itself says of chats, as signals of SOURCE_OF_BOX. */
#ifndef DELIVER_TELL_H
#define DELIVER_TELL_H

#include "base/buf.h"

struct bus;

#define DELIVER_SIGNAL_MAX (4 * MIB)

/* Members of a payload are added to what it gives; then it is told, durably, and freed. */
void deliver_begin(struct buf *out, const char *type);
bool deliver_tell(struct bus *bus, struct buf *out); /* false: the bus did not take it */

#endif
