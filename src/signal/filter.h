/* filter.h - which signals somebody asks for; pure.
 *
 * All conditions that are given must hold: one of the types (exact, or a prefix
 * with a star), one of the sources, the correlationId.  Subscriptions and the
 * history read it from the same words.
 */
#ifndef SIGNAL_FILTER_H
#define SIGNAL_FILTER_H

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
void filter_copy(struct filter *to, const struct filter *from); /* `to` holds nothing */

bool filter_add_type(struct filter *filter, struct text type, struct error *why);
bool filter_add_source(struct filter *filter, struct text source, struct error *why);
/* Lists with commas between the words. */
bool filter_add_types(struct filter *filter, struct text list, struct error *why);
bool filter_add_sources(struct filter *filter, struct text list, struct error *why);
bool filter_set_correlation(struct filter *filter, struct text id, struct error *why);

bool filter_is_all(const struct filter *filter);
bool filter_has_pattern(const struct filter *filter); /* a type with a star */
bool filter_passes(const struct filter *filter, const struct signal *s);

/* The same for filters that ask for the same, however their words were ordered. */
void filter_key(const struct filter *filter, struct buf *out);

#endif
