/* conn.h - one connected socket: bytes in, bytes out, and an end.
 *
 * A connection belongs to one user at a time; its life is a chain of users that
 * hand it on (http takes it first, a hub client may take it from http).  Bytes
 * are received into one buffer that all connections share, so a connection that
 * waits holds no memory but itself.
 *
 * Ownership: the loop's.  conn_close() is safe anywhere, even inside heard();
 * after it the user hears nothing more (not even gone), and the memory is freed
 * at the end of the turn.
 */
#ifndef NET_CONN_H
#define NET_CONN_H

#include <sys/types.h>
#include <uv.h>

#include "base/text.h"
#include "net/loop.h"
#include "net/peer.h"

struct conn;
struct seat;
struct tls;

/* Why what a peer has not finished saying is not waited for (inputs.h). */
enum conn_fault {
	CONN_LATE,    /* it took too long */
	CONN_CROWDED, /* with that of the others it was too much */
};

struct conn_user {
	/* n >= 1 bytes came.  They may be changed in place and are gone after. */
	void (*heard)(struct conn *conn, char *bytes, size_t n);

	/* A send was short before; now there is room. */
	void (*writable)(struct conn *conn);

	/* The peer went away, or a send failed.  Called once, never from inside
	 * conn_send; the connection is freed after it. */
	void (*gone)(struct conn *conn, const char *why);

	/* conn_deadline() passed.  NULL: the connection is closed. */
	void (*late)(struct conn *conn);

	/* Of somebody who calls input_hold(): let go of what is held.  NULL: the
	 * connection fails. */
	void (*cut)(struct conn *conn, enum conn_fault why);

	/* After conn_again(), when its turn has come. */
	void (*again)(struct conn *conn);
};

struct conn {
	uv_poll_t poll;
	const struct conn_user *user;
	void *self; /* the user's own */
	struct loop *loop;
	struct seat *seat;                /* of one that was accepted */
	union {                           /* a connection is in one of three states: */
		struct deadline deadline; /* well, */
		struct later failed;      /* broken, */
		struct grave grave;       /* or closed */
	};
	struct tls *tls; /* NULL: bytes go as they are */
	int fd;
	uint16_t input_max;   /* KiB taken at once: LOOP_INPUT, or what its user sets */
	uint8_t events;       /* what libuv watches for */
	bool wants_write : 1; /* a send was short: writable() will come */
	bool hushed : 1;      /* conn_hush: nothing is read */
	bool broken : 1;      /* it failed: gone() comes at the end of the turn */
	bool closing : 1;
	uint8_t shrink : 3; /* what is taken at once is halved so often, for want of time */
};

/* Takes fd, which is non-blocking. */
struct conn *conn_create(struct loop *loop, int fd, const struct conn_user *user, void *self);
void conn_close(struct conn *conn); /* NULL is fine */

/* Takes tls: from now on bytes go through it.  Until its handshake is over a send
 * takes nothing, and writable() comes after. */
void conn_secure(struct conn *conn, struct tls *tls);

/* Hands the connection to another user; bytes that came but were not for the
 * old one are given to the new one's heard() by whoever hands it on. */
void conn_hand(struct conn *conn, const struct conn_user *user, void *self);

/* How many of the n bytes went out: all, some, or none.  Less than all arms
 * writable().  After a failure it answers n and gone() comes. */
size_t conn_send(struct conn *conn, const void *bytes, size_t n);

void conn_hush(struct conn *conn, bool hush);             /* stop or go on reading */
void conn_deadline(struct conn *conn, unsigned after_ms); /* 0: none */
bool conn_again(struct conn *conn);      /* there is more to do; false: nobody will call again() */
void conn_half_close(struct conn *conn); /* shutdown(SHUT_WR) */
void conn_fail(struct conn *conn);       /* as if a send had failed: gone() will come */

/* Who is at the other end, asked of the kernel when asked here; of one that was accepted,
 * who it was when it came. */
bool conn_peer(const struct conn *conn, struct peer *peer);
/* It has shown a credential: it is none of the unknown (seats.h). */
void conn_vouch(struct conn *conn);
/* Whose it is, for listen_end_owned().  Of one that was accepted only. */
void conn_own(struct conn *conn, uint64_t owner);
/* The address of this machine that it came to, as a Host names it: "192.0.2.7:7446". */
#define CONN_HERE_MAX 64
bool conn_here(const struct conn *conn, char out[CONN_HERE_MAX]);

#endif
