/* opencode.c - what `opencode run --format json` prints: a line for each part.
 *
 * Texts, thoughts and tools come when they are complete.  A step is one request to the
 * model; the session ends with the program.
 */
#include <stdlib.h>

#include "parse/kinds.h"
#include "parse/speak.h"
#include "signal/json.h"

struct opencode {
	char *words;   /* the agent's last */
	char *trouble; /* the last error */
	bool acts;
};

static struct text text_at(yyjson_val *object, const char *key)
{
	return json_text(yyjson_obj_get(object, key));
}

static void set_word(char **word, struct text value)
{
	free(*word);
	*word = text_dup(value);
}

static void begin_step(struct parse *p, yyjson_val *line)
{
	struct opencode *o = parse_state(p);

	if (!o->acts)
		speak_state(p, NULL, "idle", "acting", TEXT("step started"));
	o->acts = true;
}

static void take_text(struct parse *p, yyjson_val *line)
{
	struct opencode *o = parse_state(p);
	struct text words = text_at(yyjson_obj_get(line, "part"), "text");

	if (words.len == 0)
		return;
	set_word(&o->words, words);
	speak_words(p, NULL, "text_delta", words);
}

static void take_thought(struct parse *p, yyjson_val *line)
{
	struct text words = text_at(yyjson_obj_get(line, "part"), "text");

	if (words.len)
		speak_words(p, NULL, "thinking", words);
}

static void take_tool(struct parse *p, yyjson_val *line)
{
	yyjson_val *part = yyjson_obj_get(line, "part"), *state = yyjson_obj_get(part, "state");
	struct call call = {.id = text_at(part, "callID"), .name = text_at(part, "tool")};
	bool good = text_is(text_at(state, "status"), "completed");

	speak_call(p, NULL, &call, yyjson_obj_get(state, "input"));
	speak_result(p, NULL, &call, good, yyjson_obj_get(state, good ? "output" : "error"));
}

static void end_step(struct parse *p, yyjson_val *line)
{
	yyjson_val *part = yyjson_obj_get(line, "part"), *tokens = yyjson_obj_get(part, "tokens");
	yyjson_val *cache = yyjson_obj_get(tokens, "cache");
	struct speak_usage usage = {
		.input = speak_count(tokens, "input"),
		.output = speak_count(tokens, "output"),
		.reasoning = speak_count(tokens, "reasoning"),
		.cache_read = speak_count(cache, "read"),
		.cache_write = speak_count(cache, "write"),
		.cost = -1,
	};

	json_number(yyjson_obj_get(part, "cost"), &usage.cost);
	if (yyjson_is_obj(tokens))
		speak_usage(p, NULL, &usage);
	parse_set_stop(p, text_at(part, "reason"));
}

static void take_error(struct parse *p, yyjson_val *line)
{
	struct opencode *o = parse_state(p);
	yyjson_val *error = yyjson_obj_get(line, "error");
	struct text words = text_at(yyjson_obj_get(error, "data"), "message");

	set_word(&o->trouble, words.len ? words : text_at(error, "name"));
	speak_other(p, NULL, line);
}

static const struct {
	const char *name;
	void (*take)(struct parse *p, yyjson_val *line);
} kinds[] = {
	{"step_start", begin_step},
	{"text", take_text},
	{"reasoning", take_thought},
	{"tool_use", take_tool},
	{"step_finish", end_step},
	{"error", take_error},
	{0},
};

static void take(struct parse *p, const struct parse_event *event)
{
	yyjson_val *line = parse_json(p, event->data);
	size_t i = 0;

	if (line && !yyjson_is_obj(line))
		parse_bad(p, "a line that is not an object");
	if (!yyjson_is_obj(line))
		return;
	if (parse_options(p)->agent.len == 0)
		parse_set_agent(p, TEXT("opencode"));
	parse_set_correlation(p, text_at(line, "sessionID"));
	while (kinds[i].name && !text_is(text_at(line, "type"), kinds[i].name))
		i++;
	if (kinds[i].name)
		kinds[i].take(p, line);
	else
		speak_other(p, NULL, line);
}

/* The model stopped for good where it did not stop to call tools. */
static void end(struct parse *p)
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

static void destroy(struct parse *p)
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
	.event = take,
	.end = end,
	.finish = destroy,
};
