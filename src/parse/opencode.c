/* opencode.c - what `opencode run --format json` prints: a line for each part.
 *
 * Texts, thoughts and tools come when they are complete.  A step is one request to the
 * model; the session ends with the program.
 */
#include <stdlib.h>

#include "parse/kinds.h"
#include "parse/printed.h"
#include "parse/speak.h"

struct opencode {
	char *words;   /* the agent's last */
	char *trouble; /* the last error */
	bool acts;
};

static void begin_step(struct parse *p, yyjson_val *line)
{
	struct opencode *o = parse_state(p);

	if (!o->acts)
		speak_state(p, NULL, "idle", "acting", TEXT("step started"));
	o->acts = true;
}

static void opencode_take_text(struct parse *p, yyjson_val *line)
{
	struct opencode *o = parse_state(p);
	struct text words = json_text_at(yyjson_obj_get(line, "part"), "text");

	if (words.len == 0)
		return;
	printed_set(&o->words, words);
	speak_words(p, NULL, "text_delta", words);
}

static void opencode_take_thought(struct parse *p, yyjson_val *line)
{
	struct text words = json_text_at(yyjson_obj_get(line, "part"), "text");

	if (words.len)
		speak_words(p, NULL, "thinking", words);
}

static void opencode_take_tool(struct parse *p, yyjson_val *line)
{
	yyjson_val *part = yyjson_obj_get(line, "part"), *state = yyjson_obj_get(part, "state");
	struct tool_call call = {.id = json_text_at(part, "callID"),
	                         .name = json_text_at(part, "tool")};
	bool good = text_is(json_text_at(state, "status"), "completed");

	speak_call(p, NULL, &call, yyjson_obj_get(state, "input"));
	speak_result(p, NULL, &call, good, yyjson_obj_get(state, good ? "output" : "error"));
}

static void end_step(struct parse *p, yyjson_val *line)
{
	yyjson_val *part = yyjson_obj_get(line, "part"), *tokens = yyjson_obj_get(part, "tokens");
	yyjson_val *cache = yyjson_obj_get(tokens, "cache");
	struct speak_usage usage = {
		.input = speak_count(tokens, "input"),
		/* It counts thoughts apart from the rest of what it wrote. */
		.output = speak_count(tokens, "output") + speak_count(tokens, "reasoning"),
		.reasoning = speak_count(tokens, "reasoning"),
		.cache_read = speak_count(cache, "read"),
		.cache_write = speak_count(cache, "write"),
		.response = json_text_at(part, "id"),
		.cost = -1,
	};

	json_number(yyjson_obj_get(part, "cost"), &usage.cost);
	if (yyjson_is_obj(tokens))
		speak_usage(p, NULL, &usage);
	parse_set_stop(p, json_text_at(part, "reason"));
}

static void opencode_take_error(struct parse *p, yyjson_val *line)
{
	struct opencode *o = parse_state(p);
	yyjson_val *error = yyjson_obj_get(line, "error");
	struct text words = json_text_at(yyjson_obj_get(error, "data"), "message");

	printed_set(&o->trouble, words.len ? words : json_text_at(error, "name"));
	speak_other(p, NULL, line);
}

static const struct printed_kind kinds[] = {
	{"step_start", begin_step},
	{"text", opencode_take_text},
	{"reasoning", opencode_take_thought},
	{"tool_use", opencode_take_tool},
	{"step_finish", end_step},
	{"error", opencode_take_error},
	{0},
};

static void opencode_take(struct parse *p, const struct parse_event *event)
{
	yyjson_val *line = printed_read(p, event, "opencode");

	if (line)
		parse_set_correlation(p, json_text_at(line, "sessionID"));
	if (line)
		printed_give(p, kinds, line);
}

/* The model stopped for good where it did not stop to call tools. */
static void opencode_end(struct parse *p)
{
	struct opencode *o = parse_state(p);
	struct text stop = parse_stop(p);

	if (!o->trouble && (stop.len == 0 || text_is(stop, "tool-calls")))
		return;
	if (o->acts)
		speak_state(p, NULL, "acting", o->trouble ? "error" : "done",
		            TEXT("session finished"));
	if (o->trouble)
		parse_fail(p, TEXT("error"), text_of(o->trouble));
	else
		parse_complete(p, true, text_of(o->words));
}

static void opencode_destroy(struct parse *p)
{
	struct opencode *o = parse_state(p);

	free(o->words);
	free(o->trouble);
}

const struct parse_kind parse_opencode = {
	.name = "opencode",
	.summary = "opencode run --format json",
	.framing = FRAMING_LINES,
	.is_answer = true,
	.size = sizeof(struct opencode),
	.event = opencode_take,
	.end = opencode_end,
	.finish = opencode_destroy,
};
