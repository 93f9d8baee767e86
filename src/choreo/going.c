/* going.c - transitions and movements of bindings, from their start to their end. */
#include "choreo/going.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "choreo/ease.h"
#include "stage/route.h"

#define WALK_SPEED 0.24 /* units of the stage a millisecond, for "auto" */
#define WALK_LEAST 200.0
#define WALK_MOST 5000.0

enum phase { PHASE_GOING, PHASE_RESTING, PHASE_RETURNING };

struct going {
	struct link in_goings; /* goings.all */
	const struct binding *binding;
	char *actor;
	enum phase phase;
	double since_ms, duration, until_ms; /* of this phase */
};

static struct going *in_goings(const struct link *l)
{
	return list_of(l, struct going, in_goings);
}

/* ---- birth and death ---- */

void goings_init(struct goings *g, const struct show *show, const struct stage *stage,
                 struct teller *teller)
{
	*g = (struct goings){show, stage, teller, {NULL, NULL}};
	list_init(&g->all);
}

static void going_forget(struct going *going)
{
	list_remove(&going->in_goings);
	free(going->actor);
	free(going);
}

void goings_finish(struct goings *g)
{
	list_each(&g->all, l)
		going_forget(in_goings(l));
}

static struct going *going_find(struct goings *g, const struct binding *binding, struct text actor)
{
	list_each(&g->all, l) {
		struct going *going = in_goings(l);

		if (text_equal(going->binding->property, binding->property) &&
		    text_is(actor, going->actor))
			return going;
	}
	return NULL;
}

static void forget_strangers(struct goings *g)
{
	list_each(&g->all, l)
		if (!stage_knows(g->stage, text_of(in_goings(l)->actor)))
			going_forget(in_goings(l));
}

static struct going *going_add(struct goings *g, const struct binding *binding, struct text actor)
{
	struct going *going = must_zero(1, sizeof(*going));

	going->binding = binding;
	going->actor = text_dup(actor);
	list_init(&going->in_goings);
	list_add(&g->all, &going->in_goings);
	return going;
}

/* Comes to the end of the list, so that what ends together ends in the order in which
 * it began. */
static struct going *going_begin(struct goings *g, const struct binding *binding, struct text actor)
{
	struct going *going = going_find(g, binding, actor);

	if (!going) {
		if (g->teller->by_signal) /* who the document names is always there */
			forget_strangers(g);
		return going_add(g, binding, actor);
	}
	list_remove(&going->in_goings);
	list_add(&g->all, &going->in_goings);
	going->binding = binding;
	return going;
}

static void going_enter(struct going *going, enum phase phase, double now_ms, double duration)
{
	going->phase = phase;
	going->since_ms = now_ms;
	going->duration = duration;
	going->until_ms = now_ms + duration;
}

/* ---- what is told ---- */

static const char *action_of(const struct binding *binding)
{
	if (text_is(binding->property, "followRoute"))
		return "followRoute";
	return text_is(binding->property, "moveTo:waypoint") ? "move" : "set";
}

/* Is it a number that changes, and no movement? */
static bool is_turn(const struct going *going)
{
	return strcmp(action_of(going->binding), "set") == 0;
}

static void add_turn(const struct going *going, struct teller *teller)
{
	yyjson_val *transition = yyjson_obj_get(going->binding->value, "transition");
	struct buf *params = tell_property(teller, going->binding->property);

	if (going->phase == PHASE_RETURNING) {
		put_bool(params, "original", true);
		put_end(params);
		return;
	}
	put_key(params, "value");
	json_add_number(params, show_number(transition, "targetValue", 0));
	buf_add_char(params, '}');
}

static void add_walk(const struct going *going, struct teller *teller)
{
	yyjson_val *action = yyjson_obj_get(going->binding->value, "action");
	bool is_route = text_is(going->binding->property, "followRoute");
	struct buf *params = tell_params(teller);

	tell_member(params, "route", is_route ? json_text_at(action, "route") : TEXT(""));
	tell_member(params, "to", json_text_at(action, "waypoint"));
	tell_member(params, "animationDuring", json_text_at(action, "animationDuring"));
	tell_member(params, "animationOnArrival", json_text_at(action, "animationOnArrival"));
	buf_add_char(params, '}');
}

/* When it begins, or later, for who was not there. */
static void going_tell_start(const struct going *going, struct teller *teller, double now_ms)
{
	yyjson_val *transition = yyjson_obj_get(going->binding->value, "transition");
	struct text easing = is_turn(going) ? json_text_at(transition, "easing") : TEXT("");
	double elapsed = now_ms - going->since_ms;
	struct told told = {COMMAND_START,
	                    action_of(going->binding),
	                    text_of(going->actor),
	                    now_ms,
	                    going->duration,
	                    easing,
	                    0,
	                    elapsed};

	if (elapsed > 0)
		told.progress = ease_binding(ease_find(easing), fmin(elapsed / told.duration, 1));
	if (is_turn(going))
		add_turn(going, teller);
	else
		add_walk(going, teller);
	tell(teller, &told);
}

static void tell_end(const struct going *going, struct teller *teller, double now_ms)
{
	struct buf *params = tell_params(teller);

	tell_member(params, "property", is_turn(going) ? going->binding->property : TEXT(""));
	buf_add_char(params, '}');
	tell(teller, &(struct told){COMMAND_COMPLETE, action_of(going->binding),
	                            text_of(going->actor), now_ms});
}

