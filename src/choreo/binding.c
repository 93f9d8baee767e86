/* binding.c - from payloads to properties.
 *
 * A transition is known by entity and property: a new one takes the place of the old,
 * and the stage lets it begin where that one was.  A movement is kept likewise, until
 * it arrives.  There are never more than entities times properties of them: what a
 * stand-in had begun in a part that it plays no more is forgotten.
 */
#include "choreo/binding.h"

#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/must.h"
#include "choreo/tell.h"
#include "choreo/value.h"
#include "signal/pointer.h"
#include "signal/when.h"
#include "stage/route.h"

#define WALK_SPEED 0.24 /* units of the stage a millisecond, for "auto" */
#define WALK_LEAST 200.0
#define WALK_MOST 5000.0
#define WORDS_MAX 8192 /* bytes of one signal that are said: more than a bubble holds */

struct binding {
	yyjson_val *value; /* in the document */
	struct text target, property, field;
};

struct part {
	struct when *when;
	struct binding *bindings;
	size_t count;
};

enum phase { PHASE_GOING, PHASE_RESTING, PHASE_RETURNING };

struct going {
	struct link in_bindings; /* bindings.going */
	const struct binding *binding;
	char *actor;
	const char *action;
	enum phase phase;
	double until_ms;
};

struct bindings {
	const struct show *show;
	struct bindings_options options;
	struct part *parts; /* one for each choreography */
	size_t count;
	struct link going;
	struct teller teller;
};

/* ---- birth and death ---- */

static void add_binding(struct part *part, yyjson_val *value)
{
	part->bindings = must_grow(part->bindings, (part->count + 1) * sizeof(*part->bindings));
	part->bindings[part->count++] = (struct binding){
		value,
		show_text(value, "targetEntityId"),
		show_text(value, "property"),
		show_text(value, "sourceField"),
	};
}

static bool read_parts(struct bindings *b, struct map *ids, struct error *why)
{
	yyjson_val *one;
	size_t i, max;

	yyjson_arr_foreach(b->show->choreographies, i, max, one)
	{
		map_set(ids, show_text(one, "id"), &b->parts[i]);
		b->parts[i].when =
			when_create(yyjson_obj_get(one, "when"), WHEN_PREFIX_OPTIONAL, why);
		if (b->parts[i].when)
			continue;
		pointer_member(why, TEXT("when"));
		pointer_item(why, i);
		return pointer_member(why, TEXT("choreographies"));
	}
	yyjson_arr_foreach(b->show->bindings, i, max, one)
	{
		add_binding(map_get(ids, show_text(one, "sourceChoreographyId")), one);
	}
	return true;
}

struct bindings *bindings_create(const struct show *show, const struct bindings_options *options,
                                 struct error *why)
{
	struct bindings *b = must_zero(1, sizeof(*b));
	struct map ids;
	bool good;

	b->show = show;
	b->options = *options;
	b->count = yyjson_arr_size(show->choreographies);
	b->parts = must_zero(b->count + 1, sizeof(*b->parts));
	list_init(&b->going);
	teller_init(&b->teller, options->command, options->self);
	map_init(&ids);
	good = read_parts(b, &ids, why);
	map_finish(&ids);
	if (good)
		return b;
	bindings_destroy(b);
	return NULL;
}

static void forget(struct going *going)
{
	list_remove(&going->in_bindings);
	free(going->actor);
	free(going);
}

void bindings_reset(struct bindings *bindings)
{
	list_each(&bindings->going, l)
		forget(list_of(l, struct going, in_bindings));
}

void bindings_destroy(struct bindings *bindings)
{
	if (!bindings)
		return;
	bindings_reset(bindings);
	for (size_t i = 0; i < bindings->count; i++) {
		when_destroy(bindings->parts[i].when);
		free(bindings->parts[i].bindings);
	}
	free(bindings->parts);
	teller_finish(&bindings->teller);
	free(bindings);
}

/* ---- what takes time ---- */

