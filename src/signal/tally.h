/* tally.h - how many signals there were, by source and kind, in bounded memory.
 *
 * The first TALLY_SOURCES names have a row each; all that come later share the last one,
 * whose name is "other".  To count the same source again costs one comparison.
 */
#ifndef SIGNAL_TALLY_H
#define SIGNAL_TALLY_H

#include "signal/kind.h"

#define TALLY_SOURCES 32
#define TALLY_NAME_MAX 64 /* of a longer name, its beginning is shown */
#define TALLY_SLOTS (4 * TALLY_SOURCES)

struct tally_row {
	char name[TALLY_NAME_MAX];
	size_t len;
	uint64_t counts[KIND_COUNT];
};

struct tally {
	unsigned count, last;       /* rows in use, without the last; the one used last */
	uint8_t slots[TALLY_SLOTS]; /* by hash: the row and one, or 0 */
	struct tally_row rows[TALLY_SOURCES + 1];
};

void tally_init(struct tally *tally);

/* Where those of this source and kind are counted: the caller adds. */
uint64_t *tally_of(struct tally *tally, struct text source, enum signal_kind kind);

#endif
