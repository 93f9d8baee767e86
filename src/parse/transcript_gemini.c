/* transcript_gemini.c - the chat that Gemini CLI keeps of a session.
 *
 * Newer versions append lines: what the session is, messages, `$set` with members of the session
 * that have changed.  A message is written again when it has more.  Older ones write the whole file
 * anew, one object with all messages.  Both are read here, an object a line or all of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/record.h"
#include "parse/speak.h"
#include "parse/todos.h"
#include "parse/words.h"

#define ANSWERS 256 /* the newest, which may be written again */
#define KEY_MAX 512

struct chat_answer {
	char *id;
	uint64_t told; /* tokens */
};

struct chat {
	struct record record;
	char *session; /* NULL: not known yet */
	struct chat_answer answers[ANSWERS];
	unsigned answer_count;
};

/* --- tokens ----------------------------------------------------------------------- */

/* True: it is new, or has more than was told of it. */
static bool note_answer(struct chat *c, struct text id, uint64_t total)
{
	struct chat_answer *slot;

	for (unsigned i = 0; i < ANSWERS; i++) {
		slot = &c->answers[i];
		if (slot->id && text_is(id, slot->id)) {
			bool is_more = total > slot->told;

			slot->told = is_more ? total : slot->told;
			return is_more;
		}
	}
	slot = &c->answers[c->answer_count++ % ANSWERS];
	free(slot->id);
	*slot = (struct chat_answer){text_dup(id), total};
	return true;
}

/* Thoughts are paid as output; what the service's own tools add to a prompt is not in its input. */
static void chat_usage(struct parse *p, struct chat *c, yyjson_val *message)
{
	yyjson_val *tokens = yyjson_obj_get(message, "tokens");
	struct text id = json_text_at(message, "id");
	uint64_t thoughts = speak_count(tokens, "thoughts");
	uint64_t total = speak_count(tokens, "total");
	char key[KEY_MAX];

	if (!yyjson_is_obj(tokens) || !c->session || id.len == 0 || id.len > 200 ||
	    memchr(id.at, '\0', id.len) || !note_answer(c, id, total))
		return;
	snprintf(key, sizeof(key), "%.200s/%.*s", c->session, TEXT_ARG(id));
	speak_usage(p, NULL,
	            &(struct speak_usage){
			    .input = speak_count(tokens, "input") + speak_count(tokens, "tool"),
			    .output = speak_count(tokens, "output") + thoughts,
			    .cache_read = speak_count(tokens, "cached"),
			    .with_cache = true,
			    .reasoning = thoughts,
			    .context = total,
			    .response = text_of(key),
			    .model = record_known(&c->record, RECORD_MODEL),
			    .cost = -1,
		    });
}

/* --- tools ------------------------------------------------------------------------ */

static struct text path_in(yyjson_val *args)
{
	static const char *const names[] = {"file_path", "absolute_path", "path", NULL};
	struct text path = {NULL, 0};

	for (const char *const *name = names; *name && path.len == 0; name++)
		path = json_text_at(args, *name);
	return path;
}

static void chat_plan(struct parse *p, struct chat *c, yyjson_val *todos)
{
	if (!yyjson_is_arr(todos))
		return;
	record_begin(&c->record, p, "agent.plan");
	todos_add(&p->make, todos, "description");
	record_end(p);
}

static bool is_call_over(struct text status)
{
	return text_is(status, "success") || text_is(status, "error") ||
	       text_is(status, "cancelled");
}

/* What people are shown, or the parts that the model gets. */
static yyjson_val *output_of(yyjson_val *call)
{
	yyjson_val *shown = yyjson_obj_get(call, "resultDisplay");

	return yyjson_is_str(shown) ? shown : yyjson_obj_get(call, "result");
}

/* A message that is written again has calls that were told: those are not open any more. */
static void chat_call(struct parse *p, struct chat *c, yyjson_val *call)
{
	yyjson_val *args = yyjson_obj_get(call, "args");
	struct text status = json_text_at(call, "status"), id = json_text_at(call, "id");
	struct text name = json_text_at(call, "name");
	char *id_word, *name_word;

	if (id.len == 0 || id.len > 200 || name.len > RECORD_TEXT_MAX ||
	    memchr(id.at, '\0', id.len))
		return;
	id_word = must_print("call/%.*s", TEXT_ARG(id));
	if (note_answer(c, text_of(id_word), is_call_over(status) ? 2 : 1)) {
		name_word = text_dup(name);
		free(id_word);
		id_word = text_dup(id);
		if (record_call(&c->record, p, &(struct record_call){id_word, name_word, NULL},
		                &(struct record_about){path_in(args), args}) &&
		    text_is(name, "write_todos"))
			chat_plan(p, c, yyjson_obj_get(args, "todos"));
		if (is_call_over(status))
			record_result(&c->record, p, id,
			              &(struct record_outcome){text_is(status, "success"),
			                                       output_of(call)});
		free(name_word);
	}
	free(id_word);
}

/* --- messages --------------------------------------------------------------------- */

