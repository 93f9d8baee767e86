/* inputs.h - what connections hold of heads, bodies and messages that are not whole yet, all
 * of it together, and how long each of them may take.
 *
 * There is a ceiling for all bytes, shared as places are (seats.h): an eighth is the Unix
 * socket's, a second eighth is for it and our own uid, and the unknown have a quarter.  When
 * a share is used up, somebody of that share is cut off: one of the unknown before one who
 * showed a credential, and that before one of ours.  Of the unknown it is the largest of the
 * party that holds the most, of the others the largest of all, and of two the older.  It is
 * counted, and logged at most once a second.
 *
 * The time of an input goes by only while its connection is read (conn_hush).
 */
#ifndef NET_INPUTS_H
#define NET_INPUTS_H

#include "base/list.h"
#include "base/pool.h"
#include "net/loop.h"
#include "net/peer.h"
#include "net/place.h"

struct conn;
struct input;
struct seat;

struct inputs {
	struct loop *loop;
	size_t max, held[PLACE_KINDS];
	struct link lists[PLACE_KINDS]; /* input.in_list; the oldest first */
	struct pool pool;
	struct deadline tell;      /* of what was not logged yet */
	unsigned untold;           /* cut off */
	char worst[PEER_NAME_MAX]; /* who was, last */
	uint64_t crowded, late;    /* cut off, ever */
};

void inputs_init(struct inputs *inputs, struct loop *loop);
void inputs_finish(struct inputs *inputs);              /* after everybody has left */
void inputs_set_max(struct inputs *inputs, size_t max); /* 0, as at first: no ceiling */

/* The connection's user holds so many bytes of something that is not whole; all of it has
 * ms from the first such call on, 0: as long as it takes.  The user's cut() may be called
 * before this returns, and so may another's. */
void input_hold(struct conn *conn, size_t bytes, unsigned ms);
/* It is whole, or given up: the next call is about another. */
void input_end(struct conn *conn);

/* ---- for conn.c and seats.c ---- */

void input_pause(struct seat *seat, bool pause); /* it is not read now */
void input_forget(struct seat *seat);
void input_vouch(struct seat *seat); /* its place is another now */

#endif
