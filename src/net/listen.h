/* listen.h - a listening socket and the connections it accepted.
 *
 * Addresses: "127.0.0.1:7446", "[::1]:7446", "localhost:7446" (127.0.0.1, and that
 * alone), port 0 for any, and "unix:/path" (made 0600; a stale one is replaced, a
 * live one is an error).  When descriptors run out a reserve is used to accept and turn away,
 * so that nobody hangs in the backlog.
 */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include "base/error.h"
#include "base/text.h"
#include "net/loop.h"

struct conn;
struct listen;

struct listen_options {
	const char *address;
	unsigned conns_max; /* over all listeners of the same counter */
	unsigned *conns;    /* how many there are now; shared by listeners */
	void (*accepted)(void *self, struct listen *listen, int fd); /* takes fd */
	void *self;
};

struct listen *listen_create(struct loop *loop, const struct listen_options *o, struct error *why);
void listen_stop(struct listen *listen);    /* accept no more */
void listen_destroy(struct listen *listen); /* NULL is fine */

/* Counts conn as one of this listener's until it is closed: for accepted(). */
void listen_keep(struct listen *listen, struct conn *conn);

/* "127.0.0.1:7446" with the real port, or "unix:/path". */
const char *listen_address(const struct listen *listen);
bool listen_is_unix(const struct listen *listen);
unsigned listen_port(const struct listen *listen); /* 0 for a Unix socket */

/* Is this literal address one that only this machine can reach? */
bool listen_is_local(const char *address);

#endif
