/* journal.h - the durable log: every admitted signal, one JSON line each.
 *
 * The journal has two threads of its own: the writer, and the warmer, which reads cold
 * files so that reads on the loop never wait for a disk.  Call all functions here on the
 * thread that opened the journal (the loop's).  When one of the two has news it calls
 * options.wake, and the owner calls journal_poll().
 *
 * Lines are appended to memory (blocks; the newest 10,000 signals stay there)
 * and written from that same memory.  Live fan-out never waits for the disk.
 */
#ifndef JOURNAL_JOURNAL_H
#define JOURNAL_JOURNAL_H

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"
#include "journal/places.h"
#include "journal/state.h"
#include "journal/stats.h"
#include "signal/position.h"

struct journal;

struct journal_options {
	const char *dir;      /* DATA; the journal is in DATA/journal */
	size_t segment_bytes; /* 64 MiB */
	uint64_t keep_bytes;  /* retention: 10 GiB; 0: no limit */
	unsigned keep_days;   /* 30; 0: no limit */
	bool is_held;         /* nothing goes until journal_release (hold.h) says so */
	size_t wait_max;      /* bytes that may wait for a failing disk: 64 MiB */
	unsigned commit_ms;   /* until lines that nobody waits for are written: 5 */
	unsigned sync_ms;     /* and from then until they are synced: 25 */

	void (*wake)(void *self); /* any thread */
	/* From journal_poll: everything up to seq is on the disk. */
	void (*durable)(void *self, uint64_t seq);
	/* From journal_poll: the disk began to fail (why) or recovered (NULL). */
	void (*trouble)(void *self, const char *why);
	/* From journal_poll, at each roll, from journal_save_state and from journal_close: the
	 * folded state of everything up to and with out->seq, the last appended signal.  False: it
	 * takes longer, and is given to journal_take_state, with the seq it stands at then; it
	 * would be too late for journal_close. */
	bool (*checkpoint)(void *self, struct saved_state *out);
	/* From journal_poll: what a reader waited for may be there now. */
	void (*warmed)(void *self);
	/* From journal_poll: old segments would go, and wait for journal_release. */
	void (*held)(void *self);
	void *self;
};

/* Retention, commit_ms and sync_ms are as in these options from now on; the rest stays. */
void journal_adjust(struct journal *journal, const struct journal_options *options);

/* Takes DATA/lock (a second holder is an error that names the first), verifies
 * the tail, begins a new epoch. */
struct journal *journal_open(const struct journal_options *options, struct error *why);

/* Commits everything, polls once more, writes the checkpoint and the clean-stop
 * mark.  A disk that fails is given three seconds.  Readers must be gone. */
void journal_close(struct journal *journal);

/* A checkpoint between two rolls, for what no signal tells: the state is asked for now. */
void journal_save_state(struct journal *journal);

/* The newest valid checkpoint, empty if none, and the seq it stands at. */
struct text journal_checkpoint(const struct journal *journal, uint64_t *seq);

uint64_t journal_last_seq(const struct journal *journal);  /* appended */
uint64_t journal_first_seq(const struct journal *journal); /* oldest that is kept */
uint64_t journal_durable_seq(const struct journal *journal);
const char *journal_epoch(const struct journal *journal);

enum journal_append {
	JOURNAL_KEPT,
	JOURNAL_LIVE_ONLY, /* the disk fails and memory is full: not stored, a
	                    * journal.gap line will stand for it */
};

/* Can a durable signal with a line of so many bytes be taken now?  False while the
 * disk fails and what waits for it has reached its ceiling. */
bool journal_has_room(const struct journal *journal, size_t bytes);

/* Does so much wait for a disk that works, but slowly, that producers had better
 * not be read until the next `durable`?  A quarter of wait_max.  Never while it
 * fails: that may take long, and what does not fit is refused or live only. */
bool journal_is_behind(const struct journal *journal);

/* The signal journal_last_seq() + 1.  The line is given in two pieces and gets
 * its newline here.  hurry: somebody waits for its durability.  keys: what it is found by;
 * NULL: every search looks at it. */
enum journal_append journal_append(struct journal *journal, struct text head, struct text body,
                                   bool hurry, const struct place_keys *keys);

/* The line that was kept last, valid until the next poll. */
struct text journal_newest(const struct journal *journal);

/* Somebody waits for what is appended in this turn. */
void journal_hurry(struct journal *journal);

/* Tells the writer of what was appended, so that it is committed at once if somebody waits
 * for it, else soon: call it at the end of a turn, so that all that came in it goes together. */
void journal_commit(struct journal *journal);

void journal_poll(struct journal *journal); /* after a wake, on the owner's thread */

/* Blocks until there is something to poll, at most ms: for the start and the tests. */
void journal_wait(struct journal *journal, unsigned ms);

/* NULL while all is well.  A disk that is full is told before it fails: for a while there
 * is room that was reserved. */
const char *journal_trouble(const struct journal *journal);

/* Is what was appended not going to the disk at present? */
bool journal_fails(const struct journal *journal);

struct journal_stats journal_stats(const struct journal *journal);

#endif
