/* heartbeat.h - agents that look by themselves, now and then, whether there is something to do.
 *
 * It is heard whether clients are there or not, so that the newest is known.
 */
#ifndef GATEWAY_HEARTBEAT_H
#define GATEWAY_HEARTBEAT_H

#include "base/buf.h"

struct gateway;
struct gateway_call;
struct heartbeat;
struct signal;

struct heartbeat *heartbeat_create(struct gateway *g);
void heartbeat_destroy(struct heartbeat *heartbeat);

bool heartbeat_is(const struct signal *s); /* it is told as an event of its own */
/* The payload of its event.  False: it is too long to be told. */
bool heartbeat_put(const struct signal *s, struct buf *out);
bool heartbeat_runs(const struct signal *s); /* it is of a run that began by itself */

void gateway_last_heartbeat(const struct gateway_call *call);

#endif
