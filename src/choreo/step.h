/* step.h - what a choreography says to do, compiled once; for this room alone.
 *
 * A document's step is written as the runtime writes it, or as the editor does:
 *
 *	{"action":"move","entity":"peon","duration":800,"to":"signal.to"}
 *	{"id":"s1","action":"move","entity":"peon","duration":800,"params":{"to":"signal.to"}}
 *	{"action":"parallel","steps":[...]}      {"id":"s2","action":"parallel","children":[...]}
 *
 * Both become a score: sequences of steps.  `onArrive` says only "and then", so its
 * steps stand in the sequence itself; each child of `parallel` is a sequence of its
 * own.  A string "signal.PATH" is the number of a path, so that a signal is looked at
 * once, when a performance begins.
 */
#ifndef CHOREO_STEP_H
#define CHOREO_STEP_H

#include <yyjson.h>

#include "base/error.h"
#include "base/text.h"
#include "choreo/ease.h"

/* Of one choreography.  Generous for what people write, and small enough for what a
 * performance holds of each. */
#define STEP_DEPTH_MAX 16
#define STEPS_MAX 1000
#define STEP_PARAMS_MAX 64
#define SCORE_PATHS_MAX 256
#define STEP_MS_MAX (60 * 60 * 1000.0)

enum step_kind {
	STEP_INSTANT, /* execute */
	STEP_TIMED,   /* start, complete */
	STEP_WAIT,    /* nothing is said */
	STEP_PARALLEL,
};

#define PATH_NONE (-1)

struct param {
	struct text json; /* `"key":value`, or `"key":` when the value is at a path */
	int path;
};

struct step {
	enum step_kind kind;
	struct text action;
	struct text entity; /* unless it is at a path */
	int entity_path;
	struct text easing; /* as written: a screen may know more than we do */
	enum ease ease;
	double delay_ms, duration_ms;
	struct param *params;
	size_t param_count;
	struct sequence *lanes; /* of STEP_PARALLEL */
	size_t lane_count;
};

struct sequence {
	struct step *steps;
	size_t count;
	size_t slot; /* where a performance keeps its place in it */
};

struct score {
	struct sequence steps;
	struct sequence interrupted; /* instead of the rest, when it is cut short */
	struct text *paths;          /* what it looks at in a signal; without "signal." */
	size_t path_count;
	size_t slots;
};

/* Borrows texts of the document.  False: why begins with a JSON pointer; the score is
 * to be finished either way. */
bool score_init(struct score *score, yyjson_val *choreography, struct error *why);
void score_finish(struct score *score);

#endif
