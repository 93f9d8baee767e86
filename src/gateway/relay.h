/* relay.h - methods that we do not have, passed on to the gateway behind us (gateway.relay).
 *
 * Only what the published schema names and its hello-ok lists, what the client's own scopes allow,
 * and nothing that is bound to one connection or needs the scopes of admin or pairing.
 */
#ifndef GATEWAY_RELAY_H
#define GATEWAY_RELAY_H

#include <stdbool.h>

struct buf;
struct gateway_call;

/* False: it is not for the gateway behind us. */
bool gateway_relay(const struct gateway_call *call);

void gateway_relay_names(const struct gateway_call *call, struct buf *out); /* a list's items */

#endif
