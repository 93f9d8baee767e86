/* dial.h - a connection that we open: TCP, or a Unix socket.
 *
 * The name is looked up off the loop, then its addresses are tried one after the
 * other, each with its share of the time, until one answers.
 */
#ifndef NET_DIAL_H
#define NET_DIAL_H

#include <stdint.h>

struct dial;
struct loop;

struct dial_options {
	const char *host; /* a name or an address without brackets; copied */
	uint16_t port;
	unsigned ms; /* for all of it */
	void *self;
	/* One of the two, once, never from inside dial_start; the dial is over then.
	 * The descriptor is the user's, and non-blocking. */
	void (*connected)(void *self, int fd);
	void (*failed)(void *self, const char *why);
	const char *path; /* of a Unix socket, instead of host and port; copied */
};

struct dial *dial_start(struct loop *loop, const struct dial_options *options);
void dial_stop(struct dial *dial); /* before it is over; NULL is fine */

#endif
