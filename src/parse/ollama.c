/* ollama.c - Ollama's own API, /api/chat and /api/generate: an object a line.
 *
 * An error is a bare line and may come at any time, so it is looked for first.
 * Calls come whole; old servers give them no id, so they get one of ours.
 */
#include "base/buf.h"
#include "parse/kinds.h"
#include "parse/speak.h"
#include "signal/json.h"

/* A correlationId of the longest kind, and a number. */
#define CALL_ID_MAX (8 * KIB)

struct ollama {
	unsigned calls; /* so far */
};

static void ollama_fail(struct parse *p, yyjson_val *error)
{
	struct text words =
		yyjson_is_str(error) ? json_text(error) : json_text_at(error, "message");

	parse_fail(p, TEXT("OLLAMA_ERROR"), words.len ? words : TEXT("Ollama error"));
}

static void tell_call(struct parse *p, yyjson_val *item)
{
	struct ollama *o = parse_state(p);
	yyjson_val *function = yyjson_obj_get(item, "function");
	struct tool_call call = {.id = json_text_at(item, "id"),
	                         .name = json_text_at(function, "name")};
	struct buf id;

	buf_init(&id, CALL_ID_MAX);
	buf_add(&id, parse_options(p)->correlation);
	buf_print(&id, "-call-%u", ++o->calls);
	if (call.id.len == 0)
		call.id = buf_text(&id);
	speak_call(p, NULL, &call, yyjson_obj_get(function, "arguments"));
	buf_finish(&id);
}

static void ollama_tell_calls(struct parse *p, yyjson_val *list)
{
	yyjson_arr_iter items;
	yyjson_val *item;

	yyjson_arr_iter_init(list, &items);
	while ((item = yyjson_arr_iter_next(&items)))
		tell_call(p, item);
}

static void tell_words(struct parse *p, const char *type, struct text words)
{
	if (words.len)
		speak_words(p, NULL, type, words);
}

static void ollama_finish(struct parse *p, yyjson_val *line)
{
	struct speak_usage usage = {
		.input = speak_count(line, "prompt_eval_count"),
		.output = speak_count(line, "eval_count"),
		.model = parse_agent(p),
		.cost = -1,
	};
	struct text reason = json_text_at(line, "done_reason");

	if (reason.len == 0)
		reason = TEXT("stop");
	if (yyjson_obj_get(line, "prompt_eval_count") || yyjson_obj_get(line, "eval_count"))
		speak_usage(p, NULL, &usage);
	parse_set_stop(p, reason);
	parse_complete(p, true, reason);
}

static void ollama_take(struct parse *p, const struct parse_event *event)
{
	yyjson_val *line = parse_json(p, event->data);
	yyjson_val *message = yyjson_obj_get(line, "message");
	yyjson_val *error = yyjson_obj_get(line, "error");

	if (line && !yyjson_is_obj(line))
		parse_bad(p, "a line that is not an object");
	if (!yyjson_is_obj(line))
		return;
	if (error) {
		ollama_fail(p, error);
		return;
	}
	parse_set_agent(p, json_text_at(line, "model"));
	tell_words(p, "thinking", json_text_at(message ? message : line, "thinking"));
	tell_words(p, "text_delta",
	           message ? json_text_at(message, "content") : json_text_at(line, "response"));
	ollama_tell_calls(p, yyjson_obj_get(message, "tool_calls"));
	if (yyjson_get_bool(yyjson_obj_get(line, "done")))
		ollama_finish(p, line);
}

const struct parse_kind parse_ollama = {
	.name = "ollama",
	.summary = "Ollama's /api/chat and /api/generate",
	.framing = FRAMING_LINES,
	.is_answer = true,
	.size = sizeof(struct ollama),
	.event = ollama_take,
};
