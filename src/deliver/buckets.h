/* buckets.h - how often something may go out: token buckets of a platform; pure.
 *
 * A bucket holds so many tokens and gets one each so many milliseconds; whatever leaves takes one.
 * A platform that says "too many" stops a bucket until the time that it names.
 */
#ifndef DELIVER_BUCKETS_H
#define DELIVER_BUCKETS_H

#include "base/map.h"

struct bucket_rate {
	unsigned holds, every_ms;
};

struct bucket {
	struct bucket_rate rate;
	int64_t full_ms;  /* when it is full, if nothing leaves */
	int64_t until_ms; /* stopped */
};

int64_t bucket_ready(const struct bucket *b, int64_t now_ms); /* when the next may leave */
void bucket_take(struct bucket *b, int64_t now_ms);
void bucket_stop(struct bucket *b, int64_t until_ms);

/* One for each chat.  When there are too many, those that are full are forgotten. */
#define BUCKETS_MAX 10000
struct buckets {
	struct map by_name;
};

void buckets_init(struct buckets *all);
void buckets_finish(struct buckets *all);
/* The one of this name, new and full where there was none. */
struct bucket *buckets_of(struct buckets *all, struct text name, const struct bucket_rate *rate,
                          int64_t now_ms);
/* The same, without making one: the time at which it may leave. */
int64_t buckets_ready(const struct buckets *all, struct text name, int64_t now_ms);

#endif
