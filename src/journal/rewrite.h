/* rewrite.h - a segment written once more, with some of its lines left out.
 *
 * The new files are SEQ.ndjson.new and SEQ.index.new, whole and on the disk when
 * rewrite_end says so, and nothing to anybody until they are given their names.
 */
#ifndef JOURNAL_REWRITE_H
#define JOURNAL_REWRITE_H

#include "base/buf.h"
#include "base/error.h"
#include "journal/segment.h"

#define REWRITE_NAME_ROOM (SEGMENT_NAME_ROOM + 8)

struct rewrite {
	int dir, fd;
	uint64_t first;
	uint64_t next;    /* the seq that comes next */
	uint64_t offset;  /* written */
	struct buf batch; /* lines from batch_first to next - 1, not yet written */
	uint64_t batch_first;
	uint64_t gap_first; /* not 0: what is left out, up to next - 1 */
	uint16_t gap_kind;
	struct buf entries;
	bool failed; /* errno said why, and it is in `why` */
	struct error why;
};

void rewrite_name(char out[REWRITE_NAME_ROOM], uint64_t first, enum segment_file which);

void rewrite_begin(struct rewrite *rewrite, int dir, uint64_t first);

/* In the order of seq: */
void rewrite_line(struct rewrite *rewrite, struct text line);                /* `next` */
void rewrite_leave_out(struct rewrite *rewrite, uint64_t to, uint16_t kind); /* next..to */
void rewrite_copy_gap(struct rewrite *rewrite, const struct index_entry *entry, struct text line);
void rewrite_end_batch(struct rewrite *rewrite);

/* Both files are whole and synced, and as old as `like`; frees all. */
bool rewrite_end(struct rewrite *rewrite, int like, struct error *why);

#endif
