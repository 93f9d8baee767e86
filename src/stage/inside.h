/* inside.h - what the files of this room share. */
#ifndef STAGE_INSIDE_H
#define STAGE_INSIDE_H

#include "signal/shape.h"
#include "stage/show.h"

/* Made from schema/show.schema.json. */
extern const struct shape *const show_shape;

/* Made from show/default.json. */
extern const char show_default_json[];
extern const size_t show_default_json_len;

/* What no schema can say: ids are unique and references lead somewhere.  Fills the
 * maps of the show on its way. */
bool refs_check(struct show *show, struct error *why);

/* The same for choreographies, wires and bindings. */
bool plot_check(struct show *show, struct error *why);

/* ---- between those two ---- */

/* Is it "signal." and a path?  Then only a signal tells what it is. */
bool refs_is_told(struct text word);

/* Is the member, if it is given and not empty, in the map? */
bool refs_lead(yyjson_val *value, const char *member, const struct map *map, const char *what,
               struct error *why);

/* Puts each item of the list into the map under this member, which must be its own. */
bool refs_gather(yyjson_val *list, const char *member, struct map *map, struct error *why);

/* Has each item of the list an id of its own? */
bool refs_own_ids(yyjson_val *list, struct error *why);

/* "/member: name: words" */
bool refs_fault(struct error *why, const char *member, struct text name, const char *words);

#endif
