/* stage.c - folds commands into the state of entities. */
#include "stage/stage.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "signal/json.h"
#include "stage/actor.h"
#include "stage/cast.h"

#define PARAMS_MAX MIB
#define CASTING_MAX (2 * KIB) /* an id, a label and a state, with room for escapes */

/* Of one entity.  What is one too many is at its end at once. */
#define TWEENS_MAX 64

struct stage {
	const struct show *show;
	struct stage_curves curves;
	struct actor *actors; /* in the order of the scene */
	size_t count;
	bool has_stand_ins;
	struct json_reader params;
	struct buf casting; /* the params of the last cast */
	uint64_t version;
};

struct stage *stage_create(const struct show *show, const struct stage_curves *curves)
{
	yyjson_val *entities = yyjson_obj_get(show->scene, "entities"), *one;
	struct stage *stage = must_zero(1, sizeof(*stage));
	size_t i, max;

	stage->show = show;
	stage->curves = *curves;
	stage->actors = must_zero(yyjson_arr_size(entities) + 1, sizeof(*stage->actors));
	yyjson_arr_foreach(entities, i, max, one)
	{
		actor_init(&stage->actors[stage->count++], one);
		stage->has_stand_ins |= show_flag(one, "standIn", false);
	}
	json_reader_init(&stage->params, PARAMS_MAX);
	buf_init(&stage->casting, CASTING_MAX);
	return stage;
}

void stage_destroy(struct stage *stage)
{
	if (!stage)
		return;
	for (size_t i = 0; i < stage->count; i++)
		actor_finish(&stage->actors[i]);
	free(stage->actors);
	json_reader_finish(&stage->params);
	buf_finish(&stage->casting);
	free(stage);
}

uint64_t stage_version(const struct stage *stage)
{
	return stage->version;
}

void stage_set_version(struct stage *stage, uint64_t version)
{
	stage->version = version;
}

void stage_mark(struct stage *stage, double now_ms)
{
	for (size_t i = 0; i < stage->count; i++)
		actor_mark(&stage->actors[i], now_ms);
}

void stage_reset(struct stage *stage)
{
	for (size_t i = 0; i < stage->count; i++)
		actor_reset(&stage->actors[i]);
}

/* ---- parts ---- */

bool stage_knows(const struct stage *stage, struct text actor)
{
	return map_get(&stage->show->actors, actor) ||
	       cast_find(stage->actors, stage->count, actor);
}

/* Would it be for a stand-in to play? */
static bool stage_is_part(const struct stage *stage, struct text name)
{
	return stage->has_stand_ins && cast_is_name(name) && !stage_knows(stage, name);
}

static struct actor *stand_in(const struct stage *stage, struct text part, double now_ms)
{
	if (!stage_is_part(stage, part))
		return NULL;
	return cast_choose(stage->actors, stage->count, now_ms);
}

bool stage_may_know(const struct stage *stage, struct text actor, double now_ms)
{
	return stage_knows(stage, actor) || stand_in(stage, actor, now_ms);
}

/* Nobody comes only to go, or when something is over. */
enum casting stage_casts(struct stage *stage, const struct stage_command *command,
                         struct text state, struct stage_command *cast)
{
	bool begins = command->kind == COMMAND_START || command->kind == COMMAND_EXECUTE;
	struct actor *actor;

	if (!command->by_signal || !begins || text_is(command->action, "destroy"))
		return STAGE_KNOWS;
	if (!stage_is_part(stage, command->entity))
		return STAGE_KNOWS;
	actor = cast_choose(stage->actors, stage->count, command->at_ms);
	if (!actor)
		return STAGE_MISSES;
	cast_tell(actor, command, state, &stage->casting, cast);
	return STAGE_CASTS;
}

/* ---- places ---- */

struct stage_spot {
	double x, y;
};

static struct stage_spot spot_of(yyjson_val *value)
{
	return (struct stage_spot){show_number(value, "x", 0), show_number(value, "y", 0)};
}

