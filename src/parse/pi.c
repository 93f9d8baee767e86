/* pi.c - what `pi --mode json` prints: a line for each event of an agent.
 *
 * A message is told as it grows; one of which nothing was told is told at its end.  An
 * agent that ended may begin again, to try once more, so the session ends with the
 * program.
 */
#include <stdlib.h>

#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/printed.h"
#include "parse/speak.h"

struct pi {
	char *words, *stop, *trouble; /* of the agent's last message */
	bool has_spoken;              /* in the message that grows */
	bool has_ended;
};

static void pi_set_word(char **word, struct text value)
{
	free(*word);
	*word = value.len ? text_dup(value) : NULL;
}

/* --- the agent ------------------------------------------------------------------- */

static void pi_take_session(struct parse *p, yyjson_val *line)
{
	parse_set_correlation(p, json_text_at(line, "id"));
}

static void pi_begin_agent(struct parse *p, yyjson_val *line)
{
	struct pi *s = parse_state(p);

	s->has_ended = false;
	speak_state(p, NULL, "idle", "acting", TEXT("agent started"));
}

static void end_agent(struct parse *p, yyjson_val *line)
{
	struct pi *s = parse_state(p);

	s->has_ended = true;
	speak_state(p, NULL, "acting", s->trouble ? "error" : "done", TEXT("agent finished"));
}

/* --- messages -------------------------------------------------------------------- */

static void begin_message(struct parse *p, yyjson_val *line)
{
	struct pi *s = parse_state(p);

	s->has_spoken = false;
}

/* A piece of the input of a call; the call is named in what there is of the message. */
static void pi_grow_call(struct parse *p, yyjson_val *event)
{
	yyjson_val *content = yyjson_obj_get(yyjson_obj_get(event, "partial"), "content");
	yyjson_val *block = yyjson_arr_get(content, speak_count(event, "contentIndex"));
	struct tool_call call = {.id = json_text_at(block, "id"),
	                         .name = json_text_at(block, "name")};
	struct text piece = json_text_at(event, "delta");

	if (piece.len && call.id.len)
		speak_call_piece(p, NULL, &call, piece);
}

static void grow_message(struct parse *p, yyjson_val *line)
{
	struct pi *s = parse_state(p);
	yyjson_val *event = yyjson_obj_get(line, "assistantMessageEvent");
	struct text type = json_text_at(event, "type"), piece = json_text_at(event, "delta");
	bool is_words = text_is(type, "text_delta");

	if (text_is(type, "toolcall_delta")) {
		pi_grow_call(p, event);
	} else if (piece.len && (is_words || text_is(type, "thinking_delta"))) {
		s->has_spoken = true;
		speak_words(p, NULL, is_words ? "text_delta" : "thinking", piece);
	}
}

static void pi_say_block(struct parse *p, yyjson_val *block)
{
	struct pi *s = parse_state(p);
	struct text words = json_text_at(block, "text"), thought = json_text_at(block, "thinking");

	if (thought.len && !s->has_spoken)
		speak_words(p, NULL, "thinking", thought);
	if (words.len == 0)
		return;
	pi_set_word(&s->words, words);
	if (!s->has_spoken)
		speak_words(p, NULL, "text_delta", words);
}

static void pi_tell_usage(struct parse *p, yyjson_val *message)
{
	yyjson_val *counts = yyjson_obj_get(message, "usage");
	struct speak_usage usage = {
		.input = speak_count(counts, "input"),
		.output = speak_count(counts, "output"),
		.cache_read = speak_count(counts, "cacheRead"),
		.cache_write = speak_count(counts, "cacheWrite"),
		.model = json_text_at(message, "model"),
		.cost = -1,
	};

	json_number(yyjson_obj_get(yyjson_obj_get(counts, "cost"), "total"), &usage.cost);
	if (yyjson_is_obj(counts))
		speak_usage(p, NULL, &usage);
}

