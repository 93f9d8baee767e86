/* claude_stream.c - what `claude -p --output-format stream-json` prints: a line each.
 * Qwen Code, Amp and Cursor print the same, or nearly so.
 *
 * An assistant's message is a line for each of its blocks.  With
 * --include-partial-messages the API's own events come as well, and before: then
 * the words are told from these, and the lines of that message are passed over.
 *
 * A result ends a turn, not the session: work in the background may begin another
 * one.  So a turn ends in a change of state, and the stream in the completion.
 */
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "parse/blocks.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "signal/json.h"

/* Subagents that are remembered at the same time; the oldest gives way. */
#define AGENTS_MAX 32

/* The main agent has no parent; a subagent works for the call of another. */
struct agent {
	char *parent;
	char *name, *id;
	char *message; /* the one whose events were seen */
	struct blocks blocks;
};

struct claude {
	struct agent *agents[AGENTS_MAX];
	unsigned agent_count; /* ever seen */
	char *model;
	char *result, *stop; /* of the last turn, while none is under way */
	double cost;         /* of the session so far */
	const char *state;
};

static void claude_stream_set_word(char **word, struct text value)
{
	if (value.len == 0 || (*word && text_is(value, *word)))
		return;
	free(*word);
	*word = text_dup(value);
}

static void forget_word(char **word)
{
	free(*word);
	*word = NULL;
}

/* --- who speaks ------------------------------------------------------------------ */

static void agent_destroy(struct agent *agent)
{
	if (!agent)
		return;
	free(agent->parent);
	free(agent->name);
	free(agent->id);
	free(agent->message);
	blocks_finish(&agent->blocks);
	free(agent);
}

/* The main agent stands first and stays. */
static struct agent **slot_for(struct claude *c, struct text parent)
{
	if (parent.len == 0)
		return &c->agents[0];
	return &c->agents[1 + c->agent_count++ % (AGENTS_MAX - 1)];
}

static struct agent *claude_stream_agent_of(struct claude *c, struct text parent)
{
	struct agent **slot;

	for (unsigned i = 0; i < AGENTS_MAX; i++)
		if (c->agents[i] && text_is(parent, c->agents[i]->parent))
			return c->agents[i];
	slot = slot_for(c, parent);
	agent_destroy(*slot);
	*slot = must_zero(1, sizeof(**slot));
	(*slot)->parent = text_dup(parent);
	return *slot;
}

static struct speaker speaker_of(const struct agent *agent)
{
	struct speaker who = {
		.agent = text_of(agent->name),
		.id = text_of(agent->id),
		.parent = text_of(agent->parent),
	};

	if (who.parent.len && who.agent.len == 0)
		who.agent = TEXT("subagent");
	return who;
}

/* Who a line is from. */
static struct agent *agent_at(struct claude *c, yyjson_val *line)
{
	struct agent *agent = claude_stream_agent_of(c, json_text_at(line, "parent_tool_use_id"));

	if (agent->parent[0]) {
		claude_stream_set_word(&agent->name, json_text_at(line, "subagent_type"));
		claude_stream_set_word(&agent->id, json_text_at(line, "agent_id"));
	}
	return agent;
}

/* --- turns ----------------------------------------------------------------------- */

static void claude_stream_change_state(struct parse *p, const char *to, const char *reason)
{
	struct claude *c = parse_state(p);
	const char *from = c->state ? c->state : "idle";

	if (strcmp(from, to) == 0)
		return;
	speak_state(p, NULL, from, to, text_of(reason));
	c->state = to;
}

static void begin_turn(struct parse *p)
{
	struct claude *c = parse_state(p);

	forget_word(&c->result);
	forget_word(&c->stop);
	claude_stream_change_state(p, "acting", "turn started");
}

/* A subagent in the background may talk on when the turn is over. */
static void claude_stream_hear(struct parse *p, const struct agent *agent)
{
	if (!agent->parent[0])
		begin_turn(p);
}

static uint64_t window_of(const struct claude *c, yyjson_val *line)
{
	yyjson_val *models = yyjson_obj_get(line, "modelUsage");

	return c->model ? speak_count(yyjson_obj_get(models, c->model), "contextWindow") : 0;
}

