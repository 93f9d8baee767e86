/* prompts_inside.h - what the files of the prompts share. */
#ifndef RUN_PROMPTS_INSIDE_H
#define RUN_PROMPTS_INSIDE_H

#include "base/map.h"
#include "bus/saving.h"
#include "run/prompts.h"
#include "signal/json.h"

#define PROMPTS_LINE_MAX (4 * MIB) /* a longer prompt is none */

struct prompts {
	struct prompts_options options;
	unsigned char key[PROMPTS_KEY];
	struct json_reader json;
	struct map by_id, by_own; /* id, run NUL own id -> the newest such prompt */
	struct link open, closing, closed;
	struct link waiters; /* for answers that are not on the disk yet */
	size_t open_count, closed_count;
	size_t open_bytes, closed_bytes;
	struct saving saving;
};

/* False: its agent is not there. */
bool prompts_deliver(const struct prompts *prompts, const struct prompt *prompt);

/* Ends and forgets what is too much; seq is that of the newest signal. */
void prompts_trim(struct prompts *prompts, uint64_t seq);
void prompts_drop_waiters(struct prompts *prompts);

/* One from the checkpoint. */
void prompts_take(struct prompts *prompts, struct prompt *prompt);

#endif
