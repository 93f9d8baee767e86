/* retention.h - old segments go, whole, the oldest first, never the newest. */
#ifndef JOURNAL_RETENTION_H
#define JOURNAL_RETENTION_H

struct journal;

/* On the writer's thread.  Readers that hold a segment open keep reading it.  With a segment
 * go its checkpoint and what was damaged in it. */
void retention_apply(struct journal *journal);

/* The same, and what was damaged in segments that went before: a reader that held one open
 * may have put it aside since. */
void retention_tidy(struct journal *journal);

#endif
