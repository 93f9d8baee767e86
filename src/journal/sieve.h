/* sieve.h - which lines a reader wants: the rest is passed over where it lies.
 *
 * Lines of the files are judged on the reader's thread (find.h), those in memory on the
 * owner's, so `passes` must be pure: it looks at the line and at what the sieve holds, which
 * never changes.  Keys say by what such lines are found: each that passes has at least one
 * of them, or none is given and all lines are looked at.
 *
 * Counted references, on the owner's thread: a question that was given up may still be
 * worked on.
 */
#ifndef JOURNAL_SIEVE_H
#define JOURNAL_SIEVE_H

#include "journal/places.h"
#include "signal/filter.h"

#define SIEVE_KEYS_MAX FILTER_WORDS_MAX
#define SIEVE_PIECE (128 * KIB)

struct journal_sieve;

struct sieve_kind {
	bool (*passes)(const struct journal_sieve *sieve, struct text line,
	               struct signal_reader *reader);
	void (*destroy)(struct journal_sieve *sieve);
};

struct journal_sieve {
	const struct sieve_kind *kind;
	unsigned refs;
	size_t piece; /* so many bytes are found before they are told */
	size_t key_count;
	uint32_t keys[SIEVE_KEYS_MAX];
};

/* With one reference, which is the caller's, and no keys. */
void journal_sieve_init(struct journal_sieve *sieve, const struct sieve_kind *kind);
void journal_sieve_ref(struct journal_sieve *sieve);
void journal_sieve_unref(struct journal_sieve *sieve); /* NULL is fine */

void journal_sieve_key(struct journal_sieve *sieve, enum place_kind kind, struct text text);

bool journal_sieve_passes(const struct journal_sieve *sieve, struct text line,
                          struct signal_reader *reader);

/* The keys of what passes a filter: its correlationId, else its sources, else its types. */
void journal_sieve_keys(struct journal_sieve *sieve, const struct filter *filter);

/* All that passes a filter, which is copied. */
struct journal_sieve *journal_sieve_of(const struct filter *filter);

/* False: a signal with these keys cannot pass. */
bool journal_sieve_may_pass(const struct journal_sieve *sieve, const struct place_keys *keys);

#endif