/* A person's words, and not what a tool gave back. */
static bool is_asked(yyjson_val *content)
{
	yyjson_val *first = yyjson_arr_get_first(content);

	return yyjson_is_str(content) || json_text_at(first, "text").len > 0;
}

/* Of a message that may be written again. */
static bool is_first_time(struct chat *c, yyjson_val *message, const char *what)
{
	struct text id = json_text_at(message, "id");
	char *key;
	bool is;

	if (id.len > 200 || (id.len && memchr(id.at, '\0', id.len)))
		return false;
	key = must_print("%s/%.*s", what, TEXT_ARG(id));
	is = note_answer(c, text_of(key), 1);
	free(key);
	return is;
}

static void chat_words(struct parse *p, struct chat *c, yyjson_val *message)
{
	yyjson_val *content = yyjson_obj_get(message, "content"), *thought;
	yyjson_val *thoughts = yyjson_obj_get(message, "thoughts");
	yyjson_arr_iter each = yyjson_arr_iter_with(thoughts);

	if (!words_are_wanted(p))
		return;
	if (yyjson_arr_size(thoughts) && is_first_time(c, message, "thought"))
		while ((thought = yyjson_arr_iter_next(&each)))
			record_say(&c->record, p, true, yyjson_obj_get(thought, "description"));
	if (is_asked(content) && json_text(content).len + yyjson_arr_size(content) > 0 &&
	    is_first_time(c, message, "said"))
		record_say(&c->record, p, false, content);
}

static void chat_message(struct parse *p, struct chat *c, yyjson_val *message)
{
	struct text type = json_text_at(message, "type");
	yyjson_val *calls = yyjson_obj_get(message, "toolCalls"), *call;
	yyjson_val *content = yyjson_obj_get(message, "content");
	yyjson_arr_iter each = yyjson_arr_iter_with(calls);

	record_at(p, json_text_at(message, "timestamp"));
	if (text_is(type, "user") && is_asked(content)) {
		record_turn(&c->record, p, "began");
		if (words_are_wanted(p) && is_first_time(c, message, "asked"))
			record_ask(&c->record, p, json_text_at(message, "id"), content);
	}
	if (!text_is(type, "gemini"))
		return;
	record_note(&c->record, RECORD_MODEL, json_text_at(message, "model"));
	record_tell_facts(&c->record, p);
	chat_words(p, c, message);
	while ((call = yyjson_arr_iter_next(&each)))
		chat_call(p, c, call);
	chat_usage(p, c, message);
	if (yyjson_arr_size(calls) == 0 && json_text_at(message, "content").len)
		record_turn(&c->record, p, "over");
}

static void chat_messages(struct parse *p, struct chat *c, yyjson_val *messages)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(messages);
	yyjson_val *message;

	while ((message = yyjson_arr_iter_next(&each)))
		chat_message(p, c, message);
}

static void chat_session(struct parse *p, struct chat *c, yyjson_val *root)
{
	struct text id = utf8_cut(json_text_at(root, "sessionId"), 200);

	record_at(p, json_text_at(root, "startTime"));
	if (id.len && !memchr(id.at, '\0', id.len) && !c->session) {
		c->session = text_dup(id);
		parse_set_correlation(p, id);
	}
	record_note(&c->record, RECORD_TITLE, json_text_at(root, "summary"));
	chat_messages(p, c, yyjson_obj_get(root, "messages"));
}

/* --- lines ------------------------------------------------------------------------ */

/* Words of people and of tools are stepped over. */
static bool tells_nothing(struct text line)
{
	struct text key, value;
	struct scan scan;

	scan_object(&scan, line);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, "type"))
			return !text_is(value, "\"gemini\"") && !text_is(value, "\"user\"");
	return false;
}

static void chat_take(struct parse *p, const struct parse_event *event)
{
	struct text line = text_trim(event->data);
	struct chat *c = parse_state(p);
	yyjson_val *root, *set;

	if (tells_nothing(line) || !(root = parse_json(p, line)))
		return;
	if (!c->record.agent) {
		record_init(&c->record, "gemini", "gemini-cli");
		parse_set_agent(p, TEXT("gemini"));
	}
	set = yyjson_obj_get(root, "$set");
	if (set) {
		record_note(&c->record, RECORD_TITLE, json_text_at(set, "summary"));
		record_note(&c->record, RECORD_CWD, json_text_at(set, "cwd"));
		chat_messages(p, c, yyjson_obj_get(set, "messages"));
	} else if (yyjson_obj_get(root, "sessionId")) {
		chat_session(p, c, root);
	} else {
		chat_message(p, c, root);
	}
	if (c->session)
		record_tell_facts(&c->record, p);
}

static void chat_finish(struct parse *p)
{
	struct chat *c = parse_state(p);

	record_finish(&c->record);
	free(c->session);
	for (unsigned i = 0; i < ANSWERS; i++)
		free(c->answers[i].id);
}

const struct parse_kind parse_gemini_chat = {
	.name = "gemini-chat",
	.summary = "what Gemini CLI keeps of a session, lines or one object: facts, no words",
	.framing = FRAMING_LINES,
	.size = sizeof(struct chat),
	.event = chat_take,
	.finish = chat_finish,
};
