/* refs.c - what no schema can say of a show: ids are unique, and what is referred to
 * is there.  A reference that begins with "signal." is resolved when a signal comes,
 * so nothing can be said about it here. */
#include "signal/cue.h"
#include "signal/pointer.h"
#include "stage/inside.h"

/* Entities that act as one: each step of it is done by all of them. */
#define NAMESAKES_MAX 64

struct lists {
	struct map layers, position_ids, zones;
	struct map namesakes; /* by semanticId: how many have it */
};

bool refs_is_told(struct text word)
{
	return cue_path(&word);
}

bool refs_fault(struct error *why, const char *member, struct text name, const char *words)
{
	pointer_fault(why, "%.*s: %s", name.len > 60 ? 60 : (int)name.len, name.at, words);
	return pointer_member(why, text_of(member));
}

bool refs_lead(yyjson_val *value, const char *member, const struct map *map, const char *what,
               struct error *why)
{
	struct text name = json_text_at(value, member);

	if (name.len == 0 || map_get(map, name))
		return true;
	return refs_fault(why, member, name, what);
}

bool refs_gather(yyjson_val *list, const char *member, struct map *map, struct error *why)
{
	yyjson_val *item;
	size_t i, max;

	yyjson_arr_foreach(list, i, max, item)
	{
		struct text name = json_text_at(item, member);

		if (map_get(map, name)) {
			refs_fault(why, member, name, "this is taken");
			return pointer_item(why, i);
		}
		map_set(map, name, item);
	}
	return true;
}

bool refs_own_ids(yyjson_val *list, struct error *why)
{
	struct map ids;
	bool good;

	map_init(&ids);
	good = refs_gather(list, "id", &ids, why);
	map_finish(&ids);
	return good;
}

/* ---- the scene ---- */

static bool check_look(const struct show *show, yyjson_val *entity, struct error *why)
{
	struct text id = json_text_at(entity, "entityId"),
		    state = json_text_at(entity, "activeState");
	yyjson_val *looks = yyjson_obj_get(show->root, "entities");
	yyjson_val *look = yyjson_obj_getn(looks, id.at, id.len);
	yyjson_val *states = yyjson_obj_get(look, "states");

	if (!look)
		return refs_fault(why, "entityId", id, "not in /entities");
	if (state.len && states && !yyjson_obj_getn(states, state.at, state.len))
		return refs_fault(why, "activeState", state, "no state of this entity");
	return true;
}

static bool check_topology(yyjson_val *topology, const struct lists *lists, struct error *why)
{
	yyjson_val *waypoints = yyjson_obj_get(topology, "waypoints"), *one;
	size_t i, max;

	if (!refs_lead(topology, "home", &lists->position_ids, "no position has this id", why))
		return false;
	yyjson_arr_foreach(waypoints, i, max, one)
	{
		if (map_get(&lists->position_ids, json_text(one)))
			continue;
		pointer_fault(why, "no position has this id");
		pointer_item(why, i);
		return pointer_member(why, TEXT("waypoints"));
	}
	return true;
}

static bool add_actor(struct show *show, yyjson_val *entity, struct text actor, struct lists *lists,
                      struct error *why)
{
	uintptr_t others = (uintptr_t)map_get(&lists->namesakes, actor);

	if (others == NAMESAKES_MAX)
		return refs_fault(why, "semanticId", actor, "too many entities have this");
	map_set(&lists->namesakes, actor, (void *)(others + 1));
	if (others == 0)
		map_set(&show->actors, actor, entity);
	return true;
}

static bool check_entity(struct show *show, yyjson_val *entity, struct lists *lists,
                         struct error *why)
{
	struct text actor = json_text_at(entity, "semanticId");

	if (!refs_lead(entity, "layerId", &lists->layers, "no layer has this id", why) ||
	    !check_look(show, entity, why))
		return false;
	if (!check_topology(yyjson_obj_get(entity, "topology"), lists, why))
		return pointer_member(why, TEXT("topology"));
	if (refs_is_told(actor))
		return refs_fault(why, "semanticId", actor, "no name may begin with \"signal.\"");
	if (actor.len && show_flag(entity, "standIn", false))
		return refs_fault(why, "semanticId", actor, "a stand-in has none");
	return actor.len == 0 || add_actor(show, entity, actor, lists, why);
}

static bool check_entities(struct show *show, struct lists *lists, struct error *why)
{
	yyjson_val *list = yyjson_obj_get(show->scene, "entities"), *entity;
	size_t i, max;

	if (!refs_own_ids(list, why))
		return false;
	yyjson_arr_foreach(list, i, max, entity)
	{
		if (!check_entity(show, entity, lists, why))
			return pointer_item(why, i);
	}
	return true;
}

