/* tween.c - what takes time on the stage, as functions of it. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "signal/json.h"
#include "stage/actor.h"

#define FLY_HEIGHT 0.3  /* of the way across */
#define PULSE_SIZE 1.25 /* at its height */

static enum tween_kind tween_kind_of(struct text action)
{
	static const struct {
		const char *name;
		enum tween_kind kind;
	} kinds[] = {
		{"move", TWEEN_MOVE},     {"fly", TWEEN_FLY},     {"followRoute", TWEEN_ROUTE},
		{"set", TWEEN_NUMBER},    {"flash", TWEEN_FLASH}, {"pulse", TWEEN_PULSE},
		{"drawBeam", TWEEN_BEAM},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (text_is(action, kinds[i].name))
			return kinds[i].kind;
	return TWEEN_OTHER;
}

/* Names of colours and the like are no #RRGGBB: then it is the editor's gold. */
static void read_color(char out[COLOR_ROOM], struct text color)
{
	if (color.len >= COLOR_ROOM || color.len == 0 || color.at[0] != '#')
		color = TEXT("#E8A851");
	memcpy(out, color.at, color.len);
	out[color.len] = '\0';
	for (size_t i = 1; i < color.len; i++)
		if (!strchr("0123456789abcdefABCDEF", out[i]))
			out[i] = '0';
}

struct tween *tween_create(const struct stage_command *command, yyjson_val *params)
{
	struct tween *t = must_zero(1, sizeof(*t));
	struct text arrival = json_text_at(params, "animationOnArrival");

