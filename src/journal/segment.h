/* segment.h - one file of lines.
 *
 * `%020llu.ndjson` is named by the seq of its first line and holds batches (batch.h).  What
 * was not acknowledged shows itself: a batch counts if its checksums are right.
 *
 * Segments of the old form have bare lines in that file, and beside it `%020llu.index` with
 * an entry for each batch.  They are read, and not written any more.  In memory a batch is
 * such an entry in both forms.
 *
 * Where two segments hold the same seq, the one with the greater name is right:
 * a segment ends before the first seq of the one that follows.  This happens
 * when a sync failed after all the bytes had reached the disk.
 */
#ifndef JOURNAL_SEGMENT_H
#define JOURNAL_SEGMENT_H

#include "base/buf.h"
#include "base/error.h"

#define SEGMENT_NAME_ROOM 48
#define COMMIT_BATCHES_MAX 256
#define BATCH_BYTES_MAX (256u * 1024 * 1024) /* no entry of ours is near it */

/* As on the disk in the old form, little-endian. */
struct index_entry {
	uint64_t first, last; /* seq */
	uint64_t offset;      /* of the lines; the head, if there is one, stands before it */
	uint32_t length;
	uint32_t crc;   /* crc32c of the batch */
	uint8_t kind;   /* ENTRY_LINES, ENTRY_GAP or ENTRY_FORGOTTEN */
	uint8_t format; /* of this entry and its lines: ENTRY_FORMAT */
	uint16_t place; /* in its commit: the first batch of it is 0 */
	uint32_t self;  /* crc32c of the fields above */
};

#define ENTRY_FORMAT 0 /* raised by whoever changes what the others mean */

enum {
	ENTRY_LINES = 1,
	ENTRY_GAP = 2,       /* one journal.gap line for first..last */
	ENTRY_FORGOTTEN = 3, /* the same for what was taken out on request */
};

void index_entry_seal(struct index_entry *entry);
bool index_entry_is_sound(const struct index_entry *entry);
bool index_entry_is_zero(const struct index_entry *entry);
/* Whole, and of a format that only a newer signalbox knows. */
bool index_entry_is_newer(const struct index_entry *entry);

/* What a commit writes: a piece of one block. */
struct commit_batch {
	uint64_t first, last;
	struct text bytes;
	bool is_gap;
};

/* The segment that is being written.  fd < 0: none. */
struct segment {
	uint64_t first;
	int fd;
	uint64_t len;    /* bytes that are written */
	uint64_t synced; /* of these: on the disk */
	uint64_t filled; /* up to here the file has data: lines, and newlines behind them */
	uint64_t let_go; /* bytes that the page cache need not have any more */
	bool cannot_fill;
	uint16_t part; /* how many batches were written since the last sync */
};

/* Greater ones are garbage, so that there is always room behind the last. */
#define SEGMENT_SEQ_MAX (SEQ_MAX / 2)

enum segment_file { SEGMENT_LINES, SEGMENT_INDEX, SEGMENT_QUARANTINE };

void segment_name(char out[SEGMENT_NAME_ROOM], uint64_t first, enum segment_file which);
/* Is this the name of a file of lines? */
bool segment_parse_name(const char *name, uint64_t *first);

#define GAP_LINE_MAX 512

/* The line, with its newline, that stands for from..to and has the seq of the last. */
void segment_gap_line(struct buf *out, uint64_t from, uint64_t to, const char *why);

/* Removes it, in either form. */
bool segment_remove(int dir, uint64_t first);

/* An index beside a segment of the new form is of one that this has replaced. */
void segment_drop_stale_index(int dir, uint64_t first);

/* Makes the file and makes sure that it stays. */
bool segment_create(struct segment *segment, int dir, uint64_t first, struct error *why);

/* Into the page cache: what a crash of ours does not lose. */
bool segment_write(struct segment *segment, const struct commit_batch *batches, size_t n,
                   struct error *why);
/* On the disk: what nothing loses.  After a failure of either the segment must be abandoned. */
bool segment_sync(struct segment *segment, struct error *why);

/* Must the batches that are written be synced before there may be more? */
bool segment_must_sync(const struct segment *segment);

/* Has it nothing but its first line, as far as is known to be on the disk? */
bool segment_is_empty(const struct segment *segment);

/* Cuts off what was not synced, or removes the file if nothing was. */
void segment_abandon(struct segment *segment, int dir);

void segment_finish(struct segment *segment); /* cuts it to its length */

/* Space for a segment of so many bytes, if the file system can. */
void segment_reserve(struct segment *segment, size_t bytes);

/* Fills a stretch ahead with newlines, within so many bytes, if little is left of the last
 * one: a commit that need not change the file's extents takes half the time or less.  Only
 * when all is synced.  After a failure the segment must be finished. */
bool segment_fill(struct segment *segment, size_t bytes);

#endif
