/* inside.h - the journal itself, for its own room.
 *
 * The owner's thread and two of ours.  The owner appends and reads; the writer commits,
 * rolls and removes old segments; the warmer reads: cold pages, questions and indexes.
 * Fields are grouped by the threads that may touch them.  One mutex guards everything that
 * is shared.  It is never held during a system call that may block, and an append takes it
 * only to wake the writer.
 */
#ifndef JOURNAL_INSIDE_H
#define JOURNAL_INSIDE_H

#include <pthread.h>
#include <time.h>

#include "base/list.h"
#include "journal/epochs.h"
#include "journal/journal.h"
#include "journal/placing.h"
#include "journal/recent.h"
#include "journal/retention.h"
#include "journal/segment.h"
#include "journal/shelf.h"
#include "journal/state.h"

/* What the owner wants of the writer; a greater one includes the lesser. */
enum write_urgency { ASK_NOTHING, ASK_SOON, ASK_NOW };

/* The writer's own: how far it got. */
struct writer_cursor {
	struct block *block;
	uint32_t lines, bytes; /* of that block, already written */
};

/* What is written and not yet synced. */
struct writer_pending {
	uint64_t last; /* seq; 0: nothing is */
	uint64_t bytes;
	uint64_t due_ns;  /* when it is to be synced at the latest */
	uint64_t took_ns; /* to write it */
};

struct journal {
	struct journal_options options;
	int lock_fd, dir; /* DATA/lock, DATA/journal */

	/* --- the owner's --- */
	struct recent recent;
	uint64_t last;             /* appended, live-only ones included */
	enum write_urgency wanted; /* for what was appended since journal_commit() */
	uint64_t gap_from;         /* not 0: recent.next, and all since is live only */
	size_t gap_waiting;        /* what waited for the disk when that began */
	uint64_t durable_seen;     /* as of the last poll */
	uint64_t appended;         /* bytes, ever */
	struct epochs epochs;
	struct buf checkpoint; /* as found at the start */
	uint64_t checkpoint_seq;
	struct error trouble; /* as of the last poll; empty: none */
	bool fails;           /* the same: the trouble is not only that it is slow */
	struct link files;    /* open_file.in_journal */
	struct buf scratch;   /* what journal_read gives */

	/* --- between owner and writer, without the mutex --- */
	_Atomic int asked;        /* enum write_urgency; raised and taken back under the mutex */
	_Atomic uint64_t written; /* bytes of `appended` that are durable */

	/* --- the writer's; the owner's before it starts and after it ended --- */
	struct segment segment;
	struct writer_cursor cursor, synced; /* up to where lines are written, and synced */
	struct writer_pending pending;
	uint64_t sync_ns;     /* how long lines may be written and not synced */
	bool hurried;         /* somebody waits for the commit under way */
	bool is_kept_too_big; /* a state was, and the log has said so */
	struct retention_aging aging;
	pthread_t writer;

	/* --- under the mutex --- */
	pthread_mutex_t mutex;
	pthread_cond_t to_writer, to_owner, to_warmer;
	bool stopping;
	bool news; /* the owner was woken and has not polled yet */
	uint64_t durable;
	struct error failing;  /* what the writer suffers from; empty: nothing */
	struct error failed;   /* from what it suffered since the last poll; empty: nothing */
	struct error no_space; /* the disk is full, though nothing failed yet; empty: it is not */
	bool rolled, warmed;
	struct retention_hold hold;
	struct shelf shelf;
	struct saved_state state; /* a checkpoint to write once its seq is durable */
	struct journal_stats stats;

	/* --- the warmer's, under the mutex too --- */
	pthread_t warmer;
	struct link cold;    /* warm.in_queue: requests, oldest first */
	struct link warm;    /* warm.in_queue: answered, not yet fetched */
	struct link finds;   /* find.in_queue: questions, oldest first */
	struct link found;   /* find.in_queue: answered */
	bool is_placing_due; /* there is something for placing_work */

	struct placing placing; /* with a mutex of its own */
};

/* Threads of ours: tells the owner that there is something to poll.  The mutex is
 * held; call journal_wake after letting it go if this says so. */
bool journal_has_news(struct journal *journal);
void journal_wake(struct journal *journal);

/* A moment of clock_mono_ns, for pthread_cond_timedwait on a condition of ours. */
struct timespec journal_moment(uint64_t ns);

/* A thread of ours; it must start. */
void journal_spawn(pthread_t *thread, const char *name, void *(*run)(void *), void *self);

void writer_start(struct journal *journal);
void writer_stop(struct journal *journal); /* after everything is committed, or given up */
void writer_ask(struct journal *journal, enum write_urgency what);

#endif
