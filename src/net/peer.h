/* peer.h - who is at the other end of a socket, by the kernel's word alone. */
#ifndef NET_PEER_H
#define NET_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct sockaddr;

struct peer {
	bool is_unix;     /* a Unix socket: uid and pid are SO_PEERCRED's */
	bool is_loopback; /* TCP from 127.0.0.0/8 or ::1 */
	bool is_ipv4;     /* TCP; however its address is written */
	bool uid_known;   /* TCP: the peer's socket was found by NETLINK_SOCK_DIAG */
	uid_t uid;
	pid_t pid;           /* Unix only; 0 when not known */
	uint32_t address[4]; /* TCP, in network order; of IPv4 the first */
};

/* A line to the kernel that is kept open, for whoever asks often. */
struct peer_line {
	int fd; /* -1: not open */
	uint32_t asked;
};
void peer_line_init(struct peer_line *line);
void peer_line_finish(struct peer_line *line);

/* False when the socket is no longer connected.  For a loopback TCP peer the
 * exact four-tuple is looked up, a matter of microseconds. */
bool peer_of_socket(int fd, struct peer *peer);

bool peer_ask(struct peer_line *line, int fd, struct peer *peer); /* the same */

/* A Unix socket that our own user, or root, listens on.  -1 with errno EPERM: somebody else
 * does, and has not had a byte.  type: SOCK_STREAM or SOCK_SEQPACKET, with what flags go with
 * it; a connection that does not block fails with EAGAIN when there is no room for it. */
int peer_connect(const char *path, int type, struct error *why);
bool peer_is_ours(int fd, struct error *why); /* the same of one that is connected */

/* Is it at this address of TCP?  The literal is of IPv4 or IPv6, without a port. */
bool peer_is_at(const struct peer *peer, const char *literal);

/* "uid 1000", or the address from which it came; of IPv6 the half that is one's own. */
#define PEER_NAME_MAX 48
void peer_name(const struct peer *peer, char out[PEER_NAME_MAX]);

/* Whose socket would answer a connection to this loopback address now?  False
 * when nobody listens there.  It may be another's by the time one connects: look
 * at peer_of_socket() then. */
bool peer_of_listener(const struct sockaddr *address, uid_t *uid);

#endif