static bool find_actor(const struct stage *stage, struct text name, double now_ms,
                       struct stage_spot *spot)
{
	for (size_t i = 0; name.len && i < stage->count; i++) {
		struct actor_look look;

		if (!text_equal(stage->actors[i].semantic, name))
			continue;
		look = actor_look(&stage->actors[i], now_ms);
		*spot = (struct stage_spot){look.numbers[NUMBER_X], look.numbers[NUMBER_Y]};
		return true;
	}
	return false;
}

bool stage_place(const struct stage *stage, struct text actor, double now_ms, double *x, double *y)
{
	const struct actor *other = stand_in(stage, actor, now_ms);
	struct stage_spot spot;

	if (other)
		spot = spot_of(other->placed);
	else if (!find_actor(stage, actor, now_ms, &spot))
		return false;
	*x = spot.x;
	*y = spot.y;
	return true;
}

/* Where to, if that is a name: a position; or an entity, where it is now, and for
 * itself where it is at home.  False: there is neither. */
static bool find_spot(const struct stage *stage, const struct actor *mover, struct text name,
                      double now_ms, struct stage_spot *spot)
{
	yyjson_val *position = map_get(&stage->show->positions, name);

	if (position)
		*spot = spot_of(position);
	else if (name.len && text_equal(mover->semantic, name))
		*spot = spot_of(mover->placed);
	else
		return find_actor(stage, name, now_ms, spot);
	return true;
}

/* ---- actions that take no time ---- */

static void go_to(const struct stage *stage, struct actor *actor, struct text name, double now_ms)
{
	struct stage_spot spot;

	if (!find_spot(stage, actor, name, now_ms, &spot))
		return;
	actor->base.numbers[NUMBER_X] = spot.x;
	actor->base.numbers[NUMBER_Y] = spot.y;
}

static void spawn(const struct stage *stage, struct actor *actor, yyjson_val *params, double now_ms)
{
	actor->base.visible = true;
	go_to(stage, actor, json_text_at(params, "at"), now_ms);
}

static void stage_move(const struct stage *stage, struct actor *actor, yyjson_val *params,
                       double now_ms)
{
	go_to(stage, actor, json_text_at(params, "to"), now_ms);
	actor_animate(actor, json_text_at(params, "animationOnArrival"));
}

static void execute(const struct stage *stage, struct actor *actor,
                    const struct stage_command *command, yyjson_val *params)
{
	struct text action = command->action;

	if (text_is(action, "set"))
		actor_set(actor, params, command->at_ms);
	else if (text_is(action, "spawn"))
		spawn(stage, actor, params, command->at_ms);
	else if (text_is(action, "destroy"))
		actor->base.visible = false;
	else if (text_is(action, "setAnimation"))
		actor_animate(actor, json_text_at(params, "state"));
	else if (text_is(action, "move") || text_is(action, "fly"))
		stage_move(stage, actor, params, command->at_ms);
	else if (text_is(action, "typeText"))
		speech_say(&actor->speech, json_text_at(params, "text"), 0, command->at_ms);
}

/* ---- actions that take time ---- */

static void aim_move(const struct stage *stage, struct tween *t, const struct actor *actor,
                     const struct actor_look *look, double now_ms)
{
	struct stage_spot to = {look->numbers[NUMBER_X], look->numbers[NUMBER_Y]};

	t->from_x = to.x;
	t->from_y = to.y;
	find_spot(stage, actor, text_of(t->target), now_ms, &to);
	t->to_x = to.x;
	t->to_y = to.y;
}

static void aim_route(const struct stage *stage, struct tween *t, yyjson_val *params)
{
	yyjson_val *route = map_get(&stage->show->routes, json_text_at(params, "route"));
	struct route_span span;

	if (!route) {
		t->kind = TWEEN_OTHER;
		return;
	}
	t->way = text_dup(json_text_at(params, "route"));
	t->route = route_create(route, stage->show->scene);
	span = route_between(t->route, json_text_at(params, "from"), json_text_at(params, "to"));
	if (show_flag(params, "reverse", false))
		t->span = (struct route_span){span.to, span.from};
	else
		t->span = span;
}

