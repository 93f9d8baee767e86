/* opencode_parts.c - messages and what they are made of.
 *
 * A text comes in deltas, and whole when it is complete; until then the server keeps nothing
 * of it.  So what was told is counted in bytes, and the rest is told of the whole.
 */
#include <stdlib.h>

#include "base/utf8.h"
#include "parse/opencode_state.h"

#define PIECE_MAX (64 * KIB) /* of a text in one signal */

/* ---- messages ---- */

void opencode_take_message(struct parse *p, yyjson_val *properties)
{
	yyjson_val *info = yyjson_obj_get(properties, "info");
	struct text id = json_text_at(info, "id");
	struct opencode_session *s = opencode_session(p, json_text_at(info, "sessionID"));
	bool is_user = text_is(json_text_at(info, "role"), "user");

	if (!s || !opencode_is_id(id))
		return;
	opencode_message(opencode_state(p), id)->is_user = is_user;
	if (is_user)
		return;
	opencode_note(s, OPENCODE_MODEL, json_text_at(info, "modelID"));
	opencode_note(s, OPENCODE_MODE, json_text_at(info, "agent"));
	opencode_tell_facts(p, s);
	if (!yyjson_obj_get(yyjson_obj_get(info, "time"), "completed"))
		return;
	opencode_set(&s->last, id);
	memset(s->marks, 0, sizeof(s->marks)); /* nobody reads before the last again */
	s->mark_count = 0;
}

/* ---- texts ---- */

static void tell_words(struct parse *p, const struct opencode_told *told, struct text words)
{
	const char *type = told->part->kind == OPENCODE_THOUGHT ? "thinking" : "text_delta";

	while (words.len) {
		struct text piece = utf8_cut(words, PIECE_MAX);

		if (!piece.len)
			return;
		told->part->told += piece.len;
		told->session->piece_told = told->part->told;
		speak_words(p, &told->who, type, piece);
		words.at += piece.len;
		words.len -= piece.len;
	}
}

static struct text rest_of(struct text whole, uint64_t told)
{
	size_t at = told < whole.len ? (size_t)told : whole.len;

	while (at < whole.len && ((unsigned char)whole.at[at] & 0xC0) == 0x80)
		at++;
	return (struct text){whole.at ? whole.at + at : NULL, whole.len - at};
}

static void keep_words(struct opencode_session *s, struct text words)
{
	if (words.len)
		opencode_set(&s->words, utf8_cut(words, OPENCODE_WORDS_MAX));
}

/* What is told of a text at a time. */
static struct text next_of(struct opencode_events *o, struct text words)
{
	struct text next = o->in_pieces ? utf8_cut(words, PIECE_MAX) : words;

	o->has_more = next.len > 0 && next.len < words.len;
	return next;
}

static void take_text(struct parse *p, const struct opencode_told *told, enum opencode_kind kind)
{
	struct opencode_events *o = opencode_state(p);
	struct opencode_session *s = told->session;
	struct opencode_part *part = told->part;
	struct text id = json_text_at(told->value, "id"), whole = json_text_at(told->value, "text");
	bool is_whole = yyjson_obj_get(yyjson_obj_get(told->value, "time"), "end") != NULL;

	part->kind = kind;
	if (part->told == UINT64_MAX)
		return;
	if (!s->piece || !text_is(id, s->piece))
		opencode_set(&s->piece, id);
	s->piece_told = part->told;
	tell_words(p, told, next_of(o, rest_of(whole, part->told)));
	/* What comes between two pieces of it is told of the whole, too. */
	part->is_cut = part->is_cut || is_whole || o->has_more;
	if (kind == OPENCODE_TEXT)
		keep_words(s, whole);
}

