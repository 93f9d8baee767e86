/* map.h - a hash table from text to a pointer.
 *
 * Keys are copied.  The hash is keyed at random when the map is made, so that
 * nobody outside can choose keys that collide.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/text.h"

struct map_slot {
	char *key; /* NULL: empty */
	size_t len;
	uint64_t hash;
	void *value;
};

struct map {
	struct map_slot *slots;
	size_t room; /* a power of two, or 0 */
	size_t count;
	uint64_t seed;
};

void map_init(struct map *m);
void map_finish(struct map *m); /* values are the caller's */

/* The hash the map uses: quick, and not to be foreseen without the seed. */
uint64_t map_hash(uint64_t seed, struct text key);

void *map_get(const struct map *m, struct text key); /* NULL when absent */
void map_set(struct map *m, struct text key, void *value);
void *map_remove(struct map *m, struct text key); /* what was there */

/* Walks the map: start with at = 0; false at the end.  Do not change it on the
 * way. */
bool map_next(const struct map *m, size_t *at, struct text *key, void **value);

#endif
