/* gemini.c - what `gemini -p --output-format stream-json` prints: a line for each event.
 *
 * A result ends the session, with what it cost.  A result of a tool names its call only
 * by its id, so the names of the newest calls are kept.
 */
#include <stdlib.h>

#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/printed.h"
#include "parse/speak.h"

/* Calls that are remembered at the same time; the oldest gives way. */
#define CALLS_KEPT 128

struct gemini {
	struct {
		char *id, *name;
	} calls[CALLS_KEPT];
	unsigned call_count; /* ever seen */
	struct buf words;    /* the agent's, since the last thing that was not */
	char *trouble;       /* the last error that was perhaps not the end */
};

static void gemini_begin(struct parse *p, yyjson_val *line)
{
	parse_set_correlation(p, json_text_at(line, "session_id"));
	speak_state(p, NULL, "idle", "acting", TEXT("session started"));
}

static void gemini_take_message(struct parse *p, yyjson_val *line)
{
	struct gemini *g = parse_state(p);
	struct text words = json_text_at(line, "content");

	if (text_is(json_text_at(line, "role"), "user")) {
		speak_task(p, words);
	} else if (words.len) {
		buf_add(&g->words, words);
		speak_words(p, NULL, "text_delta", words);
	}
}

static void gemini_take_call(struct parse *p, yyjson_val *line)
{
	struct gemini *g = parse_state(p);
	struct tool_call call = {.id = json_text_at(line, "tool_id"),
	                         .name = json_text_at(line, "tool_name")};
	unsigned at = g->call_count++ % CALLS_KEPT;

	printed_set(&g->calls[at].id, call.id);
	printed_set(&g->calls[at].name, call.name);
	buf_clear(&g->words);
	speak_call(p, NULL, &call, yyjson_obj_get(line, "parameters"));
}

static void gemini_take_result(struct parse *p, yyjson_val *line)
{
	struct gemini *g = parse_state(p);
	struct tool_call call = {.id = json_text_at(line, "tool_id")};
	yyjson_val *output = yyjson_obj_get(line, "output");

	for (unsigned i = 0; i < CALLS_KEPT && call.id.len; i++)
		if (g->calls[i].id && text_is(call.id, g->calls[i].id))
			call.name = text_of(g->calls[i].name);
	if (!output)
		output = yyjson_obj_get(line, "error");
	speak_result(p, NULL, &call, text_is(json_text_at(line, "status"), "success"), output);
}

static void gemini_take_error(struct parse *p, yyjson_val *line)
{
	struct gemini *g = parse_state(p);

	printed_set(&g->trouble, json_text_at(line, "message"));
	speak_other(p, NULL, line);
}

static void gemini_tell_usage(struct parse *p, yyjson_val *stats)
{
	struct speak_usage usage = {
		.input = speak_count(stats, "input_tokens"),
		.output = speak_count(stats, "output_tokens"),
		.cache_read = speak_count(stats, "cached"),
		.with_cache = true,
		.cost = -1,
	};

	if (yyjson_is_obj(stats))
		speak_usage(p, NULL, &usage);
}

static void finish_session(struct parse *p, yyjson_val *line)
{
	struct gemini *g = parse_state(p);
	yyjson_val *error = yyjson_obj_get(line, "error");
	struct text words = json_text_at(error, "message");
	bool good = text_is(json_text_at(line, "status"), "success");

	gemini_tell_usage(p, yyjson_obj_get(line, "stats"));
	speak_state(p, NULL, "acting", good ? "done" : "error", TEXT("session finished"));
	if (words.len == 0 && g->trouble)
		words = text_of(g->trouble);
	if (good)
		parse_complete(p, true, buf_text(&g->words));
	else
		parse_fail(p, json_text_at(error, "type"),
		           words.len ? words : TEXT("the session failed"));
}

static const struct printed_kind kinds[] = {
	{"init", gemini_begin},
	{"message", gemini_take_message},
	{"tool_use", gemini_take_call},
	{"tool_result", gemini_take_result},
	{"error", gemini_take_error},
	{"result", finish_session},
	{0},
};

static void gemini_take(struct parse *p, const struct parse_event *event)
{
	struct gemini *g = parse_state(p);
	yyjson_val *line = printed_read(p, event, "gemini");

	if (line && g->words.max == 0)
		buf_init(&g->words, parse_options(p)->event_max);
	if (line)
		printed_give(p, kinds, line);
}

static void gemini_end(struct parse *p)
{
	struct gemini *g = parse_state(p);

	if (g->trouble)
		parse_fail(p, TEXT("error"), text_of(g->trouble));
}

static void gemini_destroy(struct parse *p)
{
	struct gemini *g = parse_state(p);

	for (unsigned i = 0; i < CALLS_KEPT; i++) {
		free(g->calls[i].id);
		free(g->calls[i].name);
	}
	buf_finish(&g->words);
	free(g->trouble);
}

const struct parse_kind parse_gemini = {
	.name = "gemini",
	.summary = "gemini -p --output-format stream-json",
	.framing = FRAMING_LINES,
	.is_answer = true,
	.size = sizeof(struct gemini),
	.event = gemini_take,
	.end = gemini_end,
	.finish = gemini_destroy,
};
