/* runs.h - every run of the box: its state, and its frames for screens.
 *
 * They are folded from the journal later than signals are admitted (bus/folds.h), and no
 * further than the disk unless that fails, so that no frame is ever taken back.
 *
 * Events are numbered twice, without holes: within their run, and all together.  Both
 * numbers follow from the journal alone, and are the same after a restart.  An event that
 * an agent sent with a seq has that as the number within its run.  The newest frames are
 * kept in memory; a run's older ones are made again from the journal (replay.h).
 */
#ifndef RUN_RUNS_H
#define RUN_RUNS_H

#include "base/buf.h"
#include "base/list.h"
#include "bus/back.h"
#include "run/fold.h"
#include "run/translate.h"

#define RUNS_MAX 4096             /* the one that was quiet for longest is forgotten */
#define RUNS_FRAMES_MAX (8 * MIB) /* kept in memory */
#define RUNS_FRAMES_SAVED (256 * KIB)
#define RUNS_SAVED_MAX (16 * MIB) /* of a checkpoint; then only numbers of a run are saved */
#define RUNS_KEPT_MAX (4 * MIB)   /* more is not kept with a segment */
#define RUNS_CATCH_UP 256         /* events for who comes without a position */
#define RUNS_REACH_NS 4000000     /* that who wants the present folds on for, first */
#define RUN_FRAME_KEPT (64 * KIB) /* a longer phase or debug frame is not kept */

struct folds;
struct journal;
struct runs;
struct said;

struct run {
	char *id, *source;
	struct fold fold;
	struct hearing hearing;
	uint64_t first_seq, last_seq; /* of the journal */
	uint64_t signals;
	uint64_t frames; /* numbered ones so far: the number of the newest */
	double first_ms, last_ms;
	/* The newest such frame, or NULL.  finished: until something else is heard of the run. */
	char *phase, *debug, *finished;
	unsigned refs;               /* frames of it that are kept */
	bool is_forgotten;           /* only they are left of it */
	struct link in_all;          /* runs_all(), the one that spoke last at the end */
	struct said *said;           /* NULL: it was let go; ask run_said() of recall.h */
	struct run_session *session; /* or NULL: see sessions.h */
	struct link in_session;
	char *spawned_by; /* the key of the session that began it, or NULL */
	size_t to_save;   /* its place among those that are to be saved, from 1 on; 0: it is not */
};

struct run_frame {
	uint64_t at;           /* its place among all frames that were made, numbered or not */
	uint64_t number;       /* among all runs; that of the newest before it if not numbered */
	uint64_t own;          /* within its run, likewise */
	const struct run *run; /* NULL: of a replay */
	struct frame_pieces pieces;
};
/* merged: among those of all runs, where it says whose it is. */
void run_frame_add(const struct run_frame *frame, bool merged, struct buf *out);

struct runs_options {
	void *self;
	/* There are new frames, or all was heard; at most once for each piece of the journal. */
	void (*news)(void *self);
	struct journal *journal; /* for texts that were let go; NULL: they are not made again */
};

struct runs *runs_create(const struct runs_options *options);
void runs_destroy(struct runs *runs);

/* Each signal, in the order of the journal, as signal_read() gives it. */
void runs_hear(struct runs *runs, const struct signal *s);
/* Makes them a fold of the journal, which does that from now on. */
void runs_join(struct runs *runs, struct folds *folds);
/* Folds on for a moment; true: all there is was heard. */
bool runs_reach(struct runs *runs);
uint64_t runs_seq(const struct runs *runs);     /* of the journal, up to which it is folded */
void runs_watch(struct runs *runs, bool watch); /* a screen watches, or no longer does */

/* Each signal of a run, after the run has it.  Who hears it may look at the runs, and do nothing
 * else; options.news is told after a piece of the journal. */
struct runs_listener {
	void (*before)(struct runs_listener *listener, const struct run *run); /* or NULL */
	void (*hear)(struct runs_listener *listener, struct run *run, const struct signal *s);
	struct link in_runs; /* runs.listeners */
};
void runs_listen(struct runs *runs, struct runs_listener *listener); /* until list_remove */
struct run *runs_find(const struct runs *runs, struct text id);      /* NULL: unknown */
struct link *runs_all(struct runs *runs);
size_t runs_count(const struct runs *runs);
void run_json(const struct run *run, struct buf *out); /* an object: id, source, fold's members */
void run_brief(const struct run *run, const char *member, struct buf *out); /* member: or NULL */

/* Of struct backs_options, with the runs as self. */
bool runs_is_free(void *self, struct text id, struct error *why);
enum back_answer runs_miss(void *self, const struct back_control *control, struct error *why);

/* The frame at a place, or the next one that is kept; false: there is none yet. */
bool runs_frame(const struct runs *runs, uint64_t at, struct run_frame *out);
uint64_t runs_head(const struct runs *runs);   /* the place of the next frame */
uint64_t runs_number(const struct runs *runs); /* of the newest event of all */
/* The place after the event with this number (of all, or of a run); false when it is not
 * kept any more, or was never given out. */
bool runs_place(const struct runs *runs, const struct run *run, uint64_t number, uint64_t *at);
/* The place from which on there are at most so many events (of all, or of a run). */
uint64_t runs_back(const struct runs *runs, const struct run *run, size_t events);

/* For the checkpoint, a piece at a time; false: that was the last.  What is saved is what the runs
 * were at runs_save_begin, whatever is heard meanwhile. */
void runs_save_begin(struct runs *runs);
bool runs_save_more(struct runs *runs, struct buf *out);
/* For one that has heard nothing yet; *seq: where older checkpoints say that they stand. */
bool runs_load(struct runs *runs, struct text saved, uint64_t *seq);

#endif
