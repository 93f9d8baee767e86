/* batch.h - a batch of lines in a segment, and the line at its head.
 *
 * A segment is a file of lines.  The first says what it is:
 *
 *   {"journal":2,"segment":184201,"check":"5f0e6a11"}
 *
 * Then come batches, each with a line of its own at its head, and a commit is one or more
 * of them:
 *
 *   {"commit":184260,"first":184201,"bytes":6400,"crc32c":"9f3a12cd","check":"1b2c3d4e"}
 *   {"seq":184201,...}
 *   ...
 *   {"seq":184260,...}
 *
 * `check` is the CRC-32C of what stands before it in the line, `crc32c` that of the lines.
 * "part":2 says that two batches of the same commit stand before it, "kind":"gap" that its
 * only line stands for all of the seqs, "kind":"forgotten" the same for what was taken out.
 * A head has one form only, so its length follows from what it says.  Each line of a signal
 * begins with {"seq": and has no newline in it, so none can be taken for a head.
 *
 * Behind the last batch of the newest segment there may be newlines: room that is filled
 * already, so that a commit changes nothing but data.
 */
#ifndef JOURNAL_BATCH_H
#define JOURNAL_BATCH_H

#include "base/text.h"
#include "journal/segment.h"

#define BATCH_HEAD_MAX 200
#define BATCH_AIM (16 * 1024) /* bytes of lines; a longer line is a batch of its own */
#define BATCH_HEAD_START TEXT("{\"commit\":")

/* The head with its newline, of the entry's first, last, length, crc, kind and place;
 * returns its length. */
size_t batch_head_write(char out[BATCH_HEAD_MAX], const struct index_entry *entry);

/* The same backwards, from a line without its newline; the offset is not set.  False when
 * it is no head, or a damaged one. */
bool batch_head_read(struct text line, struct index_entry *entry);

/* How long the head of such a batch is, with its newline. */
size_t batch_head_length(const struct index_entry *entry);

/* Finds the first line in these bytes that is a whole, sound head; the bytes begin where a
 * line begins, if at_line, and else in the middle of one.  *at: where the head begins. */
bool batch_find_head(struct text bytes, bool at_line, struct index_entry *entry, size_t *at);

/* Nothing but newlines and zeros: filled ahead, or never written. */
bool batch_is_blank(struct text bytes);

/* The first line of a segment, with its newline. */
size_t batch_write_title(char out[BATCH_HEAD_MAX], uint64_t first);

/* What a segment begins with. */
enum batch_title {
	TITLE_OURS,
	TITLE_NEWER, /* only a newer signalbox knows what follows */
	TITLE_NONE,  /* damaged, or the segment is of the old form */
};

/* *length: of the title with its newline; 0 without one. */
enum batch_title batch_read_title(struct text bytes, size_t *length);

#endif
