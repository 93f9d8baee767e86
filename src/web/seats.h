/* seats.h - how many connections there are, and whose, for GET /metrics. */
#ifndef WEB_SEATS_H
#define WEB_SEATS_H

#include "base/buf.h"

struct seats;

void web_add_seats(struct buf *out, const struct seats *seats);

#endif
