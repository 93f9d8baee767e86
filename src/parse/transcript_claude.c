/* transcript_claude.c - the file that Claude Code keeps of a session, a line an entry.
 *
 * What is told are facts: where and with what the session works, its tokens, ends of turns, the
 * names of its tools, its plan and its files.  Words of anybody are told only where they are wanted
 * (words.h).  Most bytes are in lines that tell none of this: their type is found by stepping over
 * members, and no tree is built.
 *
 * A response is a line for each of its blocks, and its tokens are in all of them, in some
 * versions true in the last alone: so they are told once, and again when there are more.
 * Every signal has the time of its line; lines without one have that of the line before.
 */
#include <stdlib.h>

#include "base/scan.h"
#include "base/utf8.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/speak.h"
#include "parse/time.h"
#include "parse/transcript_claude.h"

static const char *const fact_names[ENTRY_FACTS] = {
	[ENTRY_VERSION] = "version", [ENTRY_CWD] = "cwd",   [ENTRY_BRANCH] = "branch",
	[ENTRY_MODEL] = "model",     [ENTRY_MODE] = "mode", [ENTRY_TITLE] = "title",
};

/* --- envelopes ----------------------------------------------------------------------- */

struct text entry_agent(const struct entry *e)
{
	struct text given = parse_options(e->p)->agent;

	if (e->subagent.len == 0)
		return TEXT("claude");
	return given.len ? given : TEXT("subagent");
}

void entry_begin(const struct entry *e, const char *type)
{
	parse_begin_as(e->p, &(struct make_head){.type = type, .at_ms = e->t->at_ms});
}

void entry_end(const struct entry *e)
{
	make_metadata(&e->p->make);
	make_word(&e->p->make, "from", "transcript");
	make_given(&e->p->make, "agent_id", e->subagent);
	parse_give(e->p);
}

/* --- facts --------------------------------------------------------------------------- */

static void note_fact(struct claude_file *t, enum entry_fact which, struct text value)
{
	value = utf8_cut(value, ENTRY_FACT_MAX);
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
	for (int i = 0; i < ENTRY_FACTS; i++)
		if (t->fresh[i])
			return true;
	return t->has_cost || t->has_context || t->is_compacted;
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
	for (int i = 0; i < ENTRY_FACTS; i++)
		if (t->fresh[i])
			make_text(m, fact_names[i], text_of(t->facts[i]));
	if (t->fresh[ENTRY_TITLE])
		make_word(m, "titleFrom", "agent");
	if (t->has_cost)
		add_number(m, "cost", t->cost);
	if (t->has_context)
		make_u64(m, "contextUsed", (uint64_t)t->context);
	if (t->is_compacted) /* the calls for that are in no line */
		make_bool(m, "compacted", true);
	entry_end(e);
	memset(t->fresh, 0, sizeof(t->fresh));
	t->has_cost = t->has_context = t->is_compacted = false;
}

static void note_common(const struct entry *e)
{
	struct text branch = json_text_at(e->root, "gitBranch");

	if (e->subagent.len)
		return;
	note_fact(e->t, ENTRY_VERSION, json_text_at(e->root, "version"));
	note_fact(e->t, ENTRY_CWD, json_text_at(e->root, "cwd"));
	if (!text_is(branch, "HEAD"))
		note_fact(e->t, ENTRY_BRANCH, branch);
	note_fact(e->t, ENTRY_MODE, json_text_at(e->root, "permissionMode"));
}

/* --- tokens -------------------------------------------------------------------------- */

/* True: it is new, or has more than was told of it. */
static bool note_response(struct claude_file *t, struct text id, uint64_t output)
{
	struct told_response *slot;

	for (unsigned i = 0; i < ENTRY_RESPONSES; i++) {
		slot = &t->responses[i];
		if (slot->id && text_is(id, slot->id)) {
			bool is_more = output > slot->output;

			slot->output = is_more ? output : slot->output;
			return is_more;
		}
	}
	slot = &t->responses[t->response_count++ % ENTRY_RESPONSES];
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
	make_text(m, "agentId", entry_agent(e));
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
			entry_take_result(e, block);
		is_interrupted = is_interrupted || is_interruption(json_text_at(block, "text"));
	}
	if (is_interrupted)
		tell_turn(e, "interrupted");
	else
		entry_take_prompt(e);
	if (text_is(json_text_at(yyjson_obj_get(e->root, "origin"), "kind"), "task-notification"))
		entry_take_notice(e, yyjson_is_str(content)
		                             ? json_text(content)
		                             : json_text_at(yyjson_arr_get_first(content), "text"));
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
		note_fact(e->t, ENTRY_MODEL, model);
	tell_facts(e);
	while ((block = yyjson_arr_iter_next(&iter)))
		if (text_is(json_text_at(block, "type"), "tool_use"))
			entry_take_use(e, block);
		else
			entry_take_words(e, block);
	if (id.len && id.len <= ENTRY_FACT_MAX && yyjson_is_obj(usage) &&
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
	if (!text_is(subtype, "compact_boundary"))
		return;
	e->t->is_compacted = true;
	if (after && e->subagent.len == 0) {
		e->t->context = (double)after;
		e->t->has_context = true;
	}
}

static void take_custom_title(const struct entry *e)
{
	e->t->is_asked = true;
	note_fact(e->t, ENTRY_TITLE, json_text_at(e->root, "customTitle"));
}

static void take_ai_title(const struct entry *e)
{
	if (!e->t->is_asked)
		note_fact(e->t, ENTRY_TITLE, json_text_at(e->root, "aiTitle"));
}

static void take_mode(const struct entry *e)
{
	note_fact(e->t, ENTRY_MODE, json_text_at(e->root, "permissionMode"));
}

/* With a model whose price it does not know, its figure is a guess. */
static void take_cost(const struct entry *e)
{
	double cost;

	if (yyjson_is_true(yyjson_obj_get(e->root, "hasUnknownModelCost")) ||
	    !json_number(yyjson_obj_get(e->root, "totalCostUSD"), &cost) || !(cost >= 0) ||
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

	if (time_read(json_text_at(root, "timestamp"), &at_ms) && at_ms > 0) {
		e.t->at_ms = at_ms;
		parse_set_moment(p, (int64_t)at_ms, false);
	}
	if (yyjson_is_true(yyjson_obj_get(root, "isSidechain")))
		e.subagent = utf8_cut(json_text_at(root, "agentId"), ENTRY_FACT_MAX);
	parse_set_correlation(p, utf8_cut(json_text_at(root, "sessionId"), ENTRY_FACT_MAX));
	note_common(&e);
	entry_take_subagent(&e);
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

	for (int i = 0; i < ENTRY_FACTS; i++)
		free(t->facts[i]);
	for (unsigned i = 0; i < ENTRY_RESPONSES; i++)
		free(t->responses[i].id);
	entry_forget_work(t);
}

const struct parse_kind parse_claude_transcript = {
	.name = "claude-transcript",
	.summary = "what Claude Code keeps of a session, a line each: facts, no words",
	.framing = FRAMING_LINES,
	.size = sizeof(struct claude_file),
	.event = transcript_take,
	.finish = transcript_finish,
};