static void claude_stream_tell_usage(struct parse *p, yyjson_val *line)
{
	struct claude *c = parse_state(p);
	yyjson_val *counts = yyjson_obj_get(line, "usage");
	struct speak_usage usage = speak_usage_of(counts);
	double cost;

	usage.model = text_of(c->model);
	usage.window = window_of(c, line);
	/* The cost is the session's; it is told to a millionth of a cent. */
	if (json_number(yyjson_obj_get(line, "total_cost_usd"), &cost) && cost >= c->cost) {
		usage.cost = round((cost - c->cost) * 1e8) / 1e8;
		c->cost = cost;
	}
	if (counts || usage.cost >= 0)
		speak_usage(p, NULL, &usage);
}

static void fail_turn(struct parse *p, yyjson_val *line)
{
	struct text code = json_text_at(line, "subtype");
	struct text words = json_text_at(line, "result");

	if (words.len == 0)
		words = json_text(yyjson_arr_get_first(yyjson_obj_get(line, "errors")));
	if (words.len == 0)
		words = code;
	if (code.len == 0 || text_is(code, "success"))
		code = TEXT("api_error");
	claude_stream_change_state(p, "error", "turn failed");
	parse_fail(p, code, words.len ? words : TEXT("the turn failed"));
}

static void claude_stream_take_result(struct parse *p, yyjson_val *line)
{
	struct claude *c = parse_state(p);
	struct text subtype = json_text_at(line, "subtype");

	begin_turn(p);
	claude_stream_tell_usage(p, line);
	if (yyjson_get_bool(yyjson_obj_get(line, "is_error")) ||
	    text_starts(subtype, TEXT("error"))) {
		fail_turn(p, line);
		return;
	}
	c->result = text_dup(json_text_at(line, "result"));
	claude_stream_set_word(&c->stop, json_text_at(line, "stop_reason"));
	claude_stream_change_state(p, "done", "turn finished");
}

/* --- messages -------------------------------------------------------------------- */

/* What they say comes with the result. */
static bool is_about_message(struct text type)
{
	return text_is(type, "message_delta") || text_is(type, "message_stop") ||
	       text_is(type, "ping");
}

static void claude_stream_take_event(struct parse *p, yyjson_val *line)
{
	struct claude *c = parse_state(p);
	yyjson_val *event = yyjson_obj_get(line, "event");
	struct text type = json_text_at(event, "type");
	struct agent *agent = agent_at(c, line);
	struct speaker who = speaker_of(agent);

	claude_stream_hear(p, agent);
	if (text_is(type, "message_start")) {
		claude_stream_set_word(&agent->message,
		                       json_text_at(yyjson_obj_get(event, "message"), "id"));
		blocks_forget_open(&agent->blocks);
	} else if (text_is(type, "content_block_start")) {
		blocks_start(&agent->blocks, p, &who, event);
	} else if (text_is(type, "content_block_delta")) {
		blocks_grow(&agent->blocks, p, &who, event);
	} else if (text_is(type, "content_block_stop")) {
		blocks_stop(&agent->blocks, p, &who, event);
	} else if (!is_about_message(type)) {
		speak_other(p, &who, event);
	}
}

/* A call that starts a subagent says what kind it is. */
static void note_subagent(struct claude *c, yyjson_val *block)
{
	struct text kind = json_text_at(yyjson_obj_get(block, "input"), "subagent_type");
	struct text id = json_text_at(block, "id");

	if (kind.len && id.len)
		claude_stream_set_word(&claude_stream_agent_of(c, id)->name, kind);
}

static void claude_stream_take_assistant(struct parse *p, yyjson_val *line)
{
	struct claude *c = parse_state(p);
	yyjson_val *message = yyjson_obj_get(line, "message");
	struct agent *agent = agent_at(c, line);
	struct text id = json_text_at(message, "id");
	bool told = id.len && agent->message && text_is(id, agent->message);
	yyjson_arr_iter blocks;
	yyjson_val *block;

	claude_stream_hear(p, agent);
	yyjson_arr_iter_init(yyjson_obj_get(message, "content"), &blocks);
	while ((block = yyjson_arr_iter_next(&blocks))) {
		struct speaker who = speaker_of(agent);

		if (!told)
			blocks_whole(&agent->blocks, p, &who, block);
		if (text_is(json_text_at(block, "type"), "tool_use"))
			note_subagent(c, block);
	}
}

