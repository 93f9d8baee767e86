/* find.h - a question to the reader's thread: the lines of the files that pass a sieve.
 *
 * The owner asks for lines from a seq on; the thread reads and judges for some milliseconds,
 * passes over what an index (placing.h) says has none, and answers with what it found: lines,
 * perhaps a gap behind them, and how far it got.  Then it is another's turn.  What it reads it
 * reads as every reader does (walk.h), so gaps are the same.
 *
 * A question is the thread's while it is busy with it, and the owner's otherwise.
 */
#ifndef JOURNAL_FIND_H
#define JOURNAL_FIND_H

#include "base/list.h"
#include "journal/places.h"
#include "journal/walk.h"
#include "signal/position.h"

struct journal;
struct journal_sieve;

enum find_state { FIND_IDLE, FIND_QUEUED, FIND_BUSY, FIND_DONE };

struct find {
	/* --- under the journal's mutex --- */
	struct link in_queue; /* journal.finds, or journal.found when done */
	enum find_state state;
	bool is_orphan; /* its reader is gone: journal_poll destroys it */

	struct journal *journal;
	struct journal_sieve *sieve; /* a reference */
	struct signal_reader *signals;
	struct walk walk;
	struct place_list list; /* where lines may be that pass */
	uint64_t bare;          /* up to here there is no index */
	bool is_entered;        /* it has read something, so that it may pass over what follows */

	/* what is asked */
	uint64_t until;  /* the first seq that is not wanted */
	uint64_t memory; /* the first that is in memory */

	/* what is answered */
	uint64_t next;    /* the first seq that was not looked at, behind the gap if there is one */
	struct buf found; /* lines, each with its newline */
	size_t taken;     /* bytes of it that the reader has used */
	struct gap gap;   /* behind the lines; why is NULL when there is none */
};

/* The owner's. */
struct find *find_create(struct journal *journal, struct journal_sieve *sieve);
void find_destroy(struct find *find); /* at any time; NULL is fine */

/* Asks for lines from `next` on, before `until`. */
void find_ask(struct find *find, uint64_t next, uint64_t until);
bool find_is_waiting(struct find *find);

/* From journal_poll: destroys what nobody waits for any more. */
void find_bury(struct journal *journal);

/* The reader's thread. */
void find_work(struct find *find);

#endif
