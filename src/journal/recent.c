/* recent.c - blocks of lines: one side fills them, the other writes them out. */
#include "journal/recent.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

#define SPARES_MAX 16 /* 4 MiB: what one commit of a busy journal sets free */

static struct block *block_create(size_t room)
{
	size_t lines = room > BLOCK_BYTES ? 1 : BLOCK_LINES;
	struct block *b = must_alloc(sizeof *b);

	assert(room >= BLOCK_BYTES && room <= UINT32_MAX);
	b->room = (uint32_t)room;
	b->ends = must_alloc(lines * sizeof *b->ends);
	b->keys = must_alloc(lines * sizeof *b->keys);
	b->at = must_alloc(room);
	return b;
}

static void block_destroy(struct block *b)
{
	free(b->ends);
	free(b->keys);
	free(b->at);
	free(b);
}

static struct block *take_block(struct recent *recent, size_t room)
{
	struct block *b = recent->spare;

	if (room > BLOCK_BYTES || !b)
		return block_create(room > BLOCK_BYTES ? room : BLOCK_BYTES);
	recent->spare = atomic_load_explicit(&b->next, memory_order_relaxed);
	assert(recent->spares > 0);
	recent->spares--;
	return b;
}

static void recent_give_back(struct recent *recent, struct block *b)
{
	assert(recent->spares <= SPARES_MAX);
	if (b->room != BLOCK_BYTES || recent->spares == SPARES_MAX) {
		block_destroy(b);
		return;
	}
	atomic_store_explicit(&b->next, recent->spare, memory_order_relaxed);
	recent->spare = b;
	recent->spares++;
}

static struct block *recent_at(const struct recent *recent, size_t i)
{
	assert(i < recent->count);
	return recent->ring[(recent->oldest + i) & (recent->room - 1)];
}

static void recent_grow_ring(struct recent *recent)
{
	size_t room = recent->room ? recent->room * 2 : 64;
	struct block **ring = must_alloc(room * sizeof *ring);

	for (size_t i = 0; i < recent->count; i++)
		ring[i] = recent_at(recent, i);
	free(recent->ring);
	recent->ring = ring;
	recent->room = room;
	recent->oldest = 0;
}

/* The writer sees the new block only once it is whole: the link is stored
 * last, and with release. */
static struct block *begin_block(struct recent *recent, size_t room, uint64_t gap_to)
{
	struct block *b = take_block(recent, room);

	assert(gap_to == 0 || gap_to >= recent->next);
	atomic_store_explicit(&b->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&b->filled, 0, memory_order_relaxed);
	b->first = recent->next;
	b->gap_to = gap_to;
	if (recent->count == recent->room)
		recent_grow_ring(recent);
	recent->ring[(recent->oldest + recent->count++) & (recent->room - 1)] = b;
	recent->bytes += b->room;
	if (recent->tail)
		atomic_store_explicit(&recent->tail->next, b, memory_order_release);
	recent->tail = b;
	assert(recent->count <= recent->room);
	return b;
}

void recent_init(struct recent *recent, uint64_t next)
{
	*recent = (struct recent){.next = next};
	begin_block(recent, 0, 0);
}

void recent_finish(struct recent *recent)
{
	for (size_t i = 0; i < recent->count; i++)
		block_destroy(recent_at(recent, i));
	while (recent->spare) {
		struct block *b = recent->spare;

		recent->spare = atomic_load_explicit(&b->next, memory_order_relaxed);
		block_destroy(b);
	}
	free(recent->ring);
	*recent = (struct recent){0};
}

static void recent_publish(struct block *b, uint32_t lines, size_t bytes)
{
	assert(bytes <= b->room);
	atomic_store_explicit(&b->filled, FILLED(lines, (uint32_t)bytes), memory_order_release);
}

void recent_add(struct recent *recent, struct text head, struct text body,
                const struct place_keys *keys)
{
	size_t len = head.len + body.len + 1;
	struct block *b = recent->tail;
	uint64_t filled = atomic_load_explicit(&b->filled, memory_order_relaxed);
	uint32_t lines = FILLED_LINES(filled), used = FILLED_BYTES(filled);

	if (used + len > b->room || lines == BLOCK_LINES || b->gap_to) {
		b = begin_block(recent, len, 0);
		lines = used = 0;
	}
	assert(used + len <= b->room && lines < BLOCK_LINES);
	if (head.len)
		memcpy(b->at + used, head.at, head.len);
	if (body.len)
		memcpy(b->at + used + head.len, body.at, body.len);
	used += (uint32_t)len;
	b->at[used - 1] = '\n';
	b->ends[lines] = used;
	b->keys[lines] = keys ? *keys : (struct place_keys){{PLACE_ANY}};
	recent->next++;
	recent_publish(b, lines + 1, used);
}

void recent_add_gap(struct recent *recent, uint64_t to, struct text line)
{
	struct block *b = begin_block(recent, line.len + 1, to);

	assert(to >= b->first);
	memcpy(b->at, line.at, line.len);
	b->at[line.len] = '\n';
	b->ends[0] = (uint32_t)line.len + 1;
	recent->next = to + 1;
	recent_publish(b, 1, line.len + 1);
}

/* The oldest block goes when a line of the next one is durable too, for only
 * then has the writer's cursor left it, and when nobody would miss it. */
void recent_trim(struct recent *recent, uint64_t durable)
{
	while (recent->count > 1) {
		struct block *oldest = recent_at(recent, 0);
		uint64_t after = recent_at(recent, 1)->first;

		if (after > durable)
			break;
		if (recent->next - after < RECENT_SIGNALS && recent->bytes <= RECENT_BYTES_MAX)
			break;
		assert(recent->bytes >= oldest->room);
		recent->oldest++;
		recent->count--;
		recent->bytes -= oldest->room;
		recent_give_back(recent, oldest);
	}
}

struct text recent_newest(const struct recent *recent)
{
	const struct block *b = recent->tail;
	uint32_t lines = FILLED_LINES(atomic_load_explicit(&b->filled, memory_order_relaxed));
	uint32_t start = lines > 1 ? b->ends[lines - 2] : 0;

	assert(lines > 0);
	return (struct text){b->at + start, b->ends[lines - 1] - start - 1};
}

uint64_t recent_first(const struct recent *recent)
{
	assert(recent->count > 0);
	return recent_at(recent, 0)->first;
}

const struct block *recent_find(const struct recent *recent, uint64_t seq)
{
	size_t low = 0, high = recent->count;

	assert(recent->count > 0 && seq < recent->next);
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (recent_at(recent, middle)->first <= seq)
			low = middle;
		else
			high = middle;
	}
	return recent_at(recent, low);
}

const struct place_keys *recent_keys(const struct block *block, uint64_t seq)
{
	const struct place_keys *keys = &block->keys[seq - block->first];

	assert(!block->gap_to && seq >= block->first);
	return keys->of[0] == PLACE_ANY ? NULL : keys;
}

struct text recent_lines(const struct block *block, uint64_t seq, size_t max)
{
	uint64_t filled = atomic_load_explicit(&block->filled, memory_order_relaxed);
	uint32_t from = (uint32_t)(seq - block->first);
	uint32_t start = from ? block->ends[from - 1] : 0;
	uint32_t low = from, high = FILLED_LINES(filled);

	assert(from < FILLED_LINES(filled));
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (block->ends[middle] - start <= max)
			low = middle;
		else
			high = middle;
	}
	return (struct text){block->at + start, block->ends[low] - start};
}
