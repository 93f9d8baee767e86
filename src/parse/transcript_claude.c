/* transcript_claude.c - the file that Claude Code keeps of a session, a line an entry.
 *
 * What is told are facts: where and with what the session works, its tokens, ends of turns, the
 * names of its tools, its plan and its files.  No words of anybody are.  Most bytes are in lines
 * that tell none of this: their type is found by stepping over members, and no tree is built.
 *
 * A response is a line for each of its blocks, and its tokens are in all of them, in some
 * versions true in the last alone: so they are told once, and again when there are more.
 * Every signal has the time of its line; lines without one have that of the line before.
 */
#include <stdlib.h>

#include "base/put.h"
#include "base/scan.h"
#include "base/utf8.h"
#include "parse/claude_work.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/speak.h"
#include "parse/time.h"

#define RESPONSES 64 /* the newest, whose lines may still come */
#define CALLS 128    /* the newest that have no result */
#define FACT_MAX 4096

enum fact { VERSION, CWD, BRANCH, MODEL, MODE, TITLE, FACTS };

static const char *const fact_names[FACTS] = {
	[VERSION] = "version", [CWD] = "cwd",   [BRANCH] = "branch",
	[MODEL] = "model",     [MODE] = "mode", [TITLE] = "title",
};

struct told_response {
	char *id;
	uint64_t output;
};

struct entry_call {
	char *id, *tool;
};

struct claude_file {
	char *facts[FACTS]; /* NULL: not known */
	bool fresh[FACTS];  /* not told yet */
	bool is_asked;      /* the title is what a person called it: no other counts */
	double cost, context;
	bool has_cost, has_context; /* not told yet */
	double at_ms;               /* of the last line that has a time; 0: none had */
	struct told_response responses[RESPONSES];
	struct entry_call calls[CALLS];
	unsigned response_count, call_count;
};

/* One line. */
struct entry {
	struct parse *p;
	struct claude_file *t;
	yyjson_val *root, *message;
	struct text subagent; /* whose line it is; empty: the session's own */
};

/* --- envelopes ----------------------------------------------------------------------- */

static struct text agent_of(const struct entry *e)
{
	struct text given = parse_options(e->p)->agent;

	if (e->subagent.len == 0)
		return TEXT("claude");
	return given.len ? given : TEXT("subagent");
}

static void entry_begin(const struct entry *e, const char *type)
{
	parse_begin_as(e->p, &(struct make_head){.type = type, .at_ms = e->t->at_ms});
}

static void entry_end(const struct entry *e)
{
	make_metadata(&e->p->make);
	make_word(&e->p->make, "from", "transcript");
	make_given(&e->p->make, "agent_id", e->subagent);
	parse_give(e->p);
}

/* --- facts --------------------------------------------------------------------------- */

static void note_fact(struct claude_file *t, enum fact which, struct text value)
{
	value = utf8_cut(value, FACT_MAX);
	if (value.len == 0 || memchr(value.at, '\0', value.len) ||
	    (t->facts[which] && text_is(value, t->facts[which])))
		return;
	free(t->facts[which]);
	t->facts[which] = text_dup(value);
	t->fresh[which] = true;
}

static void add_number(struct make *m, const char *key, double number)
{
	yyjson_val value = {0};

	yyjson_set_real(&value, number);
	make_json(m, key, &value);
}

static bool has_news(const struct claude_file *t)
{
	for (int i = 0; i < FACTS; i++)
		if (t->fresh[i])
			return true;
	return t->has_cost || t->has_context;
}

/* Without a time they wait for the first line that has one. */
static void tell_facts(const struct entry *e)
{
	struct claude_file *t = e->t;
	struct make *m = &e->p->make;

	if (!has_news(t) || t->at_ms == 0)
		return;
	entry_begin(e, "session.facts");
	make_word(m, "agentId", "claude");
	make_word(m, "harness", "claude-code");
	for (int i = 0; i < FACTS; i++)
		if (t->fresh[i])
			make_text(m, fact_names[i], text_of(t->facts[i]));
	if (t->fresh[TITLE])
		make_word(m, "titleFrom", "agent");
	if (t->has_cost)
		add_number(m, "cost", t->cost);
	if (t->has_context)
		make_u64(m, "contextUsed", (uint64_t)t->context);
	entry_end(e);
	memset(t->fresh, 0, sizeof(t->fresh));
	t->has_cost = t->has_context = false;
}

