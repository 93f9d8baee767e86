/* stage.c - folds commands into the state of entities. */
#include "stage/stage.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "signal/json.h"
#include "stage/actor.h"
#include "stage/cast.h"

#define PARAMS_MAX MIB
#define CASTING_MAX KIB /* an id and a part, with room for escapes */

/* Of one entity.  What is one too many is at its end at once. */
#define TWEENS_MAX 1024

struct stage {
	const struct show *show;
	struct stage_curves curves;
	struct actor *actors; /* in the order of the scene */
	size_t count;
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

bool stage_place(const struct stage *stage, struct text actor, double now_ms, double *x, double *y)
{
	for (size_t i = 0; i < stage->count; i++) {
		struct look look;

		if (!text_equal(stage->actors[i].semantic, actor))
			continue;
		look = actor_look(&stage->actors[i], now_ms);
		*x = look.numbers[NUMBER_X];
		*y = look.numbers[NUMBER_Y];
		return true;
	}
	return false;
}

/* ---- parts ---- */

bool stage_knows(const struct stage *stage, struct text actor)
{
	return map_get(&stage->show->actors, actor) ||
	       cast_find(stage->actors, stage->count, actor);
}

static struct actor *stand_in(const struct stage *stage, struct text part, double now_ms)
{
	if (!cast_is_name(part) || stage_knows(stage, part))
		return NULL;
	return cast_choose(stage->actors, stage->count, now_ms);
}

bool stage_may_know(const struct stage *stage, struct text actor, double now_ms)
{
	return stage_knows(stage, actor) || stand_in(stage, actor, now_ms);
}

/* Nobody comes only to go, or when something is over. */
bool stage_casts(struct stage *stage, const struct command *command, struct command *cast)
{
	bool begins = command->kind == COMMAND_START || command->kind == COMMAND_EXECUTE;
	struct actor *actor;

	if (!command->by_signal || !begins || text_is(command->action, "destroy"))
		return false;
	actor = stand_in(stage, command->entity, command->at_ms);
	if (!actor)
		return false;
	buf_clear(&stage->casting);
	buf_add(&stage->casting, TEXT("{\"id\":"));
	buf_add_json(&stage->casting, actor->id);
	buf_add(&stage->casting, TEXT(",\"label\":"));
	buf_add_json(&stage->casting, command->entity);
	buf_add_char(&stage->casting, '}');
	*cast = (struct command){
		.kind = COMMAND_EXECUTE,
		.at_ms = command->at_ms,
		.performance = command->performance,
		.action = TEXT("cast"),
		.entity = command->entity,
		.params = buf_text(&stage->casting),
	};
	return true;
}

static void cast(struct stage *stage, struct text part, struct text id)
{
	for (size_t i = 0; i < stage->count; i++) {
		struct actor *actor = &stage->actors[i];

		if (show_flag(actor->placed, "standIn", false) && text_equal(actor->id, id))
			cast_give(actor, part);
	}
}

/* ---- places ---- */

struct spot {
	double x, y;
};

static struct spot spot_of(yyjson_val *value)
{
	return (struct spot){show_number(value, "x", 0), show_number(value, "y", 0)};
}

/* Where to, if that is a name: a position; or an entity, where it is now, and for
 * itself where it is at home.  False: there is neither. */
static bool find_spot(const struct stage *stage, const struct actor *mover, struct text name,
                      double now_ms, struct spot *spot)
{
	yyjson_val *position = map_get(&stage->show->positions, name);

	if (position)
		*spot = spot_of(position);
	else if (name.len && text_equal(mover->semantic, name))
		*spot = spot_of(mover->placed);
	else
		return name.len && stage_place(stage, name, now_ms, &spot->x, &spot->y);
	return true;
}

/* ---- what a binding sets ---- */

static void set_number(struct actor *actor, yyjson_val *params, enum number number)
{
	double value = actor->original.numbers[number];

	if (!show_flag(params, "original", false))
		value = show_number(params, "value", actor->base.numbers[number]);
	actor->base.numbers[number] = value;
}

static void set_visible(struct actor *actor, yyjson_val *params)
{
	bool visible = actor->base.visible;

	if (show_flag(params, "toggle", false))
		actor->base.visible = !visible;
	else
		actor->base.visible = show_flag(params, "value", visible);
}

static void set_tint(struct actor *actor, struct text color)
{
	if (color.len >= COLOR_ROOM)
		return;
	memcpy(actor->base.tint, color.at ? color.at : "", color.len);
	actor->base.tint[color.len] = '\0';
}

static void set(struct actor *actor, yyjson_val *params, double now_ms)
{
	struct text property = show_text(params, "property"), value = show_text(params, "value");
	yyjson_val *point = yyjson_obj_get(params, "value");
	enum number number, twin;

	if (actor_numbers(property, &number, &twin)) {
		set_number(actor, params, number);
		set_number(actor, params, twin);
	} else if (text_is(property, "position")) {
		actor->base.numbers[NUMBER_X] = show_number(point, "x", 0);
		actor->base.numbers[NUMBER_Y] = show_number(point, "y", 0);
	} else if (text_is(property, "visible")) {
		set_visible(actor, params);
	} else if (text_is(property, "tint")) {
		set_tint(actor, value);
	} else if (text_is(property, "animation.state")) {
		actor_animate(actor, value);
	} else if (text_is(property, "speech") && show_flag(params, "append", false)) {
		speech_append(&actor->speech, value, now_ms);
	} else if (text_is(property, "speech")) {
		speech_say(&actor->speech, value, 0, now_ms);
	}
}

/* ---- actions that take no time ---- */

static void go_to(const struct stage *stage, struct actor *actor, struct text name, double now_ms)
{
	struct spot spot;

	if (!find_spot(stage, actor, name, now_ms, &spot))
		return;
	actor->base.numbers[NUMBER_X] = spot.x;
	actor->base.numbers[NUMBER_Y] = spot.y;
}

static void spawn(const struct stage *stage, struct actor *actor, yyjson_val *params, double now_ms)
{
	actor->base.visible = true;
	go_to(stage, actor, show_text(params, "at"), now_ms);
}

static void move(const struct stage *stage, struct actor *actor, yyjson_val *params, double now_ms)
{
	go_to(stage, actor, show_text(params, "to"), now_ms);
	actor_animate(actor, show_text(params, "animationOnArrival"));
}

static void execute(const struct stage *stage, struct actor *actor, const struct command *command,
                    yyjson_val *params)
{
	struct text action = command->action;

	if (text_is(action, "set"))
		set(actor, params, command->at_ms);
	else if (text_is(action, "spawn"))
		spawn(stage, actor, params, command->at_ms);
	else if (text_is(action, "destroy"))
		actor->base.visible = false;
	else if (text_is(action, "setAnimation"))
		actor_animate(actor, show_text(params, "state"));
	else if (text_is(action, "move") || text_is(action, "fly"))
		move(stage, actor, params, command->at_ms);
	else if (text_is(action, "typeText"))
		speech_say(&actor->speech, show_text(params, "text"), 0, command->at_ms);
}

/* ---- actions that take time ---- */

static void aim_move(const struct stage *stage, struct tween *t, const struct actor *actor,
                     const struct look *look, double now_ms)
{
	struct spot to = {look->numbers[NUMBER_X], look->numbers[NUMBER_Y]};

	t->from_x = to.x;
	t->from_y = to.y;
	find_spot(stage, actor, text_of(t->target), now_ms, &to);
	t->to_x = to.x;
	t->to_y = to.y;
}

static void aim_route(const struct stage *stage, struct tween *t, yyjson_val *params)
{
	yyjson_val *route = map_get(&stage->show->routes, show_text(params, "route"));
	struct route_span span;

	if (!route) {
		t->kind = TWEEN_OTHER;
		return;
	}
	t->route = route_create(route, stage->show->scene);
	span = route_between(t->route, show_text(params, "from"), show_text(params, "to"));
	if (show_flag(params, "reverse", false))
		t->span = (struct route_span){span.to, span.from};
	else
		t->span = span;
}

static void aim_number(struct tween *t, const struct actor *actor, const struct look *look,
                       yyjson_val *params)
{
	if (!actor_numbers(show_text(params, "property"), &t->number, &t->twin)) {
		t->kind = TWEEN_OTHER;
		return;
	}
	t->from = look->numbers[t->number];
	t->to = actor->original.numbers[t->number];
	if (!show_flag(params, "original", false))
		t->to = show_number(params, "value", t->from);
}

static bool is_same(const struct tween *t, const struct command *command, yyjson_val *params)
{
	enum number number = 0, twin = 0;

	if (t->performance != command->performance || !text_is(command->action, t->action))
		return false;
	if (t->kind != TWEEN_NUMBER)
		return true;
	return actor_numbers(show_text(params, "property"), &number, &twin) &&
	       t->number == number && t->twin == twin;
}

static struct tween *find_same(struct actor *actor, const struct command *command,
                               yyjson_val *params)
{
	list_each(&actor->tweens, l) {
		struct tween *t = list_of(l, struct tween, in_actor);

		if (is_same(t, command, params))
			return t;
	}
	return NULL;
}

static void start(const struct stage *stage, struct actor *actor, const struct command *command,
                  yyjson_val *params)
{
	struct look look = actor_look(actor, command->at_ms);
	struct tween *t = tween_create(command, params), *old = NULL;

	if (command->performance == COMMAND_OF_BINDING)
		old = find_same(actor, command, params);
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
		speech_say(&actor->speech, show_text(params, "text"), command->duration,
		           command->at_ms - command->elapsed);
	actor_animate(actor, show_text(params, "animationDuring"));
	list_add(&actor->tweens, &t->in_actor);
	actor->tween_count++;
	if (actor->tween_count > TWEENS_MAX)
		tween_end(actor, t, command->at_ms, true);
}

static void complete(struct actor *actor, const struct command *command, yyjson_val *params)
{
	struct tween *t = find_same(actor, command, params);

	if (t)
		tween_end(actor, t, command->at_ms, true);
}

static void interrupt(struct actor *actor, const struct command *command)
{
	list_each(&actor->tweens, l) {
		struct tween *t = list_of(l, struct tween, in_actor);

		if (t->performance == command->performance)
			tween_end(actor, t, command->at_ms, false);
	}
}

static void fold(struct stage *stage, struct actor *actor, const struct command *command,
                 yyjson_val *params)
{
	actor->used = stage->version;
	switch (command->kind) {
	case COMMAND_START:
		start(stage, actor, command, params);
		break;
	case COMMAND_COMPLETE:
		complete(actor, command, params);
		break;
	case COMMAND_EXECUTE:
		execute(stage, actor, command, params);
		break;
	case COMMAND_INTERRUPT:
		interrupt(actor, command);
		break;
	case COMMAND_UPDATE: /* follows from the start */
	case COMMAND_KINDS:
		break;
	}
}

/* Which entities of the scene are meant?  An interrupt names none. */
static bool concerns(const struct command *command, const struct actor *actor)
{
	return command->kind == COMMAND_INTERRUPT ||
	       (actor->semantic.len && text_equal(actor->semantic, command->entity));
}

void stage_command(struct stage *stage, const struct command *command)
{
	yyjson_doc *doc = NULL;

	if (command->params.len)
		doc = json_read(&stage->params, command->params, NULL);
	stage->version++;
	if (command->kind == COMMAND_EXECUTE && text_is(command->action, "cast"))
		cast(stage, command->entity, show_text(yyjson_doc_get_root(doc), "id"));
	for (size_t i = 0; i < stage->count; i++)
		if (concerns(command, &stage->actors[i]))
			fold(stage, &stage->actors[i], command, yyjson_doc_get_root(doc));
}

void stage_look(const struct stage *stage, double now_ms, struct buf *out)
{
	buf_print(out, "\"version\":%llu,\"at\":", (unsigned long long)stage->version);
	json_add_number(out, now_ms);
	buf_add(out, TEXT(",\"entities\":["));
	for (size_t i = 0; i < stage->count; i++) {
		if (i)
			buf_add_char(out, ',');
		actor_json(&stage->actors[i], now_ms, out);
	}
	buf_add_char(out, ']');
}
