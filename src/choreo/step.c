/* step.c - reading the steps of a document. */
#include "choreo/step.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "signal/cue.h"
#include "signal/json.h"
#include "signal/pointer.h"

#define PARAM_MAX MIB

struct step_reader {
	struct score *score;
	struct text entity; /* of steps that name none; empty: there is no such */
	size_t steps;
};

/* A step of the document.  The editor keeps what is particular to an action under
 * `params`, and that wins over what the step says itself. */
struct written {
	yyjson_val *step;
	yyjson_val *params; /* NULL: written as the runtime writes it */
};

static bool read_step(struct step_reader *r, yyjson_val *value, struct sequence *into,
                      unsigned depth, struct error *why);

/* --- looking at a step ---------------------------------------------------------- */

static yyjson_val *given(yyjson_val *object, const char *name)
{
	yyjson_val *value = yyjson_obj_get(object, name);

	return yyjson_is_null(value) ? NULL : value;
}

static yyjson_val *step_find(const struct written *w, const char *name)
{
	yyjson_val *value = given(w->params, name);

	return value ? value : given(w->step, name);
}

static bool step_wanted(const struct written *w, const char *name, const char *what,
                        struct error *why)
{
	pointer_fault(why, "%s is wanted", what);
	pointer_member(why, text_of(name));
	return given(w->params, name) ? pointer_member(why, TEXT("params")) : false;
}

static bool step_read_text(const struct written *w, const char *name, struct text *out,
                           struct error *why)
{
	yyjson_val *value = step_find(w, name);

	*out = json_text(value);
	return !value || yyjson_is_str(value) || step_wanted(w, name, "a string", why);
}

/* Leaves out as it is when nothing is given. */
static bool read_ms(const struct written *w, const char *name, double *out, struct error *why)
{
	yyjson_val *value = step_find(w, name);

	if (!value)
		return true;
	if (json_number(value, out) && *out >= 0 && *out <= STEP_MS_MAX)
		return true;
	return step_wanted(w, name, "a number of milliseconds, at most an hour,", why);
}

/* --- references ----------------------------------------------------------------- */

/* The number of the path that a string refers to; PATH_NONE when it is no reference. */
static bool read_path(struct score *score, struct text value, int *path, struct error *why)
{
	*path = PATH_NONE;
	if (!cue_path(&value))
		return true;
	for (size_t i = 0; i < score->path_count; i++)
		if (text_equal(score->paths[i], value)) {
			*path = (int)i;
			return true;
		}
	if (score->path_count == SCORE_PATHS_MAX)
		return pointer_fault(why, "more than %d references", SCORE_PATHS_MAX);
	score->paths = must_grow(score->paths, (score->path_count + 1) * sizeof(*score->paths));
	score->paths[score->path_count] = value;
	*path = (int)score->path_count++;
	return true;
}

/* The editor's empty string is no entity, and the choreography's own stands in for
 * it; what is the target otherwise is the entity when there is none. */
static bool read_entity(struct step_reader *r, const struct written *w, struct step *step,
                        struct error *why)
{
	const char *name = "entity";
	struct text entity, target;

	if (!step_read_text(w, "entity", &entity, why) ||
	    !step_read_text(w, "target", &target, why))
		return false;
	if (entity.len == 0 && r->entity.len) {
		entity = r->entity;
	} else if (!entity.at || (entity.len == 0 && w->params)) {
		entity = target;
		name = "target";
	}
	step->entity = entity;
	return read_path(r->score, entity, &step->entity_path, why) ||
	       pointer_member(why, text_of(name));
}

/* --- parameters ----------------------------------------------------------------- */

