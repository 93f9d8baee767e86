/* rewrite.h - a segment written once more, with some of its lines left out.
 *
 * The new file is SEQ.ndjson.new, whole and on the disk when rewrite_end says so, and nothing
 * to anybody until it is given its name.
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
	bool failed; /* errno said why, and it is in `why` */
	struct error why;
};

void rewrite_begin(struct rewrite *rewrite, int dir, uint64_t first);

/* In the order of seq: */
void rewrite_line(struct rewrite *rewrite, struct text line);                /* `next` */
void rewrite_leave_out(struct rewrite *rewrite, uint64_t to, uint16_t kind); /* next..to */
/* A batch as it is, of the entry's first, last and kind. */
void rewrite_copy(struct rewrite *rewrite, const struct index_entry *entry, struct text lines);
void rewrite_end_batch(struct rewrite *rewrite);

/* There will be no new file. */
void rewrite_fail(struct rewrite *rewrite, const struct error *why);

/* The file is whole and synced, and as old as `like`; frees all. */
bool rewrite_end(struct rewrite *rewrite, int like, struct error *why);

/* Gives it its name, and so the place of an old segment; one that has it already is fine. */
bool rewrite_put_in_place(int dir, uint64_t first, struct error *why);

#endif
