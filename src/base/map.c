/* map.c - open addressing with linear probing; removal shifts back, so there
 * are no tombstones and a long-lived map does not slow down. */
#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/random.h"

#define MAP_FIRST_ROOM 16

void map_init(struct map *m)
{
	*m = (struct map){0};
	random_bytes(&m->seed, sizeof(m->seed));
}

void map_finish(struct map *m)
{
	for (size_t i = 0; i < m->room; i++)
		free(m->slots[i].key);
	free(m->slots);
	m->slots = NULL;
	m->room = m->count = 0;
}

static uint64_t map_mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The one to seven bytes of a key's end.  They overlap, which says no less, and no
 * length has to be asked for at each of them. */
static uint64_t end_word(const char *at, size_t n)
{
	const uint8_t *bytes = (const uint8_t *)at;
	uint32_t head, tail;

	assert(n >= 1 && n < 8);
	if (n < 4)
		return bytes[0] | (uint64_t)bytes[n / 2] << 8 | (uint64_t)bytes[n - 1] << 16;
	memcpy(&head, at, 4);
	memcpy(&tail, at + n - 4, 4);
	return head | (uint64_t)tail << 32;
}

uint64_t map_hash(uint64_t seed, struct text key)
{
	uint64_t h = seed;
	size_t i = 0;
	uint64_t word;

	for (; i + 8 <= key.len; i += 8) {
		memcpy(&word, key.at + i, 8);
		h = map_mix(h ^ word, 0x9E3779B97F4A7C15u ^ seed);
	}
	if (i < key.len) /* the pointer of an empty one may be NULL */
		h ^= end_word(key.at + i, key.len - i);
	/* Where no byte of a key can undo it. */
	return map_mix(h, 0xD6E8FEB86659FD93u ^ (uint64_t)key.len << 32);
}

/* Where the key is, or the empty slot where it would go. */
static size_t map_seek(const struct map *m, struct text key, uint64_t hash)
{
	size_t i = hash & (m->room - 1);

	assert(m->count < m->room && (m->room & (m->room - 1)) == 0);
	while (m->slots[i].key) {
		const struct map_slot *s = &m->slots[i];

		if (s->hash == hash && text_equal((struct text){s->key, s->len}, key))
			break;
		i = (i + 1) & (m->room - 1);
	}
	return i;
}

void *map_get(const struct map *m, struct text key)
{
	const struct map_slot *s;

	if (m->count == 0)
		return NULL;
	s = &m->slots[map_seek(m, key, map_hash(m->seed, key))];
	return s->key ? s->value : NULL;
}

static void map_grow(struct map *m)
{
	struct map old = *m;

	m->room = old.room ? old.room * 2 : MAP_FIRST_ROOM;
	m->slots = must_zero(m->room, sizeof(*m->slots));
	for (size_t i = 0; i < old.room; i++) {
		struct map_slot *s = &old.slots[i];

		if (s->key)
			m->slots[map_seek(m, (struct text){s->key, s->len}, s->hash)] = *s;
	}
	free(old.slots);
	assert(m->count <= m->room / 2);
}

void map_set(struct map *m, struct text key, void *value)
{
	uint64_t hash = map_hash(m->seed, key);
	struct map_slot *s;

	if ((m->count + 1) * 4 > m->room * 3)
		map_grow(m);
	s = &m->slots[map_seek(m, key, hash)];
	if (!s->key) {
		*s = (struct map_slot){text_dup(key), key.len, hash, NULL};
		m->count++;
	}
	s->value = value;
}

void *map_remove(struct map *m, struct text key)
{
	size_t hole, i;
	void *was;

	if (m->count == 0)
		return NULL;
	hole = i = map_seek(m, key, map_hash(m->seed, key));
	if (!m->slots[hole].key)
		return NULL;
	was = m->slots[hole].value;
	free(m->slots[hole].key);
	/* Pull back whatever probed past the hole to find its place. */
	for (;;) {
		size_t home;

		i = (i + 1) & (m->room - 1);
		if (!m->slots[i].key)
			break;
		home = m->slots[i].hash & (m->room - 1);
		if (((i - home) & (m->room - 1)) < ((i - hole) & (m->room - 1)))
			continue;
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole] = (struct map_slot){0};
	assert(m->count > 0);
	m->count--;
	return was;
}

bool map_next(const struct map *m, size_t *at, struct text *key, void **value)
{
	assert(*at <= m->room);
	for (; *at < m->room; (*at)++) {
		const struct map_slot *s = &m->slots[*at];

		if (!s->key)
			continue;
		*key = (struct text){s->key, s->len};
		*value = s->value;
		(*at)++;
		return true;
	}
	return false;
}
