/* deadlines.c - a binary heap with the earliest on top. */
#include "choreo/deadlines.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "choreo/performance.h"

void deadlines_finish(struct deadlines *d)
{
	free(d->at);
	*d = (struct deadlines){0};
}

static void deadlines_put(struct deadlines *d, size_t at, struct performance *p)
{
	assert(at < d->count);
	d->at[at] = p;
	p->deadline = at;
}

/* Moves p, for which there is a hole at `at`, up to where it belongs. */
static size_t rise(struct deadlines *d, size_t at, const struct performance *p)
{
	while (at > 0 && d->at[(at - 1) / 2]->due_ms > p->due_ms) {
		deadlines_put(d, at, d->at[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	return at;
}

static size_t sink(struct deadlines *d, size_t at, const struct performance *p)
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < d->count && d->at[child + 1]->due_ms < d->at[child]->due_ms)
			child++;
		if (child >= d->count || d->at[child]->due_ms >= p->due_ms)
			return at;
		deadlines_put(d, at, d->at[child]);
		at = child;
	}
}

void deadlines_add(struct deadlines *d, struct performance *p)
{
	if (d->count == d->room) {
		d->room = d->room ? d->room * 2 : 64;
		d->at = must_grow(d->at, d->room * sizeof(*d->at));
	}
	assert(d->count < d->room);
	d->count++;
	deadlines_put(d, rise(d, d->count - 1, p), p);
}

void deadlines_remove(struct deadlines *d, struct performance *p)
{
	struct performance *last = d->at[--d->count];
	size_t hole = p->deadline;

	if (last != p)
		deadlines_put(d, sink(d, rise(d, hole, last), last), last);
}
