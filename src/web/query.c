/* query.c - reading a query string, and asking a line whether it is meant. */
#include "web/query.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/http.h"

#define VALUE_MAX (4 * KIB)

static bool add_words(struct query_words *words, struct text list, struct error *why)
{
	while (list.len) {
		struct text word = text_cut(list, ',', &list);

		if (word.len == 0)
			continue;
		if (words->count == QUERY_WORDS)
			return error_set(why, "at most %d of them", QUERY_WORDS);
		words->all[words->count++] = text_dup(word);
	}
	return true;
}

static bool set_type(struct query *q, struct text value, struct error *why)
{
	return add_words(&q->types, value, why);
}

static bool set_source(struct query *q, struct text value, struct error *why)
{
	return add_words(&q->sources, value, why);
}

static bool set_after(struct query *q, struct text value, struct error *why)
{
	q->has_after = position_parse(value, &q->after);
	return q->has_after || error_set(why, "a position is SEQ or EPOCH-SEQ");
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
	free(q->correlation);
	q->correlation = text_dup(value);
	return true;
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

static bool read_pair(struct query *q, struct text pair, struct error *why)
{
	struct text value;
	struct text name = text_cut(pair, '=', &value);
	const struct parameter *p = find_parameter(name);
	struct buf decoded;
	bool ok;

	if (!p)
		return error_set(why, "there is no parameter '%.*s'",
		                 (int)(name.len < 40 ? name.len : 40), name.at);
	buf_init(&decoded, VALUE_MAX);
	ok = http_query(pair, p->name, &decoded);
	if (!ok)
		error_set(why, "too long or badly encoded");
	ok = ok && p->set(q, buf_text(&decoded), why);
	buf_finish(&decoded);
	return ok || error_within(why, "%s", p->name);
}

bool query_parse(struct query *query, struct text text, struct error *why)
{
	bool ok = true;

	*query = (struct query){.before = UINT64_MAX, .limit = QUERY_LIMIT};
	while (ok && text.len) {
		struct text pair = text_cut(text, '&', &text);

		ok = pair.len == 0 || read_pair(query, pair, why);
	}
	if (ok && !query->is_ndjson && query->limit > QUERY_LIMIT_MAX)
		ok = error_set(why, "limit: at most %d, or format=ndjson", QUERY_LIMIT_MAX);
	if (!ok)
		query_finish(query);
	return ok;
}

static void words_finish(struct query_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->all[i]);
	words->count = 0;
}

void query_finish(struct query *query)
{
	words_finish(&query->types);
	words_finish(&query->sources);
	free(query->correlation);
	free(query->contains);
	query->correlation = query->contains = NULL;
}

bool query_filters(const struct query *query)
{
	return query->types.count || query->sources.count || query->correlation || query->contains;
}

static bool type_is_meant(const struct query_words *types, struct text type)
{
	for (size_t i = 0; i < types->count; i++) {
		struct text wanted = text_of(types->all[i]);

		if (wanted.len && wanted.at[wanted.len - 1] == '*') {
			if (text_starts(type, (struct text){wanted.at, wanted.len - 1}))
				return true;
		} else if (text_equal(type, wanted)) {
			return true;
		}
	}
	return types->count == 0;
}

static bool source_is_meant(const struct query_words *sources, struct text source)
{
	for (size_t i = 0; i < sources->count; i++)
		if (text_is(source, sources->all[i]))
			return true;
	return sources->count == 0;
}

bool query_matches(const struct query *query, struct text line, struct signal_reader *reader)
{
	struct signal s;

	if (query->contains && !memmem(line.at, line.len, query->contains, strlen(query->contains)))
		return false;
	if (!query->types.count && !query->sources.count && !query->correlation)
		return true;
	return signal_read(reader, line, &s, NULL) && type_is_meant(&query->types, s.type) &&
	       source_is_meant(&query->sources, s.source) &&
	       (!query->correlation || text_is(s.correlation, query->correlation));
}