static void aim_number(struct tween *t, const struct actor *actor, const struct actor_look *look,
                       yyjson_val *params)
{
	if (!actor_numbers(json_text_at(params, "property"), &t->number, &t->twin)) {
		t->kind = TWEEN_OTHER;
		return;
	}
	t->from = look->numbers[t->number];
	t->to = actor->original.numbers[t->number];
	if (!show_flag(params, "original", false))
		t->to = show_number(params, "value", t->from);
}

static void stage_start(const struct stage *stage, struct actor *actor,
                        const struct stage_command *command, yyjson_val *params)
{
	struct tween *t = tween_create(command, params), *old = NULL;
	struct actor_look look = actor->base;

	if (command->performance == COMMAND_OF_BINDING)
		old = tween_find(actor, command, params);
	if (old || actor->tween_count < TWEENS_MAX) /* else nobody sees where it begins */
		look = actor_look(actor, command->at_ms);
	if (old)
		tween_end(actor, old, command->at_ms, false);
	t->curve = t->kind == TWEEN_NUMBER ? stage->curves.binding : stage->curves.step;
	if (t->kind == TWEEN_MOVE || t->kind == TWEEN_FLY)
		aim_move(stage, t, actor, &look, command->at_ms);
	else if (t->kind == TWEEN_ROUTE)
		aim_route(stage, t, params);
	else if (t->kind == TWEEN_NUMBER)
		aim_number(t, actor, &look, params);
	if (text_is(command->action, "typeText") && command->duration > 0)
		speech_say(&actor->speech, json_text_at(params, "text"), command->duration,
		           command->at_ms - command->elapsed);
	actor_animate(actor, json_text_at(params, "animationDuring"));
	list_add(&actor->tweens, &t->in_actor);
	actor->tween_count++;
	if (actor->tween_count > TWEENS_MAX)
		tween_end(actor, t, command->at_ms, true);
}

static void stage_complete(struct actor *actor, const struct stage_command *command,
                           yyjson_val *params)
{
	struct tween *t = tween_find(actor, command, params);

	if (t)
		tween_end(actor, t, command->at_ms, true);
}

static void stage_interrupt(struct actor *actor, uint64_t performance, double now_ms)
{
	list_each(&actor->tweens, l) {
		struct tween *t = list_of(l, struct tween, in_actor);

		if (t->performance == performance)
			tween_end(actor, t, now_ms, false);
	}
}

static void stage_fold(struct stage *stage, struct actor *actor,
                       const struct stage_command *command, yyjson_val *params)
{
	bool begins = command->kind == COMMAND_START || command->kind == COMMAND_EXECUTE;

	if (command->kind != COMMAND_INTERRUPT) { /* which names nobody */
		actor->used = stage->version;
		actor->heard_ms = command->at_ms;
	}
	if (begins && command->performance != COMMAND_OF_BINDING)
		actor->by = command->performance;
	switch (command->kind) {
	case COMMAND_START:
		stage_start(stage, actor, command, params);
		break;
	case COMMAND_COMPLETE:
		stage_complete(actor, command, params);
		break;
	case COMMAND_EXECUTE:
		execute(stage, actor, command, params);
		break;
	case COMMAND_INTERRUPT:
		stage_interrupt(actor, command->performance, command->at_ms);
		break;
	case COMMAND_UPDATE: /* follows from the start */
	case COMMAND_KINDS:
		break;
	}
}

/* Which entities of the scene are meant?  An interrupt names none. */
static bool concerns(const struct stage_command *command, const struct actor *actor)
{
	return command->kind == COMMAND_INTERRUPT ||
	       (actor->semantic.len && text_equal(actor->semantic, command->entity));
}

void stage_command(struct stage *stage, const struct stage_command *command)
{
	yyjson_doc *doc = NULL;

	if (command->params.len)
		doc = json_read(&stage->params, command->params, NULL);
	stage->version++;
	if (command->kind == COMMAND_EXECUTE && text_is(command->action, "cast"))
		cast_give(cast_by_id(stage->actors, stage->count,
		                     json_text_at(yyjson_doc_get_root(doc), "id")),
		          command->entity, json_text_at(yyjson_doc_get_root(doc), "state"));
	for (size_t i = 0; i < stage->count; i++)
		if (concerns(command, &stage->actors[i]))
			stage_fold(stage, &stage->actors[i], command, yyjson_doc_get_root(doc));
}

