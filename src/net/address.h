/* address.h - where to listen: words into a socket address, and that into a
 * socket. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "base/error.h"

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
		struct sockaddr_un local;
	} sa;
	char words[sizeof(struct sockaddr_un) + 8]; /* as one would write it */
	dev_t device; /* of the Unix socket we made, so that we remove no other */
	ino_t inode;
};

/* No name but "localhost" is looked up: an address is a literal. */
bool address_parse(struct address *address, const char *text, struct error *why);

bool address_is_local(const struct address *address); /* reached from here only */
bool address_is_any(const struct address *address);   /* all of the machine's */
unsigned address_port(const struct address *address); /* 0 for a Unix socket */

/* Where a TCP socket listens that somebody else opened; it is prepared as ours are. */
bool address_of(struct address *address, int fd);

/* Which of this machine's addresses a connected socket uses, as it is written; one of IPv4 that
 * came through IPv6 as what it is. */
bool address_here(struct address *address, int fd);

/* The address by which other machines of the network are likely to reach this one, without a
 * port: that of the way to the rest of the world, else any that is not the loopback's. */
#define ADDRESS_HOST_MAX 64
bool address_outward(char host[ADDRESS_HOST_MAX]);

/* A socket that listens there, or -1.  Fills in the port when it was 0. */
int address_open(struct address *address, struct error *why);

/* Removes the Unix socket that address_open made, if it is still that. */
void address_remove(const struct address *address);

#endif
