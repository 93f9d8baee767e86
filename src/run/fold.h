/* fold.h - what a run looks like, folded from its events; pure.
 *
 * The box keeps one for each run and has the events from its signals (hear.h), a screen
 * keeps one for what it watches and has them from frames: both fold with the same code.
 * Text of agents is kept as it is; who shows it makes it harmless.
 *
 * An invocation is named by its invokeid; those that run side by side under one name
 * differ in their session-id, which without one is the invokeid.
 */
#ifndef RUN_FOLD_H
#define RUN_FOLD_H

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "run/event.h"

#define FOLD_INVOCATIONS_MAX 200 /* the one that was quiet for longest goes first */
#define FOLD_TAIL_MAX 4096       /* bytes of what is being said */
#define FOLD_NAME_MAX 512        /* bytes of a name; an event with a longer one is no invocation */
#define FOLD_CONFIG_MAX 32       /* states of a configuration, a breadcrumb, siblings */

enum invocation_status {
	INVOCATION_STREAMING,
	INVOCATION_WAITING,
	INVOCATION_ERROR,
	INVOCATION_DONE
};
const char *invocation_status_name(enum invocation_status status);

struct invocation {
	struct link in_fold; /* fold.invocations, in the order in which they began */
	char *invoke, *session, *model;
	enum invocation_status status;
	bool thinking; /* what streams is thought, not said */
	uint64_t chunks, chars;
	uint64_t tokens;             /* as the model counts; 0: it did not say */
	bool counts_pieces;          /* each piece says how many there are so far */
	double first_ts, last_ts;    /* of what was streamed; first begins with the first delta */
	double active_ts;            /* of the last that was heard of it */
	double elapsed_ms, real_tps; /* as the model says; 0: it did not */
	struct buf tail;             /* what is being said; read it by invocation_tail() */
};

/* Tokens a second since the first piece came, unless the model says it itself.  0: that is not
 * known, with fewer than two of them or no time between. */
double invocation_tps(const struct invocation *i);
/* The last of what is being said, in whole characters; empty when it is done. */
struct text invocation_tail(const struct invocation *i);

struct states {
	char *at[FOLD_CONFIG_MAX];
	size_t count;
};

struct fold_debug {
	bool is_known;
	bool paused;
	uint64_t step_budget;
	char *mode; /* or NULL */
};

struct fold {
	char *session; /* of runner/started; NULL: not said yet */
	char *chart;
	struct states config, breadcrumb, siblings;
	struct link invocations;
	size_t invocation_count;
	struct map by_key; /* invokeid NUL session-id -> struct invocation */
	struct fold_debug debug;
	bool finished;
	char *final_config;
	double first_ts, last_ts;
	uint64_t events, errors, input_tokens, output_tokens;
};

void fold_init(struct fold *fold);
void fold_finish(struct fold *fold);
void fold_event(struct fold *fold, const struct run_event *event);

/* NULL when it is unknown; an empty session is the invokeid. */
struct invocation *fold_find(const struct fold *fold, struct text invoke, struct text session);

/* How many stream or wait, with their tokens a second together; and of all. */
struct fold_totals {
	size_t live, invocations;
	double tps;
	uint64_t tokens;
};
struct fold_totals fold_totals(const struct fold *fold);

/* `"session":..,"config":[..],"breadcrumb":[..],"siblings":[..],"invocations":[{..}],
 * "debug":{..}|null,"finished":bool,..`: the members of an object. */
void fold_json(const struct fold *fold, struct buf *out);

/* For the checkpoint, as a JSON object and back, into a fold that is empty.  After false
 * it may hold a part: finish it. */
void fold_save(const struct fold *fold, struct buf *out);
bool fold_load(struct fold *fold, yyjson_val *saved);

#endif
