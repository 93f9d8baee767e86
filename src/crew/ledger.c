/* ledger.c - taking responses, and telling them as usage.past. */
#include "crew/ledger.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "crew/spending.h"
#include "run/hear.h"

#define ENVELOPE_MAX (4 * MIB)
#define TEXT_LEN_MAX 4096
#define ROOM_FIRST 256
#define PIECE_BYTES (256 * KIB) /* about as much is in one signal */

void ledger_init(struct ledger *ledger)
{
	*ledger = (struct ledger){0};
	map_init(&ledger->by_id);
	map_init(&ledger->by_session);
	map_init(&ledger->names);
	json_reader_init(&ledger->reader, ENVELOPE_MAX);
}

void ledger_finish(struct ledger *ledger)
{
	struct text name;
	void *value;
	size_t at = 0;

	for (uint32_t i = 0; i < ledger->response_count; i++)
		free(ledger->responses[i].id);
	for (uint32_t i = 0; i < ledger->session_count; i++) {
		free(ledger->sessions[i].id);
		free(ledger->sessions[i].cwd);
	}
	while (map_next(&ledger->names, &at, &name, &value))
		free(value);
	map_finish(&ledger->by_id);
	map_finish(&ledger->by_session);
	map_finish(&ledger->names);
	json_reader_finish(&ledger->reader);
	free(ledger->responses);
	free(ledger->sessions);
}

/* ---- taking ---- */

static const char *name_of(struct ledger *ledger, struct text name)
{
	char *known = map_get(&ledger->names, name);

	if (known || name.len == 0 || memchr(name.at, '\0', name.len))
		return known ? known : "";
	known = text_dup(utf8_cut(name, SPENDING_NAME_MAX));
	map_set(&ledger->names, name, known);
	return known;
}

static bool is_id(struct text id)
{
	return id.len > 0 && id.len <= TRANSLATE_RUN_MAX && !memchr(id.at, '\0', id.len);
}

static uint32_t session_of(struct ledger *ledger, struct text id)
{
	uintptr_t number = (uintptr_t)map_get(&ledger->by_session, id);

	if (number)
		return (uint32_t)number - 1;
	if (ledger->session_count == ledger->session_room) {
		ledger->session_room = ledger->session_room ? 2 * ledger->session_room : ROOM_FIRST;
		ledger->sessions = must_grow(ledger->sessions,
		                             ledger->session_room * sizeof(*ledger->sessions));
	}
	ledger->sessions[ledger->session_count] =
		(struct ledger_session){.id = text_dup(id), .harness = ""};
	map_set(&ledger->by_session, id, (void *)(uintptr_t)(ledger->session_count + 1));
	return ledger->session_count++;
}

static void take_facts(struct ledger *ledger, uint32_t number, yyjson_val *payload)
{
	struct ledger_session *session = &ledger->sessions[number];
	struct text cwd = json_text_at(payload, "cwd"), harness = json_text_at(payload, "harness");
	double cost;

	if (!session->cwd && cwd.len && !memchr(cwd.at, '\0', cwd.len))
		session->cwd = text_dup(utf8_cut(cwd, TEXT_LEN_MAX));
	if (harness.len)
		session->harness = name_of(ledger, harness);
	if (json_number(yyjson_obj_get(payload, "cost"), &cost) && cost > session->cost)
		session->cost = cost;
	session->is_compacted |= yyjson_is_true(yyjson_obj_get(payload, "compacted"));
}

static struct ledger_response *need_response(struct ledger *ledger, struct text id)
{
	uintptr_t number = (uintptr_t)map_get(&ledger->by_id, id);

	if (number)
		return &ledger->responses[number - 1];
	if (ledger->response_count == LEDGER_RESPONSES_MAX)
		return NULL;
	if (ledger->response_count == ledger->response_room) {
		ledger->response_room =
			ledger->response_room ? 2 * ledger->response_room : ROOM_FIRST;
		ledger->responses = must_grow(ledger->responses,
		                              ledger->response_room * sizeof(*ledger->responses));
	}
	map_set(&ledger->by_id, id, (void *)(uintptr_t)(ledger->response_count + 1));
	ledger->responses[ledger->response_count] = (struct ledger_response){.id = NULL};
	return &ledger->responses[ledger->response_count++];
}

static void take_usage(struct ledger *ledger, uint32_t session, yyjson_val *payload, double at_ms)
{
	struct ledger_response *r;
	struct usage_facts facts;

	if (!usage_read_payload(payload, at_ms, &facts) || !is_id(facts.response) ||
	    !(r = need_response(ledger, facts.response)))
		return;
	if (!r->id) {
		r->id = text_dup(facts.response);
		r->session = session;
		r->at_ms = at_ms;
	}
	ledger->sessions[session].is_copy |= r->session != session;
	/* The line that tells most is the true one, and the last of those that tell as much. */
	if (r->counts.n[SPENT_OUTPUT] > facts.counts.n[SPENT_OUTPUT])
		return;
	r->counts = facts.counts;
	r->model = name_of(ledger, facts.call.model);
	r->size = (uint8_t)facts.call.size;
	r->fast = facts.call.fast;
}

