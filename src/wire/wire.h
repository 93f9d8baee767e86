/* wire.h - which choreographies hear a signal, and what they hear of it; pure.
 *
 *	source -> signal type -> choreography      each arrow is a wire
 *
 * Wires are the authority: a choreography hears the types that are wired to it, and
 * without any wire its own `on`.  If a type has wires from sources, only those
 * sources feed it.  A wire has a chain of filters: the first that drops ends it.
 * Filters remember (when they passed last, how many came); that is per wire and is
 * forgotten when the wiring is.
 *
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include "base/buf.h"
#include "base/error.h"
#include "signal/cue.h"
#include "signal/places.h"

struct wiring;

/* The show document's `wires` and `choreographies` (ids and `on`s are read of these);
 * both must live as long as the wiring.  NULL: why begins with a JSON pointer. */
struct wiring *wiring_create(yyjson_val *wires, yyjson_val *choreographies, struct error *why);
void wiring_destroy(struct wiring *wiring);

/* Does anybody want signals of this type?  Quick: most signals are not on show. */
bool wiring_wants(const struct wiring *wiring, struct text type);

/* Calls once for each choreography that hears the cue, in the order of the document;
 * index is that of the choreography.  heard is the cue itself, or, for a choreography
 * with filtered wires, one of type "__f:<id>" and with the payload that came out of
 * the chain; it is valid during the call. */
typedef void wiring_hear_fn(void *self, size_t index, const struct cue *heard);
void wiring_route(struct wiring *wiring, const struct cue *cue, double now_ms, wiring_hear_fn *hear,
                  void *self);

/* As if nothing had come yet; but what was counted stays. */
void wiring_reset(struct wiring *wiring);

/* What each wire let through and kept back, for those who look under the hood; and the same
 * as `[{"id","passed","dropped"}...]`. */
typedef void wiring_count_fn(void *self, struct text id, uint64_t passed, uint64_t dropped);
void wiring_each(const struct wiring *wiring, wiring_count_fn *each, void *self);
void wiring_counts(const struct wiring *wiring, struct buf *out);

/* What the wires remember, in the order of the document, as a JSON list; and back:
 * places says where those wires are now. */
void wiring_save(const struct wiring *wiring, struct buf *out);
void wiring_load(struct wiring *wiring, yyjson_val *saved, const struct places *places);

#endif
