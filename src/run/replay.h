/* replay.h - the frames of one run, made again from the journal from its first signal.
 *
 * Nothing blocks: when the disk is cold it says so, and goes on when the journal is warm.
 */
#ifndef RUN_REPLAY_H
#define RUN_REPLAY_H

#include "run/runs.h"

struct run_replay;

/* From the run's first signal on.  With has_after, events up to and with the number
 * `after` are made but not told, and nothing else that comes before them. */
struct run_replay_options {
	struct journal *journal;
	struct text run;
	uint64_t first_seq;
	bool has_after;
	uint64_t after;
};
struct run_replay *run_replay_create(const struct run_replay_options *options);
void run_replay_destroy(struct run_replay *replay);

enum run_replay_news {
	REPLAY_FRAME,
	REPLAY_COLD, /* call again when the journal is warm */
	REPLAY_MORE, /* the budget of bytes of journal is used up */
	REPLAY_LOST, /* signals are no longer in the journal, some of this run perhaps */
	REPLAY_END,  /* it stands where runs_seq() did */
};

/* One frame, or why not; it is valid until the next call. */
enum run_replay_news run_replay_next(struct run_replay *replay, uint64_t until_seq, size_t *budget,
                                     struct run_frame *out);

#endif
