/* wires.c - the wires of a document, and what is wrong with them. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/near.h"
#include "signal/json.h"
#include "signal/pointer.h"
#include "wire/inside.h"

#define WIRES_MAX 16384
#define NAME_LEN_MAX 512 /* bytes of an id, a source or a type: 128 of any characters */

static const char *const zone_names[ZONES] = {
	[ZONE_SIGNAL] = "signal",
	[ZONE_TYPE] = "signal-type",
	[ZONE_CHOREOGRAPHER] = "choreographer",
	[ZONE_THEME] = "theme",
	[ZONE_SHADER] = "shader",
	[ZONE_P5] = "p5",
};

/* Where a wire may lead to from each zone, as bits. */
static const unsigned zone_leads_to[ZONES] = {
	[ZONE_SIGNAL] = 1u << ZONE_TYPE,
	[ZONE_TYPE] = 1u << ZONE_CHOREOGRAPHER,
	[ZONE_CHOREOGRAPHER] = 1u << ZONE_THEME | 1u << ZONE_SHADER | 1u << ZONE_P5,
};

/* --- one wire ------------------------------------------------------------- */

static bool wires_read_text(yyjson_val *spec, const char *name, struct text *out, struct error *why)
{
	yyjson_val *value = yyjson_obj_get(spec, name);

	*out = json_text(value);
	if (out->len > 0 && out->len <= NAME_LEN_MAX)
		return true;
	if (value)
		pointer_fault(why, "a string is wanted, of 1 to %d bytes", NAME_LEN_MAX);
	else
		pointer_fault(why, "it is missing");
	return pointer_member(why, text_of(name));
}

static bool read_zone(yyjson_val *spec, const char *name, enum wire_zone *out, struct error *why)
{
	struct text word;
	struct near near;

	if (!wires_read_text(spec, name, &word, why))
		return false;
	near_init(&near, word);
	for (*out = 0; *out < ZONES; (*out)++) {
		if (text_is(word, zone_names[*out]))
			return true;
		near_offer(&near, zone_names[*out]);
	}
	if (near_best(&near))
		pointer_fault(why, "there is no such zone; %s?", near_best(&near));
	else
		pointer_fault(why,
		              "signal, signal-type, choreographer, theme, shader or p5 is wanted");
	return pointer_member(why, text_of(name));
}

static bool check_ends(const struct wire *wire, const struct map *choreographies, struct error *why)
{
	if (!(zone_leads_to[wire->from_zone] & 1u << wire->to_zone)) {
		pointer_fault(why, "no wire leads there from %s", zone_names[wire->from_zone]);
		return pointer_member(why, TEXT("toZone"));
	}
	if (wire->to_zone == ZONE_CHOREOGRAPHER && !map_get(choreographies, wire->to)) {
		pointer_fault(why, "no choreography has this id");
		return pointer_member(why, TEXT("toId"));
	}
	if (wire->from_zone == ZONE_CHOREOGRAPHER && !map_get(choreographies, wire->from)) {
		pointer_fault(why, "no choreography has this id");
		return pointer_member(why, TEXT("fromId"));
	}
	return true;
}

static bool read_filters(struct wire *wire, yyjson_val *spec, struct error *why)
{
	bool good;

	wire->chain = chain_create(yyjson_obj_get(spec, "filters"), &good, why);
	if (wire->chain && wire->from_zone == ZONE_CHOREOGRAPHER)
		good = pointer_fault(why, "no signals pass here that could be filtered");
	return good || pointer_member(why, TEXT("filters"));
}

static bool read_wire(struct wire *wire, yyjson_val *spec, const struct map *choreographies,
                      struct error *why)
{
	if (!yyjson_is_obj(spec))
		return pointer_fault(why, "a wire is wanted, an object");
	return wires_read_text(spec, "id", &wire->id, why) &&
	       read_zone(spec, "fromZone", &wire->from_zone, why) &&
	       wires_read_text(spec, "fromId", &wire->from, why) &&
	       read_zone(spec, "toZone", &wire->to_zone, why) &&
	       wires_read_text(spec, "toId", &wire->to, why) &&
	       check_ends(wire, choreographies, why) && read_filters(wire, spec, why);
}

/* --- all of them ---------------------------------------------------------- */

/* The same for wires that join the same. */
static void wires_key_of(const struct wire *wire, struct buf *key)
{
	buf_clear(key);
	buf_print(key, "%d %d %zu ", wire->from_zone, wire->to_zone, wire->from.len);
	buf_add(key, wire->from);
	buf_add(key, wire->to);
}

struct seen {
	struct map ids, ends; /* to the first wire that has it */
	struct buf key;
};

static bool wires_check_twice(struct seen *seen, struct wires *wires, struct error *why)
{
	struct wire *wire = &wires->all[wires->count - 1], *other;

	if ((other = map_get(&seen->ids, wire->id))) {
		pointer_fault(why, "/wires/%td has it already", other - wires->all);
		return pointer_member(why, TEXT("id"));
	}
	wires_key_of(wire, &seen->key);
	if ((other = map_get(&seen->ends, buf_text(&seen->key))))
		return pointer_fault(why, "/wires/%td joins the same", other - wires->all);
	map_set(&seen->ids, wire->id, wire);
	map_set(&seen->ends, buf_text(&seen->key), wire);
	return true;
}

static bool wires_read_all(struct wires *wires, yyjson_val *list, const struct map *choreographies,
                           struct error *why)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(list);
	struct seen seen = {0};
	yyjson_val *spec;
	bool good = true;

	map_init(&seen.ids);
	map_init(&seen.ends);
	buf_init(&seen.key, 2 * KIB); /* more than two names and three numbers */
	while (good && (spec = yyjson_arr_iter_next(&iter)))
		good = (read_wire(&wires->all[wires->count++], spec, choreographies, why) &&
		        wires_check_twice(&seen, wires, why)) ||
		       pointer_item(why, wires->count - 1);
	map_finish(&seen.ids);
	map_finish(&seen.ends);
	buf_finish(&seen.key);
	return good;
}

bool wires_read(struct wires *wires, yyjson_val *list, const struct map *choreographies,
                struct error *why)
{
	*wires = (struct wires){0};
	if (!list || yyjson_is_null(list))
		return true;
	if (!yyjson_is_arr(list))
		return pointer_fault(why, "a list of wires is wanted");
	if (yyjson_arr_size(list) > WIRES_MAX)
		return pointer_fault(why, "more than %d wires", WIRES_MAX);
	wires->all = must_zero(yyjson_arr_size(list), sizeof(*wires->all));
	return wires_read_all(wires, list, choreographies, why);
}

void wires_finish(struct wires *wires)
{
	for (size_t i = 0; i < wires->count; i++)
		chain_destroy(wires->all[i].chain);
	free(wires->all);
}

bool wire_passes(struct wire *wire, struct cue *cue, double now_ms)
{
	bool passes = chain_passes(wire->chain, cue, now_ms);

	if (passes)
		wire->passed++;
	else
		wire->dropped++;
	return passes;
}
