/* pairing.h - which devices may come in, and which wait for a person to say so.
 *
 * A device that comes with a token is paired by that.  One that comes without waits, a few
 * minutes long, with an id that stands for exactly what it asked for: if it asks for something
 * else, it waits anew.
 */
#ifndef GATEWAY_PAIRING_H
#define GATEWAY_PAIRING_H

#include "gateway/devices.h"
#include "net/caller.h"
#include "net/peer.h"

struct gateway;
struct gateway_pairing;

#define GATEWAY_WAITING_MAX 16
#define GATEWAY_WAITING_MS (5 * 60 * 1000)

struct gateway_waiting {
	char id[GATEWAY_DEVICE_NAME];
	struct gateway_self self;
	unsigned asked;           /* enum operator_scope */
	char from[PEER_NAME_MAX]; /* the address */
	int64_t since_ms;
};

struct gateway_pairing *gateway_pairing_create(struct gateway *g);
void gateway_pairing_destroy(struct gateway_pairing *p);

bool gateway_pairing_is_on(const struct gateway *g);

/* ---- a connect whose device was checked ---- */

/* Is it let in for a secret of its own, or for its key alone?  Of two secrets either may be it;
 * without any the key is good if a person let it in. */
bool gateway_pairing_knows(struct gateway *g, const struct gateway_self *self,
                           const struct text secrets[2], struct caller *caller);
bool gateway_pairing_has_secret(struct gateway *g, const struct gateway_self *self);

/* It came with a token: scopes are what it asked for of those that the token has. */
void gateway_pairing_bind(struct gateway *g, const struct gateway_self *self,
                          const unsigned char mark[GATEWAY_DIGEST], unsigned scopes);

/* Its number in this life, or 0; and a new secret, if it has none yet. */
uint32_t gateway_pairing_number(struct gateway *g, const struct gateway_self *self,
                                char secret[GATEWAY_SECRET + 1]);

/* NULL: as many wait as may. */
const struct gateway_waiting *gateway_pairing_wait(struct gateway *g,
                                                   const struct gateway_waiting *wish);

/* ---- what people do ---- */

enum gateway_paired {
	GATEWAY_DECIDED,
	GATEWAY_UNKNOWN, /* nothing has that id */
	GATEWAY_REFUSED,
	GATEWAY_UNSAVED, /* it is decided, but not on the disk, which is tried again */
};

/* scopes 0: those that it asked for, but for admin, which is given by its name alone. */
enum gateway_paired gateway_pairing_approve(struct gateway *g, struct text id, unsigned scopes,
                                            struct error *why);
enum gateway_paired gateway_pairing_reject(struct gateway *g, struct text id, struct error *why);
/* By its name, or its own id.  What it has open is closed. */
enum gateway_paired gateway_pairing_remove(struct gateway *g, struct text id, struct error *why);
/* The same in two steps, for who answers in between; the number is not set if it is unknown. */
enum gateway_paired gateway_pairing_forget(struct gateway *g, struct text id, uint32_t *number,
                                           struct error *why);
void gateway_pairing_close(struct gateway *g, uint32_t number);

/* There may be other tokens, or no pairing any more: who is let in no longer is closed. */
void gateway_pairing_check(struct gateway *g);

struct gateway_devices *gateway_pairing_devices(struct gateway *g);                  /* or NULL */
const struct gateway_waiting *gateway_pairing_at(const struct gateway *g, size_t i); /* or NULL */

#endif
