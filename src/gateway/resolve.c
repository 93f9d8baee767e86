/* resolve.c - which session a client means: by its key, its id, its beginning or its name. */
#include <stdlib.h>

#include "base/put.h"
#include "crew/crew.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/row.h"

#define CANDIDATES_MAX 10
#define RESOLVED_MAX (64 * KIB)

struct resolving {
	const struct gateway *g;
	const struct crew_member *found[CANDIDATES_MAX];
	size_t count;
};

static void note_found(struct resolving *r, const struct crew_member *m)
{
	if (m && r->count < CANDIDATES_MAX && gateway_member_run(r->g, m))
		r->found[r->count++] = m;
}

static void find_by_key(struct resolving *r, struct text key, struct text agent)
{
	struct gateway_place place;

	gateway_find_place(r->g, key, agent, &place);
	note_found(r, gateway_place_member(r->g, &place));
	gateway_place_finish(&place);
}

/* A handle is one session's; a title may be given twice. */
static void find_by_label(struct resolving *r, struct text label)
{
	const struct crew_member *m = crew_find(r->g->options.crew, label);

	if (m && text_is(label, m->handle)) {
		note_found(r, m);
		return;
	}
	list_each(crew_all(r->g->options.crew), l) {
		m = list_of(l, struct crew_member, in_all);
		if (m->words[WORD_NAMED] && text_is(label, m->words[WORD_NAMED]))
			note_found(r, m);
	}
}

/* Links have the beginning of an id without its dashes. */
static bool begins_with(const char *id, struct text wanted)
{
	size_t at = 0;

	for (; *id && at < wanted.len; id++) {
		at += wanted.at[at] == '-';
		if (*id == '-')
			continue;
		if (at == wanted.len ||
		    !text_equal_nocase((struct text){id, 1}, (struct text){wanted.at + at, 1}))
			return false;
		at++;
	}
	return at == wanted.len;
}

static void find_by_beginning(struct resolving *r, struct text id)
{
	list_each(crew_all(r->g->options.crew), l) {
		const struct crew_member *m = list_of(l, struct crew_member, in_all);

		if (begins_with(m->id, id))
			note_found(r, m);
	}
}

/* ---- answering ---- */

static void put_found(struct buf *out, const struct gateway *g, const struct crew_member *m)
{
	const struct run *run = gateway_member_run(g, m);
	struct buf key;

	buf_init(&key, 2 * KIB);
	gateway_key_of_run(g, run, &key);
	put_text(out, "key", buf_text(&key));
	put_text(out, "agentId", gateway_key_agent(buf_text(&key)));
	buf_finish(&key);
}

static void put_resolution(struct buf *out, const struct resolving *r)
{
	put_object(out, NULL);
	put_bool(out, "ok", r->count == 1);
	if (r->count == 1)
		put_found(out, r->g, r->found[0]);
	if (r->count > 1) {
		put_list(out, "candidates");
		for (size_t i = 0; i < r->count; i++) {
			put_object(out, NULL);
			put_found(out, r->g, r->found[i]);
			put_end(out);
		}
		put_list_end(out);
	}
	put_end(out);
}

static void answer_found(const struct gateway_call *call, const struct resolving *r)
{
	struct buf out;

	buf_init(&out, RESOLVED_MAX);
	put_resolution(&out, r);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

bool gateway_resolve_link(const struct gateway *g, struct text id, struct buf *resolution,
                          struct buf *key)
{
	struct resolving r = {g};

	find_by_beginning(&r, id);
	put_resolution(resolution, &r);
	if (r.count != 1)
		return false;
	gateway_key_of_run(g, gateway_member_run(g, r.found[0]), key);
	return true;
}

static void resolve(const struct gateway_call *call, size_t way, struct text name)
{
	struct resolving r = {call->gateway};
	struct error words;

	if (way == 1)
		note_found(&r, crew_find(call->gateway->options.crew, name));
	else if (way == 2)
		find_by_label(&r, name);
	else if (way == 3)
		find_by_beginning(&r, name);
	else
		find_by_key(&r, name, json_text_at(call->params, "agentId"));
	if (r.count || yyjson_is_true(yyjson_obj_get(call->params, "allowMissing"))) {
		answer_found(call, &r);
		return;
	}
	error_set(&words, "No session found: %.*s", TEXT_ARG(name));
	gateway_refuse_words(call, words.words);
}

void gateway_sessions_resolve(const struct gateway_call *call)
{
	static const char *const ways[] = {"key", "sessionId", "label", "shortId"};
	size_t ways_count = sizeof(ways) / sizeof(*ways), given = 0, way = 0;
	struct text name = {0};

	for (size_t i = 0; i <= ways_count; i++) {
		struct text one =
			i == ways_count
				? json_text_at(yyjson_obj_get(call->params, "reference"), "key")
				: json_text_at(call->params, ways[i]);

		if (!text_trim(one).len)
			continue;
		given++;
		way = i;
		name = text_trim(one);
	}
	if (yyjson_obj_get(call->params, "slugHint") && !json_text_at(call->params, "shortId").len)
		gateway_refuse_words(call, "slugHint requires shortId");
	else if (given > 1)
		gateway_refuse_words(
			call, "Provide either key, sessionId, label, shortId, or reference (not "
			      "multiple)");
	else if (!given)
		gateway_refuse_words(
			call, "Either key, sessionId, label, shortId, or reference is required");
	else
		resolve(call, way, name);
}