/* --- what is said to the agents ---------------------------------------------------- */

/* Messages that the program writes to itself are no people's. */
static bool is_by_people(yyjson_val *line, struct text words)
{
	return !yyjson_get_bool(yyjson_obj_get(line, "isSynthetic")) &&
	       !yyjson_get_bool(yyjson_obj_get(line, "isMeta")) &&
	       !text_starts(words, TEXT("<task-notification>"));
}

static void tell_task(struct parse *p, struct text task, struct text from, struct text to,
                      struct text words)
{
	parse_begin(p, "task_dispatch");
	make_text(&p->make, "taskId", task);
	make_text(&p->make, "from", from);
	make_text(&p->make, "to", to);
	make_given(&p->make, "description", words);
	parse_give(p);
}

/* What a subagent is told was told when its task started. */
static void take_words(struct parse *p, yyjson_val *line, struct agent *agent, struct text words)
{
	if (words.len == 0 || agent->parent[0])
		return;
	if (is_by_people(line, words))
		tell_task(p, parse_options(p)->correlation, TEXT("user"), parse_agent(p), words);
	else
		speak_other(p, NULL, line);
}

static void take_user(struct parse *p, yyjson_val *line)
{
	yyjson_val *content = yyjson_obj_get(yyjson_obj_get(line, "message"), "content");
	struct agent *agent = agent_at(parse_state(p), line);
	struct speaker who = speaker_of(agent);
	yyjson_arr_iter blocks;
	yyjson_val *block;

	claude_stream_hear(p, agent);
	take_words(p, line, agent, json_text(content));
	yyjson_arr_iter_init(content, &blocks);
	while ((block = yyjson_arr_iter_next(&blocks))) {
		if (text_is(json_text_at(block, "type"), "tool_result"))
			blocks_result(&agent->blocks, p, &who, block);
		else
			take_words(p, line, agent, json_text_at(block, "text"));
	}
}

/* --- the program itself ---------------------------------------------------------- */

static void take_init(struct parse *p, yyjson_val *line)
{
	struct claude *c = parse_state(p);

	claude_stream_set_word(&c->model, json_text_at(line, "model"));
	begin_turn(p);
}

static void take_task_start(struct parse *p, yyjson_val *line)
{
	struct agent *agent =
		claude_stream_agent_of(parse_state(p), json_text_at(line, "tool_use_id"));
	struct text words = json_text_at(line, "prompt"), to = json_text_at(line, "subagent_type");

	if (words.len == 0)
		words = json_text_at(line, "description");
	if (agent->parent[0]) {
		claude_stream_set_word(&agent->name, to);
		claude_stream_set_word(&agent->id, json_text_at(line, "task_id"));
	}
	if (to.len == 0)
		to = json_text_at(line, "task_type");
	tell_task(p, json_text_at(line, "task_id"), parse_agent(p), to.len ? to : TEXT("task"),
	          words);
}

static void take_task_end(struct parse *p, yyjson_val *line)
{
	struct agent *agent =
		claude_stream_agent_of(parse_state(p), json_text_at(line, "tool_use_id"));
	struct text status = json_text_at(line, "status");
	struct speaker who = speaker_of(agent);
	const char *to = "done";

	if (text_is(status, "failed"))
		to = "error";
	else if (text_is(status, "stopped") || text_is(status, "killed"))
		to = "idle";
	if (agent->parent[0])
		speak_state(p, &who, "acting", to, status);
}

static void claude_stream_say_nothing(struct parse *p, yyjson_val *line)
{
}

struct line_kind {
	const char *name;
	void (*take)(struct parse *p, yyjson_val *line);
};

