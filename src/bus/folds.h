/* folds.h - state that is folded from the journal: one frame for all of it.
 *
 * A fold is a state that the signals made, one after the other: the window of idempotent
 * emits, the open prompts, the runs, the stage.  Its owner registers how it hears, saves and
 * loads.  The frame loads it from the checkpoint, brings it up to the present, keeps it there
 * and saves it.
 *
 *   itself    hears the past; its owner adds each new signal as it is stamped
 *   at once   hears the past before folds_catch_up returns, then each signal as it is stamped
 *   later     follows the journal at the ends of turns, in pieces of FOLDS_TURN_NS
 *
 * One rule for floods: a fold of the last kind may lag, but it loses no signal and does not
 * slow the bus down.  While somebody watches it, it follows at once.  Otherwise it folds few
 * signals as they come, more of them once a tick, and none of a flood until that is over.
 * Whoever needs the present calls fold_reach first, and asks fold_is_behind.
 *
 * A fold sees the signals and nothing else, neither the clock nor the configuration.  So the
 * same journal gives the same state, and folds_create_at gives that of any moment of the past.
 *
 * To add one: write its struct fold_kind beside the state, and give box/folds.c a row.
 * ARCHITECTURE.md lists the files; tests/skeleton/fold is the least that one can be.
 */
#ifndef BUS_FOLDS_H
#define BUS_FOLDS_H

#include "base/buf.h"
#include "signal/signal.h"

#define FOLDS_TURN_NS 200000 /* of all that follow, at the end of a turn */
#define FOLDS_TICK_MS 250    /* folds_tick is called so often while it says so */

struct folded;
struct folds;
struct journal;
struct saved_state;
enum fold_pace { FOLD_ITSELF, FOLD_AT_ONCE, FOLD_LATER };

struct fold_kind {
	const char *name; /* its section of a checkpoint */
	enum fold_pace pace;
	bool durable_first; /* later: it hears only what is on the disk, unless the disk fails */
	uint64_t back;      /* the newest signals that matter without a checkpoint; 0: all */
	bool is_narrow;     /* with one, too, no others matter */
	uint64_t flood;     /* later: so many from one tick to the next are a flood; 0: 5,000 */
	size_t saved_max;   /* a longer state is not saved; 0: there is no limit */
	size_t kept_max;    /* a longer one is not in what is kept with a segment; 0: likewise */
	bool newest_alone;  /* nobody asks for its past: in the newest checkpoint alone */

	/* Quick looks, both optional: could a line of the past matter, does a new signal? */
	bool (*may_want)(struct text line);
	bool (*wants)(const struct signal *s);
	/* Each signal, in the order of seq.  Later: it must not call into the journal. */
	void (*hear)(void *self, const struct signal *s);
	void (*heard)(void *self, bool is_all); /* later: a piece; is it all there is? */
	/* At once: all up to seq is on the disk. */
	void (*durable)(void *self, uint64_t seq);
	void (*save)(const void *self, struct buf *out);
	/* In its place, for a long state: one piece; false: the last.  All are of the state at
	 * save_begin, whatever is heard meanwhile.  It forgets the one before. */
	void (*save_begin)(void *self);
	bool (*save_more)(void *self, struct buf *out);
	bool stands_still; /* later: it hears nothing from save_begin to the last piece */
	/* False: that is no such state; what was loaded of it is forgotten.  *seq is where it
	 * stands, to be changed by a state that says so itself. */
	bool (*load)(void *self, struct text saved, uint64_t *seq);
	/* Both optional: texts that belong to the state, but can be made again from the journal.
	 * They are a section of their own, NAME.texts, in the checkpoint of a clean stop alone,
	 * and loaded after a state. */
	void (*save_texts)(const void *self, struct buf *out);
	void (*load_texts)(void *self, struct text saved);
};

struct folds *folds_create(struct journal *journal);
void folds_destroy(struct folds *folds);

/* The same for a moment of the past, when seq was the newest signal.  States of their own are
 * added to it: they are loaded from the newest checkpoint at or before seq that was kept with a
 * segment (journal/kept.h), which this reads from the disk.  All fold later then, up to seq, so
 * that nothing need wait: folds_turn, fold_reach and fold_is_behind are as ever, and
 * folds_catch_up folds all at once.  It hears nothing new; texts are not loaded. */
struct folds *folds_create_at(struct journal *journal, uint64_t seq);
uint64_t folds_began(const struct folds *folds); /* where that checkpoint stands; 0: none */

/* Loads it.  self lives until fold_remove, or as long as the folds. */
struct folded *folds_add(struct folds *folds, const struct fold_kind *kind, void *self);
void fold_remove(struct folded *folded);

/* The past, in one reading, for all that do not hear it later: before anything is admitted. */
void folds_catch_up(struct folds *folds);

void folds_hear(struct folds *folds, const struct signal *s); /* from the bus */
void folds_durable(struct folds *folds, uint64_t seq);        /* likewise */

/* The end of a turn; true: there is more to fold at once. */
bool folds_turn(struct folds *folds);
/* True: call it again a tick later.  Otherwise it is needed when folds_are_behind. */
bool folds_tick(struct folds *folds);
bool folds_are_behind(const struct folds *folds);
void folds_close(struct folds *folds); /* reads no more: the journal is about to close */

/* A checkpoint is due.  True: the folds are closed, and all is in *out, with texts.  Otherwise
 * folds_save_turn makes it, after the one that it may be at, and the journal gets it. */
bool folds_save(struct folds *folds, struct saved_state *out);
/* The end of a turn: saves for FOLDS_TURN_NS; true: there is more to do at once.  The states
 * are of one moment; those that fold later say where they stand, which may be before it. */
bool folds_save_turn(struct folds *folds);
void folds_save_all(struct folds *folds, struct saved_state *out); /* now */

/* ---- one that folds later ---- */

uint64_t fold_seq(const struct folded *folded); /* the newest signal that it heard */
bool fold_is_behind(const struct folded *folded);
/* Folds on, for at most so long; true: it is at the present.  Or up to this signal. */
bool fold_reach(struct folded *folded, uint64_t ns);
bool fold_reach_to(struct folded *folded, uint64_t seq, uint64_t ns);
void fold_watch(struct folded *folded, bool watch);  /* somebody watches, or no longer does */
bool fold_stands_still(const struct folded *folded); /* to be saved */
void fold_save_rest(struct folded *folded);          /* first, by whoever must change it now */

#endif