static void note_common(const struct entry *e)
{
	struct text branch = json_text_at(e->root, "gitBranch");

	if (e->subagent.len)
		return;
	note_fact(e->t, VERSION, json_text_at(e->root, "version"));
	note_fact(e->t, CWD, json_text_at(e->root, "cwd"));
	if (!text_is(branch, "HEAD"))
		note_fact(e->t, BRANCH, branch);
	note_fact(e->t, MODE, json_text_at(e->root, "permissionMode"));
}

/* --- tokens -------------------------------------------------------------------------- */

/* True: it is new, or has more than was told of it. */
static bool note_response(struct claude_file *t, struct text id, uint64_t output)
{
	struct told_response *slot;

	for (unsigned i = 0; i < RESPONSES; i++) {
		slot = &t->responses[i];
		if (slot->id && text_is(id, slot->id)) {
			bool is_more = output > slot->output;

			slot->output = is_more ? output : slot->output;
			return is_more;
		}
	}
	slot = &t->responses[t->response_count++ % RESPONSES];
	free(slot->id);
	*slot = (struct told_response){text_dup(id), output};
	return true;
}

static void entry_add_count(struct make *m, const char *key, uint64_t count)
{
	if (count)
		make_u64(m, key, count);
}

static void tell_usage(const struct entry *e, yyjson_val *usage)
{
	yyjson_val *details = yyjson_obj_get(usage, "output_tokens_details");
	yyjson_val *writes = yyjson_obj_get(usage, "cache_creation");
	uint64_t input = speak_count(usage, "input_tokens");
	uint64_t read = speak_count(usage, "cache_read_input_tokens");
	uint64_t written = speak_count(usage, "cache_creation_input_tokens");
	uint64_t hour = speak_count(writes, "ephemeral_1h_input_tokens");
	struct make *m = &e->p->make;

	entry_begin(e, "token_usage");
	make_text(m, "agentId", agent_of(e));
	make_u64(m, "promptTokens", input);
	make_u64(m, "completionTokens", speak_count(usage, "output_tokens"));
	make_given(m, "model", json_text_at(e->message, "model"));
	make_text(m, "responseId", json_text_at(e->message, "id"));
	entry_add_count(m, "cacheReadTokens", read);
	entry_add_count(m, "cacheWriteTokens", written > hour ? written - hour : 0);
	entry_add_count(m, "cacheWrite1hTokens", hour);
	entry_add_count(m, "reasoningTokens", speak_count(details, "thinking_tokens"));
	if (e->subagent.len == 0)
		entry_add_count(m, "contextTokens", input + read + written);
	if (text_is(json_text_at(usage, "speed"), "fast"))
		make_bool(m, "fast", true);
	entry_end(e);
}

/* --- tools --------------------------------------------------------------------------- */

static void free_call(struct entry_call *call)
{
	free(call->id);
	free(call->tool);
	*call = (struct entry_call){NULL, NULL};
}

static void note_call(struct claude_file *t, struct text id, struct text tool)
{
	struct entry_call *slot = &t->calls[t->call_count++ % CALLS];

	free_call(slot);
	*slot = (struct entry_call){text_dup(id), text_dup(tool)};
}

static struct entry_call *find_call(struct claude_file *t, struct text id)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (t->calls[i].id && text_is(id, t->calls[i].id))
			return &t->calls[i];
	return NULL;
}

/* What it is about, and none of its words. */
static void add_target(struct make *m, yyjson_val *input)
{
	static const char *const paths[] = {"file_path", "notebook_path", "path", NULL};
	struct buf target;

	buf_init(&target, 32 * KIB);
	put_object(&target, NULL);
	for (const char *const *name = paths; *name && target.len == 1; name++) {
		struct text path = json_text_at(input, *name);

		if (path.len && path.len <= FACT_MAX)
			put_text(&target, *name, path);
	}
	put_end(&target);
	if (target.len > 2)
		make_raw(m, "input", buf_text(&target));
	buf_finish(&target);
}

