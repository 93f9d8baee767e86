/* slices.h - how long one peer may keep the others waiting.
 *
 * What a peer sends may be dear to hear, however little it is.  So its share of a turn is a
 * time: one that used up most of its slice, and one of the unknown (seats.h), is heard at the
 * end of the turn, after all who say little.  There our own programs have a slice together,
 * which is longer than that of others, then the known and the unknown one; of each of the three
 * at least one is heard, and whoever is left over comes first in the next turn, which
 * begins at once.
 */
#ifndef NET_SLICES_H
#define NET_SLICES_H

#include "base/list.h"
#include "net/loop.h"

struct conn;

enum { SLICES_OWN, SLICES_KNOWN, SLICES_UNKNOWN, SLICES_KINDS };

struct slices {
	struct loop *loop;
	struct link ready[SLICES_KINDS]; /* seat.in_ready; who waits longest first */
	struct later serve;
};

void slices_init(struct slices *slices, struct loop *loop);
void slices_finish(struct slices *slices); /* after everybody has left */

/* Has it to wait for its turn?  Then conn_serve() will be called. */
bool slices_defer(struct conn *conn);
void slices_queue(struct conn *conn); /* it has, whoever it is */

#endif
