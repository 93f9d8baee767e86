/* seats.h - who may have a connection when there are not enough for all.
 *
 * A connection has one of a number of places, by who is at its other end:
 *
 *   unix     at the Unix socket: an eighth of the places is for nobody else
 *   own      a loopback peer of our own uid: a second eighth is for these two
 *   known    whoever else showed a credential
 *   unknown  the others, until they do: a quarter of the places for all of them
 *
 * So a machine full of strangers still answers its owner.  When the unknown are too many,
 * or one of the others finds no place, the oldest of that party of the unknown goes which
 * has the most: a party is a user of this machine, or an address of another (of IPv6 the
 * first half).  Who finds no place at all is turned away.  Both are counted and logged, at
 * most once a second.
 */
#ifndef NET_SEATS_H
#define NET_SEATS_H

#include "base/list.h"
#include "base/map.h"
#include "base/pool.h"
#include "net/inputs.h"
#include "net/loop.h"
#include "net/peer.h"
#include "net/place.h"
#include "net/slices.h"

struct conn;
struct listen;
struct seats;

struct party {
	unsigned count;
	size_t held;       /* bytes of unfinished inputs */
	struct link seats; /* seat.in_party */
	char name[PEER_NAME_MAX];
};

/* Of each connection that was accepted. */
struct seat {
	struct seats *seats;
	struct listen *listen;
	struct conn *conn;
	struct link in_listen; /* listen.seats */
	struct link in_party;  /* party.seats, of the unknown; the oldest first */
	struct link in_ready;  /* slices.ready */
	struct party *party;
	struct input *input; /* what it has not finished saying; or NULL */
	struct peer peer;    /* when it came */
	uint8_t place;       /* enum place */
	bool is_greedy;      /* it used up most of its slice when it was heard last */
	bool wants_again;    /* conn_again() */
	uint64_t owner;      /* conn_own(); 0: nobody in particular */
};
_Static_assert(sizeof(struct seat) <= 128, "a seat fits its place in the pool");

struct seats {
	struct loop *loop;
	uid_t own; /* asked for once, not for each that comes */
	unsigned max, counts[PLACE_KINDS];
	struct map parties; /* by name */
	struct pool pool;
	struct peer_line line;
	struct inputs inputs; /* of all of them */
	struct slices slices;
	struct deadline tell;          /* of what was not logged yet */
	unsigned untold[2];            /* evicted, turned away */
	char worst[PEER_NAME_MAX];     /* the party that lost a place last */
	uint64_t evicted, turned_away; /* ever */
};

void seats_init(struct seats *seats, struct loop *loop, unsigned max);
void seats_finish(struct seats *seats); /* after everybody has left */
unsigned seats_taken(const struct seats *seats);

/* Somebody was accepted at fd: finds out who, and makes room.  False: there is none. */
bool seats_meet(struct seats *seats, int fd, struct peer *peer);
bool seats_admit(struct seats *seats, const struct peer *peer); /* it is known who */

/* Gives conn its place, after seats_meet(); and takes it back. */
struct seat *seats_give(struct seats *seats, struct conn *conn, const struct peer *peer);
void seats_leave(struct seat *seat); /* NULL is fine */

/* It has shown who it is. */
void seats_vouch(struct seat *seat); /* NULL is fine */

#endif
