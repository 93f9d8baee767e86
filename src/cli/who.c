/* who.c - a source by its id or its name. */
#include "cli/who.h"

#include "signal/json.h"

#define ANSWER_MS 30000

static char *find_source(yyjson_val *sources, const char *word, struct error *why)
{
	yyjson_val *one, *found = NULL;
	size_t at, count, named = 0;

	yyjson_arr_foreach(sources, at, count, one)
	{
		if (text_is(json_text_at(one, "id"), word)) {
			found = one;
			named = 1;
			break;
		}
		if (text_is(json_text_at(one, "name"), word)) {
			found = one;
			named++;
		}
	}
	if (named == 1)
		return text_dup(json_text_at(found, "id"));
	if (named)
		error_set(why, "several sources are called '%s': say its id", word);
	else
		error_set(why, "there is no source '%s'", word);
	return NULL;
}

char *who_is(struct remote *remote, const char *word, struct error *why)
{
	const struct remote_request request = {
		.method = "GET", .path = "/api/sources", .timeout_ms = ANSWER_MS};
	struct buf answer;
	yyjson_doc *doc;
	char *id;

	if (!remote_ask(remote, &request, &answer, why))
		return NULL;
	doc = yyjson_read(answer.at, answer.len, 0);
	id = find_source(yyjson_obj_get(yyjson_doc_get_root(doc), "sources"), word, why);
	yyjson_doc_free(doc);
	buf_finish(&answer);
	return id;
}
