/* show.h - the document that says what a stage looks like and what happens on it.
 *
 * It is read whole or not at all: what is wrong is told with its JSON pointer.
 * schema/show.schema.json says what it looks like; beyond that, ids are unique and
 * whatever is referred to is there.
 */
#ifndef STAGE_SHOW_H
#define STAGE_SHOW_H

#include <yyjson.h>

#include "base/error.h"
#include "base/map.h"
#include "base/text.h"
#include "signal/json.h"

#define SHOW_MAX (4 * MIB)

/* Steps may have steps, but not without end. */
#define SHOW_STEPS_DEEP 16

struct show {
	struct json_reader reader; /* the memory of all values below */
	yyjson_val *root, *scene;
	yyjson_val *choreographies, *wires, *bindings; /* NULL when there are none */
	struct map positions;                          /* values by name */
	struct map routes;                             /* likewise */
	struct map actors; /* by semanticId: the first entity that has it */
};

struct show *show_read(struct text json, struct error *why);
void show_destroy(struct show *show);

/* The one in the binary, show/default.json. */
struct text show_default(void);

/* Members of a value that the schema has looked at: what is not there is `other`. */
double show_number(yyjson_val *value, const char *name, double other);
bool show_flag(yyjson_val *value, const char *name, bool other);

#endif
