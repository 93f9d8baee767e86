/* cold.h - files that readers hold open, and reading them without waiting.
 *
 * A read that would have to wait for the disk becomes a request to the warmer,
 * a thread that reads the same bytes so that they are in the page cache when
 * the reader comes again.  Where the file system cannot say whether a read would
 * wait, everything is read by the warmer first.
 */
#ifndef JOURNAL_COLD_H
#define JOURNAL_COLD_H

#include <sys/types.h>

#include "base/list.h"
#include "journal/segment.h"

struct journal;

#define COLD_UNREAD 1024

/* A segment that is being read; shared by all its readers. */
struct open_file {
	struct link in_journal; /* journal.files */
	uint64_t first;
	uint64_t until; /* the first seq of the segment that follows, once there is one */
	int fds[2];     /* by enum segment_file: lines and index, < 0 in the new form */
	unsigned refs;
	bool cannot_ask; /* no RWF_NOWAIT here */
	bool is_warm;    /* with cannot_ask: the warmer has read all that is searched */
	struct {
		uint64_t offset;
		size_t len;
	} unread[COLD_UNREAD]; /* lines that could not be read, the newest of them */
	unsigned unread_count;
	bool index_is_bad; /* it could not be read */
};

/* What a reader waits for, one thing at a time. */
struct wanted {
	uint64_t first;
	struct open_file *file; /* NULL: that it can be opened; else a reference */
	enum segment_file which;
	uint64_t offset;
	size_t len;
};

struct warm;

enum cold_answer { COLD_READY, COLD_WAIT, COLD_FAILED };

/* Opens a segment or shares the open one.  *warm is the caller's one request. */
enum cold_answer cold_open(struct journal *journal, uint64_t first, struct warm **warm,
                           struct open_file **out);
void cold_unref(struct open_file *file); /* NULL is fine */

/* After a roll: the open files learn where they end, for once they are removed
 * nobody else will know. */
void cold_note_ends(struct journal *journal);

/* Exactly what is wanted, or nothing. */
enum cold_answer cold_read(struct journal *journal, const struct wanted *wanted, struct warm **warm,
                           void *into);

/* The same for a thread that may wait.  The file is its own, on no list. */
enum cold_answer cold_open_patiently(struct journal *journal, uint64_t first,
                                     struct open_file **out);
enum cold_answer cold_read_patiently(const struct wanted *wanted, void *into);

bool cold_is_waiting(struct journal *journal, struct warm *warm);
void cold_forget(struct journal *journal, struct warm **warm);

void warmer_start(struct journal *journal);
void warmer_stop(struct journal *journal); /* after writer_stop said so */

#endif
