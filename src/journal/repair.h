/* repair.h - everything that `journal verify` finds fault with, put right, while the box is
 * stopped.
 *
 * First comes what a start does to the newest segment.  Then each segment in which something
 * is damaged or missing is written anew, in the new form: with the batches that are whole, the
 * lines that have lost their head or index, and a journal.gap line for each stretch that is
 * gone.  Damaged bytes are copied to SEQ.quarantine first.  Checkpoints that are damaged
 * go: they have nothing that the lines have not.
 */
#ifndef JOURNAL_REPAIR_H
#define JOURNAL_REPAIR_H

#include <stdint.h>

#include "base/error.h"

struct journal_repair {
	uint64_t segments;    /* that there are */
	uint64_t rewritten;   /* that were written anew */
	uint64_t gone;        /* signals for which a gap stands now, in these */
	uint64_t unchecked;   /* signals that had no checksum, in these */
	uint64_t checkpoints; /* that were removed */
};

/* Takes DATA/lock.  A segment of which bytes cannot be read, or copied, stays as it is: the others
 * are repaired, and *why tells the first such failure. */
bool journal_repair(const char *data_dir, struct journal_repair *report, struct error *why);

#endif
