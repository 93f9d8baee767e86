/* buckets.c - token buckets, each as the time at which it is full. */
#include "deliver/buckets.h"

#include <stdlib.h>

#include "base/must.h"

int64_t bucket_ready(const struct bucket *b, int64_t now_ms)
{
	int64_t first = b->full_ms - (int64_t)(b->rate.holds - 1) * b->rate.every_ms;

	if (first < b->until_ms)
		first = b->until_ms;
	return first > now_ms ? first : now_ms;
}

void bucket_take(struct bucket *b, int64_t now_ms)
{
	b->full_ms = (b->full_ms > now_ms ? b->full_ms : now_ms) + b->rate.every_ms;
}

void bucket_stop(struct bucket *b, int64_t until_ms)
{
	if (until_ms > b->until_ms)
		b->until_ms = until_ms;
}

void buckets_init(struct buckets *all)
{
	map_init(&all->by_name);
}

void buckets_finish(struct buckets *all)
{
	struct text name;
	size_t at = 0;
	void *one;

	while (map_next(&all->by_name, &at, &name, &one))
		free(one);
	map_finish(&all->by_name);
}

/* A bucket that is full says nothing. */
static void forget_full(struct buckets *all, int64_t now_ms)
{
	struct buckets kept;
	struct text name;
	size_t at = 0;
	void *one;

	buckets_init(&kept);
	while (map_next(&all->by_name, &at, &name, &one)) {
		const struct bucket *b = one;

		if (b->full_ms > now_ms || b->until_ms > now_ms)
			map_set(&kept.by_name, name, one);
		else
			free(one);
	}
	map_finish(&all->by_name);
	*all = kept;
}

struct bucket *buckets_of(struct buckets *all, struct text name, const struct bucket_rate *rate,
                          int64_t now_ms)
{
	struct bucket *b = map_get(&all->by_name, name);

	if (b)
		return b;
	if (all->by_name.count >= BUCKETS_MAX)
		forget_full(all, now_ms);
	b = must_zero(1, sizeof(*b));
	b->rate = *rate;
	map_set(&all->by_name, name, b);
	return b;
}

int64_t buckets_ready(const struct buckets *all, struct text name, int64_t now_ms)
{
	const struct bucket *b = map_get(&all->by_name, name);

	return b ? bucket_ready(b, now_ms) : now_ms;
}
