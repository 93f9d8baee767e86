/* wire.c - the graph of wires, laid out by type: one look says who may hear.
 *
 * A channel is a type that somebody hears.  It has a gate, the wires from sources
 * that lead to it, and routes to choreographies; there is never more than one wire
 * between two ends, so a choreography hears a signal once.
 */
#include "wire/wire.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "base/put.h"
#include "signal/json.h"
#include "signal/pointer.h"
#include "wire/inside.h"

/* A choreography, as far as wires care. */
struct wired_part {
	struct text id;
	struct text on;
	bool wired;
	char *synthetic; /* the type of all it hears when some wire of it has filters */
};

struct wire_route {
	size_t index;      /* of the part */
	struct wire *wire; /* NULL: it has none, and hears its `on` */
};

struct channel {
	struct channel *next;
	struct map gate; /* source -> wire; empty: open to all */
	struct wire_route *routes;
	size_t count;
};

struct wiring {
	struct wires wires;
	struct wired_part *parts;
	size_t part_count;
	struct map ids;      /* of the parts */
	struct map channels; /* by type */
	struct channel *all; /* channels */
};

/* --- making --------------------------------------------------------------- */

static bool wire_read_part(struct wiring *w, struct wired_part *part, yyjson_val *spec,
                           struct error *why)
{
	part->id = json_text_at(spec, "id");
	part->on = json_text_at(spec, "on");
	if (part->id.len == 0)
		return true; /* nothing can be wired to it */
	if (map_get(&w->ids, part->id)) {
		pointer_fault(why, "another choreography has it already");
		return pointer_member(why, TEXT("id"));
	}
	map_set(&w->ids, part->id, part);
	return true;
}

static bool wire_read_parts(struct wiring *w, yyjson_val *list, struct error *why)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(list);
	yyjson_val *spec;

	if (list && !yyjson_is_null(list) && !yyjson_is_arr(list))
		return pointer_fault(why, "a list of choreographies is wanted");
	w->parts = must_zero(yyjson_arr_size(list), sizeof(*w->parts));
	assert(w->part_count == 0);
	while ((spec = yyjson_arr_iter_next(&iter)))
		if (!wire_read_part(w, &w->parts[w->part_count++], spec, why))
			return pointer_item(why, w->part_count - 1);
	return true;
}

static struct channel *channel_of(struct wiring *w, struct text type)
{
	struct channel *channel = map_get(&w->channels, type);

	if (channel)
		return channel;
	channel = must_zero(1, sizeof(*channel));
	map_init(&channel->gate);
	channel->next = w->all;
	w->all = channel;
	map_set(&w->channels, type, channel);
	return channel;
}

static void add_route(struct wiring *w, struct text type, const struct wired_part *part,
                      struct wire *wire)
{
	struct channel *channel = channel_of(w, type);

	channel->routes =
		must_grow(channel->routes, (channel->count + 1) * sizeof(struct wire_route));
	channel->routes[channel->count++] = (struct wire_route){(size_t)(part - w->parts), wire};
}

