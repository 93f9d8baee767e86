/* places.c - drafts of the index in memory, its written form, and looking up in both. */
#include "journal/places.h"

#include <assert.h>
#include <stdlib.h>
#define XXH_INLINE_ALL /* without calls: each signal costs three of them */
#include <xxhash.h>

#include "base/crc32c.h"
#include "base/must.h"
#include "journal/place_form.h"

uint32_t place_hash(enum place_kind kind, struct text text)
{
	uint64_t hash = XXH3_64bits_withSeed(text.len ? text.at : "", text.len, kind);
	uint32_t folded = (uint32_t)(hash ^ hash >> 32);

	return folded == PLACE_ANY ? 1 : folded;
}

struct place_keys place_keys_of(struct text run, struct text source, struct text type)
{
	uint32_t by_source = place_hash(PLACE_SOURCE, source);

	return (struct place_keys){{
		run.len ? place_hash(PLACE_RUN, run) : by_source,
		by_source,
		place_hash(PLACE_TYPE, type),
	}};
}

/* ---- in memory ---- */

void place_draft_init(struct place_draft *draft, uint64_t first)
{
	*draft = (struct place_draft){.first = first, .next = first};
}

void place_draft_finish(struct place_draft *draft)
{
	free(draft->hashes);
	free(draft->blocks);
	*draft = (struct place_draft){0};
}

/* The block of `next`, begun if need be; NULL: its number is no number of ours. */
static struct place_block *block_of_next(struct place_draft *draft)
{
	uint64_t number = (draft->next - draft->first) / PLACE_BLOCK;
	struct place_block *last =
		draft->block_count ? &draft->blocks[draft->block_count - 1] : NULL;

	if (number >= UINT32_MAX || draft->hash_count >= UINT32_MAX - PLACE_KEYS) {
		draft->is_void = true;
		return NULL;
	}
	if (last && last->number == number)
		return last;
	if (draft->block_count == draft->block_room) {
		draft->block_room = draft->block_room ? 2 * draft->block_room : 64;
		draft->blocks = must_grow(draft->blocks, draft->block_room * sizeof(*last));
	}
	assert(draft->blocks && draft->block_count < draft->block_room);
	last = &draft->blocks[draft->block_count++];
	*last = (struct place_block){(uint32_t)number, (uint32_t)draft->hash_count};
	draft->newest = (struct place_keys){{PLACE_ANY}};
	return last;
}

static void draft_note(struct place_draft *draft, struct place_block *block, uint32_t hash)
{
	uint32_t start = block == draft->blocks ? 0 : block[-1].end;

	assert(block->end == draft->hash_count);
	for (uint32_t i = start; i < block->end; i++)
		if (draft->hashes[i] == hash)
			return;
	if (draft->hash_count == draft->hash_room) {
		draft->hash_room = draft->hash_room ? 2 * draft->hash_room : 256;
		draft->hashes = must_grow(draft->hashes, draft->hash_room * sizeof(hash));
	}
	draft->hashes[draft->hash_count++] = hash;
	block->end = (uint32_t)draft->hash_count;
}

/* Most signals have keys of the one before, and those are noted in this block already. */
static void note_keys(struct place_draft *draft, struct place_block *block,
                      const struct place_keys *keys)
{
	for (size_t i = 0; i < PLACE_KEYS; i++)
		if (keys->of[i] != draft->newest.of[i])
			draft_note(draft, block, keys->of[i]);
	draft->newest = *keys;
}

void place_draft_add(struct place_draft *draft, const struct place_keys *keys)
{
	struct place_block *block = draft->is_void ? NULL : block_of_next(draft);

	if (block && keys)
		note_keys(draft, block, keys);
	else if (block)
		draft_note(draft, block, PLACE_ANY);
	draft->next++;
}

void place_draft_gap(struct place_draft *draft, uint64_t to)
{
	assert(to >= draft->next);
	place_draft_add(draft, NULL);
	draft->next = to + 1;
}

/* ---- writing ---- */

/* A pair is a hash and, below it, the number of a block. */
static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t *sorted_pairs(const struct place_draft *draft)
{
	uint64_t *pairs = must_alloc((draft->hash_count + 1) * sizeof(*pairs));
	size_t n = 0;

	for (size_t i = 0; i < draft->block_count; i++)
		for (; n < draft->blocks[i].end; n++)
			pairs[n] = (uint64_t)draft->hashes[n] << 32 | draft->blocks[i].number;
	assert(n == draft->hash_count);
	if (n)
		qsort(pairs, n, sizeof(*pairs), by_value);
	return pairs;
}

static void add_number(struct buf *out, uint32_t number)
{
	for (; number >= 0x80; number >>= 7)
		buf_add_char(out, (char)(number | 0x80));
	buf_add_char(out, (char)number);
}

