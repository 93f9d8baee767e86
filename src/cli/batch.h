/* batch.h - lines of input on their way to the box, some thousand at a time.
 *
 * A batch goes out when it is big or when the input pauses, so that a slow
 * producer is acknowledged at once and a fast one costs few requests.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "base/buf.h"
#include "base/error.h"
#include "cli/remote.h"

#define BATCH_LINES 10000
#define BATCH_BYTES (1 * MIB)

struct batch {
	struct buf body;
	uint64_t lines[BATCH_LINES]; /* where in the input each line was */
	size_t count;
	bool repeatable; /* all of it has ids */
};

struct batch_answer {
	uint64_t accepted, rejected;
	uint64_t first_seq, last_seq; /* 0 when nothing was accepted */

	/* Filled by the caller: is told each line that was rejected. */
	void (*refused)(void *self, uint64_t line, const char *words);
	void *self;
};

void batch_init(struct batch *batch);
void batch_finish(struct batch *batch);

/* Line number `line` of the input, not empty. */
void batch_add(struct batch *batch, struct text text, uint64_t line);
bool batch_is_full(const struct batch *batch);

/* Sends it, once more if the answer was lost, and empties it.  False when the box
 * took none of it or nobody knows what it took: why says so. */
bool batch_send(struct batch *batch, struct remote *remote, struct batch_answer *answer,
                struct error *why);

#endif