static struct going *find_going(struct bindings *b, const struct binding *binding,
                                struct text actor)
{
	list_each(&b->going, l) {
		struct going *going = list_of(l, struct going, in_bindings);

		if (text_equal(going->binding->property, binding->property) &&
		    text_is(actor, going->actor))
			return going;
	}
	return NULL;
}

static void forget_strangers(struct bindings *b)
{
	list_each(&b->going, l) {
		struct going *going = list_of(l, struct going, in_bindings);

		if (!stage_knows(b->options.stage, text_of(going->actor)))
			forget(going);
	}
}

/* Comes to the end of the list, so that what ends together ends in the order in which
 * it began. */
static void keep_going(struct bindings *b, const struct binding *binding, struct text actor,
                       const char *action, double until_ms)
{
	struct going *going = find_going(b, binding, actor);

	if (!going) {
		forget_strangers(b);
		going = must_zero(1, sizeof(*going));
		going->actor = text_dup(actor);
		list_init(&going->in_bindings);
	}
	list_remove(&going->in_bindings);
	list_add(&b->going, &going->in_bindings);
	going->binding = binding;
	going->action = action;
	going->phase = PHASE_GOING;
	going->until_ms = until_ms;
}

static void start_transition(struct bindings *b, const struct binding *binding, struct text actor,
                             bool back, double now_ms)
{
	yyjson_val *transition = yyjson_obj_get(binding->value, "transition");
	struct buf *params = tell_property(&b->teller, binding->property);

	if (back) {
		buf_add(params, TEXT(",\"original\":true"));
	} else {
		buf_add(params, TEXT(",\"value\":"));
		json_add_number(params, show_number(transition, "targetValue", 0));
	}
	buf_add_char(params, '}');
	tell(&b->teller, &(struct told){COMMAND_START, "set", actor, now_ms,
	                                show_number(transition, "durationMs", 0),
	                                show_text(transition, "easing")});
}

static void transition(struct bindings *b, const struct binding *binding, struct text actor,
                       double now_ms)
{
	yyjson_val *value = yyjson_obj_get(binding->value, "transition");

	start_transition(b, binding, actor, false, now_ms);
	keep_going(b, binding, actor, "set", now_ms + show_number(value, "durationMs", 0));
}

/* Whole milliseconds, so that no machine rounds otherwise. */
static double limited(double duration)
{
	duration = round(duration);
	return duration < WALK_LEAST ? WALK_LEAST : duration > WALK_MOST ? WALK_MOST : duration;
}

static double length_of_route(const struct bindings *b, yyjson_val *action)
{
	yyjson_val *value = map_get(&b->show->routes, show_text(action, "route"));
	struct route *route = route_create(value, b->show->scene);
	struct route_span span = route_between(route, TEXT(""), show_text(action, "waypoint"));

	route_destroy(route);
	return fabs(span.to - span.from);
}

static double length_of_walk(const struct bindings *b, yyjson_val *action, struct text actor,
                             double now_ms)
{
	yyjson_val *to = map_get(&b->show->positions, show_text(action, "waypoint"));
	double x = 0, y = 0;

	stage_place(b->options.stage, actor, now_ms, &x, &y);
	return hypot(show_number(to, "x", 0) - x, show_number(to, "y", 0) - y);
}

static void walk(struct bindings *b, const struct binding *binding, struct text actor,
                 double now_ms)
{
	yyjson_val *action = yyjson_obj_get(binding->value, "action");
	bool is_route = text_is(binding->property, "followRoute");
	const char *name = is_route ? "followRoute" : "move";
	double duration = show_number(action, "duration", -1);
	struct buf *params = tell_params(&b->teller);

	if (duration < 0)
		duration = limited((is_route ? length_of_route(b, action)
		                             : length_of_walk(b, action, actor, now_ms)) /
		                   WALK_SPEED);
	tell_member(params, "route", is_route ? show_text(action, "route") : TEXT(""));
	tell_member(params, "to", show_text(action, "waypoint"));
	tell_member(params, "animationDuring", show_text(action, "animationDuring"));
	tell_member(params, "animationOnArrival", show_text(action, "animationOnArrival"));
	buf_add_char(params, '}');
	tell(&b->teller, &(struct told){COMMAND_START, name, actor, now_ms, duration});
	keep_going(b, binding, actor, name, now_ms + duration);
}

