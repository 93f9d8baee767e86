/* speak.c - the payloads that several parsers share, each written once. */
#include "parse/speak.h"

#include <math.h>

#include "parse/inside.h"
#include "signal/json.h"

/* What JSON readers keep exactly. */
#define COUNT_MAX 9007199254740991

static const struct speaker nobody;

void speak_begin(struct parse *p, const struct speaker *who, const char *type)
{
	parse_begin(p, type);
	make_text(&p->make, "agentId", who && who->agent.len ? who->agent : parse_agent(p));
}

static void end_with(struct parse *p, const struct speaker *who, struct text server)
{
	if (!who)
		who = &nobody;
	if (who->id.len || who->parent.len || server.len) {
		make_metadata(&p->make);
		make_given(&p->make, "agent_id", who->id);
		make_given(&p->make, "parent_tool_use_id", who->parent);
		make_given(&p->make, "server", server);
	}
	parse_give(p);
}

void speak_end(struct parse *p, const struct speaker *who)
{
	end_with(p, who, TEXT(""));
}

void speak_words(struct parse *p, const struct speaker *who, const char *type, struct text words)
{
	speak_begin(p, who, type);
	make_text(&p->make, "content", words);
	speak_end(p, who);
}

void speak_written(struct parse *p, const char *type, struct text words)
{
	speak_begin(p, NULL, type);
	make_key(&p->make, "content");
	buf_add(&p->out, words);
	speak_end(p, NULL);
}

void speak_task(struct parse *p, struct text words)
{
	parse_begin(p, "task_dispatch");
	make_text(&p->make, "taskId", parse_options(p)->correlation);
	make_text(&p->make, "from", TEXT("user"));
	make_text(&p->make, "to", parse_agent(p));
	make_given(&p->make, "description", words);
	parse_give(p);
}

void speak_state(struct parse *p, const struct speaker *who, const char *from, const char *to,
                 struct text reason)
{
	speak_begin(p, who, "agent_state_change");
	make_text(&p->make, "from", text_of(from));
	make_text(&p->make, "to", text_of(to));
	make_given(&p->make, "reason", reason);
	speak_end(p, who);
}

void speak_other(struct parse *p, const struct speaker *who, yyjson_val *object)
{
	parse_begin(p, "event");
	make_members(&p->make, object);
	speak_end(p, who);
}

/* --- tools ----------------------------------------------------------------------- */

static void begin_call(struct parse *p, const struct speaker *who, const struct tool_call *call,
                       const char *type)
{
	speak_begin(p, who, type);
	make_text(&p->make, "toolName", call->name.len ? call->name : TEXT("unknown"));
	make_given(&p->make, "callId", call->id);
}

void speak_call(struct parse *p, const struct speaker *who, const struct tool_call *call,
                yyjson_val *input)
{
	begin_call(p, who, call, "tool_call");
	make_object(&p->make, "input", input);
	end_with(p, who, call->server);
}

void speak_joined_call(struct parse *p, const struct speaker *who, const struct tool_call *call,
                       struct text input)
{
	begin_call(p, who, call, "tool_call");
	parse_add_input(p, "input", input);
	end_with(p, who, call->server);
}

void speak_call_piece(struct parse *p, const struct speaker *who, const struct tool_call *call,
                      struct text piece)
{
	begin_call(p, who, call, "tool_call_delta");
	make_text(&p->make, "content", piece);
	end_with(p, who, call->server);
}

void speak_result(struct parse *p, const struct speaker *who, const struct tool_call *call,
                  bool success, yyjson_val *output)
{
	begin_call(p, who, call, "tool_result");
	make_bool(&p->make, "success", success);
	make_object(&p->make, "output", output);
	end_with(p, who, call->server);
}

/* --- tokens ---------------------------------------------------------------------- */

uint64_t speak_count(yyjson_val *object, const char *key)
{
	double n;

	if (!json_number(yyjson_obj_get(object, key), &n) || !(n > 0))
		return 0;
	return n < COUNT_MAX ? (uint64_t)n : COUNT_MAX;
}

static void add_cost(struct parse *p, double cost)
{
	yyjson_val value = {0};

	if (!(cost >= 0) || !isfinite(cost))
		return;
	yyjson_set_real(&value, cost);
	make_json(&p->make, "cost", &value);
}

static void add_known(struct parse *p, const char *key, uint64_t count)
{
	if (count)
		make_u64(&p->make, key, count);
}

/* What was read from the model's own, and not from a cache. */
static uint64_t input_of(const struct speak_usage *usage)
{
	uint64_t cached = usage->cache_read + usage->cache_write + usage->cache_write_1h;

	return usage->input > cached ? usage->input - cached : 0;
}

void speak_usage(struct parse *p, const struct speaker *who, const struct speak_usage *usage)
{
	bool is_cached = usage->cache_read || usage->cache_write || usage->cache_write_1h;

	speak_begin(p, who, "token_usage");
	make_u64(&p->make, "promptTokens", usage->input);
	make_u64(&p->make, "completionTokens", usage->output);
	make_given(&p->make, "model", usage->model);
	add_cost(p, usage->cost);
	make_given(&p->make, "responseId", usage->response);
	if (usage->with_cache && is_cached)
		make_u64(&p->make, "inputTokens", input_of(usage));
	add_known(p, "cacheReadTokens", usage->cache_read);
	add_known(p, "cacheWriteTokens", usage->cache_write);
	add_known(p, "cacheWrite1hTokens", usage->cache_write_1h);
	add_known(p, "reasoningTokens", usage->reasoning);
	add_known(p, "contextTokens", usage->context);
	add_known(p, "contextWindow", usage->window);
	if (usage->fast)
		make_bool(&p->make, "fast", true);
	speak_end(p, who);
}

struct speak_usage speak_usage_of(yyjson_val *usage)
{
	yyjson_val *writes = yyjson_obj_get(usage, "cache_creation");
	yyjson_val *details = yyjson_obj_get(usage, "output_tokens_details");
	struct speak_usage counts = {
		.input = speak_count(usage, "input_tokens"),
		.output = speak_count(usage, "output_tokens"),
		.cache_read = speak_count(usage, "cache_read_input_tokens"),
		.cache_write = speak_count(usage, "cache_creation_input_tokens"),
		.cache_write_1h = speak_count(writes, "ephemeral_1h_input_tokens"),
		.reasoning = speak_count(details, "thinking_tokens"),
		.fast = text_is(json_text_at(usage, "speed"), "fast"),
		.cost = -1,
	};

	/* All that was written, of which some is for an hour. */
	if (counts.cache_write >= counts.cache_write_1h)
		counts.cache_write -= counts.cache_write_1h;
	else
		counts.cache_write = speak_count(writes, "ephemeral_5m_input_tokens");
	return counts;
}
