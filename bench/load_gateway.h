/* Clients of the gateway dialect, protocols 3 and 4, for the modes that are about them. */
#ifndef BENCH_LOAD_GATEWAY_H
#define BENCH_LOAD_GATEWAY_H

#include "load_ws.h"

/* The frames of at..end; of a long one only the beginning is looked at. */
const char *gateway_walk(struct link *link, const char *at, const char *end);

/* Asks to be let in; it was challenged. */
void gateway_say_connect(struct link *link, const struct target *target);

#endif
