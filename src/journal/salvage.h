/* salvage.h - whole lines that the index does not know of.
 *
 * When the end of an index is lost, or a crash came between lines and entries, the
 * lines may still be there.  Those that are whole and go on with the seq that is
 * due are as good as any other: they get entries again.
 */
#ifndef JOURNAL_SALVAGE_H
#define JOURNAL_SALVAGE_H

#include "base/buf.h"
#include "journal/segment.h"

struct salvage {
	int fd;
	uint64_t first;     /* the seq that was due at first */
	uint64_t next;      /* the seq that is due */
	uint64_t offset;    /* up to here everything is whole */
	uint64_t end;       /* no further than this */
	struct buf entries; /* of what was found: struct index_entry */
};

/* fd is a file of lines, in which `next` would begin at `offset`. */
void salvage_init(struct salvage *salvage, int fd, uint64_t next, uint64_t offset, uint64_t end);
void salvage_finish(struct salvage *salvage);

/* Goes as far as there are such lines. */
void salvage_run(struct salvage *salvage);
size_t salvage_count(const struct salvage *salvage); /* entries */

#endif