static struct text type_in(struct text envelope)
{
	struct text key, value;
	struct scan scan;

	scan_object(&scan, envelope);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, "type"))
			return value;
	return TEXT("");
}

void ledger_take(struct ledger *ledger, struct text envelope)
{
	struct text type = type_in(envelope), session;
	bool is_usage = text_is(type, "\"token_usage\"");
	yyjson_val *root, *payload;
	double at_ms;

	if (!is_usage && !text_is(type, "\"session.facts\""))
		return;
	root = yyjson_doc_get_root(json_read(&ledger->reader, envelope, NULL));
	payload = yyjson_obj_get(root, "payload");
	session = json_text_at(root, "correlationId");
	if (!is_id(session) || !json_number(yyjson_obj_get(root, "timestamp"), &at_ms))
		return;
	if (is_usage)
		take_usage(ledger, session_of(ledger, session), payload, at_ms);
	else
		take_facts(ledger, session_of(ledger, session), payload);
}

void ledger_place(struct ledger *ledger, struct text session, struct text cwd)
{
	struct ledger_session *s;

	if (!is_id(session) || cwd.len == 0 || memchr(cwd.at, '\0', cwd.len))
		return;
	s = &ledger->sessions[session_of(ledger, session)];
	if (!s->cwd)
		s->cwd = text_dup(utf8_cut(cwd, TEXT_LEN_MAX));
}

/* ---- telling ---- */

static int compare(const void *a, const void *b)
{
	const struct ledger_response *x = a, *y = b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	if (x->at_ms != y->at_ms)
		return x->at_ms < y->at_ms ? -1 : 1;
	return strcmp(x->id, y->id);
}

void ledger_sort(struct ledger *ledger)
{
	if (ledger->response_count)
		qsort(ledger->responses, ledger->response_count, sizeof(*ledger->responses),
		      compare);
}

static void write_response(struct buf *out, const struct ledger_response *r)
{
	static const struct {
		enum spent what;
		const char *name;
	} counts[] = {
		{SPENT_INPUT, "promptTokens"},
		{SPENT_OUTPUT, "completionTokens"},
		{SPENT_CACHE_READ, "cacheReadTokens"},
		{SPENT_CACHE_WRITE, "cacheWriteTokens"},
		{SPENT_CACHE_WRITE_1H, "cacheWrite1hTokens"},
		{SPENT_REASONING, "reasoningTokens"},
	};

	put_object(out, NULL);
	put_word(out, "responseId", r->id);
	put_u64(out, "at", (uint64_t)(r->at_ms > 0 ? r->at_ms : 0));
	if (r->model[0])
		put_word(out, "model", r->model);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (r->counts.n[counts[i].what])
			put_u64(out, counts[i].name, r->counts.n[counts[i].what]);
	if (r->fast)
		put_bool(out, "fast", true);
	put_end(out);
}

static void write_head(struct buf *out, const struct ledger_session *session, double now_ms)
{
	put_object(out, NULL);
	put_word(out, "type", SPENDING_PAST);
	put_u64(out, "timestamp", (uint64_t)now_ms);
	put_word(out, "source", "import");
	put_object(out, "payload");
	put_word(out, "session", session->id);
	if (session->harness[0])
		put_word(out, "harness", session->harness);
	if (session->cwd)
		put_word(out, "cwd", session->cwd);
	if (session->cost > 0 && !session->is_copy) {
		put_key(out, "cost");
		json_add_number(out, session->cost);
	}
	if (session->is_compacted)
		put_bool(out, "compacted", true);
}

static bool is_to_tell(const struct ledger_response *r)
{
	return !r->is_known || r->may_grow;
}

bool ledger_write(const struct ledger *ledger, uint32_t *at, double now_ms, struct buf *out)
{
	unsigned told = 0;
	uint32_t of;

	while (*at < ledger->response_count && !is_to_tell(&ledger->responses[*at]))
		++*at;
	if (*at == ledger->response_count)
		return false;
	of = ledger->responses[*at].session;
	write_head(out, &ledger->sessions[of], now_ms);
	put_list(out, "calls");
	for (; *at < ledger->response_count && ledger->responses[*at].session == of &&
	       told < LEDGER_PIECE && out->len < PIECE_BYTES;
	     ++*at)
		if (is_to_tell(&ledger->responses[*at])) {
			told++;
			write_response(out, &ledger->responses[*at]);
		}
	put_list_end(out);
	put_end(out);
	put_end(out);
	return true;
}
