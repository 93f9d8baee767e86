/* salvage.h - whole lines that no head and no index knows of.
 *
 * When the end of an index or a head is lost, or a crash cut a batch short, the lines may
 * still be there.  Those that are whole and go on with the seq that is due get entries again.
 * In the new form lines that may never have been acknowledged are believed only if the line
 * before them is the head that they would have, but for a few bytes: whatever else may be
 * garbage that looks like them.
 */
#ifndef JOURNAL_SALVAGE_H
#define JOURNAL_SALVAGE_H

#include "base/buf.h"
#include "journal/segment.h"

struct salvage {
	int fd;
	uint64_t first;     /* the seq that was due at first */
	uint64_t next;      /* the seq that is due */
	uint64_t offset;    /* where the last of them ends */
	uint64_t end;       /* no further than this */
	bool has_heads;     /* may be set: lines must be vouched for, by what is left of a head */
	uint64_t acked;     /* with it: lines up to here need nobody to vouch for them */
	struct buf entries; /* of what was found: struct index_entry */
};

/* fd is a file of lines, in which `next` would begin at `offset`. */
void salvage_init(struct salvage *salvage, int fd, uint64_t next, uint64_t offset, uint64_t end);
void salvage_finish(struct salvage *salvage);

/* Goes as far as there are such lines. */
void salvage_run(struct salvage *salvage);
size_t salvage_count(const struct salvage *salvage); /* entries */

#endif