static void tell_work(const struct entry *e, const struct claude_use *use)
{
	const char *type = claude_work_type(use);

	if (!type)
		return;
	entry_begin(e, type);
	claude_work_add(use, &e->p->make);
	entry_end(e);
}

static void take_tool_use(const struct entry *e, yyjson_val *block)
{
	const struct claude_use use = {.tool = json_text_at(block, "name"),
	                               .agent = agent_of(e),
	                               .call = json_text_at(block, "id"),
	                               .input = yyjson_obj_get(block, "input")};
	struct make *m = &e->p->make;

	if (use.tool.len == 0 || use.call.len == 0 || find_call(e->t, use.call))
		return;
	note_call(e->t, use.call, use.tool);
	entry_begin(e, "tool_call");
	make_text(m, "toolName", use.tool);
	make_text(m, "agentId", use.agent);
	make_text(m, "callId", use.call);
	add_target(m, use.input);
	entry_end(e);
	tell_work(e, &use); /* a plan: all of it is in what the tool is given */
}

static void take_tool_result(const struct entry *e, yyjson_val *block)
{
	struct text id = json_text_at(block, "tool_use_id");
	struct entry_call *call = find_call(e->t, id);
	yyjson_val *result = yyjson_obj_get(e->root, "toolUseResult");
	struct make *m = &e->p->make;
	struct claude_use use;

	if (!call)
		return;
	/* A task is in what the tool gave back. */
	use = (struct claude_use){.tool = text_of(call->tool),
	                          .agent = agent_of(e),
	                          .call = id,
	                          .input = yyjson_obj_get(result, "task"),
	                          .result = result};
	entry_begin(e, "tool_result");
	make_text(m, "toolName", use.tool);
	make_text(m, "agentId", use.agent);
	make_bool(m, "success", !yyjson_is_true(yyjson_obj_get(block, "is_error")));
	make_text(m, "callId", id);
	entry_end(e);
	if (!yyjson_is_true(yyjson_obj_get(block, "is_error")))
		tell_work(e, &use);
	free_call(call);
}

/* --- turns --------------------------------------------------------------------------- */

static void tell_turn(const struct entry *e, const char *state)
{
	if (e->subagent.len)
		return;
	entry_begin(e, "session.turn");
	make_word(&e->p->make, "state", state);
	make_word(&e->p->make, "agentId", "claude");
	entry_end(e);
}

static bool is_interruption(struct text words)
{
	return text_starts(words, TEXT("[Request interrupted by user"));
}

/* --- lines --------------------------------------------------------------------------- */

static void take_user(const struct entry *e)
{
	yyjson_val *content = yyjson_obj_get(e->message, "content"), *block;
	yyjson_arr_iter iter = yyjson_arr_iter_with(content);
	bool is_interrupted = is_interruption(json_text(content));

	while ((block = yyjson_arr_iter_next(&iter))) {
		if (text_is(json_text_at(block, "type"), "tool_result"))
			take_tool_result(e, block);
		is_interrupted = is_interrupted || is_interruption(json_text_at(block, "text"));
	}
	if (is_interrupted)
		tell_turn(e, "interrupted");
}

static void take_assistant(const struct entry *e)
{
	yyjson_val *usage = yyjson_obj_get(e->message, "usage"), *block;
	struct text model = json_text_at(e->message, "model");
	struct text id = json_text_at(e->message, "id");
	yyjson_arr_iter iter = yyjson_arr_iter_with(yyjson_obj_get(e->message, "content"));

	if (text_is(model, "<synthetic>"))
		return;
	if (e->subagent.len == 0)
		note_fact(e->t, MODEL, model);
	tell_facts(e);
	while ((block = yyjson_arr_iter_next(&iter)))
		if (text_is(json_text_at(block, "type"), "tool_use"))
			take_tool_use(e, block);
	if (id.len && id.len <= FACT_MAX && yyjson_is_obj(usage) &&
	    note_response(e->t, id, speak_count(usage, "output_tokens")))
		tell_usage(e, usage);
}

