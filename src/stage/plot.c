/* plot.c - do the steps, wires and bindings of a show find what they speak of?
 *
 * In the editor's form a step has its parameters in `params`, which win over those
 * beside them; and its steps in `children`.
 */
#include "signal/pointer.h"
#include "stage/inside.h"

#define NO_ACTOR "no entity has this semanticId"
#define NO_POSITION "no position has this name"
#define NO_SPOT "no position and no entity has this name"
#define NO_ROUTE "no route has this name"
#define NO_CHOREOGRAPHY "no choreography has this id"

static bool plot_is_one_of(struct text word, const char *const *words)
{
	while (*words && !text_is(word, *words))
		words++;
	return *words;
}

/* ---- steps ---- */

static bool has_actor(struct text action)
{
	static const char *const actions[] = {
		"move",         "fly",   "flash",    "followRoute", "spawn", "destroy",
		"setAnimation", "pulse", "drawBeam", "typeText",    NULL,
	};

	return plot_is_one_of(action, actions);
}

/* Where the parameter stands: the step, or its `params`. */
static yyjson_val *plot_place_of(yyjson_val *step, const char *name)
{
	yyjson_val *params = yyjson_obj_get(step, "params");

	return yyjson_obj_get(params, name) ? params : step;
}

static bool lead_of_step(yyjson_val *step, const char *name, const struct map *map,
                         const char *what, struct error *why)
{
	yyjson_val *place = plot_place_of(step, name);

	if (refs_is_told(json_text_at(place, name)) || refs_lead(place, name, map, what, why))
		return true;
	return place == step ? false : pointer_member(why, TEXT("params"));
}

static bool fault_of_step(yyjson_val *step, const char *name, const char *words, struct error *why)
{
	yyjson_val *place = plot_place_of(step, name);

	refs_fault(why, name, json_text_at(place, name), words);
	return place == step ? false : pointer_member(why, TEXT("params"));
}

static bool is_waypoint(yyjson_val *route, struct text name)
{
	yyjson_val *points = yyjson_obj_get(route, "points"), *point;
	size_t i, max;

	yyjson_arr_foreach(points, i, max, point)
	{
		if (text_equal(json_text_at(point, "name"), name))
			return true;
	}
	return false;
}

static bool check_waypoint(yyjson_val *step, yyjson_val *route, const char *name, struct error *why)
{
	struct text waypoint = json_text_at(plot_place_of(step, name), name);

	if (waypoint.len == 0 || refs_is_told(waypoint) || is_waypoint(route, waypoint))
		return true;
	return fault_of_step(step, name, "no point of the route has this name", why);
}

static bool check_route(const struct show *show, yyjson_val *step, struct error *why)
{
	struct text name = json_text_at(plot_place_of(step, "route"), "route");
	yyjson_val *route;

	if (name.len == 0)
		return fault_of_step(step, "route", "required", why);
	if (refs_is_told(name))
		return true;
	route = map_get(&show->routes, name);
	if (!route)
		return fault_of_step(step, "route", NO_ROUTE, why);
	return check_waypoint(step, route, "from", why) && check_waypoint(step, route, "to", why);
}

/* A position, or the home of an entity. */
static bool check_spot(const struct show *show, yyjson_val *step, const char *name,
                       struct error *why)
{
	struct text spot = json_text_at(plot_place_of(step, name), name);

	return map_get(&show->actors, spot) ||
	       lead_of_step(step, name, &show->positions, NO_SPOT, why);
}

static bool check_params(const struct show *show, yyjson_val *step, struct error *why)
{
	struct text action = json_text_at(step, "action");

	if (text_is(action, "move") || text_is(action, "fly"))
		return check_spot(show, step, "to", why);
	if (text_is(action, "spawn"))
		return check_spot(show, step, "at", why);
	if (text_is(action, "followRoute"))
		return check_route(show, step, why);
	return true;
}

static bool check_actor(const struct show *show, yyjson_val *step, struct text preset,
                        struct error *why)
{
	if (!has_actor(json_text_at(step, "action")))
		return true;
	if (json_text_at(plot_place_of(step, "entity"), "entity").len == 0 &&
	    json_text_at(plot_place_of(step, "target"), "target").len == 0 && preset.len == 0) {
		pointer_fault(why, "required: whom does the step concern?");
		return pointer_member(why, TEXT("entity"));
	}
	return lead_of_step(step, "entity", &show->actors, NO_ACTOR, why) &&
	       lead_of_step(step, "target", &show->actors, NO_ACTOR, why);
}

struct plot_scope {
	const struct show *show;
	struct text preset; /* the choreography's defaultTargetEntityId */
};

static bool check_steps(const struct plot_scope *scope, yyjson_val *steps, unsigned depth,
                        struct error *why);

static bool check_step(const struct plot_scope *scope, yyjson_val *step, unsigned depth,
                       struct error *why)
{
	yyjson_val *steps = yyjson_obj_get(step, "steps");
	yyjson_val *children = yyjson_obj_get(step, "children");

	if (steps && children) {
		pointer_fault(why, "there are `steps` too");
		return pointer_member(why, TEXT("children"));
	}
	if (!check_actor(scope->show, step, scope->preset, why) ||
	    !check_params(scope->show, step, why))
		return false;
	if (check_steps(scope, steps ? steps : children, depth + 1, why))
		return true;
	return pointer_member(why, steps ? TEXT("steps") : TEXT("children"));
}

static bool check_steps(const struct plot_scope *scope, yyjson_val *steps, unsigned depth,
                        struct error *why)
{
	yyjson_val *step;
	size_t i, max;

