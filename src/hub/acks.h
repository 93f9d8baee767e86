/* acks.h - the emits of one client that wait for their acknowledgement.
 *
 * A ring in the order of emission.  An entry is made when the emit is read, gets
 * its seq when the bus stamps it, and leaves when that seq is durable.
 */
#ifndef HUB_ACKS_H
#define HUB_ACKS_H

#include "base/list.h"
#include "base/text.h"

#define ACKS_MAX 8192  /* outstanding; then no more is read, and what was read is heard */
#define ACK_REF_MAX 54 /* bytes of a ref as written */

struct ack {
	uint64_t seq; /* 0: not stamped yet */
	uint8_t ref_len;
	bool void_; /* refused after all: nothing to tell */
	char ref[ACK_REF_MAX];
};

struct client;

struct acks {
	struct client *client;
	struct link in_hub; /* hub.waiting: some of them wait for the disk */
	struct ack *ring;
	unsigned room;        /* a power of two */
	uint64_t first, next; /* absolute; tags */
};

struct acks *acks_create(struct client *client);
void acks_destroy(struct acks *acks);

bool acks_is_full(const struct acks *acks);
uint64_t acks_add(struct acks *acks, struct text ref); /* its tag */
const struct ack *acks_at(const struct acks *acks, uint64_t tag);
void acks_stamp(struct acks *acks, uint64_t tag, uint64_t seq);
void acks_void(struct acks *acks, uint64_t tag);

/* The first one, if it is durable; NULL if there is none. */
const struct ack *acks_ready(struct acks *acks, uint64_t durable_seq);
void acks_pop(struct acks *acks);

#endif
