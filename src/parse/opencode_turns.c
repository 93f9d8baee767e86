/* opencode_turns.c - who a session is, and what its turns come to. */
#include <stdlib.h>

#include "base/utf8.h"
#include "parse/opencode_state.h"
#include "parse/todos.h"

#define FACT_MAX 1024

/* ---- facts ---- */

void opencode_note(struct opencode_session *s, enum opencode_fact fact, struct text value)
{
	value = utf8_cut(value, FACT_MAX);
	if (!value.len || memchr(value.at, '\0', value.len) ||
	    (s->facts[fact] && text_is(value, s->facts[fact])))
		return;
	opencode_set(&s->facts[fact], value);
	s->fresh[fact] = true;
}

void opencode_tell_facts(struct parse *p, struct opencode_session *s)
{
	static const char *const names[OPENCODE_FACTS] = {
		[OPENCODE_VERSION] = "version", [OPENCODE_CWD] = "cwd",
		[OPENCODE_MODEL] = "model",     [OPENCODE_MODE] = "mode",
		[OPENCODE_TITLE] = "title",
	};
	struct speaker who = opencode_enter(p, s);
	bool any = false;

	for (unsigned i = 0; i < OPENCODE_FACTS; i++)
		any |= s->fresh[i];
	if (!any || who.id.len)
		return;
	speak_begin(p, &who, "session.facts");
	make_word(&p->make, "harness", "opencode");
	for (unsigned i = 0; i < OPENCODE_FACTS; i++)
		if (s->fresh[i])
			make_word(&p->make, names[i], s->facts[i]);
	if (s->fresh[OPENCODE_TITLE])
		make_word(&p->make, "titleFrom", "agent");
	make_word(&p->make, "sessionKey", s->id);
	speak_end(p, &who);
	memset(s->fresh, 0, sizeof(s->fresh));
}

/* As it is called before anybody has thought of a title. */
static bool is_untitled(struct text title)
{
	return text_starts(title, TEXT("New session - ")) ||
	       text_starts(title, TEXT("Child session - "));
}

void opencode_take_session(struct parse *p, yyjson_val *properties)
{
	yyjson_val *info = yyjson_obj_get(properties, "info");
	struct opencode_session *s = opencode_session(p, json_text_at(info, "id"));
	struct text parent = json_text_at(info, "parentID"), title = json_text_at(info, "title");

	if (!s)
		return;
	if (!s->parent && opencode_is_id(parent) && !text_is(parent, s->id)) {
		opencode_set(&s->parent, parent);
		opencode_session(p, parent);
	}
	opencode_note(s, OPENCODE_VERSION, json_text_at(info, "version"));
	opencode_note(s, OPENCODE_CWD, json_text_at(info, "directory"));
	opencode_note(s, OPENCODE_MODEL, json_text_at(yyjson_obj_get(info, "model"), "id"));
	opencode_note(s, OPENCODE_MODE, json_text_at(info, "agent"));
	if (!is_untitled(title))
		opencode_note(s, OPENCODE_TITLE, title);
	opencode_tell_facts(p, s);
}

void opencode_take_deleted(struct parse *p, yyjson_val *properties)
{
	struct opencode_session *s =
		opencode_session(p, json_text_at(yyjson_obj_get(properties, "info"), "id"));
	struct speaker who;

	if (!s || !s->is_begun)
		return;
	opencode_take_idle(p, properties);
	who = opencode_enter(p, s);
	if (who.id.len)
		return;
	speak_begin(p, &who, "completion");
	make_word(&p->make, "taskId", s->id);
	make_bool(&p->make, "success", true);
	make_word(&p->make, "result", "the session was deleted");
	speak_end(p, &who);
}

/* ---- turns ---- */

static void tell_turn(struct parse *p, const struct opencode_session *s, const char *state)
{
	struct speaker who = {.agent = TEXT("opencode")};

	speak_begin(p, &who, "session.turn");
	make_word(&p->make, "state", state);
	make_word(&p->make, "sessionKey", s->id);
	speak_end(p, &who);
}

/* Whoever asked for it waits for this, or it is a subagent's. */
static void complete(struct parse *p, const struct opencode_session *s, const struct speaker *who)
{
	bool is_child = who->id.len > 0;

	speak_begin(p, who, "completion");
	make_word(&p->make, "taskId", is_child ? s->id : s->run);
	make_bool(&p->make, "success", !s->is_aborted);
	make_word(&p->make, "result", s->is_aborted ? "cancelled" : s->words ? s->words : "");
	if (!is_child)
		make_word(&p->make, "sessionKey", s->id);
	speak_end(p, who);
}

