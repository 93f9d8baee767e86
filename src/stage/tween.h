/* tween.h - how an entity looks, and what changes that over time; inside this room. */
#ifndef STAGE_TWEEN_H
#define STAGE_TWEEN_H

#include "base/list.h"
#include "stage/route.h"
#include "stage/stage.h"

enum look_number {
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

struct actor_look {
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
	struct stage_route *route;
	struct route_span span;
	enum look_number number; /* and its `twin`, which goes along */
	enum look_number twin;
	double from, to;
	char color[COLOR_ROOM];
	char *target;     /* of a beam, and where it goes */
	char *way;        /* the name of the route, or NULL */
	char *on_arrival; /* animation, or NULL */
};

/* The tween of a command, not yet in a list. */
struct tween *tween_create(const struct stage_command *command, yyjson_val *params);
void tween_destroy(struct tween *tween);

/* As JSON; and back, without its curve and its route.  NULL: it is not that. */
void tween_save(const struct tween *tween, struct buf *out);
struct tween *tween_load(yyjson_val *saved);

/* What the look becomes by it at this time. */
void tween_apply(const struct tween *tween, double now_ms, struct actor_look *look);

#endif
