/* actor.c - an entity's state, and how it is written. */
#include "stage/actor.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "signal/json.h"
#include "stage/cast.h"

static const struct {
	const char *name;
	enum look_number number, twin;
} properties[] = {
	{"position.x", NUMBER_X, NUMBER_X},
	{"position.y", NUMBER_Y, NUMBER_Y},
	{"scale", NUMBER_SCALE_X, NUMBER_SCALE_Y},
	{"scale.x", NUMBER_SCALE_X, NUMBER_SCALE_X},
	{"scale.y", NUMBER_SCALE_Y, NUMBER_SCALE_Y},
	{"rotation", NUMBER_ROTATION, NUMBER_ROTATION},
	{"opacity", NUMBER_OPACITY, NUMBER_OPACITY},
	{"zIndex", NUMBER_Z_INDEX, NUMBER_Z_INDEX},
	{"animation.speed", NUMBER_SPEED, NUMBER_SPEED},
};

bool actor_numbers(struct text property, enum look_number *number, enum look_number *twin)
{
	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++) {
		if (!text_is(property, properties[i].name))
			continue;
		*number = properties[i].number;
		*twin = properties[i].twin;
		return true;
	}
	return false;
}

void actor_init(struct actor *actor, yyjson_val *placed)
{
	yyjson_val *bubble = yyjson_obj_get(placed, "speechBubble");
	struct text state = json_text_at(placed, "activeState");
	struct actor_look *look = &actor->base;
	double scale = show_number(placed, "scale", 1);

	*actor = (struct actor){.placed = placed};
	actor->id = json_text_at(placed, "id");
	actor->semantic = json_text_at(placed, "semanticId");
	look->numbers[NUMBER_X] = show_number(placed, "x", 0);
	look->numbers[NUMBER_Y] = show_number(placed, "y", 0);
	look->numbers[NUMBER_SCALE_X] = look->numbers[NUMBER_SCALE_Y] = scale;
	look->numbers[NUMBER_ROTATION] = show_number(placed, "rotation", 0);
	look->numbers[NUMBER_OPACITY] = show_number(placed, "opacity", 1);
	look->numbers[NUMBER_Z_INDEX] = show_number(placed, "zIndex", 0);
	look->numbers[NUMBER_SPEED] = 1;
	look->visible = show_flag(placed, "visible", true);
	look->flipped = show_flag(placed, "flipH", false);
	look->pulse = 1;
	actor->original = actor->marked = *look;
	actor->animation = text_dup(state.len ? state : TEXT("idle"));
	actor->marked_animation = must_dup(actor->animation);
	speech_init(&actor->speech, (size_t)show_number(bubble, "maxChars", SPEECH_CHARS),
	            show_number(bubble, "retentionMs", SPEECH_RETENTION));
	list_init(&actor->tweens);
}

static void drop_tweens(struct actor *actor)
{
	list_each(&actor->tweens, l) {
		list_remove(l);
		tween_destroy(list_of(l, struct tween, in_actor));
	}
	actor->tween_count = 0;
	assert(list_is_empty(&actor->tweens));
}

void actor_finish(struct actor *actor)
{
	drop_tweens(actor);
	speech_finish(&actor->speech);
	free(actor->animation);
	free(actor->marked_animation);
	free(actor->part);
}

/* What is on top of it is not part of how it is. */
void actor_mark(struct actor *actor, double now_ms)
{
	struct actor_look look = actor_look(actor, now_ms);

	actor->marked = actor->base;
	memcpy(actor->marked.numbers, look.numbers, sizeof(look.numbers));
	free(actor->marked_animation);
	actor->marked_animation = must_dup(actor->animation);
}

void actor_reset(struct actor *actor)
{
	drop_tweens(actor);
	actor->base = actor->marked;
	actor_animate(actor, text_of(actor->marked_animation));
	speech_hush(&actor->speech);
}

struct actor_look actor_look(const struct actor *actor, double now_ms)
{
	struct actor_look look = actor->base;

	list_each(&actor->tweens, l)
		tween_apply(list_of(l, struct tween, in_actor), now_ms, &look);
	return look;
}

void actor_animate(struct actor *actor, struct text state)
{
	if (state.len == 0)
		return;
	free(actor->animation);
	actor->animation = text_dup(state);
}

/* ---- what a binding sets ---- */

