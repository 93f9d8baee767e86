/* stats.h - what the hub knows of its clients together, for whoever watches over them. */
#ifndef HUB_STATS_H
#define HUB_STATS_H

#include <stdint.h>

struct buf;
struct hub;
struct tally;

/* A look at every client. */
struct hub_lag {
	unsigned long reading; /* from the journal, because they were too far behind */
	uint64_t bytes;        /* how far the last of the others is behind */
};
struct hub_lag hub_lag(const struct hub *hub);

void hub_metrics(const struct hub *hub, struct buf *out); /* all of it, for GET /metrics */

const struct tally *hub_told(const struct hub *hub); /* a signal, once for each client */

#endif
