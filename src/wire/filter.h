/* filter.h - one kind of filter, and the chain of them on a wire.
 *
 * A filter looks at a cue and lets it pass or not; it may remember, and it may
 * give the cue another payload.  Time is an argument, and so the same cues at the
 * same times always pass alike.
 *
 * To add one: write wire/NAME.c with one `const struct filter_kind filter_NAME`.
 * ARCHITECTURE.md lists the files; tests/skeleton/filter is the least that one can be.
 *
 * Ownership: a payload that a filter made is its own, and valid until the next cue
 * comes to it.
 */
#ifndef WIRE_FILTER_H
#define WIRE_FILTER_H

#include "base/buf.h"
#include "base/error.h"
#include "signal/cue.h"

#define FILTER_CHAIN_MAX 64 /* filters of one wire */

struct filter_kind {
	const char *name;
	size_t size;               /* of what one such filter is and remembers */
	const char *const *params; /* what it may be given besides `type`; NULL ends them */

	/* self is zeroed.  The spec lives as long as the filter.  False: why begins with
	 * a JSON pointer, and finish is called all the same. */
	bool (*init)(void *self, yyjson_val *spec, struct error *why);
	void (*finish)(void *self); /* NULL: there is nothing to let go */

	bool (*passes)(void *self, struct cue *cue, double now_ms);

	/* What it remembers, as one JSON value, and back from that, where none (NULL) is
	 * nothing; both NULL: it remembers nothing. */
	void (*save)(const void *self, struct buf *out);
	void (*load)(void *self, yyjson_val *saved);
};

extern const struct filter_kind *const filter_kinds[]; /* NULL ends them */

struct chain;

/* filters NULL or null: an empty one, which is NULL too; so `good` says how it went. */
struct chain *chain_create(yyjson_val *filters, bool *good, struct error *why);
void chain_destroy(struct chain *chain);
/* The first that drops ends it. */
bool chain_passes(struct chain *chain, struct cue *cue, double now_ms);

/* A list of what its filters remember, and back from that; from NULL: nothing. */
void chain_save(const struct chain *chain, struct buf *out);
void chain_load(struct chain *chain, yyjson_val *saved);

/* For kinds: a number that is at least `least`; a text that is not empty. */
bool filter_number(yyjson_val *spec, const char *name, double least, double *out,
                   struct error *why);
bool filter_text(yyjson_val *spec, const char *name, struct text *out, struct error *why);

#endif
