/* play.h - a show, played: wires, choreographies, bindings and a stage joined.
 *
 * Time is an argument, and begins where the caller likes.  Everything due is done at
 * its own time, or, when there are frames, in the frame after it.
 */
#ifndef CLI_PLAY_H
#define CLI_PLAY_H

#include "signal/cue.h"
#include "stage/show.h"

struct play;

struct play_options {
	void *self;
	void (*command)(void *self, struct text json); /* one object */
	double frame_ms;                               /* 0: no frames, and no updates */
};

/* The show must live as long as this.  NULL: why begins with a JSON pointer. */
struct play *play_create(const struct show *show, const struct play_options *options,
                         struct error *why);
void play_destroy(struct play *play);

/* Times do not go back. */
void play_signal(struct play *play, const struct cue *cue, double now_ms);

/* Until nothing is under way any more; the time of that. */
double play_end(struct play *play);

void play_stage(const struct play *play, double now_ms, struct buf *out);

#endif