static void set_number(struct actor *actor, yyjson_val *params, enum look_number number)
{
	double value = actor->original.numbers[number];

	assert(number < NUMBERS);
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

static void copy_color(char out[COLOR_ROOM], struct text color)
{
	if (color.len >= COLOR_ROOM)
		return;
	memcpy(out, color.at ? color.at : "", color.len);
	out[color.len] = '\0';
}

void actor_set(struct actor *actor, yyjson_val *params, double now_ms)
{
	struct text property = json_text_at(params, "property"),
		    value = json_text_at(params, "value");
	yyjson_val *point = yyjson_obj_get(params, "value");
	enum look_number number, twin;

	if (actor_numbers(property, &number, &twin)) {
		set_number(actor, params, number);
		set_number(actor, params, twin);
	} else if (text_is(property, "position")) {
		actor->base.numbers[NUMBER_X] = show_number(point, "x", 0);
		actor->base.numbers[NUMBER_Y] = show_number(point, "y", 0);
	} else if (text_is(property, "visible")) {
		set_visible(actor, params);
	} else if (text_is(property, "tint")) {
		copy_color(actor->base.tint, value);
	} else if (text_is(property, "animation.state")) {
		actor_animate(actor, value);
	} else if (text_is(property, "speech") && show_flag(params, "append", false)) {
		speech_append(&actor->speech, value, show_flag(params, "thought", false), now_ms);
	} else if (text_is(property, "speech")) {
		speech_say(&actor->speech, value, 0, now_ms);
	}
}

/* One of a binding: it is a change of this property, or a movement. */
static bool actor_is_of(const struct tween *t, bool is_number, enum look_number number)
{
	if (t->performance != COMMAND_OF_BINDING)
		return false;
	return is_number ? t->kind == TWEEN_NUMBER && t->number == number : t->kind != TWEEN_NUMBER;
}

void actor_restore(struct actor *actor, struct text property, double now_ms)
{
	enum look_number number = 0, twin = 0;
	bool is_number = actor_numbers(property, &number, &twin);

	list_each(&actor->tweens, l) {
		struct tween *t = list_of(l, struct tween, in_actor);

		if (actor_is_of(t, is_number, number))
			tween_end(actor, t, now_ms, false);
	}
	if (!is_number)
		return;
	actor->base.numbers[number] = actor->original.numbers[number];
	actor->base.numbers[twin] = actor->original.numbers[twin];
}

/* ---- as JSON ---- */

static void add_overlays(const struct actor_look *look, struct buf *out)
{
	if (look->flash[0]) {
		put_object(out, "flash");
		put_word(out, "color", look->flash);
		put_key(out, "intensity");
		json_add_number(out, look->flash_strength);
		buf_add_char(out, '}');
	}
	if (look->pulse != 1) {
		put_key(out, "pulse");
		json_add_number(out, look->pulse);
	}
	if (look->beam.len) {
		put_object(out, "beam");
		put_text(out, "to", look->beam);
		put_word(out, "color", look->beam_color);
		put_end(out);
	}
}

static void actor_add_numbers(const struct actor_look *look, struct buf *out)
{
	static const char *const names[NUMBERS] = {
		[NUMBER_X] = "x",
		[NUMBER_Y] = "y",
		[NUMBER_SCALE_X] = "scaleX",
		[NUMBER_SCALE_Y] = "scaleY",
		[NUMBER_ROTATION] = "rotation",
		[NUMBER_OPACITY] = "opacity",
		[NUMBER_Z_INDEX] = "zIndex",
		[NUMBER_SPEED] = "animationSpeed",
	};

	for (int i = 0; i < NUMBERS; i++) {
		put_key(out, names[i]);
		json_add_number(out, look->numbers[i]);
	}
}

void actor_json(const struct actor *actor, double now_ms, struct buf *out)
{
	struct actor_look look = actor_look(actor, now_ms);

	put_object(out, NULL);
	put_text(out, "id", actor->id);
	put_text(out, "semanticId", actor->semantic);
	if (actor->part) {
		put_key(out, "label");
		cast_add_label(out, actor->semantic);
	}
	actor_add_numbers(&look, out);
	put_bool(out, "visible", look.visible);
	put_bool(out, "flipH", look.flipped);
	put_word(out, "activeState", actor->animation);
	if (look.tint[0])
		put_word(out, "tint", look.tint);
	add_overlays(&look, out);
	if (speech_phase(&actor->speech, now_ms) != SPEECH_SILENT) {
		put_key(out, "speech");
		speech_json(&actor->speech, now_ms, out);
	}
	buf_add_char(out, '}');
}

/* ---- remembering ---- */

static void save_look(const struct actor_look *look, struct buf *out)
{
	buf_add_char(out, '[');
	for (int i = 0; i < NUMBERS; i++) {
		json_add_number(out, look->numbers[i]);
		buf_add_char(out, ',');
	}
	buf_print(out, "%s,%s,", look->visible ? "true" : "false",
	          look->flipped ? "true" : "false");
	buf_add_json(out, text_of(look->tint));
	buf_add_char(out, ']');
}

static void load_look(struct actor_look *look, yyjson_val *saved)
{
	struct text tint = json_text(yyjson_arr_get(saved, NUMBERS + 2));

	if (yyjson_arr_size(saved) != NUMBERS + 3)
		return;
	for (size_t i = 0; i < NUMBERS; i++)
		if (!json_number(yyjson_arr_get(saved, i), &look->numbers[i]))
			look->numbers[i] = NAN; /* too large to be written, so it is out of sight */
	look->visible = yyjson_get_bool(yyjson_arr_get(saved, NUMBERS));
	look->flipped = yyjson_get_bool(yyjson_arr_get(saved, NUMBERS + 1));
	copy_color(look->tint, tint);
}

void actor_save(const struct actor *actor, struct buf *out)
{
	buf_add_char(out, '{');
	cast_save(actor, out);
	put_key(out, "look");
	save_look(&actor->base, out);
	put_key(out, "marked");
	save_look(&actor->marked, out);
	put_word(out, "animation", actor->animation);
	put_word(out, "markedAnimation", actor->marked_animation);
	put_u64(out, "by", actor->by);
	put_key(out, "speech");
	speech_save(&actor->speech, out);
	put_list(out, "tweens");
	list_each(&actor->tweens, l) {
		if (l != actor->tweens.next)
			buf_add_char(out, ',');
		tween_save(list_of(l, struct tween, in_actor), out);
	}
	put_list_end(out);
	put_end(out);
}

void actor_load(struct actor *actor, yyjson_val *saved)
{
	struct text marked = json_text_at(saved, "markedAnimation");

	load_look(&actor->base, yyjson_obj_get(saved, "look"));
	load_look(&actor->marked, yyjson_obj_get(saved, "marked"));
	actor_animate(actor, json_text_at(saved, "animation"));
	if (marked.len) {
		free(actor->marked_animation);
		actor->marked_animation = text_dup(marked);
	}
	actor->by = yyjson_get_uint(yyjson_obj_get(saved, "by"));
	speech_load(&actor->speech, yyjson_obj_get(saved, "speech"));
}
