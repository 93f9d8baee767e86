/* inside.h - wires as they are kept, for this room alone. */
#ifndef WIRE_INSIDE_H
#define WIRE_INSIDE_H

#include "base/map.h"
#include "wire/filter.h"
#include "wire/wire.h"

enum wire_zone {
	ZONE_SIGNAL,
	ZONE_TYPE,
	ZONE_CHOREOGRAPHER,
	ZONE_THEME,
	ZONE_SHADER,
	ZONE_P5,
	ZONES,
};

struct wire {
	struct text id, from, to;
	enum wire_zone from_zone, to_zone;
	struct chain *chain; /* NULL: everything passes */
	uint64_t passed, dropped;
};

struct wires {
	struct wire *all;
	size_t count;
};

/* choreographies: what a wire to a choreographer may name.  False: why begins with a
 * JSON pointer from the list down; finish is due all the same. */
bool wires_read(struct wires *wires, yyjson_val *list, const struct map *choreographies,
                struct error *why);
void wires_finish(struct wires *wires);

bool wire_passes(struct wire *wire, struct cue *cue, double now_ms);

#endif
