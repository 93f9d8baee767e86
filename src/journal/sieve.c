/* sieve.c - keys of sieves, and the sieve of a filter. */
#include "journal/sieve.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

void journal_sieve_init(struct journal_sieve *sieve, const struct sieve_kind *kind)
{
	*sieve = (struct journal_sieve){.kind = kind, .refs = 1, .piece = SIEVE_PIECE};
}

void journal_sieve_ref(struct journal_sieve *sieve)
{
	assert(sieve->refs > 0);
	sieve->refs++;
}

void journal_sieve_unref(struct journal_sieve *sieve)
{
	if (sieve && --sieve->refs == 0)
		sieve->kind->destroy(sieve);
}

bool journal_sieve_passes(const struct journal_sieve *sieve, struct text line,
                          struct signal_reader *reader)
{
	return sieve->kind->passes(sieve, line, reader);
}

void journal_sieve_key(struct journal_sieve *sieve, enum place_kind kind, struct text text)
{
	assert(sieve->key_count < SIEVE_KEYS_MAX);
	sieve->keys[sieve->key_count++] = place_hash(kind, text);
}

void journal_sieve_keys(struct journal_sieve *sieve, const struct filter *filter)
{
	if (filter->correlation) {
		journal_sieve_key(sieve, PLACE_RUN, text_of(filter->correlation));
		return;
	}
	for (unsigned i = 0; i < filter->source_count; i++)
		journal_sieve_key(sieve, PLACE_SOURCE, text_of(filter->sources[i]));
	if (filter->source_count || filter_has_pattern(filter))
		return;
	for (unsigned i = 0; i < filter->type_count; i++)
		journal_sieve_key(sieve, PLACE_TYPE, text_of(filter->types[i]));
}

bool journal_sieve_may_pass(const struct journal_sieve *sieve, const struct place_keys *keys)
{
	if (!sieve->key_count || keys->of[0] == PLACE_ANY)
		return true;
	for (size_t i = 0; i < sieve->key_count; i++)
		for (size_t k = 0; k < PLACE_KEYS; k++)
			if (keys->of[k] == sieve->keys[i])
				return true;
	return false;
}

/* ---- of a filter ---- */

struct filter_sieve {
	struct journal_sieve sieve;
	struct filter filter;
};

static bool filter_sieve_passes(const struct journal_sieve *sieve, struct text line,
                                struct signal_reader *reader)
{
	const struct filter_sieve *f = (const struct filter_sieve *)sieve;
	struct signal s;

	return signal_read(reader, line, &s, NULL) && filter_passes(&f->filter, &s);
}

static void filter_sieve_destroy(struct journal_sieve *sieve)
{
	struct filter_sieve *f = (struct filter_sieve *)sieve;

	filter_finish(&f->filter);
	free(f);
}

static const struct sieve_kind filter_sieve_kind = {filter_sieve_passes, filter_sieve_destroy};

struct journal_sieve *journal_sieve_of(const struct filter *filter)
{
	struct filter_sieve *f = must_zero(1, sizeof(*f));

	journal_sieve_init(&f->sieve, &filter_sieve_kind);
	filter_copy(&f->filter, filter);
	journal_sieve_keys(&f->sieve, filter);
	return &f->sieve;
}