	t->kind = tween_kind_of(command->action);
	t->performance = command->performance;
	t->action = text_dup(command->action);
	t->easing = text_dup(command->easing);
	t->start_ms = command->at_ms - command->elapsed;
	t->duration = command->duration;
	t->to = show_number(params, "size", PULSE_SIZE);
	t->on_arrival = arrival.len ? text_dup(arrival) : NULL;
	t->target = text_dup(json_text_at(params, "to"));
	read_color(t->color, json_text_at(params, "color"));
	list_init(&t->in_actor);
	return t;
}

void tween_destroy(struct tween *tween)
{
	if (!tween)
		return;
	route_destroy(tween->route);
	free(tween->action);
	free(tween->easing);
	free(tween->target);
	free(tween->way);
	free(tween->on_arrival);
	free(tween);
}

static bool tween_is_same(const struct tween *t, const struct stage_command *command,
                          yyjson_val *params)
{
	enum look_number number = 0, twin = 0;

	if (t->performance != command->performance || !text_is(command->action, t->action))
		return false;
	if (t->kind != TWEEN_NUMBER)
		return true;
	return actor_numbers(json_text_at(params, "property"), &number, &twin) &&
	       t->number == number && t->twin == twin;
}

struct tween *tween_find(struct actor *actor, const struct stage_command *command,
                         yyjson_val *params)
{
	list_each(&actor->tweens, l) {
		struct tween *t = list_of(l, struct tween, in_actor);

		if (tween_is_same(t, command, params))
			return t;
	}
	return NULL;
}

static void tween_place(struct actor_look *look, double x, double y)
{
	look->numbers[NUMBER_X] = x;
	look->numbers[NUMBER_Y] = y;
}

static void apply(const struct tween *t, double p, struct actor_look *look)
{
	double dx = t->to_x - t->from_x, dy = t->to_y - t->from_y, height;
	struct route_place at;

	switch (t->kind) {
	case TWEEN_MOVE:
		tween_place(look, t->from_x + dx * p, t->from_y + dy * p);
		break;
	case TWEEN_FLY:
		height = p < 1 ? sin(M_PI * p) * FLY_HEIGHT * fabs(dx) : 0;
		tween_place(look, t->from_x + dx * p, t->from_y + dy * p - height);
		break;
	case TWEEN_ROUTE:
		at = route_at(t->route, t->span, p);
		tween_place(look, at.x, at.y);
		look->flipped = at.direction < 0;
		break;
	case TWEEN_NUMBER:
		look->numbers[t->number] = look->numbers[t->twin] = t->from + (t->to - t->from) * p;
		break;
	case TWEEN_FLASH:
		memcpy(look->flash, t->color, COLOR_ROOM);
		look->flash_strength = p <= 0.5 ? 2 * p : 2 * (1 - p);
		break;
	case TWEEN_PULSE:
		look->pulse = 1 + (t->to - 1) * sin(M_PI * p);
		break;
	case TWEEN_BEAM:
		look->beam = text_of(t->target);
		memcpy(look->beam_color, t->color, COLOR_ROOM);
		break;
	case TWEEN_OTHER:
		break;
	}
}

static double raw_progress(const struct tween *t, double now_ms)
{
	double raw = t->duration > 0 ? (now_ms - t->start_ms) / t->duration : 1;

	return raw < 0 ? 0 : raw > 1 ? 1 : raw;
}

void tween_apply(const struct tween *tween, double now_ms, struct actor_look *look)
{
	apply(tween, tween->curve(text_of(tween->easing), raw_progress(tween, now_ms)), look);
}

/* What is on top of an entity goes with its tween; so does the way it looked on a
 * route. */
void tween_end(struct actor *actor, struct tween *tween, double now_ms, bool is_complete)
{
	bool leaves_a_trace = tween->kind <= TWEEN_NUMBER, flipped = actor->base.flipped;

	list_remove(&tween->in_actor);
	assert(actor->tween_count > 0);
	actor->tween_count--;
	if (leaves_a_trace && is_complete)
		apply(tween, 1, &actor->base);
	else if (leaves_a_trace)
		tween_apply(tween, now_ms, &actor->base);
	actor->base.flipped = flipped;
	if (is_complete && tween->on_arrival)
		actor_animate(actor, text_of(tween->on_arrival));
	tween_destroy(tween);
}

/* ---- remembering ---- */

#define DOUBLES 10

static void find_doubles(struct tween *t, double *out[DOUBLES])
{
	double *const all[DOUBLES] = {&t->start_ms, &t->duration, &t->from_x,    &t->from_y,
	                              &t->to_x,     &t->to_y,     &t->span.from, &t->span.to,
	                              &t->from,     &t->to};

	memcpy(out, all, sizeof(all));
}

static void tween_add_word(struct buf *out, const char *name, const char *word)
{
	if (!word)
		return;
	put_word(out, name, word);
}

void tween_save(const struct tween *tween, struct buf *out)
{
	struct tween copy = *tween;
	double *doubles[DOUBLES];

	find_doubles(&copy, doubles);
	put_object(out, NULL);
	put_i64(out, "kind", tween->kind);
	put_u64(out, "performance", tween->performance);
	put_i64(out, "number", tween->number);
	put_i64(out, "twin", tween->twin);
	tween_add_word(out, "action", tween->action);
	tween_add_word(out, "easing", tween->easing);
	tween_add_word(out, "color", tween->color);
	tween_add_word(out, "target", tween->target);
	tween_add_word(out, "onArrival", tween->on_arrival);
	tween_add_word(out, "way", tween->way);
	put_list(out, "doubles");
	for (int i = 0; i < DOUBLES; i++) {
		if (i)
			buf_add_char(out, ',');
		json_add_number(out, *doubles[i]);
	}
	put_list_end(out);
	put_end(out);
}

static char *load_word(yyjson_val *saved, const char *name)
{
	struct text word = json_text_at(saved, name);

	return word.at ? text_dup(word) : NULL;
}

static bool load_numbers(struct tween *t, yyjson_val *saved)
{
	uint64_t kind = yyjson_get_uint(yyjson_obj_get(saved, "kind"));
	uint64_t number = yyjson_get_uint(yyjson_obj_get(saved, "number"));
	uint64_t twin = yyjson_get_uint(yyjson_obj_get(saved, "twin"));
	yyjson_val *list = yyjson_obj_get(saved, "doubles");
	double *doubles[DOUBLES];

	if (kind > TWEEN_OTHER || number >= NUMBERS || twin >= NUMBERS)
		return false;
	t->kind = kind;
	t->number = number;
	t->twin = twin;
	t->performance = yyjson_get_uint(yyjson_obj_get(saved, "performance"));
	find_doubles(t, doubles);
	for (size_t i = 0; i < DOUBLES; i++)
		if (!json_number(yyjson_arr_get(list, i), doubles[i]))
			*doubles[i] = NAN; /* too large to be written */
	return yyjson_arr_size(list) == DOUBLES;
}

struct tween *tween_load(yyjson_val *saved)
{
	struct tween *t = must_zero(1, sizeof(*t));

	list_init(&t->in_actor);
	t->action = text_dup(json_text_at(saved, "action"));
	t->easing = text_dup(json_text_at(saved, "easing"));
	t->target = text_dup(json_text_at(saved, "target"));
	t->on_arrival = load_word(saved, "onArrival");
	t->way = load_word(saved, "way");
	read_color(t->color, json_text_at(saved, "color"));
	if (load_numbers(t, saved))
		return t;
	tween_destroy(t);
	return NULL;
}
