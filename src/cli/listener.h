/* listener.h - which process listens on a TCP address of this machine. */
#ifndef CLI_LISTENER_H
#define CLI_LISTENER_H

#include <stdbool.h>
#include <sys/types.h>

struct address;

struct listener {
	uid_t uid;
	pid_t pid; /* 0: it is another user's, whose processes we cannot look into */
};

/* False: nobody listens there.  Where several processes share the socket, `preferred` is
 * named if it is one of them. */
bool listener_find(const struct address *address, pid_t preferred, struct listener *listener);

#endif
