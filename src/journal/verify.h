/* verify.h - is everything in a journal as it was written?
 *
 * Reads all of it and changes nothing; needs no lock, so the box may be running.  Of the
 * newest segment it tells what the next start will make of it (recover.h).
 */
#ifndef JOURNAL_VERIFY_H
#define JOURNAL_VERIFY_H

#include "base/error.h"
#include "base/text.h"

struct journal_report {
	/* Called for each thing that is wrong, with what and where in words. */
	void (*problem)(void *self, const char *words);
	/* How many bytes of how many were read; may be NULL. */
	void (*progress)(void *self, uint64_t done, uint64_t total);
	void *self;

	size_t newest; /* how many segments are read, counted from the newest; 0: all */

	uint64_t problems;
	uint64_t segments, batches, bytes;
	uint64_t signals;     /* that are there */
	uint64_t unindexed;   /* of them: whole lines that the next start gives their entries */
	uint64_t lost;        /* that a journal.gap line stands for */
	uint64_t forgotten;   /* the same: they were taken out on request */
	uint64_t first, last; /* seq; last is 0 when there is none */
	uint64_t uncommitted; /* bytes at the end that the next start cuts off: of a commit
	                       * that is under way, or that a crash cut short */
	bool stopped_cleanly;
};

/* dir is DATA.  False when it cannot be read at all; what is wrong with what was
 * read is in the report. */
bool journal_verify(const char *dir, struct journal_report *report, struct error *why);

#endif
