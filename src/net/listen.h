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
struct seats;
struct tls_context;

struct listen_options {
	const char *address;
	struct seats *seats; /* shared by listeners; lives longer than all of them */
	void (*accepted)(void *self, struct listen *listen, int fd); /* takes fd */
	void *self;
	struct tls_context *tls; /* NULL: bytes go as they are; taken when it is created */
	int socket; /* one that listens already, taken when it is created; 0: one is opened */
};

struct listen *listen_create(struct loop *loop, const struct listen_options *o, struct error *why);
void listen_stop(struct listen *listen);    /* accept no more */
void listen_destroy(struct listen *listen); /* NULL is fine */

/* Counts conn as one of this listener's until it is closed, and has it speak TLS where
 * the listener does: for accepted(). */
void listen_keep(struct listen *listen, struct conn *conn);

/* Through which it came; NULL when that is gone, or it came through none. */
struct listen *listen_of(const struct conn *conn);

/* Those that were said to be this owner's fail: their users hear that they are gone. */
void listen_end_owned(struct listen *listen, uint64_t owner);

/* Takes another certificate, for those who come from now on. */
void listen_renew(struct listen *listen, struct tls_context *tls);
bool listen_is_secure(const struct listen *listen);

/* "127.0.0.1:7446" with the real port, or "unix:/path". */
const char *listen_address(const struct listen *listen);
bool listen_is_unix(const struct listen *listen);
bool listen_is_any(const struct listen *listen);   /* 0.0.0.0 or [::]: all of the machine's */
unsigned listen_port(const struct listen *listen); /* 0 for a Unix socket */

/* Is this literal address one that only this machine can reach? */
bool listen_is_local(const char *address);

#endif
