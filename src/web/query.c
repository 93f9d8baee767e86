/* query.c - reading a query string, and asking a line whether it is meant. */
#include "web/query.h"

#include <stdlib.h>

#include "base/must.h"
#include "net/http.h"

static bool set_type(struct query *q, struct text value, struct error *why)
{
	return filter_add_types(&q->filter, value, why);
}

static bool set_source(struct query *q, struct text value, struct error *why)
{
	return filter_add_sources(&q->filter, value, why);
}

static bool set_after(struct query *q, struct text value, struct error *why)
{
	q->has_after = positions_parse(value, &q->after);
	return q->has_after || error_set(why, POSITIONS_WORDS);
}

static bool set_before(struct query *q, struct text value, struct error *why)
{
	struct position before;

	if (!position_parse(value, &before))
		return error_set(why, "a position is SEQ or EPOCH-SEQ");
	q->before = before.seq;
	return true;
}

static bool set_limit(struct query *q, struct text value, struct error *why)
{
	q->has_limit = text_to_u64(value, &q->limit) && q->limit > 0;
	return q->has_limit || error_set(why, "a number from 1");
}

static bool set_correlation(struct query *q, struct text value, struct error *why)
{
	return filter_set_correlation(&q->filter, value, why);
}

static bool set_contains(struct query *q, struct text value, struct error *why)
{
	free(q->contains);
	q->contains = value.len ? text_dup(value) : NULL;
	return true;
}

static bool set_format(struct query *q, struct text value, struct error *why)
{
	q->is_ndjson = text_is(value, "ndjson");
	return q->is_ndjson || text_is(value, "json") || error_set(why, "json or ndjson");
}

static const struct parameter {
	const char *name;
	bool (*set)(struct query *q, struct text value, struct error *why);
} parameters[] = {
	{"after", set_after}, {"before", set_before}, {"limit", set_limit},
	{"type", set_type},   {"source", set_source}, {"correlationId", set_correlation},
	{"q", set_contains},  {"format", set_format},
};

static const struct parameter *find_parameter(struct text name)
{
	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
		if (text_is(name, parameters[i].name))
			return &parameters[i];
	return NULL;
}

static bool read_parameter(void *self, struct text name, struct text value, struct error *why)
{
	const struct parameter *p = find_parameter(name);

	return p ? p->set(self, value, why) : error_set(why, "there is no such parameter");
}

bool query_parse(struct query *query, struct text text, struct error *why)
{
	bool ok;

	*query = (struct query){.before = UINT64_MAX, .limit = QUERY_LIMIT};
	filter_init(&query->filter);
	ok = http_query_each(text, read_parameter, query, why);
	if (ok && !query->is_ndjson && query->limit > QUERY_LIMIT_MAX)
		ok = error_set(why, "limit: at most %d, or format=ndjson", QUERY_LIMIT_MAX);
	if (!ok)
		query_finish(query);
	return ok;
}

void query_finish(struct query *query)
{
	filter_finish(&query->filter);
	free(query->contains);
	query->contains = NULL;
}

bool query_filters(const struct query *query)
{
	return query->contains || !filter_is_all(&query->filter);
}

/* Who looks for a word does not know how it was written: a letter of ASCII is the same as its
 * capital. */
static unsigned char fold(char c)
{
	unsigned char byte = (unsigned char)c;

	return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

static bool begins_with(const char *at, const char *words)
{
	while (*words && fold(*at) == fold(*words))
		at++, words++;
	return !*words;
}

static bool holds(struct text line, const char *words)
{
	size_t len = strlen(words);
	unsigned char first = fold(*words);

	for (size_t i = 0; i + len <= line.len; i++)
		if (fold(line.at[i]) == first && begins_with(line.at + i, words))
			return true;
	return false;
}

bool query_matches(const struct query *query, struct text line, struct signal_reader *reader)
{
	struct signal s;

	if (query->contains && !holds(line, query->contains))
		return false;
	return filter_is_all(&query->filter) ||
	       (signal_read(reader, line, &s, NULL) && filter_passes(&query->filter, &s));
}

/* ---- on the journal's thread ---- */

struct query_sieve {
	struct journal_sieve sieve;
	struct query query;
};

static bool query_sieve_passes(const struct journal_sieve *sieve, struct text line,
                               struct signal_reader *reader)
{
	return query_matches(&((const struct query_sieve *)sieve)->query, line, reader);
}

static void query_sieve_destroy(struct journal_sieve *sieve)
{
	struct query_sieve *q = (struct query_sieve *)sieve;

	query_finish(&q->query);
	free(q);
}

static const struct sieve_kind query_sieve_kind = {query_sieve_passes, query_sieve_destroy};

struct journal_sieve *query_sieve(const struct query *query)
{
	struct query_sieve *q = must_zero(1, sizeof(*q));

	journal_sieve_init(&q->sieve, &query_sieve_kind);
	q->query = *query;
	filter_copy(&q->query.filter, &query->filter);
	q->query.contains = query->contains ? text_dup(text_of(query->contains)) : NULL;
	journal_sieve_keys(&q->sieve, &query->filter);
	if (!query_filters(query))
		q->sieve.piece = QUERY_PIECE;
	return &q->sieve;
}
