/* when.c - hostile conditions, and hostile signals to judge by them.
 *
 * The input is a clause, a line feed and a payload.  A clause is refused with the
 * place of its fault, or judges: the same twice, the same as the only one of an
 * array, and the opposite as soon as everything it asks of one path is turned round.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "config/config.h"
#include "deliver/automations.h"
#include "deliver/clause.h"
#include "deliver/routes.h"
#include "lib/hold.h"
#include "signal/json.h"
#include "signal/when.h"

#define TEXT_MAX (64 * KIB)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool judge(yyjson_val *clause, const struct cue *cue)
{
	struct when *when = when_create(clause, WHEN_PREFIX_OPTIONAL, NULL);
	bool holds;

	must_hold(when);
	holds = when_holds(when, cue);
	must_hold(when_holds(when, cue) == holds);
	when_destroy(when);
	return holds;
}

/* The clause between two texts, read anew. */
static bool judge_within(const char *before, yyjson_val *clause, const char *after,
                         const struct cue *cue)
{
	static struct json_reader reader;
	size_t len;
	char *words = yyjson_val_write(clause, YYJSON_WRITE_ALLOW_INVALID_UNICODE, &len);
	struct buf text;
	yyjson_doc *doc;
	bool holds;

	must_hold(words);
	if (!reader.copy.max)
		json_reader_init(&reader, 16 * TEXT_MAX);
	buf_init(&text, 16 * TEXT_MAX);
	buf_add(&text, text_of(before));
	buf_add(&text, (struct text){words, len});
	buf_add(&text, text_of(after));
	doc = json_read(&reader, buf_text(&text), NULL);
	must_hold(doc);
	holds = judge(yyjson_doc_get_root(doc), cue);
	buf_finish(&text);
	free(words);
	return holds;
}

static void compare(yyjson_val *clause, const struct cue *cue)
{
	bool holds = judge(clause, cue);
	yyjson_obj_iter iter;
	yyjson_val *ops;

	if (!yyjson_is_obj(clause))
		return;
	must_hold(judge_within("[", clause, "]", cue) == holds);
	iter = yyjson_obj_iter_with(clause);
	ops = yyjson_obj_iter_get_val(yyjson_obj_iter_next(&iter));
	if (!ops)
		return;
	must_hold(judge_within("{\"list.0\":", ops, "}", cue) !=
	          judge_within("{\"list.0\":{\"not\":", ops, "}}", cue));
}

static void read_both(struct text clause, struct text payload)
{
	static struct json_reader clauses, payloads;
	yyjson_doc *doc, *said;
	struct error why = {""};
	struct when *when;
	struct cue cue = {.type = TEXT("text_delta")};

	if (!clauses.copy.max) {
		json_reader_init(&clauses, TEXT_MAX);
		json_reader_init(&payloads, TEXT_MAX);
	}
	doc = json_read(&clauses, clause, NULL);
	said = json_read(&payloads, payload, NULL);
	cue.payload = yyjson_doc_get_root(said);
	if (!doc || !yyjson_is_obj(cue.payload))
		return;
	when = when_create(yyjson_doc_get_root(doc), WHEN_PREFIX_OPTIONAL, &why);
	if (when)
		compare(yyjson_doc_get_root(doc), &cue);
	else
		must_hold(why.words[0] == ':' || why.words[0] == '/');
	when_destroy(when);
}

/* The clause as that of an automation, which judges the payload as the text of a message. */
static void automate(struct text clause, struct text text)
{
	struct error why = {""};
	char *when = text_dup(clause);
	struct config_automation one = {.when = when, .answer = when};
	struct config config = {.automations = &one, .automation_count = 1};
	struct nexus_request r = {0};
	struct automations *a;

	if (!clause_check(clause, &why)) {
		must_hold(why.words[0]);
	} else {
		a = automations_create(&config);
		nexus_set(&r, NEXUS_CONTENT, text);
		automations_run(a, &r, TEXT(""), false);
		must_hold(r.evaluated == 1);
		automations_destroy(a);
		nexus_finish(&r);
	}
	free(when);
}

/* The same of a route, with the payload as that of the end of a run. */
static void route(struct text clause, struct text payload)
{
	char *when = text_dup(clause), *said = text_dup(payload);
	struct config_route one = {.when = when, .to = when};
	struct config config = {.routes = &one, .route_count = 1};
	struct run_end end = {.run = when, .source = when, .type = when, .payload = said};
	struct routes *r = routes_create(&config);

	if (routes_see(r, &(struct routes_seen){.end = &end, .text = payload}))
		routes_fit(r, 0);
	routes_destroy(r);
	free(when);
	free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct text payload, clause;

	if (n > TEXT_MAX)
		return 0;
	clause = text_cut((struct text){(const char *)bytes, n}, '\n', &payload);
	read_both(clause, payload);
	automate(clause, payload);
	route(clause, payload);
	return 0;
}
