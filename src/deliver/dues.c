/* dues.c - a binary heap whose members know their place. */
#include "deliver/dues.h"

#include <stdlib.h>

#include "base/must.h"

void dues_finish(struct dues *d)
{
	free(d->all);
	*d = (struct dues){0};
}

static void put_at(struct dues *d, struct due *one, size_t place)
{
	d->all[place - 1] = one;
	one->place = place;
}

/* Those above that are later go down. */
static void rise(struct dues *d, struct due *one)
{
	size_t place = one->place;

	for (; place > 1 && d->all[place / 2 - 1]->at_ms > one->at_ms; place /= 2)
		put_at(d, d->all[place / 2 - 1], place);
	put_at(d, one, place);
}

/* Those below that are earlier go up. */
static void sink(struct dues *d, struct due *one)
{
	size_t place = one->place;

	for (size_t below; (below = 2 * place) <= d->count; place = below) {
		if (below < d->count && d->all[below]->at_ms < d->all[below - 1]->at_ms)
			below++;
		if (d->all[below - 1]->at_ms >= one->at_ms)
			break;
		put_at(d, d->all[below - 1], place);
	}
	put_at(d, one, place);
}

static void take_out(struct dues *d, struct due *one)
{
	struct due *last = d->all[--d->count];

	if (last != one) {
		put_at(d, last, one->place);
		rise(d, last);
		sink(d, last);
	}
	one->place = 0;
}

static void take_in(struct dues *d, struct due *one)
{
	if (d->count == d->room) {
		d->room = d->room ? 2 * d->room : 16;
		d->all = must_grow(d->all, d->room * sizeof(struct due *));
	}
	put_at(d, one, ++d->count);
}

void dues_set(struct dues *d, struct due *one, int64_t at_ms)
{
	if (one->place && at_ms == one->at_ms)
		return;
	one->at_ms = at_ms;
	if (at_ms == INT64_MAX) {
		if (one->place)
			take_out(d, one);
		return;
	}
	if (!one->place)
		take_in(d, one);
	rise(d, one);
	sink(d, one);
}

struct due *dues_first(const struct dues *d)
{
	return d->count ? d->all[0] : NULL;
}