static void take_system(const struct entry *e)
{
	struct text subtype = json_text_at(e->root, "subtype");
	yyjson_val *compact = yyjson_obj_get(e->root, "compactMetadata");
	uint64_t after = speak_count(compact, "postTokens");

	if (text_is(subtype, "turn_duration"))
		tell_turn(e, "over");
	if (text_is(subtype, "compact_boundary") && after && e->subagent.len == 0) {
		e->t->context = (double)after;
		e->t->has_context = true;
	}
}

static void take_custom_title(const struct entry *e)
{
	e->t->is_asked = true;
	note_fact(e->t, TITLE, json_text_at(e->root, "customTitle"));
}

static void take_ai_title(const struct entry *e)
{
	if (!e->t->is_asked)
		note_fact(e->t, TITLE, json_text_at(e->root, "aiTitle"));
}

static void take_mode(const struct entry *e)
{
	note_fact(e->t, MODE, json_text_at(e->root, "permissionMode"));
}

static void take_cost(const struct entry *e)
{
	double cost;

	if (!json_number(yyjson_obj_get(e->root, "totalCostUSD"), &cost) || !(cost >= 0) ||
	    cost > 1e9)
		return;
	e->t->has_cost = e->t->has_cost || cost != e->t->cost;
	e->t->cost = cost;
}

static const struct {
	const char *type;
	void (*take)(const struct entry *e);
} takers[] = {
	{"user", take_user},         {"assistant", take_assistant},
	{"system", take_system},     {"custom-title", take_custom_title},
	{"ai-title", take_ai_title}, {"permission-mode", take_mode},
	{"cost-state", take_cost},
};
#define TAKERS (sizeof(takers) / sizeof(takers[0]))

/* By stepping over what stands before it. */
static struct text type_of(struct text line)
{
	struct text key, value;
	struct scan scan;

	scan_object(&scan, line);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, "type") && value.len > 2 && value.at[0] == '"')
			return (struct text){value.at + 1, value.len - 2};
	return (struct text){NULL, 0};
}

static void entry_read(struct parse *p, yyjson_val *root, size_t taker)
{
	struct entry e = {.p = p,
	                  .t = parse_state(p),
	                  .root = root,
	                  .message = yyjson_obj_get(root, "message")};
	double at_ms;

	if (time_read(json_text_at(root, "timestamp"), &at_ms) && at_ms > 0)
		e.t->at_ms = at_ms;
	if (yyjson_is_true(yyjson_obj_get(root, "isSidechain")))
		e.subagent = utf8_cut(json_text_at(root, "agentId"), FACT_MAX);
	parse_set_correlation(p, utf8_cut(json_text_at(root, "sessionId"), FACT_MAX));
	note_common(&e);
	takers[taker].take(&e);
	tell_facts(&e);
}

static void transcript_take(struct parse *p, const struct parse_event *event)
{
	struct text line = text_trim(event->data), type = type_of(line);
	yyjson_val *root;

	for (size_t i = 0; i < TAKERS; i++)
		if (text_is(type, takers[i].type)) {
			root = parse_json(p, line);
			if (root)
				entry_read(p, root, i);
			return;
		}
}

static void transcript_finish(struct parse *p)
{
	struct claude_file *t = parse_state(p);

	for (int i = 0; i < FACTS; i++)
		free(t->facts[i]);
	for (unsigned i = 0; i < RESPONSES; i++)
		free(t->responses[i].id);
	for (unsigned i = 0; i < CALLS; i++)
		free_call(&t->calls[i]);
}

const struct parse_kind parse_claude_transcript = {
	.name = "claude-transcript",
	.summary = "what Claude Code keeps of a session, a line each: facts, no words",
	.framing = FRAMING_LINES,
	.size = sizeof(struct claude_file),
	.event = transcript_take,
	.finish = transcript_finish,
};