/* ---- hearing ---- */

static bool is_number(struct text property)
{
	static const char *const names[] = {
		"position.x", "position.y", "rotation", "scale",           "scale.x",
		"scale.y",    "opacity",    "zIndex",   "animation.speed",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (text_is(property, names[i]))
			return true;
	return false;
}

static void bind_number(struct bindings *b, const struct binding *binding, struct text actor,
                        const struct cue *cue, double now_ms)
{
	yyjson_val *mapping = yyjson_obj_get(binding->value, "mapping");
	double raw;

	if (binding->field.len == 0 && yyjson_obj_get(binding->value, "transition"))
		transition(b, binding, actor, now_ms);
	else if (value_number(cue->payload, binding->field, binding->property, &raw))
		tell_number(&b->teller, binding->property, actor, value_mapped(mapping, raw),
		            now_ms);
}

static void bind_visible(struct bindings *b, const struct binding *binding, struct text actor,
                         const struct cue *cue, double now_ms)
{
	struct text field = binding->field;
	yyjson_val *value = field.len ? yyjson_obj_getn(cue->payload, field.at, field.len) : NULL;
	struct buf *params = tell_property(&b->teller, binding->property);

	if (yyjson_is_bool(value))
		buf_print(params, ",\"value\":%s", yyjson_get_bool(value) ? "true" : "false");
	else
		buf_add(params, TEXT(",\"toggle\":true"));
	tell_set(&b->teller, actor, now_ms);
}

/* What the signal says, if the binding names a field, or what the document says. */
static void bind_animation(struct bindings *b, const struct binding *binding, struct text actor,
                           const struct cue *cue, double now_ms)
{
	yyjson_val *action = yyjson_obj_get(binding->value, "action");
	struct text field = binding->field, state = show_text(action, "animationDuring");

	if (field.len && yyjson_is_str(yyjson_obj_getn(cue->payload, field.at, field.len)))
		state = json_text(yyjson_obj_getn(cue->payload, field.at, field.len));
	tell_text(&b->teller, binding->property, actor, state, now_ms);
}

struct moment {
	const struct cue *cue;
	struct text type;
	double now_ms;
};

static struct text cut_short(struct text words)
{
	if (words.len <= WORDS_MAX)
		return words;
	words.len = WORDS_MAX;
	while (words.len && (words.at[words.len] & 0xC0) == 0x80)
		words.len--;
	return words;
}

static void bind_speech(struct bindings *b, const struct binding *binding, struct text actor,
                        const struct moment *moment)
{
	struct text words = value_text(moment->cue->payload, binding->field);
	bool goes_on = text_is(moment->type, "text_delta") || text_is(moment->type, "thinking");
	struct buf *params = tell_property(&b->teller, binding->property);

	if (words.len == 0)
		return;
	tell_member(params, "value", cut_short(words));
	if (goes_on)
		buf_add(params, TEXT(",\"append\":true"));
	tell_set(&b->teller, actor, moment->now_ms);
}

static void teleport(struct bindings *b, const struct binding *binding, struct text actor,
                     double now_ms)
{
	yyjson_val *action = yyjson_obj_get(binding->value, "action");
	yyjson_val *to = map_get(&b->show->positions, show_text(action, "waypoint"));

	tell_point(&b->teller, actor, show_number(to, "x", 0), show_number(to, "y", 0), now_ms);
}

static void bind(struct bindings *b, const struct binding *binding, struct text actor,
                 const struct moment *moment)
{
	struct text property = binding->property;
	const struct cue *cue = moment->cue;
	double now_ms = moment->now_ms, x, y;

	if (is_number(property))
		bind_number(b, binding, actor, cue, now_ms);
	else if (text_is(property, "visible"))
		bind_visible(b, binding, actor, cue, now_ms);
	else if (text_is(property, "animation.state"))
		bind_animation(b, binding, actor, cue, now_ms);
	else if (text_is(property, "speech"))
		bind_speech(b, binding, actor, moment);
	else if (text_is(property, "tint"))
		tell_text(&b->teller, binding->property, actor,
		          value_color(cue->payload, binding->field), now_ms);
	else if (text_is(property, "teleportTo"))
		teleport(b, binding, actor, now_ms);
	else if (!text_is(property, "position"))
		walk(b, binding, actor, now_ms);
	else if (value_point(cue->payload, binding->field, &x, &y))
		tell_point(&b->teller, actor, x, y, now_ms);
}

/* Nobody, when nobody in the scene is meant and nobody can play them. */
static struct text actor_of(struct bindings *b, const struct binding *binding,
                            const struct moment *moment)
{
	struct text path = binding->target, actor;

	b->teller.by_signal = cue_path(&path);
	if (!b->teller.by_signal)
		return binding->target;
	actor = json_text(cue_at(moment->cue, path));
	return stage_may_know(b->options.stage, actor, moment->now_ms) ? actor : TEXT("");
}

bool bindings_hear(struct bindings *bindings, size_t index, const struct cue *cue, struct text type,
                   double now_ms)
{
	const struct part *part = &bindings->parts[index];
	const struct moment moment = {cue, type, now_ms};
	bool is_taken = false;

	if (part->count == 0 || !when_holds(part->when, cue))
		return false;
	bindings->teller.correlation = cue->correlation;
	bindings->teller.source = cue->source;
	for (size_t i = 0; i < part->count; i++) {
		struct text actor = actor_of(bindings, &part->bindings[i], &moment);

		if (actor.len == 0)
			continue;
		bind(bindings, &part->bindings[i], actor, &moment);
		is_taken = true;
	}
	bindings->teller.correlation = bindings->teller.source = TEXT("");
	return is_taken;
}

/* ---- time ---- */

static void arrive(struct bindings *b, struct going *going, double now_ms)
{
	bool is_set = strcmp(going->action, "set") == 0;
	struct buf *params = tell_params(&b->teller);

	tell_member(params, "property", is_set ? going->binding->property : TEXT(""));
	buf_add_char(params, '}');
	tell(&b->teller,
	     &(struct told){COMMAND_COMPLETE, going->action, text_of(going->actor), now_ms});
}

/* True when it is over. */
static bool go_on(struct bindings *b, struct going *going, double now_ms)
{
	yyjson_val *transition = yyjson_obj_get(going->binding->value, "transition");

	if (going->phase != PHASE_RESTING)
		arrive(b, going, now_ms);
	if (going->phase == PHASE_GOING && strcmp(going->action, "set") == 0 &&
	    show_flag(transition, "revert", false)) {
		going->phase = PHASE_RESTING;
		going->until_ms = now_ms + show_number(transition, "revertDelayMs", 0);
		return false;
	}
	if (going->phase == PHASE_RESTING) {
		going->phase = PHASE_RETURNING;
		start_transition(b, going->binding, text_of(going->actor), true, now_ms);
		going->until_ms = now_ms + show_number(transition, "durationMs", 0);
		return false;
	}
	return true;
}

static struct going *first_due(struct bindings *b, double now_ms)
{
	struct going *first = NULL;

	list_each(&b->going, l) {
		struct going *going = list_of(l, struct going, in_bindings);

		if (going->until_ms <= now_ms && (!first || going->until_ms < first->until_ms))
			first = going;
	}
	return first;
}

void bindings_tick(struct bindings *bindings, double now_ms)
{
	struct going *going;

	bindings->teller.by_signal = false;
	while ((going = first_due(bindings, now_ms)))
		if (go_on(bindings, going, now_ms))
			forget(going);
}

double bindings_next(const struct bindings *bindings)
{
	double next = INFINITY;

	list_each(&bindings->going, l)
		next = fmin(next, list_of(l, struct going, in_bindings)->until_ms);
	return next;
}