static bool is_param(struct text name)
{
	static const char *const others[] = {
		"action", "entity", "target", "delay", "duration", "easing", "steps",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (text_is(name, others[i]))
			return false;
	return true;
}

static bool step_read_param(struct score *score, struct text name, yyjson_val *value,
                            struct param *param, struct error *why)
{
	struct buf json;

	if (!read_path(score, json_text(value), &param->path, why))
		return false;
	buf_init(&json, PARAM_MAX);
	buf_add_json(&json, name);
	buf_add_char(&json, ':');
	if (param->path == PATH_NONE && !json_add(&json, value)) {
		buf_finish(&json);
		return pointer_fault(why, "too big");
	}
	param->json = buf_text(&json);
	return true;
}

static bool is_first(yyjson_val *object, yyjson_val *key)
{
	struct text name = json_text(key);

	return yyjson_obj_getn(object, name.at, name.len) == yyjson_obj_iter_get_val(key);
}

static bool step_add_param(struct score *score, yyjson_val *object, yyjson_val *key,
                           struct step *step, struct error *why)
{
	struct text name = json_text(key);

	if (!is_param(name))
		return true;
	if (step->param_count == STEP_PARAMS_MAX)
		return pointer_fault(why, "more than %d parameters", STEP_PARAMS_MAX);
	if (!is_first(object, key))
		return pointer_fault(why, "given twice") || pointer_member(why, name);
	if (!step_read_param(score, name, yyjson_obj_iter_get_val(key),
	                     &step->params[step->param_count], why))
		return pointer_member(why, name);
	assert(step->param_count < STEP_PARAMS_MAX);
	step->param_count++;
	return true;
}

static bool read_params(struct score *score, const struct written *w, struct step *step,
                        struct error *why)
{
	yyjson_val *object = w->params ? w->params : w->step;
	size_t size = yyjson_obj_size(object);
	yyjson_obj_iter at = yyjson_obj_iter_with(object);
	yyjson_val *key;

	step->params =
		must_zero(size < STEP_PARAMS_MAX ? size : STEP_PARAMS_MAX, sizeof(*step->params));
	while ((key = yyjson_obj_iter_next(&at)))
		if (!step_add_param(score, object, key, step, why))
			return w->params ? pointer_member(why, TEXT("params")) : false;
	return true;
}

/* --- steps ---------------------------------------------------------------------- */

static struct step *add_step(struct sequence *into)
{
	/* A power of two is when the room is used up. */
	if ((into->count & (into->count - 1)) == 0)
		into->steps = must_grow(into->steps,
		                        (into->count ? into->count * 2 : 1) * sizeof(*into->steps));
	into->steps[into->count] = (struct step){.entity_path = PATH_NONE};
	return &into->steps[into->count++];
}

static bool is_instant(struct text action)
{
	return text_is(action, "spawn") || text_is(action, "destroy") ||
	       text_is(action, "playSound") || text_is(action, "setAnimation");
}

static bool read_action(struct step_reader *r, const struct written *w, struct step *step,
                        struct error *why)
{
	double duration = -1;

	if (!step_read_text(w, "easing", &step->easing, why) ||
	    !read_ms(w, "delay", &step->delay_ms, why) || !read_ms(w, "duration", &duration, why))
		return false;
	if (!step->easing.at)
		step->easing = text_of(ease_name(EASE_LINEAR));
	step->ease = ease_find(step->easing);
	step->duration_ms = duration < 0 ? 0 : duration;
	if (text_is(step->action, "wait")) {
		step->kind = STEP_WAIT;
		return true;
	}
	step->kind = duration < 0 || is_instant(step->action) ? STEP_INSTANT : STEP_TIMED;
	return read_entity(r, w, step, why) && read_params(r->score, w, step, why);
}

/* --- structure ------------------------------------------------------------------ */

/* None is an empty list: the editor leaves `children` out. */
static bool is_list(yyjson_val *list, unsigned depth, struct error *why)
{
	if (list && !yyjson_is_arr(list))
		return pointer_fault(why, "a list of steps is wanted");
	return depth <= STEP_DEPTH_MAX ||
	       pointer_fault(why, "nested deeper than %d", STEP_DEPTH_MAX);
}

static bool read_steps(struct step_reader *r, yyjson_val *list, struct sequence *into,
                       unsigned depth, struct error *why)
{
	yyjson_arr_iter at = yyjson_arr_iter_with(list);
	yyjson_val *child;

	if (!is_list(list, depth, why))
		return false;
	while ((child = yyjson_arr_iter_next(&at)))
		if (!read_step(r, child, into, depth, why))
			return pointer_item(why, at.idx - 1);
	return true;
}

/* What a child of `parallel` inlines stays in its lane. */
static bool read_lanes(struct step_reader *r, yyjson_val *list, struct step *step, unsigned depth,
                       struct error *why)
{
	yyjson_arr_iter at = yyjson_arr_iter_with(list);
	yyjson_val *child;

	if (!is_list(list, depth, why))
		return false;
	assert(!step->lanes && step->lane_count == 0);
	step->lanes = must_zero(yyjson_arr_size(list), sizeof(*step->lanes));
	while ((child = yyjson_arr_iter_next(&at))) {
		struct sequence *lane = &step->lanes[step->lane_count++];

		lane->slot = r->score->slots++;
		if (!read_step(r, child, lane, depth, why))
			return pointer_item(why, at.idx - 1);
	}
	return true;
}

static const char *children_of(yyjson_val *step, yyjson_val **list)
{
	const char *name = given(step, "steps") ? "steps" : "children";

	*list = given(step, name);
	return name;
}

/* An onInterrupt that is not at the top is nobody's: it is passed on as an action
 * that says nothing, as the reference does. */
static bool read_structure(struct step_reader *r, yyjson_val *value, struct sequence *into,
                           unsigned depth, struct error *why)
{
	struct text action = json_text_at(value, "action");
	yyjson_val *list;
	const char *name = children_of(value, &list);
	struct step *step;
	bool ok = true;

	if (text_is(action, "onArrive")) {
		ok = read_steps(r, list, into, depth + 1, why);
	} else if (text_is(action, "onInterrupt") && depth == 0) {
		ok = read_steps(r, list, &r->score->interrupted, depth + 1, why);
	} else {
		step = add_step(into);
		step->action = action;
		if (text_is(action, "parallel")) {
			step->kind = STEP_PARALLEL;
			ok = read_lanes(r, list, step, depth + 1, why);
		}
	}
	return ok || pointer_member(why, text_of(name));
}

static bool is_structure(struct text action)
{
	return text_is(action, "parallel") || text_is(action, "onArrive") ||
	       text_is(action, "onInterrupt");
}

static bool read_step(struct step_reader *r, yyjson_val *value, struct sequence *into,
                      unsigned depth, struct error *why)
{
	struct written w = {.step = value};
	struct text action;
	struct step *step;

	if (!yyjson_is_obj(value))
		return pointer_fault(why, "a step is an object");
	if (++r->steps > STEPS_MAX)
		return pointer_fault(why, "more than %d steps", STEPS_MAX);
	if (is_structure(json_text_at(value, "action")))
		return read_structure(r, value, into, depth, why);
	if (yyjson_is_obj(yyjson_obj_get(value, "params")))
		w.params = yyjson_obj_get(value, "params");
	if (!step_read_text(&w, "action", &action, why))
		return false;
	if (action.len == 0)
		return step_wanted(&w, "action", "the name of an action", why);
	step = add_step(into);
	step->action = action;
	return read_action(r, &w, step, why);
}

bool score_init(struct score *score, yyjson_val *choreography, struct error *why)
{
	struct step_reader r = {.score = score};
	struct written w = {.step = choreography};

	*score = (struct score){.slots = 1};
	if (!yyjson_is_obj(choreography))
		return pointer_fault(why, "a choreography is an object");
	if (!given(choreography, "steps"))
		return step_wanted(&w, "steps", "a list of steps", why);
	return step_read_text(&w, "defaultTargetEntityId", &r.entity, why) &&
	       (read_steps(&r, given(choreography, "steps"), &score->steps, 0, why) ||
	        pointer_member(why, TEXT("steps")));
}

/* --- letting go ----------------------------------------------------------------- */

static void sequence_finish(struct sequence *sequence);

static void step_finish(struct step *step)
{
	for (size_t i = 0; i < step->param_count; i++)
		free((char *)step->params[i].json.at);
	for (size_t i = 0; i < step->lane_count; i++)
		sequence_finish(&step->lanes[i]);
	free(step->params);
	free(step->lanes);
}

static void sequence_finish(struct sequence *sequence)
{
	for (size_t i = 0; i < sequence->count; i++)
		step_finish(&sequence->steps[i]);
	free(sequence->steps);
}

void score_finish(struct score *score)
{
	sequence_finish(&score->steps);
	sequence_finish(&score->interrupted);
	free(score->paths);
	*score = (struct score){0};
}
