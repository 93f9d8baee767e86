/* recall.c - a ring of commands. */
#include "play/recall.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

void recall_init(struct recall *r, size_t max)
{
	*r = (struct recall){.max = max};
	r->ring = must_zero(max, sizeof(*r->ring));
}

static void forget_first(struct recall *r)
{
	struct recalled *first = &r->ring[r->first];

	free(first->json);
	r->bytes -= first->len;
	r->first = (r->first + 1) % r->max;
	assert(r->count > 0);
	r->count--;
}

void recall_clear(struct recall *r, uint64_t version)
{
	while (r->count)
		forget_first(r);
	r->version = version;
}

void recall_finish(struct recall *r)
{
	recall_clear(r, 0);
	free(r->ring);
}

void recall_add(struct recall *r, double at_ms, struct text json)
{
	r->version++;
	while (r->count && (r->count == r->max || r->bytes + json.len > RECALL_BYTES))
		forget_first(r);
	if (json.len > RECALL_BYTES)
		return; /* so nobody can go on from before it */
	r->ring[(r->first + r->count++) % r->max] =
		(struct recalled){at_ms, text_dup(json), json.len};
	r->bytes += json.len;
}

bool recall_since(const struct recall *r, uint64_t version, recall_each_fn *each, void *self)
{
	uint64_t missing = r->version - version;

	if (version > r->version || missing > r->count)
		return false;
	for (size_t i = r->count - missing; i < r->count; i++) {
		const struct recalled *one = &r->ring[(r->first + i) % r->max];

		each(self, r->version - (r->count - 1 - i), one->at_ms,
		     (struct text){one->json, one->len});
	}
	return true;
}
