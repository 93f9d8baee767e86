/* stats.h - how the journal is doing, in numbers. */
#ifndef JOURNAL_STATS_H
#define JOURNAL_STATS_H

#include <stddef.h>
#include <stdint.h>

/* How long commits took: those of at most so many nanoseconds, and the rest. */
#define JOURNAL_BUCKETS 12
extern const uint64_t journal_bucket_ns[JOURNAL_BUCKETS];

struct journal_stats {
	uint64_t bytes, segments, commits, commit_ns_total, sync_failures;
	uint64_t buckets[JOURNAL_BUCKETS + 1]; /* each commit is in one */
	size_t waiting;                        /* bytes not yet durable */
};

#endif
