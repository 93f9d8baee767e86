/* play.h - a show, played: wires, choreographies, bindings and a stage joined; pure.
 *
 * Time is an argument, and begins where the caller likes.  Everything due is done at
 * its own time, or, when there are frames, in the frame after it.
 */
#ifndef PLAY_PLAY_H
#define PLAY_PLAY_H

#include "signal/cue.h"
#include "stage/command.h"
#include "stage/show.h"

struct link;
struct play;

struct play_options {
	void *self;
	/* Valid during the call, which must not come back here; version is that of the
	 * stage with it. */
	void (*command)(void *self, const struct stage_command *command, uint64_t version);
	double frame_ms; /* 0: no frames, and no updates */
};

/* The show must live as long as this.  NULL: why begins with a JSON pointer. */
struct play *play_create(const struct show *show, const struct play_options *options,
                         struct error *why);
void play_destroy(struct play *play);

/* Does anybody want signals of this type?  Quick: most are not on show. */
bool play_wants(const struct play *play, struct text type);

/* Times do not go back.  True: some choreography or binding took it up. */
bool play_signal(struct play *play, const struct cue *cue, double now_ms);

void play_tick(struct play *play, double now_ms);
double play_next(const struct play *play); /* INFINITY: nothing is under way */

/* Until nothing is under way any more; the time of that. */
double play_end(struct play *play);

/* What was begun is dropped without a word, and every entity is as the document, or
 * the last play_mark(), says. */
void play_reset(struct play *play, double now_ms);
void play_mark(struct play *play, double now_ms);

/* Goes up by one with each command, from wherever it is set. */
uint64_t play_version(const struct play *play);
void play_set_version(struct play *play, uint64_t version);

/* `"version":N,"at":T,"entities":[...],"tweens":[...]`: the members of an object.  The
 * tweens are what is under way, as start commands with progress and elapsed, for who
 * comes late. */
void play_look(const struct play *play, double now_ms, struct buf *out);

/* How many are at work whom nobody plays.  When there are more or fewer, that is a command
 * with the action "offstage" and the params {"count"}. */
size_t play_offstage(const struct play *play, double now_ms);

/* `[{"id","passed","dropped"}...]` of the wires. */
void play_counts(const struct play *play, struct buf *out);
void play_each_wire(const struct play *play,
                    void (*each)(void *self, struct text id, uint64_t passed, uint64_t dropped),
                    void *self);

size_t play_active(const struct play *play);    /* performances */
uint64_t play_refused(const struct play *play); /* those beyond the ceiling */

/* All of it as JSON, and back: what runs goes on as if nothing had been between.  It
 * may be loaded into the play of another show: parts of it that are not the same there
 * (a choreography, a binding, a wire, an entity) begin anew, and who was in a
 * performance of them is as in the document.  False: it was not written here, and the
 * play is not to be used any more. */
void play_save(const struct play *play, struct buf *out);
/* The same, a piece at a time; false: that was the last.  Nothing may change meanwhile. */
struct play_saving {
	enum { PLAY_HEAD, PLAY_STAGE, PLAY_CHOREO, PLAY_REST } part;
	size_t actor;
	struct link *performance;
};
bool play_save_more(const struct play *play, struct play_saving *at, struct buf *out);
bool play_load(struct play *play, yyjson_val *saved);

#endif
