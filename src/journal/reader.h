/* reader.h - reading the journal from any position.
 *
 * A reader is small: a seq, an open segment and an offset.  It gives whole lines
 * from wherever they are: memory for the newest, files for the rest, and an
 * explicit gap for what is no longer there.  It never blocks: when the bytes are
 * not in the page cache it says so, the journal's second thread fetches them,
 * and options.warmed is called.
 */
#ifndef JOURNAL_READER_H
#define JOURNAL_READER_H

#include "journal/journal.h"

struct journal_reader;
struct journal_sieve;

enum journal_news {
	JOURNAL_LINES,
	JOURNAL_GAP,  /* the reader stands behind it now */
	JOURNAL_COLD, /* call again after options.warmed */
	JOURNAL_END,  /* caught up with journal_last_seq() */
};

/* The first line it gives is the one after `after`, a seq of ours; 0: all there is. */
struct journal_reader *journal_reader_create(struct journal *journal, uint64_t after);

/* The same for somebody from outside.  An epoch that is not ours, a seq that a lost
 * timeline had or that we never gave out: the first answer is a gap with why "lost", and
 * reading goes on where his timeline and ours parted, as far as his older positions tell;
 * else from the beginning. */
struct journal_reader *journal_reader_resume(struct journal *journal,
                                             const struct positions *after);
void journal_reader_destroy(struct journal_reader *reader);

/* The seq of the next line it will give. */
uint64_t journal_reader_next(const struct journal_reader *reader);
void journal_reader_seek(struct journal_reader *reader, uint64_t next_seq);

/* Takes the sieve.  Gives only lines that pass, with any seqs between them left out, and gaps as
 * before; once, before anything is read.  Those on the disk are looked for on the journal's
 * second thread. */
void journal_reader_sift(struct journal_reader *reader, struct journal_sieve *sieve);
void journal_reader_end_at(struct journal_reader *reader, uint64_t end); /* none from here on */

/* Bytes that the last journal_read has gone through on this thread: what it has cost. */
size_t journal_reader_looked(const struct journal_reader *reader);

/* On JOURNAL_LINES: lines is one or more whole lines, each with its newline, at
 * most about max bytes (one longer line is given whole), valid until the next
 * call into the journal.  The first line has seq journal_reader_next(). Then
 * say what was used with journal_reader_take.  With a sieve there may be none: then the
 * reader stands further, and there is nothing to take. */
enum journal_news journal_read(struct journal_reader *reader, size_t max, struct text *lines,
                               struct gap *gap);
void journal_reader_take(struct journal_reader *reader, size_t bytes, uint64_t next_seq);

#endif