static int by_index(const void *a, const void *b)
{
	const struct wire_route *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

static void lay_routes(struct wiring *w)
{
	for (size_t i = 0; i < w->wires.count; i++) {
		struct wire *wire = &w->wires.all[i];
		struct wired_part *part = map_get(&w->ids, wire->to);

		if (wire->to_zone != ZONE_CHOREOGRAPHER)
			continue;
		part->wired = true;
		if (wire->chain && !part->synthetic)
			part->synthetic = must_print("__f:%.*s", TEXT_ARG(part->id));
		add_route(w, wire->from, part, wire);
	}
	for (size_t i = 0; i < w->part_count; i++)
		if (!w->parts[i].wired && w->parts[i].on.len)
			add_route(w, w->parts[i].on, &w->parts[i], NULL);
	for (struct channel *c = w->all; c; c = c->next)
		qsort(c->routes, c->count, sizeof(*c->routes), by_index);
}

/* A gate of a type that nobody hears is left out. */
static void set_gates(struct wiring *w)
{
	for (size_t i = 0; i < w->wires.count; i++) {
		struct wire *wire = &w->wires.all[i];
		struct channel *channel = map_get(&w->channels, wire->to);

		if (wire->to_zone == ZONE_TYPE && channel)
			map_set(&channel->gate, wire->from, wire);
	}
}

struct wiring *wiring_create(yyjson_val *wires, yyjson_val *choreographies, struct error *why)
{
	struct wiring *w = must_zero(1, sizeof(*w));

	map_init(&w->ids);
	map_init(&w->channels);
	if (!wire_read_parts(w, choreographies, why)) {
		pointer_member(why, TEXT("choreographies"));
	} else if (!wires_read(&w->wires, wires, &w->ids, why)) {
		pointer_member(why, TEXT("wires"));
	} else {
		lay_routes(w);
		set_gates(w);
		return w;
	}
	wiring_destroy(w);
	return NULL;
}

void wiring_destroy(struct wiring *w)
{
	if (!w)
		return;
	for (struct channel *c = w->all, *next; c; c = next) {
		next = c->next;
		map_finish(&c->gate);
		free(c->routes);
		free(c);
	}
	for (size_t i = 0; i < w->part_count; i++)
		free(w->parts[i].synthetic);
	wires_finish(&w->wires);
	map_finish(&w->ids);
	map_finish(&w->channels);
	free(w->parts);
	free(w);
}

/* --- routing -------------------------------------------------------------- */

bool wiring_wants(const struct wiring *w, struct text type)
{
	return map_get(&w->channels, type);
}

static bool gate_passes(const struct channel *channel, struct cue *cue, double now_ms)
{
	struct wire *wire;

	if (channel->gate.count == 0)
		return true;
	wire = map_get(&channel->gate, cue->source);
	return wire && wire_passes(wire, cue, now_ms);
}

void wiring_route(struct wiring *w, const struct cue *cue, double now_ms, wiring_hear_fn *hear,
                  void *self)
{
	const struct channel *channel = map_get(&w->channels, cue->type);
	struct cue fed = *cue;

	if (!channel || !gate_passes(channel, &fed, now_ms))
		return;
	for (size_t i = 0; i < channel->count; i++) {
		const struct wire_route *route = &channel->routes[i];
		const struct wired_part *part = &w->parts[route->index];
		struct cue heard = fed;

		if (route->wire && !wire_passes(route->wire, &heard, now_ms))
			continue;
		if (part->synthetic)
			heard.type = text_of(part->synthetic);
		hear(self, route->index, &heard);
	}
}

void wiring_reset(struct wiring *w)
{
	for (size_t i = 0; i < w->wires.count; i++)
		chain_load(w->wires.all[i].chain, NULL);
}

void wiring_each(const struct wiring *w, wiring_count_fn *each, void *self)
{
	for (size_t i = 0; i < w->wires.count; i++) {
		const struct wire *wire = &w->wires.all[i];

		each(self, wire->id, wire->passed, wire->dropped);
	}
}

void wiring_counts(const struct wiring *w, struct buf *out)
{
	buf_add_char(out, '[');
	for (size_t i = 0; i < w->wires.count; i++) {
		const struct wire *wire = &w->wires.all[i];

		buf_add(out, i ? TEXT(",{\"id\":") : TEXT("{\"id\":"));
		buf_add_json(out, wire->id);
		put_u64(out, "passed", wire->passed);
		put_u64(out, "dropped", wire->dropped);
		buf_add_char(out, '}');
	}
	buf_add_char(out, ']');
}

/* --- remembering ---------------------------------------------------------- */

void wiring_save(const struct wiring *w, struct buf *out)
{
	buf_add_char(out, '[');
	for (size_t i = 0; i < w->wires.count; i++) {
		const struct wire *wire = &w->wires.all[i];

		buf_print(out, "%s[%llu,%llu,", i ? "," : "", (unsigned long long)wire->passed,
		          (unsigned long long)wire->dropped);
		chain_save(wire->chain, out);
		buf_add_char(out, ']');
	}
	buf_add_char(out, ']');
}

void wiring_load(struct wiring *w, yyjson_val *saved, const struct places *places)
{
	yyjson_val *one;
	size_t i, max;

	yyjson_arr_foreach(saved, i, max, one)
	{
		size_t place = places_of(places, i);
		struct wire *wire;

		if (place >= w->wires.count)
			continue;
		wire = &w->wires.all[place];
		wire->passed = yyjson_get_uint(yyjson_arr_get(one, 0));
		wire->dropped = yyjson_get_uint(yyjson_arr_get(one, 1));
		chain_load(wire->chain, yyjson_arr_get(one, 2));
	}
}
