/* parcel_packet.h - how a packet of net/parcel.h begins. */
#ifndef NET_PARCEL_PACKET_H
#define NET_PARCEL_PACKET_H

#include <stdint.h>

#include "base/buf.h"

#define PACKET_MAGIC "SBP"     /* with its NUL: four bytes */
#define PACKET_BODY (64 * KIB) /* of a body that travels in the packet */
#define PACKET_MAX (68 * KIB)  /* of a packet with its head */

/* Both ends are of one machine: numbers are as it has them. */
struct packet_head {
	char magic[4];
	char kind;
	uint8_t agent[3]; /* its lowest byte first; the kernel gives no number above 22 bits */
	int64_t at_ms;
	uint64_t whole;
};

#endif
