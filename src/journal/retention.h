/* retention.h - old segments go, whole, the oldest first, never the newest. */
#ifndef JOURNAL_RETENTION_H
#define JOURNAL_RETENTION_H

struct journal;

/* On the writer's thread.  Readers that hold a segment open keep reading it. */
void retention_apply(struct journal *journal);

#endif
