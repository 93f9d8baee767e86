/* bells.c - matters that are new. */
#include "tui/bells.h"

#include "signal/json.h"

void bells_init(struct bells *b)
{
	*b = (struct bells){0};
	map_init(&b->known);
}

void bells_finish(struct bells *b)
{
	map_finish(&b->known);
}

/* True: it was not known in `before`. */
static bool learn(struct bells *b, const struct map *before, yyjson_val *matter)
{
	struct text id = json_text_at(matter, "id");

	if (!id.len || map_get(&b->known, id) || b->known.count >= BELLS_MAX)
		return false;
	map_set(&b->known, id, b);
	return !before || !map_get(before, id);
}

static unsigned learn_each(struct bells *b, const struct map *before, yyjson_val *matters)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(matters);
	yyjson_val *matter;
	unsigned n = 0;

	while ((matter = yyjson_arr_iter_next(&it)))
		n += learn(b, before, matter);
	return n;
}

/* Whoever comes looks at what stands; a box that says it again may have raised some meanwhile. */
static void hear_all(struct bells *b, yyjson_val *all)
{
	struct map before = b->known;
	unsigned n;

	map_init(&b->known);
	n = learn_each(b, &before, all);
	if (b->is_heard)
		b->due += n;
	b->is_heard = true;
	map_finish(&before);
}

void bells_hear(struct bells *b, yyjson_val *op)
{
	yyjson_val *all = yyjson_obj_get(op, "all"), *id;
	yyjson_arr_iter settled = yyjson_arr_iter_with(yyjson_obj_get(op, "settled"));

	if (all)
		hear_all(b, all);
	b->due += learn_each(b, NULL, yyjson_obj_get(op, "raised"));
	while ((id = yyjson_arr_iter_next(&settled)))
		map_remove(&b->known, json_text(id));
}
