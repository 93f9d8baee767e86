/* show.c - reads a show. */
#include "stage/show.h"

#include <stdlib.h>

#include "base/must.h"
#include "signal/pointer.h"
#include "stage/inside.h"

double show_number(yyjson_val *value, const char *name, double other)
{
	double number;

	return json_number(yyjson_obj_get(value, name), &number) ? number : other;
}

bool show_flag(yyjson_val *value, const char *name, bool other)
{
	yyjson_val *flag = yyjson_obj_get(value, name);

	return yyjson_is_bool(flag) ? yyjson_get_bool(flag) : other;
}

struct text show_default(void)
{
	return (struct text){show_default_json, show_default_json_len};
}

static bool read_root(struct show *show, struct text json, struct error *why)
{
	yyjson_doc *doc;

	if (json.len > SHOW_MAX)
		return pointer_fault(why, "larger than %zu bytes", SHOW_MAX);
	doc = json_read(&show->reader, json, why);
	if (!doc)
		return false;
	show->root = yyjson_doc_get_root(doc);
	if (!shape_check(show_shape, show->root, why))
		return false;
	show->scene = yyjson_obj_get(show->root, "scene");
	show->choreographies = yyjson_obj_get(show->root, "choreographies");
	show->wires = yyjson_obj_get(show->root, "wires");
	show->bindings = yyjson_obj_get(show->root, "bindings");
	return refs_check(show, why);
}

struct show *show_read(struct text json, struct error *why)
{
	struct show *show = must_zero(1, sizeof(*show));

	json_reader_init(&show->reader, SHOW_MAX);
	map_init(&show->positions);
	map_init(&show->routes);
	map_init(&show->actors);
	if (read_root(show, json, why))
		return show;
	show_destroy(show);
	return NULL;
}

void show_destroy(struct show *show)
{
	if (!show)
		return;
	map_finish(&show->positions);
	map_finish(&show->routes);
	map_finish(&show->actors);
	json_reader_finish(&show->reader);
	free(show);
}
