/* peer.h - who is at the other end of a socket, by the kernel's word alone. */
#ifndef NET_PEER_H
#define NET_PEER_H

#include <stdbool.h>
#include <sys/types.h>

struct sockaddr;

struct peer {
	bool is_unix;     /* a Unix socket: uid and pid are SO_PEERCRED's */
	bool is_loopback; /* TCP from 127.0.0.0/8 or ::1 */
	bool uid_known;   /* TCP: the peer's socket was found by NETLINK_SOCK_DIAG */
	uid_t uid;
	pid_t pid; /* Unix only; 0 when not known */
};

/* False when the socket is no longer connected.  For a loopback TCP peer the
 * exact four-tuple is looked up, a matter of microseconds. */
bool peer_of_socket(int fd, struct peer *peer);

/* Whose socket would answer a connection to this loopback address now?  False
 * when nobody listens there.  It may be another's by the time one connects: look
 * at peer_of_socket() then. */
bool peer_of_listener(const struct sockaddr *address, uid_t *uid);

#endif
