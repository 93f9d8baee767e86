/* acks.c - a ring of what was promised. */
#include "hub/acks.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

#define ACKS_FIRST_ROOM 16

struct acks *acks_create(struct client *client)
{
	struct acks *acks = must_zero(1, sizeof(*acks));

	acks->client = client;
	list_init(&acks->in_hub);
	return acks;
}

void acks_destroy(struct acks *acks)
{
	if (!acks)
		return;
	free(acks->ring);
	free(acks);
}

static struct ack *at(const struct acks *acks, uint64_t tag)
{
	return &acks->ring[tag & (acks->room - 1)];
}

bool acks_is_full(const struct acks *acks)
{
	return acks->next - acks->first >= ACKS_MAX;
}

static void grow(struct acks *acks)
{
	struct acks old = *acks;

	acks->room = old.room ? old.room * 2 : ACKS_FIRST_ROOM;
	acks->ring = must_alloc(acks->room * sizeof(*acks->ring));
	for (uint64_t tag = old.first; tag < old.next; tag++)
		*at(acks, tag) = *at(&old, tag);
	free(old.ring);
}

uint64_t acks_add(struct acks *acks, struct text ref)
{
	struct ack *a;

	if (acks->next - acks->first == acks->room)
		grow(acks);
	a = at(acks, acks->next);
	a->seq = 0;
	a->void_ = false;
	a->ref_len = (uint8_t)ref.len;
	memcpy(a->ref, ref.at, ref.len);
	return acks->next++;
}

const struct ack *acks_at(const struct acks *acks, uint64_t tag)
{
	assert(tag >= acks->first && tag < acks->next);
	return at(acks, tag);
}

void acks_stamp(struct acks *acks, uint64_t tag, uint64_t seq)
{
	assert(tag < acks->next && seq > 0);
	at(acks, tag)->seq = seq;
}

void acks_void(struct acks *acks, uint64_t tag)
{
	assert(tag < acks->next);
	at(acks, tag)->void_ = true;
	while (acks->first < acks->next && at(acks, acks->first)->void_)
		acks->first++;
}

const struct ack *acks_ready(struct acks *acks, uint64_t durable_seq)
{
	for (; acks->first < acks->next; acks->first++) {
		const struct ack *a = at(acks, acks->first);

		if (a->void_)
			continue;
		return a->seq && a->seq <= durable_seq ? a : NULL;
	}
	return NULL;
}

void acks_pop(struct acks *acks)
{
	assert(acks->first < acks->next);
	acks->first++;
}
