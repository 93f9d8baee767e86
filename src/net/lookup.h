/* lookup.h - the addresses of a name, found by a thread of their own; a literal needs none.
 *
 * Not by libuv's pool: there a few names whose servers are silent would keep all
 * others waiting, and the end of the program too.
 */
#ifndef NET_LOOKUP_H
#define NET_LOOKUP_H

#include <netdb.h>
#include <stdint.h>

struct loop;
struct lookup;

struct lookup_question {
	const char *host; /* a name or a literal; copied */
	uint16_t port;
	void *self;
	/* Once, and never from inside lookup_start.  The addresses are the lookup's and
	 * last until lookup_stop; without any, NULL and why. */
	void (*found)(void *self, const struct addrinfo *addresses, const char *why);
};

struct lookup *lookup_start(struct loop *loop, const struct lookup_question *question);
void lookup_stop(struct lookup *lookup); /* at any time; NULL is fine */

#endif
