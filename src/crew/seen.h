/* seen.h - responses that were counted long ago: their hashes, each once.
 *
 * It only grows.  The first `kept` of them are in a file of their own (box/usage.c), so that what
 * is saved again and again has the others alone.
 */
#ifndef CREW_SEEN_H
#define CREW_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#define SEEN_MAX 4000000u /* then no more are remembered */

struct seen_ids {
	uint64_t *list; /* in the order in which they came */
	uint32_t count, room;
	uint32_t *slots; /* numbers in the list and one, by hash; a power of two */
	uint32_t slot_count;
	uint32_t kept;
};

void seen_init(struct seen_ids *seen);
void seen_finish(struct seen_ids *seen);

bool seen_has(const struct seen_ids *seen, uint64_t hash);
void seen_add(struct seen_ids *seen, uint64_t hash);
/* They are in the file by now; they may be in the set or not. */
void seen_keep(struct seen_ids *seen, const uint64_t *hashes, uint32_t count);

#endif
