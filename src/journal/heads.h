/* heads.h - reading a segment by the heads of its batches, for walk.c alone.
 *
 * Heads stand in the order of their seqs, so a seq is found by bisecting the file itself: no
 * index is needed, and none can be lost.  What is not as its head says is damaged, and the
 * next head tells where that ends.
 */
#ifndef JOURNAL_HEADS_H
#define JOURNAL_HEADS_H

#include "journal/walk.h"

/* Of the segment that the walk has open. */
enum walk_news heads_read(struct walk *walk, const struct walk_question *question,
                          struct text *lines, uint64_t *to);

#endif