static void end_answer(struct parse *p, yyjson_val *message)
{
	struct pi *s = parse_state(p);
	yyjson_arr_iter blocks;
	yyjson_val *block;

	yyjson_arr_iter_init(yyjson_obj_get(message, "content"), &blocks);
	while ((block = yyjson_arr_iter_next(&blocks)))
		pi_say_block(p, block);
	pi_tell_usage(p, message);
	pi_set_word(&s->stop, json_text_at(message, "stopReason"));
	pi_set_word(&s->trouble, json_text_at(message, "errorMessage"));
	if (text_of(s->stop).len && !s->trouble &&
	    (text_is(text_of(s->stop), "error") || text_is(text_of(s->stop), "aborted")))
		pi_set_word(&s->trouble, text_of(s->stop));
}

/* What people said: a text, or blocks of it. */
static void pi_tell_task(struct parse *p, yyjson_val *content)
{
	struct text words = json_text(content);

	if (words.len == 0)
		words = json_text_at(yyjson_arr_get_first(content), "text");
	speak_task(p, words);
}

static void end_message(struct parse *p, yyjson_val *line)
{
	yyjson_val *message = yyjson_obj_get(line, "message");
	struct text role = json_text_at(message, "role");

	if (text_is(role, "assistant"))
		end_answer(p, message);
	else if (text_is(role, "user"))
		pi_tell_task(p, yyjson_obj_get(message, "content"));
	else if (!text_is(role, "toolResult")) /* told when the tool ended */
		speak_other(p, NULL, line);
}

/* --- tools ----------------------------------------------------------------------- */

static struct tool_call pi_call_of(yyjson_val *line)
{
	return (struct tool_call){.id = json_text_at(line, "toolCallId"),
	                          .name = json_text_at(line, "toolName")};
}

static void pi_begin_tool(struct parse *p, yyjson_val *line)
{
	struct tool_call call = pi_call_of(line);

	speak_call(p, NULL, &call, yyjson_obj_get(line, "args"));
}

static void end_tool(struct parse *p, yyjson_val *line)
{
	struct tool_call call = pi_call_of(line);

	speak_result(p, NULL, &call, !yyjson_get_bool(yyjson_obj_get(line, "isError")),
	             yyjson_obj_get(line, "result"));
}

/* --- lines ----------------------------------------------------------------------- */

static void pi_say_nothing(struct parse *p, yyjson_val *line)
{
}

static const struct printed_kind kinds[] = {
	{"session", pi_take_session},
	{"agent_start", pi_begin_agent},
	{"agent_end", end_agent},
	{"message_start", begin_message},
	{"message_update", grow_message},
	{"message_end", end_message},
	{"tool_execution_start", pi_begin_tool},
	{"tool_execution_end", end_tool},
	/* Told by others, or only how far it is. */
	{"turn_start", pi_say_nothing},
	{"turn_end", pi_say_nothing},
	{"tool_execution_update", pi_say_nothing},
	{0},
};

static void pi_take(struct parse *p, const struct parse_event *event)
{
	yyjson_val *line = printed_read(p, event, "pi");

	if (line)
		printed_give(p, kinds, line);
}

static void pi_end(struct parse *p)
{
	struct pi *s = parse_state(p);

	if (!s->has_ended)
		return;
	parse_set_stop(p, text_of(s->stop));
	if (s->trouble)
		parse_fail(p, text_of(s->stop), text_of(s->trouble));
	else
		parse_complete(p, true, text_of(s->words));
}

static void pi_destroy(struct parse *p)
{
	struct pi *s = parse_state(p);

	free(s->words);
	free(s->stop);
	free(s->trouble);
}

const struct parse_kind parse_pi = {
	.name = "pi",
	.summary = "pi --mode json",
	.framing = FRAMING_LINES,
	.is_answer = true,
	.size = sizeof(struct pi),
	.event = pi_take,
	.end = pi_end,
	.finish = pi_destroy,
};
