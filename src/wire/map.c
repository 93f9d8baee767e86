/* map.c - a payload with members copied to other places.
 *
 * Everything is copied from the payload as it came, so that two members can change
 * places.  What is not there is not copied.  The copy is made in memory that the next
 * one uses again; it grows until the payload fits.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "signal/json.h"
#include "signal/pointer.h"
#include "wire/filter.h"

#define MAPPINGS_MAX 64
#define PATH_NAMES_MAX 16 /* names of one `to` */

/* For ordinary payloads; what a large one needed is given back after it. */
#define POOL_FIRST (16 * KIB)
#define POOL_KEEP (256 * KIB)
/* No payload that a signal can have needs as much. */
#define POOL_MAX (256 * MIB)

struct mapping {
	struct text from, to;
};

struct mapper {
	struct mapping *mappings;
	size_t count;
	char *pool;
	size_t room;
};

/* --- reading -------------------------------------------------------------- */

static bool check_to(struct text to, struct error *why)
{
	unsigned names = 0;

	do {
		if (text_cut(to, '.', &to).len == 0)
			return pointer_fault(why, "a name is missing beside a dot");
		if (++names > PATH_NAMES_MAX)
			return pointer_fault(why, "more than %d names", PATH_NAMES_MAX);
	} while (to.at);
	return true;
}

static bool read_mapping(struct mapping *mapping, yyjson_val *spec, struct error *why)
{
	if (!yyjson_is_obj(spec))
		return pointer_fault(why, "{\"from\":..,\"to\":..} is wanted");
	if (!filter_text(spec, "from", &mapping->from, why) ||
	    !filter_text(spec, "to", &mapping->to, why))
		return false;
	cue_path(&mapping->from);
	cue_path(&mapping->to);
	return check_to(mapping->to, why) || pointer_member(why, TEXT("to"));
}

static bool read_mappings(struct mapper *map, yyjson_val *list, struct error *why)
{
	yyjson_arr_iter iter;
	yyjson_val *spec;

	if (!yyjson_is_arr(list))
		return pointer_fault(why, "a list of {\"from\":..,\"to\":..} is wanted");
	if (yyjson_arr_size(list) > MAPPINGS_MAX)
		return pointer_fault(why, "more than %d mappings", MAPPINGS_MAX);
	map->mappings = must_zero(yyjson_arr_size(list), sizeof(*map->mappings));
	iter = yyjson_arr_iter_with(list);
	while ((spec = yyjson_arr_iter_next(&iter)))
		if (!read_mapping(&map->mappings[map->count++], spec, why))
			return pointer_item(why, map->count - 1);
	return true;
}

static bool mapper_init(void *self, yyjson_val *spec, struct error *why)
{
	return read_mappings(self, yyjson_obj_get(spec, "mappings"), why) ||
	       pointer_member(why, TEXT("mappings"));
}

static void mapper_finish(void *self)
{
	struct mapper *map = self;

	free(map->mappings);
	free(map->pool);
}

/* --- copying -------------------------------------------------------------- */

/* Sets the member `name` of an object.  False where memory is short; the value is
 * NULL then already, or the name is. */
static bool map_put(yyjson_mut_doc *doc, yyjson_mut_val *object, struct text name,
                    yyjson_mut_val *value)
{
	return value && yyjson_mut_obj_put(object, yyjson_mut_strn(doc, name.at, name.len), value);
}

/* The object `name` within another; where there is none, one is made. */
static yyjson_mut_val *map_object_in(yyjson_mut_doc *doc, yyjson_mut_val *object, struct text name)
{
	yyjson_mut_val *inner = yyjson_mut_obj_getn(object, name.at, name.len);

	if (yyjson_mut_is_obj(inner))
		return inner;
	inner = yyjson_mut_obj(doc);
	return map_put(doc, object, name, inner) ? inner : NULL;
}

static bool put_at(yyjson_mut_doc *doc, struct text path, yyjson_val *value)
{
	yyjson_mut_val *object = yyjson_mut_doc_get_root(doc);
	struct text name = text_cut(path, '.', &path);

	for (; object && path.at; name = text_cut(path, '.', &path))
		object = map_object_in(doc, object, name);
	return object && map_put(doc, object, name, yyjson_val_mut_copy(doc, value));
}

/* NULL: the memory is short. */
static yyjson_val *copy_within(struct mapper *map, const struct cue *cue)
{
	yyjson_mut_doc *doc;
	yyjson_alc memory;

	if (!yyjson_alc_pool_init(&memory, map->pool, map->room) ||
	    !(doc = yyjson_mut_doc_new(&memory)))
		return NULL;
	yyjson_mut_doc_set_root(doc, yyjson_val_mut_copy(doc, cue->payload));
	for (size_t i = 0; i < map->count; i++) {
		yyjson_val *value = cue_at(cue, map->mappings[i].from);

		if (value && !put_at(doc, map->mappings[i].to, value))
			return NULL;
	}
	return yyjson_doc_get_root(yyjson_mut_doc_imut_copy(doc, &memory));
}

static void map_make_room(struct mapper *map, size_t room)
{
	free(map->pool);
	map->pool = must_alloc(room);
	map->room = room;
}

static bool mapper_passes(void *self, struct cue *cue, double now_ms)
{
	struct mapper *map = self;
	yyjson_val *copy;

	if (map->room == 0 || map->room > POOL_KEEP)
		map_make_room(map, POOL_FIRST);
	while (!(copy = copy_within(map, cue))) {
		if (map->room >= POOL_MAX)
			return false;
		map_make_room(map, map->room * 2);
	}
	cue->payload = copy;
	return true;
}

static const char *const params[] = {"mappings", NULL};

const struct filter_kind filter_map = {
	.name = "map",
	.size = sizeof(struct mapper),
	.params = params,
	.init = mapper_init,
	.finish = mapper_finish,
	.passes = mapper_passes,
};