/* What a person said; what the program adds to it for the model is not theirs. */
static void take_task(struct parse *p, const struct opencode_told *told)
{
	struct text words = utf8_cut(json_text_at(told->value, "text"), PIECE_MAX);
	const struct opencode_session *s = told->session;

	if (told->part->stage != OPENCODE_UNTOLD || !words.len || told->who.id.len || s->run ||
	    yyjson_is_true(yyjson_obj_get(told->value, "synthetic")))
		return;
	opencode_mark(told->session, told->part, OPENCODE_TOLD);
	speak_task(p, words);
}

void opencode_take_delta(struct parse *p, yyjson_val *properties)
{
	struct opencode_events *o = opencode_state(p);
	struct opencode_session *s = opencode_session(p, json_text_at(properties, "sessionID"));
	struct text id = json_text_at(properties, "partID");
	struct opencode_told told = {.session = s};
	bool is_new;

	if (!s || !opencode_is_id(id) || !text_is(json_text_at(properties, "field"), "text"))
		return;
	told.part = opencode_part(o, s, id, &is_new);
	if (is_new)
		told.part->is_cut = true;
	if (told.part->is_cut || told.part->is_users || told.part->kind == OPENCODE_OTHER)
		return;
	told.who = opencode_enter(p, s);
	if (!s->piece || !text_is(id, s->piece))
		opencode_set(&s->piece, id);
	tell_words(p, &told, json_text_at(properties, "delta"));
}

/* ---- tokens ---- */

/* A step is one request to the model. */
static void take_step(struct parse *p, const struct opencode_told *told)
{
	yyjson_val *tokens = yyjson_obj_get(told->value, "tokens");
	yyjson_val *cache = yyjson_obj_get(tokens, "cache");
	struct speak_usage usage = {
		.input = speak_count(tokens, "input"),
		.reasoning = speak_count(tokens, "reasoning"),
		.cache_read = speak_count(cache, "read"),
		.cache_write = speak_count(cache, "write"),
		.response = json_text_at(told->value, "id"),
		.model = text_of(told->session->facts[OPENCODE_MODEL]),
		.cost = -1,
	};

	if (told->part->stage == OPENCODE_TOLD || !yyjson_is_obj(tokens))
		return;
	opencode_mark(told->session, told->part, OPENCODE_TOLD);
	/* It counts thoughts apart from the rest of what it wrote. */
	usage.output = speak_count(tokens, "output") + usage.reasoning;
	usage.context = usage.input + usage.output + usage.cache_read + usage.cache_write;
	json_number(yyjson_obj_get(told->value, "cost"), &usage.cost);
	speak_usage(p, &told->who, &usage);
}

/* ---- parts ---- */

/* Its text was told before the box ended: the newest that was came later. */
static bool is_past(const struct opencode_session *s, struct text id)
{
	return s->is_recalled && s->piece && id.len == strlen(s->piece) &&
	       memcmp(id.at, s->piece, id.len) < 0;
}

void opencode_take_part(struct parse *p, yyjson_val *properties)
{
	struct opencode_events *o = opencode_state(p);
	yyjson_val *value = yyjson_obj_get(properties, "part");
	struct text id = json_text_at(value, "id"), type = json_text_at(value, "type");
	struct text message = json_text_at(value, "messageID");
	struct opencode_told told = {.value = value};
	bool is_new;

	told.session = opencode_session(p, json_text_at(value, "sessionID"));
	if (!told.session || !opencode_is_id(id) || !opencode_is_id(message))
		return;
	told.part = opencode_part(o, told.session, id, &is_new);
	told.who = opencode_enter(p, told.session);
	told.part->is_users = opencode_message(o, message)->is_user;
	if (told.part->is_users) {
		if (text_is(type, "text"))
			take_task(p, &told);
		return;
	}
	if (is_new && is_past(told.session, id))
		told.part->told = UINT64_MAX;
	if (text_is(type, "text"))
		take_text(p, &told, OPENCODE_TEXT);
	else if (text_is(type, "reasoning"))
		take_text(p, &told, OPENCODE_THOUGHT);
	else if (text_is(type, "tool"))
		opencode_take_tool(p, &told);
	else if (text_is(type, "step-finish"))
		take_step(p, &told);
}
