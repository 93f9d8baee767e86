/* filter.h - which signals a subscription is about; pure.
 *
 * All conditions that are given must hold: one of the types (exact, or a prefix
 * with a star), one of the sources, the correlationId.  Two filters with the
 * same key are the same subscription.
 */
#ifndef HUB_FILTER_H
#define HUB_FILTER_H

#include "base/buf.h"
#include "base/error.h"
#include "signal/signal.h"

#define FILTER_WORDS_MAX 64 /* types, and sources, of one filter */
#define FILTER_WORD_LEN_MAX 256

struct filter {
	char **types;
	char **sources;
	char *correlation; /* NULL: any */
	unsigned type_count, source_count;
};

void filter_init(struct filter *filter);
void filter_finish(struct filter *filter);

bool filter_add_type(struct filter *filter, struct text type, struct error *why);
bool filter_add_source(struct filter *filter, struct text source, struct error *why);
bool filter_set_correlation(struct filter *filter, struct text id, struct error *why);

bool filter_is_all(const struct filter *filter);
bool filter_has_pattern(const struct filter *filter); /* a type with a star */
bool filter_passes(const struct filter *filter, const struct signal *s);

/* The same for the same subscription, however its words were ordered. */
void filter_key(const struct filter *filter, struct buf *out);

#endif
