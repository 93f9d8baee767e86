/* replay.h - the frames of one run, made again from the journal from its first signal.
 *
 * Nothing blocks: when the disk is cold it says so, and goes on when the journal is warm.
 */
#ifndef RUN_REPLAY_H
#define RUN_REPLAY_H

#include "base/text.h"

struct journal;
struct run_replay;

/* From the run's first signal in the journal on; frames up to and with `after` are
 * made, but not told.  whole: false when signals of it are no longer in the journal. */
struct run_replay *run_replay_create(struct journal *journal, struct text run, uint64_t first_seq,
                                     uint64_t after);
void run_replay_destroy(struct run_replay *replay);

enum run_replay_news { REPLAY_FRAME, REPLAY_COLD, REPLAY_MORE, REPLAY_END };

/* One frame, or why not: MORE when the budget of bytes of journal was used up, END when it
 * stands where the journal does.  The pieces are valid until the next call. */
struct replayed {
	struct text head, tail;
	uint64_t number;
	bool is_numbered;
};
enum run_replay_news run_replay_next(struct run_replay *replay, size_t *budget,
                                     struct replayed *out);
uint64_t run_replay_seq(const struct run_replay *replay); /* of the journal, read so far */

#endif
