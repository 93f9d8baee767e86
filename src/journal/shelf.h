/* shelf.h - the segments there are, oldest first.
 *
 * Filled by looking into the directory once; then the writer adds and removes,
 * and readers look up, under the journal's mutex.
 */
#ifndef JOURNAL_SHELF_H
#define JOURNAL_SHELF_H

#include "base/error.h"
#include "base/text.h"

struct shelf {
	uint64_t *firsts;
	uint64_t *bytes; /* of lines; of the newest, as of its last commit */
	size_t count, room;
};

bool shelf_load(struct shelf *shelf, int dir, struct error *why);
void shelf_finish(struct shelf *shelf);

void shelf_add(struct shelf *shelf, uint64_t first);
void shelf_drop_oldest(struct shelf *shelf);
void shelf_drop_newest(struct shelf *shelf);

uint64_t shelf_bytes(const struct shelf *shelf);

/* The segment that would hold seq: 0 if all begin later.  *until: the first seq
 * that it cannot hold, 0 for the newest. */
uint64_t shelf_find(const struct shelf *shelf, uint64_t seq, uint64_t *until);

#endif
