/* segment.h - one file of lines and its index of batches.
 *
 * `%020llu.ndjson` is named by the seq of its first line; `%020llu.index` beside
 * it has one entry for each batch of lines that was committed together.  An
 * entry counts if its own checksum is right, and its batch if the checksum in
 * the entry is.  So it does not matter which of the two files reached the disk
 * first: what was not acknowledged shows itself.
 *
 * The index ends at the end of its file or at the first entry of zeros: it is
 * lengthened with zeros, so that a commit changes nothing but data in it.
 *
 * Where two segments hold the same seq, the one with the greater name is right:
 * a segment ends before the first seq of the one that follows.  This happens
 * when a sync failed after all the bytes had reached the disk.
 */
#ifndef JOURNAL_SEGMENT_H
#define JOURNAL_SEGMENT_H

#include "base/buf.h"
#include "base/error.h"

struct syncer;

#define SEGMENT_NAME_ROOM 48
#define COMMIT_BATCHES_MAX 256
#define BATCH_BYTES_MAX (256u * 1024 * 1024) /* no entry of ours is near it */

/* As on the disk, little-endian. */
struct index_entry {
	uint64_t first, last; /* seq */
	uint64_t offset;
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
	int fd, index;
	uint64_t len;     /* committed bytes */
	uint64_t entries; /* committed entries */
	uint64_t zeroed;  /* entries that the index has room for */
	uint64_t let_go;  /* bytes that the page cache need not have any more */
};

enum segment_file { SEGMENT_LINES, SEGMENT_INDEX, SEGMENT_QUARANTINE };

void segment_name(char out[SEGMENT_NAME_ROOM], uint64_t first, enum segment_file which);
/* Is this the name of a file of lines? */
bool segment_parse_name(const char *name, uint64_t *first);

#define GAP_LINE_MAX 512

/* The line, with its newline, that stands for from..to and has the seq of the last. */
void segment_gap_line(struct buf *out, uint64_t from, uint64_t to, const char *why);

/* Makes both files and makes sure that they stay. */
bool segment_create(struct segment *segment, int dir, uint64_t first, struct error *why);

/* Writes and syncs, both files at once if there is a syncer.  After a failure the
 * segment must be abandoned. */
bool segment_commit(struct segment *segment, const struct commit_batch *batches, size_t n,
                    struct syncer *syncer, struct error *why);

/* Cuts off what was not committed, or removes the files if nothing was. */
void segment_abandon(struct segment *segment, int dir);

void segment_finish(struct segment *segment); /* gives back the reserved space */

/* Room in the index for entries to come, if the disk has it. */
void segment_lengthen_index(struct segment *segment);

/* Space for a segment of so many bytes, if the file system can. */
void segment_reserve(struct segment *segment, size_t bytes);

/* Copies bytes that are no good, and stay where they are, to FIRST.quarantine, once. */
void segment_quarantine(int dir, int fd, uint64_t first, uint64_t offset, uint64_t len);

#endif