void stage_look(const struct stage *stage, double now_ms, struct buf *out)
{
	put_u64(out, "version", stage->version);
	put_key(out, "at");
	json_add_number(out, now_ms);
	put_list(out, "entities");
	for (size_t i = 0; i < stage->count; i++)
		actor_json(&stage->actors[i], now_ms, out);
	put_list_end(out);
}

/* ---- what is under way ---- */

static void add_from(const struct tween *t, struct buf *out)
{
	if (t->kind == TWEEN_NUMBER) {
		json_add_number(out, t->from);
	} else if (t->kind == TWEEN_MOVE || t->kind == TWEEN_FLY) {
		put_object(out, NULL);
		put_key(out, "x");
		json_add_number(out, t->from_x);
		put_key(out, "y");
		json_add_number(out, t->from_y);
		buf_add_char(out, '}');
	}
}

bool stage_plays(struct stage *stage, const struct stage_command *command, struct buf *from)
{
	yyjson_val *params = yyjson_doc_get_root(json_read(&stage->params, command->params, NULL));
	bool is_here = false;

	buf_clear(from);
	for (size_t i = 0; i < stage->count; i++) {
		struct actor *actor = &stage->actors[i];
		struct tween *t;

		if (!concerns(command, actor))
			continue;
		is_here = true;
		t = tween_find(actor, command, params);
		if (t) {
			add_from(t, from);
			return true;
		}
	}
	return !is_here;
}

/* ---- remembering ---- */

bool stage_save_some(const struct stage *stage, size_t *next, struct buf *out)
{
	buf_add_char(out, *next ? ',' : '[');
	if (*next < stage->count)
		actor_save(&stage->actors[(*next)++], out);
	if (*next < stage->count)
		return true;
	buf_add_char(out, ']');
	return false;
}

static struct tween *load_tween(const struct stage *stage, yyjson_val *saved)
{
	struct tween *t = tween_load(saved);
	yyjson_val *route = t ? map_get(&stage->show->routes, text_of(t->way)) : NULL;

	if (!t)
		return NULL;
	t->curve = t->kind == TWEEN_NUMBER ? stage->curves.binding : stage->curves.step;
	if (t->kind == TWEEN_ROUTE && route)
		t->route = route_create(route, stage->show->scene);
	else if (t->kind == TWEEN_ROUTE)
		t->kind = TWEEN_OTHER;
	return t;
}

static void load_actor(struct stage *stage, struct actor *actor, yyjson_val *saved)
{
	yyjson_val *one;
	size_t i, max;

	cast_load(actor, stage->show, saved);
	actor_load(actor, saved);
	yyjson_arr_foreach(yyjson_obj_get(saved, "tweens"), i, max, one)
	{
		struct tween *t = i < TWEENS_MAX ? load_tween(stage, one) : NULL;

		if (!t)
			continue;
		list_add(&actor->tweens, &t->in_actor);
		actor->tween_count++;
	}
}

bool stage_load(struct stage *stage, yyjson_val *saved, const struct places *places)
{
	yyjson_val *one;
	size_t i, max;

	if (!yyjson_is_arr(saved))
		return false;
	stage_reset(stage);
	yyjson_arr_foreach(saved, i, max, one)
	{
		size_t place = places_of(places, i);

		if (place < stage->count)
			load_actor(stage, &stage->actors[place], one);
	}
	return true;
}

void stage_lose(struct stage *stage, uint64_t performance, double now_ms)
{
	for (size_t i = 0; i < stage->count; i++) {
		stage_interrupt(&stage->actors[i], performance, now_ms);
		if (stage->actors[i].by == performance)
			actor_reset(&stage->actors[i]);
	}
}

void stage_lose_property(struct stage *stage, struct text name, struct text property, double now_ms)
{
	for (size_t i = 0; i < stage->count; i++)
		if (text_equal(stage->actors[i].semantic, name))
			actor_restore(&stage->actors[i], property, now_ms);
}
