/* inside.h - what the files of this room share. */
#ifndef RUN_INSIDE_H
#define RUN_INSIDE_H

#include "base/map.h"
#include "run/fold.h"
#include "run/prompts.h"
#include "signal/json.h"

/* ---- fold.c and fold_save.c ---- */

/* Found or made; NULL when it cannot be named. */
struct invocation *fold_invocation(struct fold *fold, struct text invoke, struct text session);

/* Instead of what is there; an array of strings, or anything else for none. */
void states_read(struct states *states, yyjson_val *array);

/* ---- prompts.c and answer.c ---- */

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
};

/* Ends and forgets what is too much; seq is that of the newest signal. */
void prompts_trim(struct prompts *prompts, uint64_t seq);
void prompts_drop_waiters(struct prompts *prompts);

#endif
