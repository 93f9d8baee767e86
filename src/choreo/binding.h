/* binding.h - a field of a signal becomes a property of an entity; pure.
 *
 * A binding hears what its choreography hears, under the same condition.  It has no
 * steps: a value is taken from the payload and set (continuous), or the property goes
 * to a value of its own and perhaps back (transition), or something just happens
 * (instant).  What comes out are commands with the action "set", "move" or
 * "followRoute" and the performance 0: stage/stage.h tells what they mean.
 */
#ifndef CHOREO_BINDING_H
#define CHOREO_BINDING_H

#include "base/error.h"
#include "signal/cue.h"
#include "signal/places.h"
#include "stage/stage.h"

struct bindings;

struct bindings_options {
	void *self;
	/* Valid during the call, which must not come back here. */
	void (*command)(void *self, const struct stage_command *command);
	/* Where entities are, for movements that take as long as they are. */
	const struct stage *stage;
};

/* The show must live as long as this.  NULL: why begins with a JSON pointer. */
struct bindings *bindings_create(const struct show *show, const struct bindings_options *options,
                                 struct error *why);
void bindings_destroy(struct bindings *bindings);

/* Choreography `index` hears this; true when some binding took it up.  type is the
 * signal's own, which a filter hides: text_delta and thinking go on with what is said,
 * all others say something new. */
bool bindings_hear(struct bindings *bindings, size_t index, const struct cue *cue, struct text type,
                   double now_ms);

void bindings_reset(struct bindings *bindings); /* nothing is under way any more */
void bindings_tick(struct bindings *bindings, double now_ms);
double bindings_next(const struct bindings *bindings); /* INFINITY: never */

/* What runs now, as `start` commands with progress, for who comes late. */
void bindings_running(const struct bindings *bindings, double now_ms,
                      void (*command)(void *self, const struct stage_command *command), void *self);

/* What is under way as a JSON list, and back: places says where the bindings are now.
 * What one had begun that is not the same is lost. */
typedef void bindings_lost_fn(void *self, struct text actor, struct text property);
void bindings_save(const struct bindings *bindings, struct buf *out);
void bindings_load(struct bindings *bindings, yyjson_val *saved, const struct places *places,
                   bindings_lost_fn *lost, void *self);

#endif
