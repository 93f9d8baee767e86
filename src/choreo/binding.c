/* binding.c - from payloads to properties. */
#include "choreo/binding.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "choreo/going.h"
#include "choreo/value.h"
#include "signal/pointer.h"
#include "signal/when.h"

#define WORDS_MAX 8192 /* bytes of one signal that are said: more than a bubble holds */

struct binding_part {
	struct when *when;
	struct binding *bindings;
	size_t count;
};

struct bindings {
	const struct show *show;
	struct bindings_options options;
	struct binding_part *parts; /* one for each choreography */
	size_t count;
	struct goings goings;
	struct teller teller;
};

/* ---- birth and death ---- */

static void add_binding(struct binding_part *part, yyjson_val *value, size_t index)
{
	part->bindings = must_grow(part->bindings, (part->count + 1) * sizeof(*part->bindings));
	part->bindings[part->count++] = (struct binding){
		value,
		index,
		json_text_at(value, "targetEntityId"),
		json_text_at(value, "property"),
		json_text_at(value, "sourceField"),
	};
}

static bool binding_read_parts(struct bindings *b, struct map *ids, struct error *why)
{
	yyjson_val *one;
	size_t i, max;

	yyjson_arr_foreach(b->show->choreographies, i, max, one)
	{
		map_set(ids, json_text_at(one, "id"), &b->parts[i]);
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
		add_binding(map_get(ids, json_text_at(one, "sourceChoreographyId")), one, i);
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
	teller_init(&b->teller, options->command, options->self);
	goings_init(&b->goings, show, options->stage, &b->teller);
	map_init(&ids);
	good = binding_read_parts(b, &ids, why);
	map_finish(&ids);
	if (good)
		return b;
	bindings_destroy(b);
	return NULL;
}

void bindings_reset(struct bindings *bindings)
{
	goings_finish(&bindings->goings);
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
		goings_turn(&b->goings, binding, actor, now_ms);
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
		put_bool(params, "value", yyjson_get_bool(value));
	else
		put_bool(params, "toggle", true);
	tell_set(&b->teller, actor, now_ms);
}

/* What the signal says, if the binding names a field, or what the document says. */
static void bind_animation(struct bindings *b, const struct binding *binding, struct text actor,
                           const struct cue *cue, double now_ms)
{
	yyjson_val *action = yyjson_obj_get(binding->value, "action");
	struct text field = binding->field, state = json_text_at(action, "animationDuring");

	if (field.len && yyjson_is_str(yyjson_obj_getn(cue->payload, field.at, field.len)))
		state = json_text(yyjson_obj_getn(cue->payload, field.at, field.len));
	tell_text(&b->teller, binding->property, actor, state, now_ms);
}

struct moment {
	const struct cue *cue;
	struct text type;
	double now_ms;
};

static void bind_speech(struct bindings *b, const struct binding *binding, struct text actor,
                        const struct moment *moment)
{
	struct text words = value_text(moment->cue->payload, binding->field);
	bool is_thought = text_is(moment->type, "thinking");
	bool goes_on = is_thought || text_is(moment->type, "text_delta");
	struct buf *params = tell_property(&b->teller, binding->property);

	if (words.len == 0)
		return;
	tell_member(params, "value", utf8_cut(words, WORDS_MAX));
	if (goes_on)
		put_bool(params, "append", true);
	if (is_thought)
		put_bool(params, "thought", true);
	tell_set(&b->teller, actor, moment->now_ms);
}

static void teleport(struct bindings *b, const struct binding *binding, struct text actor,
                     double now_ms)
{
	yyjson_val *action = yyjson_obj_get(binding->value, "action");
	yyjson_val *to = map_get(&b->show->positions, json_text_at(action, "waypoint"));

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
		goings_walk(&b->goings, binding, actor, now_ms);
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
	const struct binding_part *part = &bindings->parts[index];
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

void bindings_tick(struct bindings *bindings, double now_ms)
{
	bindings->teller.by_signal = false;
	goings_tick(&bindings->goings, now_ms);
}

double bindings_next(const struct bindings *bindings)
{
	return goings_next(&bindings->goings);
}

void bindings_running(const struct bindings *bindings, double now_ms,
                      void (*command)(void *self, const struct stage_command *command), void *self)
{
	struct teller teller;

	teller_init(&teller, command, self);
	goings_running(&bindings->goings, now_ms, &teller);
	teller_finish(&teller);
}

/* ---- remembering ---- */

void bindings_save(const struct bindings *bindings, struct buf *out)
{
	goings_save(&bindings->goings, out);
}

static const struct binding *find_binding(const struct bindings *b, size_t index)
{
	for (size_t i = 0; i < b->count; i++)
		for (size_t j = 0; j < b->parts[i].count; j++)
			if (b->parts[i].bindings[j].index == index)
				return &b->parts[i].bindings[j];
	return NULL;
}

void bindings_load(struct bindings *bindings, yyjson_val *saved, const struct places *places,
                   bindings_lost_fn *lost, void *self)
{
	yyjson_val *one;
	size_t i, max;

	bindings_reset(bindings);
	yyjson_arr_foreach(saved, i, max, one)
	{
		size_t was = yyjson_get_uint(yyjson_obj_get(one, "binding"));
		const struct binding *binding = find_binding(bindings, places_of(places, was));

		if (!binding || !goings_load(&bindings->goings, binding, one))
			lost(self, json_text_at(one, "actor"), json_text_at(one, "property"));
	}
}