static void tell_subagent(struct parse *p, const struct opencode_session *s,
                          const struct speaker *who)
{
	parse_begin(p, "task_dispatch");
	make_word(&p->make, "taskId", s->id);
	make_word(&p->make, "from", "opencode");
	make_text(&p->make, "to", who->agent);
	make_given(&p->make, "description", text_of(s->facts[OPENCODE_TITLE]));
	speak_end(p, who);
}

static void begin_turn(struct parse *p, struct opencode_session *s)
{
	struct speaker who = opencode_enter(p, s);
	bool is_new = !s->is_busy || !s->is_begun, was_begun = s->is_begun, was_held = s->is_held;

	if (!is_new && !was_held)
		return;
	if (is_new) {
		s->is_failed = s->is_aborted = false;
		opencode_set(&s->words, TEXT(""));
	}
	s->is_held = false;
	s->is_busy = s->is_begun = true;
	if (!who.id.len)
		tell_turn(p, s, "began");
	else if (!was_begun)
		tell_subagent(p, s, &who);
}

static void end_turn(struct parse *p, struct opencode_session *s)
{
	struct speaker who = opencode_enter(p, s);

	if (!s->is_busy && !s->run)
		return;
	s->is_busy = s->is_held = false;
	if (who.id.len || s->run)
		complete(p, s, &who);
	opencode_set(&s->run, TEXT(""));
	opencode_enter(p, s);
	if (!who.id.len && !s->is_failed)
		tell_turn(p, s, s->is_aborted ? "interrupted" : "over");
	s->is_begun = !who.id.len;
}

/* A model that cannot be reached now is tried again. */
static void hold_turn(struct parse *p, struct opencode_session *s, struct text why)
{
	struct speaker who;

	begin_turn(p, s);
	who = opencode_enter(p, s);
	if (!s->is_held)
		speak_state(p, &who, "acting", "waiting", utf8_cut(why, FACT_MAX));
	s->is_held = true;
}

void opencode_take_status(struct parse *p, yyjson_val *properties)
{
	struct opencode_session *s = opencode_session(p, json_text_at(properties, "sessionID"));
	yyjson_val *status = yyjson_obj_get(properties, "status");
	struct text type = json_text_at(status, "type");

	if (!s)
		return;
	if (text_is(type, "busy"))
		begin_turn(p, s);
	else if (text_is(type, "retry"))
		hold_turn(p, s, json_text_at(status, "message"));
	else if (text_is(type, "idle"))
		end_turn(p, s);
}

void opencode_take_idle(struct parse *p, yyjson_val *properties)
{
	struct opencode_session *s = opencode_session(p, json_text_at(properties, "sessionID"));

	if (s)
		end_turn(p, s);
}

void opencode_take_failure(struct parse *p, yyjson_val *properties)
{
	struct opencode_session *s = opencode_session(p, json_text_at(properties, "sessionID"));
	yyjson_val *error = yyjson_obj_get(properties, "error");
	struct text name = json_text_at(error, "name");
	struct text words = json_text_at(yyjson_obj_get(error, "data"), "message");
	struct speaker who;

	if (!s || s->is_failed)
		return;
	if (text_is(name, "MessageAbortedError")) {
		s->is_aborted = true;
		return;
	}
	who = opencode_enter(p, s);
	s->is_failed = true;
	speak_begin(p, &who, "error");
	make_text(&p->make, "message", utf8_cut(words.len ? words : name, 4 * FACT_MAX));
	make_word(&p->make, "severity", "error");
	make_given(&p->make, "code", utf8_cut(name, 64));
	if (!who.id.len)
		make_word(&p->make, "sessionKey", s->id);
	speak_end(p, &who);
	opencode_set(&s->run, TEXT("")); /* it had its end */
}

/* ---- plans ---- */

void opencode_take_todos(struct parse *p, yyjson_val *properties)
{
	struct opencode_session *s = opencode_session(p, json_text_at(properties, "sessionID"));
	yyjson_val *todos = yyjson_obj_get(properties, "todos");
	struct speaker who;

	if (!s || !yyjson_is_arr(todos))
		return;
	who = opencode_enter(p, s);
	speak_begin(p, &who, "agent.plan");
	todos_add(&p->make, todos, "content");
	speak_end(p, &who);
}