	if (depth > SHOW_STEPS_DEEP)
		return pointer_fault(why, "nested too deep");
	yyjson_arr_foreach(steps, i, max, step)
	{
		if (!check_step(scope, step, depth, why))
			return pointer_item(why, i);
	}
	return true;
}

static bool check_choreography(const struct show *show, yyjson_val *one, struct error *why)
{
	struct plot_scope scope = {show, json_text_at(one, "defaultTargetEntityId")};

	if (!refs_is_told(scope.preset) &&
	    !refs_lead(one, "defaultTargetEntityId", &show->actors, NO_ACTOR, why))
		return false;
	return check_steps(&scope, yyjson_obj_get(one, "steps"), 0, why) ||
	       pointer_member(why, TEXT("steps"));
}

static bool check_choreographies(const struct show *show, struct map *ids, struct error *why)
{
	yyjson_val *one;
	size_t i, max;

	if (!refs_gather(show->choreographies, "id", ids, why))
		return false;
	yyjson_arr_foreach(show->choreographies, i, max, one)
	{
		if (!check_choreography(show, one, why))
			return pointer_item(why, i);
	}
	return true;
}

/* ---- wires ---- */

static bool is_legal(struct text from, struct text to)
{
	static const char *const screens[] = {"theme", "shader", "p5", NULL};

	if (text_is(from, "signal"))
		return text_is(to, "signal-type");
	if (text_is(from, "signal-type"))
		return text_is(to, "choreographer");
	return plot_is_one_of(to, screens);
}

/* A wire's four ends as one text, with its id as what it is known by. */
static bool is_new(yyjson_val *wire, struct map *known)
{
	struct buf ends;
	bool fresh;

	buf_init(&ends, 8 * KIB);
	buf_add_json(&ends, json_text_at(wire, "fromZone"));
	buf_add_json(&ends, json_text_at(wire, "fromId"));
	buf_add_json(&ends, json_text_at(wire, "toZone"));
	buf_add_json(&ends, json_text_at(wire, "toId"));
	fresh = !map_get(known, buf_text(&ends));
	map_set(known, buf_text(&ends), wire);
	buf_finish(&ends);
	return fresh;
}

static bool check_wire(yyjson_val *wire, const struct map *choreographies, struct map *known,
                       struct error *why)
{
	struct text from = json_text_at(wire, "fromZone"), to = json_text_at(wire, "toZone");

	if (!is_legal(from, to)) {
		pointer_fault(why, "no wire goes from %.*s to %.*s", TEXT_ARG(from), TEXT_ARG(to));
		return pointer_member(why, TEXT("toZone"));
	}
	if (text_is(to, "choreographer") &&
	    !refs_lead(wire, "toId", choreographies, NO_CHOREOGRAPHY, why))
		return false;
	if (text_is(from, "choreographer") &&
	    !refs_lead(wire, "fromId", choreographies, NO_CHOREOGRAPHY, why))
		return false;
	return is_new(wire, known) || pointer_fault(why, "there is a wire like this already");
}

static bool check_wires(const struct show *show, const struct map *choreographies,
                        struct map *known, struct error *why)
{
	yyjson_val *wire;
	size_t i, max;

	if (!refs_own_ids(show->wires, why))
		return false;
	yyjson_arr_foreach(show->wires, i, max, wire)
	{
		if (!check_wire(wire, choreographies, known, why))
			return pointer_item(why, i);
	}
	return true;
}

/* ---- bindings ---- */

static bool check_action(const struct show *show, yyjson_val *binding, struct error *why)
{
	struct text property = json_text_at(binding, "property");
	yyjson_val *action = yyjson_obj_get(binding, "action");
	struct text route = json_text_at(action, "route"),
		    waypoint = json_text_at(action, "waypoint");

	if (text_is(property, "followRoute")) {
		yyjson_val *found = map_get(&show->routes, route);

		if (!found)
			return refs_fault(why, "route", route, NO_ROUTE);
		if (waypoint.len && !is_waypoint(found, waypoint))
			return refs_fault(why, "waypoint", waypoint,
			                  "no point of the route has this name");
		return true;
	}
	if (!text_is(property, "moveTo:waypoint") && !text_is(property, "teleportTo"))
		return true;
	return map_get(&show->positions, waypoint) ||
	       refs_fault(why, "waypoint", waypoint, NO_POSITION);
}

static bool check_binding(const struct show *show, yyjson_val *binding,
                          const struct map *choreographies, struct error *why)
{
	if (!refs_is_told(json_text_at(binding, "targetEntityId")) &&
	    !refs_lead(binding, "targetEntityId", &show->actors, NO_ACTOR, why))
		return false;
	if (!refs_lead(binding, "sourceChoreographyId", choreographies, NO_CHOREOGRAPHY, why))
		return false;
	return check_action(show, binding, why) || pointer_member(why, TEXT("action"));
}

static bool check_bindings(const struct show *show, const struct map *choreographies,
                           struct error *why)
{
	yyjson_val *binding;
	size_t i, max;

	if (!refs_own_ids(show->bindings, why))
		return false;
	yyjson_arr_foreach(show->bindings, i, max, binding)
	{
		if (!check_binding(show, binding, choreographies, why))
			return pointer_item(why, i);
	}
	return true;
}

bool plot_check(struct show *show, struct error *why)
{
	struct map choreographies, wires;
	bool good = true;

	map_init(&choreographies);
	map_init(&wires);
	if (!check_choreographies(show, &choreographies, why))
		good = pointer_member(why, TEXT("choreographies"));
	else if (!check_wires(show, &choreographies, &wires, why))
		good = pointer_member(why, TEXT("wires"));
	else if (!check_bindings(show, &choreographies, why))
		good = pointer_member(why, TEXT("bindings"));
	map_finish(&choreographies);
	map_finish(&wires);
	return good;
}