static bool check_positions(struct show *show, struct error *why)
{
	yyjson_val *list = yyjson_obj_get(show->scene, "positions"), *position;
	size_t i, max;

	if (!refs_gather(list, "name", &show->positions, why))
		return false;
	yyjson_arr_foreach(list, i, max, position)
	{
		if (!refs_lead(position, "entityBinding", &show->actors,
		               "no entity has this semanticId", why))
			return pointer_item(why, i);
	}
	return true;
}

static bool check_crew(const struct show *show, struct error *why)
{
	yyjson_val *list = yyjson_obj_get(show->scene, "crew"), *seating;
	size_t i, max;

	yyjson_arr_foreach(list, i, max, seating)
	{
		if (!refs_lead(seating, "at", &show->positions, "no position has this name", why))
			return pointer_item(why, i);
	}
	return true;
}

static bool check_routes(struct show *show, struct lists *lists, struct error *why)
{
	yyjson_val *list = yyjson_obj_get(show->scene, "routes"), *route;
	size_t i, max;

	if (!refs_own_ids(list, why) || !refs_gather(list, "name", &show->routes, why))
		return false;
	yyjson_arr_foreach(list, i, max, route)
	{
		if (!refs_lead(route, "fromPositionId", &lists->position_ids,
		               "no position has this id", why) ||
		    !refs_lead(route, "toPositionId", &lists->position_ids,
		               "no position has this id", why))
			return pointer_item(why, i);
	}
	return true;
}

static bool check_grid(yyjson_val *grid, const struct lists *lists, struct error *why)
{
	yyjson_val *cells = yyjson_obj_get(grid, "cells"), *cell;
	double wanted = show_number(grid, "cols", 0) * show_number(grid, "rows", 0);
	size_t i, max;

	if (!grid)
		return true;
	if ((double)yyjson_arr_size(cells) != wanted) {
		pointer_fault(why, "there should be %g, as many as cols times rows", wanted);
		return pointer_member(why, TEXT("cells"));
	}
	yyjson_arr_foreach(cells, i, max, cell)
	{
		if (yyjson_is_null(cell) || map_get(&lists->zones, json_text(cell)))
			continue;
		pointer_fault(why, "no zone type has this id");
		pointer_item(why, i);
		return pointer_member(why, TEXT("cells"));
	}
	return true;
}

static bool check_scene(struct show *show, struct lists *lists, struct error *why)
{
	yyjson_val *scene = show->scene, *lighting = yyjson_obj_get(scene, "lighting");

	if (!refs_gather(yyjson_obj_get(scene, "layers"), "id", &lists->layers, why))
		return pointer_member(why, TEXT("layers"));
	if (!refs_gather(yyjson_obj_get(scene, "zoneTypes"), "id", &lists->zones, why))
		return pointer_member(why, TEXT("zoneTypes"));
	if (!check_grid(yyjson_obj_get(scene, "zoneGrid"), lists, why))
		return pointer_member(why, TEXT("zoneGrid"));
	if (!refs_own_ids(yyjson_obj_get(lighting, "sources"), why)) {
		pointer_member(why, TEXT("sources"));
		return pointer_member(why, TEXT("lighting"));
	}
	if (!refs_own_ids(yyjson_obj_get(scene, "particles"), why))
		return pointer_member(why, TEXT("particles"));
	return true;
}

/* Positions name entities and entities name positions: so ids first. */
static bool check_places(struct show *show, struct lists *lists, struct error *why)
{
	yyjson_val *positions = yyjson_obj_get(show->scene, "positions");

	if (!refs_gather(positions, "id", &lists->position_ids, why))
		return pointer_member(why, TEXT("positions"));
	if (!check_entities(show, lists, why))
		return pointer_member(why, TEXT("entities"));
	if (!check_positions(show, why))
		return pointer_member(why, TEXT("positions"));
	if (!check_crew(show, why))
		return pointer_member(why, TEXT("crew"));
	if (!check_routes(show, lists, why))
		return pointer_member(why, TEXT("routes"));
	return true;
}

static bool check_all(struct show *show, struct lists *lists, struct error *why)
{
	if (!check_scene(show, lists, why) || !check_places(show, lists, why))
		return pointer_member(why, TEXT("scene"));
	return plot_check(show, why);
}

bool refs_check(struct show *show, struct error *why)
{
	struct lists lists;
	bool good;

	map_init(&lists.layers);
	map_init(&lists.position_ids);
	map_init(&lists.zones);
	map_init(&lists.namesakes);
	good = check_all(show, &lists, why);
	map_finish(&lists.layers);
	map_finish(&lists.position_ids);
	map_finish(&lists.zones);
	map_finish(&lists.namesakes);
	return good;
}
