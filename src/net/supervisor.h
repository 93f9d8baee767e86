/* supervisor.h - systemd, if it is what started us: what it is told, and the sockets that
 * it listened on for us.
 *
 * Its protocol is a datagram and a few variables of the environment, so no library is
 * needed.  Without it nothing here does anything.
 */
#ifndef NET_SUPERVISOR_H
#define NET_SUPERVISOR_H

#include "net/loop.h"

/* "READY=1", "STOPPING=1", "STATUS=words"; several lines are fine. */
void supervisor_tell(const char *lines);
/* We are busy with another configuration; "READY=1" is told when that is over. */
void supervisor_tell_reload(void);

/* While the loop turns it is told so, twice as often as it asks for. */
struct watchdog;
struct watchdog *watchdog_create(struct loop *loop); /* NULL: it does not ask */
void watchdog_destroy(struct watchdog *watchdog);    /* NULL is fine */

/* Sockets that listen already. */
#define SUPERVISOR_SOCKETS_MAX 16
struct supervisor_sockets {
	int fds[SUPERVISOR_SOCKETS_MAX];
	unsigned count;
};

/* Takes them from the environment, which has them no more; before anything else is opened. */
void supervisor_take(struct supervisor_sockets *sockets);
/* The one at this address ("127.0.0.1:7446"), which is the caller's then; or -1. */
int supervisor_find(struct supervisor_sockets *sockets, const char *address);
/* Those that nobody wanted are closed, and named in the log. */
void supervisor_close(struct supervisor_sockets *sockets);

#endif
