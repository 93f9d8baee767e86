/* performance.h - one run of a choreography; for this room alone.
 *
 * It is one block of memory: where it stands in each sequence of its score, and what
 * the signal said at each of the score's paths.  Nothing of the signal is needed
 * after it was made.
 */
#ifndef CHOREO_PERFORMANCE_H
#define CHOREO_PERFORMANCE_H

#include "base/list.h"
#include "choreo/step.h"
#include "signal/cue.h"
#include "stage/command.h"

struct step_cursor {
	size_t at; /* of the sequence's steps */
	enum { CURSOR_FRESH, CURSOR_DELAYED, CURSOR_PLAYING } phase;
	double since_ms; /* the beginning of the delay or of the action */
};

struct value {
	enum { VALUE_NONE, VALUE_STRING, VALUE_JSON } kind;
	struct text text; /* a string as it is, anything else as JSON */
};

struct performance {
	struct link in_choreo;  /* choreo.performances, in the order of their ids */
	struct link in_episode; /* episode.performances; in none without a correlation */
	struct episode *episode;
	size_t deadline; /* where in choreo.deadlines */
	double due_ms;   /* nothing happens before */
	uint64_t id;
	const struct score *score;
	const struct sequence *steps;    /* of the score: its steps, or those when interrupted */
	size_t bytes;                    /* of this block */
	struct text correlation, source; /* of the signal */
	struct value *values;            /* of the score's paths */
	struct step_cursor cursors[];    /* by slot */
};

/* The score must live longer.  NULL if it would be bigger than max.  words is
 * scratch. */
struct performance *performance_create(const struct score *score, const struct cue *cue,
                                       struct buf *words, size_t max);
void performance_destroy(struct performance *p);

/* As the members of a JSON object, and back; NULL: that is not of such a score, or too
 * big. */
void performance_save(const struct performance *p, struct buf *out);
struct performance *performance_load(const struct score *score, yyjson_val *saved,
                                     struct buf *words, size_t max);

/* Goes on with what the score has for one that was interrupted, from the beginning;
 * false if that is nothing. */
bool performance_turn(struct performance *p);

struct performance_play {
	double now_ms;
	bool updates;
	void (*command)(void *self, const struct stage_command *command);
	void *self;
	struct buf *params; /* scratch */
};

/* Does all that is due and sets due_ms, which is later than now; true when it is
 * over. */
bool performance_play(struct performance *p, const struct performance_play *play);

/* The actions under way, as starts with their progress. */
void performance_running(const struct performance *p, const struct performance_play *play);

#endif
