/* choreo.h - sequences of stage actions, started by signals; pure.
 *
 * Time is an argument: what is due by `now` happens in choreo_tick().  The same
 * signals and the same times give the same commands, always.  A step takes its
 * start from the tick in which it begins; what a tick was late by is not made up
 * for.
 */
#ifndef CHOREO_CHOREO_H
#define CHOREO_CHOREO_H

#include "base/error.h"
#include "signal/cue.h"
#include "signal/places.h"
#include "stage/command.h"

struct choreo;
struct link;

/* Signals may come quicker than a show can play them.  What would be one too many, or
 * too much to remember of signals, is not begun, and counted. */
#define CHOREO_ACTIVE_MAX 65536
#define CHOREO_PIECE (16 * KIB) /* or one performance: saved at a time */
#define CHOREO_PARTS_MAX 4096   /* choreographies of a document */

struct choreo_options {
	void *self;
	/* Whole commands, in order; valid during the call, which must not come back
	 * here with a signal or a tick. */
	void (*command)(void *self, const struct stage_command *command);
	bool updates; /* report progress at every tick, as a frame loop would */
};

/* The document's `choreographies`, which must live as long as this.  NULL: why begins
 * with a JSON pointer. */
struct choreo *choreo_create(yyjson_val *choreographies, const struct choreo_options *options,
                             struct error *why);
void choreo_destroy(struct choreo *choreo);

/* Starts what choreography `index` says, if its `when` holds; true if it did.  One
 * that interrupts first ends all with the cue's correlation.  The cue is not needed
 * afterwards; times are finite, and one that goes back counts as the last. */
bool choreo_hear(struct choreo *choreo, size_t index, const struct cue *cue, double now_ms);

/* All performances are dropped without a word. */
void choreo_reset(struct choreo *choreo);

void choreo_tick(struct choreo *choreo, double now_ms);
double choreo_next(const struct choreo *choreo); /* when a tick is due; INFINITY: never */
size_t choreo_active(const struct choreo *choreo);
uint64_t choreo_refused(const struct choreo *choreo);

/* All of it as a JSON object, and back: places says where the choreographies are now.
 * A performance of one that is not the same is lost.  False: it is not that. */
typedef void choreo_lost_fn(void *self, uint64_t performance);
/* Saved in pieces of CHOREO_PIECE bytes: *next is NULL at first; false: that was the last.
 * Nothing may change meanwhile. */
bool choreo_save_some(const struct choreo *choreo, struct link **next, struct buf *out);
bool choreo_load(struct choreo *choreo, yyjson_val *saved, const struct places *places,
                 choreo_lost_fn *lost, void *self);

/* What runs now, as `start` commands with progress, for who comes late. */
void choreo_running(const struct choreo *choreo, double now_ms,
                    void (*command)(void *self, const struct stage_command *command), void *self);

#endif
