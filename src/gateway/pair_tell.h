/* pair_tell.h - devices and those that wait, as clients and the API are told of them. */
#ifndef GATEWAY_PAIR_TELL_H
#define GATEWAY_PAIR_TELL_H

#include "base/buf.h"

struct gateway;
struct gateway_call;
struct gateway_waiting;

/* Events, to those who may pair. */
void gateway_tell_requested(struct gateway *g, const struct gateway_waiting *waiting);
void gateway_tell_resolved(struct gateway *g, const char *id, const char *device,
                           const char *decision);

/* Items of the lists of GET /api/devices. */
void gateway_put_devices(struct gateway *g, struct buf *out);
void gateway_put_waiting(struct gateway *g, struct buf *out);

/* Methods. */
void gateway_pair_list(const struct gateway_call *call);
void gateway_pair_approve(const struct gateway_call *call);
void gateway_pair_reject(const struct gateway_call *call);
void gateway_pair_remove(const struct gateway_call *call);

#endif
