/* listing.h - the sessions that a client wants to see: filters, pages, what each row has. */
#ifndef GATEWAY_LISTING_H
#define GATEWAY_LISTING_H

#include "base/buf.h"

struct gateway_call;

void gateway_put_listing(const struct gateway_call *call,
                         struct buf *out); /* an object's members */

#endif