/* ---- beginning ---- */

void goings_turn(struct goings *g, const struct binding *binding, struct text actor, double now_ms)
{
	yyjson_val *transition = yyjson_obj_get(binding->value, "transition");
	struct going *going = going_begin(g, binding, actor);

	going_enter(going, PHASE_GOING, now_ms, show_number(transition, "durationMs", 0));
	going_tell_start(going, g->teller, now_ms);
}

/* Whole milliseconds, so that no machine rounds otherwise. */
static double limited(double duration)
{
	duration = round(duration);
	return duration < WALK_LEAST ? WALK_LEAST : duration > WALK_MOST ? WALK_MOST : duration;
}

static double length_of_route(const struct goings *g, yyjson_val *action)
{
	yyjson_val *value = map_get(&g->show->routes, json_text_at(action, "route"));
	struct stage_route *route = route_create(value, g->show->scene);
	struct route_span span = route_between(route, TEXT(""), json_text_at(action, "waypoint"));

	route_destroy(route);
	return fabs(span.to - span.from);
}

static double length_of_walk(const struct goings *g, yyjson_val *action, struct text actor,
                             double now_ms)
{
	yyjson_val *to = map_get(&g->show->positions, json_text_at(action, "waypoint"));
	double x = 0, y = 0;

	stage_place(g->stage, actor, now_ms, &x, &y);
	return hypot(show_number(to, "x", 0) - x, show_number(to, "y", 0) - y);
}

void goings_walk(struct goings *g, const struct binding *binding, struct text actor, double now_ms)
{
	yyjson_val *action = yyjson_obj_get(binding->value, "action");
	double duration = show_number(action, "duration", -1);
	struct going *going;

	if (duration < 0 && text_is(binding->property, "followRoute"))
		duration = limited(length_of_route(g, action) / WALK_SPEED);
	else if (duration < 0)
		duration = limited(length_of_walk(g, action, actor, now_ms) / WALK_SPEED);
	going = going_begin(g, binding, actor);
	going_enter(going, PHASE_GOING, now_ms, duration);
	going_tell_start(going, g->teller, now_ms);
}

/* ---- time ---- */

/* True when it is over. */
static bool going_go_on(struct goings *g, struct going *going, double now_ms)
{
	yyjson_val *transition = yyjson_obj_get(going->binding->value, "transition");

	if (going->phase != PHASE_RESTING)
		tell_end(going, g->teller, now_ms);
	if (going->phase == PHASE_GOING && is_turn(going) &&
	    show_flag(transition, "revert", false)) {
		going_enter(going, PHASE_RESTING, now_ms,
		            show_number(transition, "revertDelayMs", 0));
		return false;
	}
	if (going->phase == PHASE_RESTING) {
		going_enter(going, PHASE_RETURNING, now_ms,
		            show_number(transition, "durationMs", 0));
		going_tell_start(going, g->teller, now_ms);
		return false;
	}
	return true;
}

static struct going *first_due(struct goings *g, double now_ms)
{
	struct going *first = NULL;

	list_each(&g->all, l) {
		struct going *going = in_goings(l);

		if (going->until_ms <= now_ms && (!first || going->until_ms < first->until_ms))
			first = going;
	}
	return first;
}

void goings_tick(struct goings *g, double now_ms)
{
	struct going *going;

	while ((going = first_due(g, now_ms)))
		if (going_go_on(g, going, now_ms))
			going_forget(going);
}

double goings_next(const struct goings *g)
{
	double next = INFINITY;

	list_each(&g->all, l)
		next = fmin(next, in_goings(l)->until_ms);
	return next;
}

void goings_running(const struct goings *g, double now_ms, struct teller *teller)
{
	list_each(&g->all, l)
		if (in_goings(l)->phase != PHASE_RESTING)
			going_tell_start(in_goings(l), teller,
			                 fmax(now_ms, in_goings(l)->since_ms));
}

/* ---- remembering ---- */

static void going_save(const struct going *going, struct buf *out)
{
	put_object(out, NULL);
	put_u64(out, "binding", going->binding->index);
	put_word(out, "actor", going->actor);
	put_text(out, "property", going->binding->property);
	put_i64(out, "phase", going->phase);
	put_key(out, "since");
	json_add_number(out, going->since_ms);
	put_key(out, "duration");
	json_add_number(out, going->duration);
	buf_add_char(out, '}');
}

void goings_save(const struct goings *g, struct buf *out)
{
	buf_add_char(out, '[');
	list_each(&g->all, l) {
		if (l != g->all.next)
			buf_add_char(out, ',');
		going_save(in_goings(l), out);
	}
	buf_add_char(out, ']');
}

bool goings_load(struct goings *g, const struct binding *binding, yyjson_val *saved)
{
	struct text actor = json_text_at(saved, "actor");
	uint64_t phase = yyjson_get_uint(yyjson_obj_get(saved, "phase"));
	double since = show_number(saved, "since", NAN);
	double duration = show_number(saved, "duration", NAN);

	if (phase > PHASE_RETURNING || isnan(since) || isnan(duration) || actor.len == 0)
		return false;
	going_enter(going_add(g, binding, actor), phase, since, duration);
	return true;
}
