/* entry.h - who a client is, by what it shows in its connect: a token, or its device. */
#ifndef GATEWAY_ENTRY_H
#define GATEWAY_ENTRY_H

#include "gateway/devices.h"

struct gateway_call;
struct gateway_fault;

/* As what it came in. */
struct gateway_entry {
	char secret[GATEWAY_SECRET + 1]; /* of its device, if it is new */
	unsigned granted;                /* enum operator_scope */
};

/* False: it was turned away.  The device of the connect was checked. */
bool gateway_identify(const struct gateway_call *call, struct gateway_entry *entry);
void gateway_hello(const struct gateway_call *call, const struct gateway_entry *entry);

void gateway_turn_away(const struct gateway_call *call, const struct gateway_fault *fault,
                       uint16_t code);
unsigned gateway_asked_scopes(const struct gateway_call *call); /* connect.c */

#endif