static const struct line_kind system_kinds[] = {
	{"init", take_init},
	{"task_started", take_task_start},
	{"task_notification", take_task_end},
	/* Told by others already, or only that it is still alive. */
	{"status", claude_stream_say_nothing},
	{"hook_started", claude_stream_say_nothing},
	{"hook_response", claude_stream_say_nothing},
	{"hook_progress", claude_stream_say_nothing},
	{"thinking_tokens", claude_stream_say_nothing},
	{"background_tasks_changed", claude_stream_say_nothing},
	{"task_updated", claude_stream_say_nothing},
	{"task_progress", claude_stream_say_nothing},
	{0},
};

static void take_kind(struct parse *p, yyjson_val *line, const struct line_kind *kinds,
                      const char *key)
{
	struct text name = json_text_at(line, key);

	while (kinds->name && !text_is(name, kinds->name))
		kinds++;
	if (kinds->name)
		kinds->take(p, line);
	else
		speak_other(p, NULL, line);
}

static void take_system(struct parse *p, yyjson_val *line)
{
	take_kind(p, line, system_kinds, "subtype");
}

/* Cursor tells its tools in lines of their own: {"shellToolCall":{"args":{},"result":{}}}. */
static void take_tool(struct parse *p, yyjson_val *line)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(yyjson_obj_get(line, "tool_call"));
	yyjson_val *key = yyjson_obj_iter_next(&iter);
	yyjson_val *tool = key ? yyjson_obj_iter_get_val(key) : NULL;
	yyjson_val *result = yyjson_obj_get(tool, "result");
	struct tool_call call = {.id = json_text_at(line, "call_id"), .name = json_text(key)};

	if (text_ends(call.name, TEXT("ToolCall")))
		call.name.len -= strlen("ToolCall");
	if (text_is(json_text_at(line, "subtype"), "started"))
		speak_call(p, NULL, &call, yyjson_obj_get(tool, "args"));
	else if (text_is(json_text_at(line, "subtype"), "completed"))
		speak_result(p, NULL, &call, yyjson_obj_get(result, "success") != NULL, result);
	else
		speak_other(p, NULL, line);
}

static void claude_stream_take_thought(struct parse *p, yyjson_val *line)
{
	struct text words = json_text_at(line, "text");

	if (words.len)
		speak_words(p, NULL, "thinking", words);
}

static const struct line_kind line_kinds[] = {
	{"system", take_system},
	{"stream_event", claude_stream_take_event},
	{"assistant", claude_stream_take_assistant},
	{"user", take_user},
	{"result", claude_stream_take_result},
	{"tool_progress", claude_stream_say_nothing},
	{"keep_alive", claude_stream_say_nothing},
	{"tool_call", take_tool},
	{"thinking", claude_stream_take_thought},
	{0},
};

static void claude_stream_take(struct parse *p, const struct parse_event *event)
{
	yyjson_val *line = parse_json(p, event->data);

	if (line && !yyjson_is_obj(line))
		parse_bad(p, "a line that is not an object");
	if (!yyjson_is_obj(line))
		return;
	if (parse_options(p)->agent.len == 0)
		parse_set_agent(p, TEXT("claude"));
	parse_set_correlation(p, json_text_at(line, "session_id"));
	take_kind(p, line, line_kinds, "type");
}

static void claude_stream_end(struct parse *p)
{
	struct claude *c = parse_state(p);

	if (!c->result)
		return;
	parse_set_stop(p, text_of(c->stop));
	parse_complete(p, true, text_of(c->result));
}

static void claude_stream_destroy(struct parse *p)
{
	struct claude *c = parse_state(p);

	for (unsigned i = 0; i < AGENTS_MAX; i++)
		agent_destroy(c->agents[i]);
	free(c->model);
	free(c->result);
	free(c->stop);
}

const struct parse_kind parse_claude_stream = {
	.name = "claude-stream",
	.summary = "claude -p --output-format stream-json",
	.framing = FRAMING_LINES,
	.is_answer = true,
	.size = sizeof(struct claude),
	.event = claude_stream_take,
	.end = claude_stream_end,
	.finish = claude_stream_destroy,
};
