/* place_disk.h - the files of indexes (placing.h), in the journal's directory; any thread. */
#ifndef JOURNAL_PLACE_DISK_H
#define JOURNAL_PLACE_DISK_H

#include "journal/placing.h"

#define PLACE_DISK_SUFFIX "places"
#define PLACE_DISK_FRESH "places.new" /* while it is written */

/* Is there one, and of these bytes? */
bool place_disk_is_good(int dir, uint64_t segment);

/* What it says, if it is good and knows of the seq. */
bool place_disk_find(int dir, const struct placing_question *question, struct place_list *out);

/* If it cannot be written there is none. */
void place_disk_write(int dir, uint64_t segment, const struct place_draft *draft);

#endif
