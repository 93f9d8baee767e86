/* reach.h - which addresses we never go to, whatever a URL or a name says.
 *
 * Asked about the address itself, after a name was looked up and before anything
 * is sent there: a name cannot say one thing to the check and another to connect().
 */
#ifndef NET_REACH_H
#define NET_REACH_H

#include <stdbool.h>
#include <sys/socket.h>

/* False for link-local addresses and others where clouds keep their machines' secrets, for
 * multicast and broadcast, for "any", for tunnels that hold an IPv4 address (6to4, Teredo),
 * and for IPv6 spellings of these and of addresses that are somebody's own. */
bool reach_allows(const struct sockaddr *address);

/* The same, and false for what is somebody's own as well: this machine, private networks. */
bool reach_is_public(const struct sockaddr *address);

#endif
