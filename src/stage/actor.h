/* actor.h - one entity on the stage and what moves it; inside this room.
 *
 * `base` is what it is apart from what is under way.  A tween is put on top of it, in
 * the order in which they began, and becomes part of it when it ends.  What a flash,
 * a pulse or a beam does leaves no trace, so that is never part of it.
 */
#ifndef STAGE_ACTOR_H
#define STAGE_ACTOR_H

#include "base/list.h"
#include "stage/route.h"
#include "stage/speech.h"
#include "stage/stage.h"

enum number {
	NUMBER_X,
	NUMBER_Y,
	NUMBER_SCALE_X,
	NUMBER_SCALE_Y,
	NUMBER_ROTATION,
	NUMBER_OPACITY,
	NUMBER_Z_INDEX,
	NUMBER_SPEED,
	NUMBERS,
};

#define COLOR_ROOM 8 /* "#RRGGBB" and its end */

struct look {
	double numbers[NUMBERS];
	bool visible, flipped;
	char tint[COLOR_ROOM]; /* empty: none */
	/* on top */
	char flash[COLOR_ROOM];
	double flash_strength;
	double pulse; /* its size is this much larger */
	struct text beam;
	char beam_color[COLOR_ROOM];
};

enum tween_kind {
	TWEEN_MOVE,
	TWEEN_FLY,
	TWEEN_ROUTE,
	TWEEN_NUMBER,
	TWEEN_FLASH,
	TWEEN_PULSE,
	TWEEN_BEAM,
	TWEEN_OTHER, /* it takes time and is the screens' own */
};

struct tween {
	struct link in_actor; /* actor.tweens */
	enum tween_kind kind;
	uint64_t performance;
	char *action, *easing;
	double start_ms, duration;
	double (*curve)(struct text easing, double t);
	double from_x, from_y, to_x, to_y;
	struct route *route;
	struct route_span span;
	enum number number; /* and its `twin`, which goes along */
	enum number twin;
	double from, to;
	char color[COLOR_ROOM];
	char *target;     /* of a beam */
	char *on_arrival; /* animation, or NULL */
};

struct actor {
	yyjson_val *placed;
	struct text id, semantic;
	char *part;    /* of a stand-in: what it is known by, or NULL */
	uint64_t used; /* the version of the last command that concerned it */
	struct look base, original, marked;
	char *animation, *marked_animation;
	struct speech speech;
	struct link tweens;
	size_t tween_count;
};

void actor_init(struct actor *actor, yyjson_val *placed);
void actor_finish(struct actor *actor);

/* As it is now is how it will be after a reset; at first that is the document. */
void actor_mark(struct actor *actor, double now_ms);
void actor_reset(struct actor *actor);

struct look actor_look(const struct actor *actor, double now_ms);
void actor_animate(struct actor *actor, struct text state); /* empty: as it is */
void actor_json(const struct actor *actor, double now_ms, struct buf *out);

/* The numbers of a property: one or two of them; false when it is none. */
bool actor_numbers(struct text property, enum number *number, enum number *twin);

/* ---- tweens ---- */

/* The tween of a command, not yet in a list. */
struct tween *tween_create(const struct command *command, yyjson_val *params);
void tween_destroy(struct tween *tween);

/* What the look becomes by it at this time. */
void tween_apply(const struct tween *tween, double now_ms, struct look *look);

/* Takes it out and keeps what it did: to its end, or as far as it came. */
void tween_end(struct actor *actor, struct tween *tween, double now_ms, bool is_complete);

#endif