/* Keys and lists of the pairs; returns how many keys. */
static uint32_t add_lists(const uint64_t *pairs, size_t n, struct buf *keys, struct buf *lists)
{
	struct place_key key;
	uint32_t count = 0;

	for (size_t i = 0; i < n; count++) {
		uint32_t before = 0;

		key.hash = (uint32_t)(pairs[i] >> 32);
		for (; i < n && pairs[i] >> 32 == key.hash; i++) {
			add_number(lists, (uint32_t)pairs[i] - before);
			before = (uint32_t)pairs[i];
		}
		key.end = (uint32_t)lists->len;
		buf_add(keys, (struct text){(const char *)&key, sizeof(key)});
	}
	return count;
}

/* Cut into pages, each with its checksum. */
static void add_pages(struct text bytes, struct buf *out)
{
	uint32_t page = 0;

	while (bytes.len) {
		size_t n = bytes.len < PLACE_PAGE_BYTES ? bytes.len : PLACE_PAGE_BYTES;
		char *at = buf_reserve(out, PLACE_PAGE);
		uint32_t crc;

		if (!at)
			return;
		memcpy(at, bytes.at, n);
		memset(at + n, 0, PLACE_PAGE_BYTES - n);
		crc = crc32c(page++, at, PLACE_PAGE_BYTES);
		memcpy(at + PLACE_PAGE_BYTES, &crc, sizeof(crc));
		out->len += PLACE_PAGE;
		bytes.at += n;
		bytes.len -= n;
	}
}

bool place_draft_write(const struct place_draft *draft, const struct place_segment *of,
                       struct buf *out)
{
	struct place_header h = {.first = draft->first,
	                         .last = draft->next - 1,
	                         .segment_bytes = of->bytes,
	                         .segment_tail = of->tail};
	struct buf keys, lists;
	uint64_t *pairs;
	bool is_whole;

	if (draft->is_void || draft->next == draft->first ||
	    (h.last - h.first) / PLACE_BLOCK >= UINT32_MAX)
		return false;
	memcpy(h.magic, PLACE_MAGIC, sizeof(h.magic));
	buf_init(&keys, PLACE_FILE_MAX);
	buf_init(&lists, PLACE_FILE_MAX);
	pairs = sorted_pairs(draft);
	buf_reserve(&keys, sizeof(h));
	keys.len = keys.room ? sizeof(h) : 0;
	h.keys = add_lists(pairs, draft->hash_count, &keys, &lists);
	h.lists = lists.len;
	is_whole = !keys.full && !lists.full;
	if (is_whole) {
		memcpy(keys.at, &h, sizeof(h));
		is_whole = !lists.len || buf_add(&keys, buf_text(&lists));
	}
	if (is_whole)
		add_pages(buf_text(&keys), out);
	free(pairs);
	buf_finish(&keys);
	buf_finish(&lists);
	return is_whole && !out->full;
}

/* ---- looking up ---- */

void place_list_finish(struct place_list *list)
{
	free(list->numbers);
	*list = (struct place_list){.first = 1};
}

void place_list_begin(struct place_list *list, uint64_t first, uint64_t last)
{
	list->count = 0;
	list->first = first;
	list->last = last;
}

void place_list_note(struct place_list *list, uint32_t number)
{
	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->numbers = must_grow(list->numbers, list->room * sizeof(number));
	}
	list->numbers[list->count++] = number;
}

static bool is_one_of(uint32_t hash, const uint32_t *hashes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (hashes[i] == hash)
			return true;
	return hash == PLACE_ANY;
}

/* Most hashes are none of those, and one bit tells: all of a segment are looked at. */
static uint64_t bits_of(const uint32_t *hashes, size_t n)
{
	uint64_t bits = 1; /* PLACE_ANY */

	for (size_t i = 0; i < n; i++)
		bits |= UINT64_C(1) << (hashes[i] & 63);
	return bits;
}

bool place_draft_find(const struct place_draft *draft, const uint32_t *hashes, size_t n,
                      struct place_list *out)
{
	uint64_t bits = bits_of(hashes, n);
	size_t at = 0;

	if (draft->is_void || draft->next == draft->first) {
		place_list_begin(out, 1, 0);
		return false;
	}
	place_list_begin(out, draft->first, draft->next - 1);
	for (size_t i = 0; i < draft->block_count; i++) {
		bool is_found = false;

		for (; at < draft->blocks[i].end; at++) {
			uint32_t hash = draft->hashes[at];

			if (bits >> (hash & 63) & 1 && !is_found)
				is_found = is_one_of(hash, hashes, n);
		}
		if (is_found)
			place_list_note(out, draft->blocks[i].number);
	}
	return true;
}

uint64_t place_list_next(const struct place_list *list, uint64_t seq)
{
	uint64_t number = (seq - list->first) / PLACE_BLOCK, start;
	size_t low = 0, high = list->count;

	assert(seq >= list->first);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->numbers[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == list->count)
		return list->last + 1;
	start = list->first + (uint64_t)list->numbers[low] * PLACE_BLOCK;
	return start > seq ? start : seq;
}
