/* seen.c - a list of hashes, and where each stands in it. */
#include "crew/seen.h"

#include <stdlib.h>

#include "base/must.h"

#define SEEN_FIRST 1024

void seen_init(struct seen_ids *seen)
{
	*seen = (struct seen_ids){0};
}

void seen_finish(struct seen_ids *seen)
{
	free(seen->list);
	free(seen->slots);
	*seen = (struct seen_ids){0};
}

/* The slot that has it, or the free one where it would stand.  The hashes are keyed already. */
static uint32_t *seen_slot(const struct seen_ids *seen, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> 32) & (seen->slot_count - 1);

	while (seen->slots[at] && seen->list[seen->slots[at] - 1] != hash)
		at = (at + 1) & (seen->slot_count - 1);
	return &seen->slots[at];
}

static void seen_grow(struct seen_ids *seen)
{
	seen->room = seen->room ? 2 * seen->room : SEEN_FIRST;
	seen->list = must_grow(seen->list, seen->room * sizeof(*seen->list));
	free(seen->slots);
	seen->slot_count = 2 * seen->room;
	seen->slots = must_zero(seen->slot_count, sizeof(*seen->slots));
	for (uint32_t i = 0; i < seen->count; i++)
		*seen_slot(seen, seen->list[i]) = i + 1;
}

bool seen_has(const struct seen_ids *seen, uint64_t hash)
{
	return seen->count > 0 && *seen_slot(seen, hash) != 0;
}

void seen_add(struct seen_ids *seen, uint64_t hash)
{
	uint32_t *slot;

	if (seen->count == SEEN_MAX)
		return;
	if (seen->count == seen->room)
		seen_grow(seen);
	slot = seen_slot(seen, hash);
	if (*slot)
		return;
	seen->list[seen->count] = hash;
	*slot = ++seen->count;
}

static void seen_swap(struct seen_ids *seen, uint32_t a, uint32_t b)
{
	uint64_t hash = seen->list[a];
	uint32_t *slot_a = seen_slot(seen, hash), *slot_b = seen_slot(seen, seen->list[b]);

	seen->list[a] = seen->list[b];
	seen->list[b] = hash;
	*slot_a = b + 1;
	*slot_b = a + 1;
}

void seen_keep(struct seen_ids *seen, const uint64_t *hashes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at;

		seen_add(seen, hashes[i]);
		at = seen->count ? *seen_slot(seen, hashes[i]) : 0;
		if (at <= seen->kept)
			continue; /* it stands there already, or no more fit */
		if (at - 1 != seen->kept)
			seen_swap(seen, at - 1, seen->kept);
		seen->kept++;
	}
}
