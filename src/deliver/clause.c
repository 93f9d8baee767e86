/* clause.c - conditions of the configuration. */
#include "deliver/clause.h"

#include "signal/json.h"

static yyjson_doc *read_json(struct text json)
{
	return yyjson_read_opts((char *)json.at, json.len, 0, &json_memory, NULL);
}

bool clause_check(struct text json, struct error *why)
{
	yyjson_doc *doc = read_json(json);
	bool good = doc ? when_check(yyjson_doc_get_root(doc), why)
	                : error_set(why, "that is no condition");

	yyjson_doc_free(doc);
	if (!good && why && text_starts(text_of(why->words), TEXT(": "))) /* of all of it */
		memmove(why->words, why->words + 2, strlen(why->words) - 1);
	return good;
}

void clause_init(struct clause *c, const char *json)
{
	*c = (struct clause){0};
	if (!json)
		json = "null";
	c->json = read_json(text_of(json));
	if (c->json)
		c->when = when_create(yyjson_doc_get_root(c->json), WHEN_PREFIX_OPTIONAL, NULL);
}

void clause_finish(struct clause *c)
{
	when_destroy(c->when);
	yyjson_doc_free(c->json);
	*c = (struct clause){0};
}

bool clause_holds(const struct clause *c, const struct cue *cue)
{
	return c->when && when_holds(c->when, cue);
}
