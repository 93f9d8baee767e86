/* retention.h - old segments go, whole, the oldest first, never the newest. */
#ifndef JOURNAL_RETENTION_H
#define JOURNAL_RETENTION_H

#include <stdbool.h>
#include <stdint.h>

struct journal;

/* The writer's. */
struct retention_aging {
	uint64_t next_ns; /* when age may take something again */
	int64_t until_ms; /* what it may take until then was written by this time */
};

/* Under the mutex. */
struct retention_hold {
	uint64_t released; /* all up to there is kept elsewhere */
	bool is_back;      /* a segment would go, but for that */
	bool is_asked;     /* and the owner has yet to hear so */
	bool is_over;      /* there is something for the writer to remove */
};

/* On the writer's thread.  Readers that hold a segment open keep reading it.  With a segment
 * go its checkpoint and what was damaged in it. */
void retention_apply(struct journal *journal);

/* The same, and what was damaged in segments that went before: a reader that held one open
 * may have put it aside since. */
void retention_tidy(struct journal *journal);

#endif
