/* codex.c - what `codex exec --json` prints: a line for each event of a thread.
 *
 * Work is told as items, which start, change and complete.  Some are only told
 * when they are complete, so a call is told when its item is first seen, and its
 * result when it is complete.  The text of an item is all of it so far: what is
 * told is what was added.  An `error` line may be a connection that is tried
 * again: it becomes the end only when no turn completes after it.
 */
#include <stdlib.h>

#include "parse/kinds.h"
#include "parse/speak.h"
#include "signal/json.h"

/* Items that are remembered at the same time; the oldest gives way. */
#define ITEMS_MAX 64

struct codex_item {
	char *id;
	size_t told;  /* bytes of its text */
	bool is_told; /* as a call */
};

struct codex {
	struct codex_item items[ITEMS_MAX];
	unsigned item_count; /* ever seen */
	char *words;         /* the agent's last */
	char *trouble;       /* the last error that was perhaps not the end */
};

static void codex_set_word(char **word, struct text value)
{
	free(*word);
	*word = text_dup(value);
}

static struct codex_item *item_of(struct codex *c, struct text id)
{
	struct codex_item *item;

	for (unsigned i = 0; i < ITEMS_MAX && id.len; i++)
		if (c->items[i].id && text_is(id, c->items[i].id))
			return &c->items[i];
	item = &c->items[c->item_count++ % ITEMS_MAX];
	free(item->id);
	*item = (struct codex_item){.id = text_dup(id)};
	return item;
}

/* --- words ----------------------------------------------------------------------- */

static void tell_text(struct parse *p, const char *type, yyjson_val *data)
{
	struct codex_item *item = item_of(parse_state(p), json_text_at(data, "id"));
	struct text all = json_text_at(data, "text");

	if (all.len <= item->told)
		return;
	speak_words(p, NULL, type, (struct text){all.at + item->told, all.len - item->told});
	item->told = all.len;
}

static void codex_take_message(struct parse *p, yyjson_val *data)
{
	struct codex *c = parse_state(p);

	tell_text(p, "text_delta", data);
	codex_set_word(&c->words, json_text_at(data, "text"));
}

static void take_plan_piece(struct parse *p, yyjson_val *line)
{
	struct codex_item *item = item_of(parse_state(p), json_text_at(line, "item_id"));
	struct text piece = json_text_at(line, "delta");

	item->told += piece.len;
	if (piece.len)
		speak_words(p, NULL, "text_delta", piece);
}

/* --- calls ----------------------------------------------------------------------- */

/* The members of an item that are the input and the output of its call. */
struct codex_tool {
	const char *type, *name;
	const char *const *input, *const *output;
};

static const char *const command_input[] = {"command", NULL};
static const char *const command_output[] = {"aggregated_output", "exit_code", "status", NULL};
static const char *const file_input[] = {"changes", NULL};
static const char *const status_output[] = {"status", NULL};
static const char *const mcp_input[] = {"arguments", NULL};
static const char *const mcp_output[] = {"result", "error", NULL};
static const char *const search_input[] = {"query", "action", NULL};
static const char *const collab_input[] = {"prompt", "receiver_thread_ids", NULL};
static const char *const collab_output[] = {"agents_states", "status", NULL};

/* Without a name of its own, the item has it in `tool`. */
static const struct codex_tool tools[] = {
	{"command_execution", "shell", command_input, command_output},
	{"file_change", "apply_patch", file_input, status_output},
	{"mcp_tool_call", NULL, mcp_input, mcp_output},
	{"collab_tool_call", NULL, collab_input, collab_output},
	{"web_search", "web_search", search_input, status_output},
};

static const struct codex_tool *codex_tool_of(struct text type)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++)
		if (text_is(type, tools[i].type))
			return &tools[i];
	return NULL;
}

static struct tool_call call_of(const struct codex_tool *tool, yyjson_val *item)
{
	return (struct tool_call){
		.id = json_text_at(item, "id"),
		.name = tool->name ? text_of(tool->name) : json_text_at(item, "tool"),
		.server = json_text_at(item, "server"),
	};
}

/* These members as an object of their own.  A single one that is an object
 * already is it. */
static yyjson_doc *pick(yyjson_val *item, const char *const *names)
{
	yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	yyjson_val *only = names[1] ? NULL : yyjson_obj_get(item, names[0]);
	yyjson_doc *picked;

	for (unsigned i = 0; names[i]; i++) {
		yyjson_val *value = yyjson_obj_get(item, names[i]);

		if (value && !yyjson_is_null(value))
			yyjson_mut_obj_add_val(doc, root, names[i],
			                       yyjson_val_mut_copy(doc, value));
	}
	yyjson_mut_doc_set_root(doc, yyjson_is_obj(only) ? yyjson_val_mut_copy(doc, only) : root);
	picked = yyjson_mut_doc_imut_copy(doc, NULL);
	yyjson_mut_doc_free(doc);
	return picked;
}

static bool has_worked(yyjson_val *item)
{
	struct text status = json_text_at(item, "status");
	yyjson_val *code = yyjson_obj_get(item, "exit_code");

	return (status.len == 0 || text_is(status, "completed")) &&
	       (!yyjson_is_num(code) || yyjson_get_num(code) == 0) &&
	       !yyjson_is_obj(yyjson_obj_get(item, "error"));
}

static void codex_take_call(struct parse *p, const struct codex_tool *tool, yyjson_val *data,
                            bool is_complete)
{
	struct codex_item *item = item_of(parse_state(p), json_text_at(data, "id"));
	struct tool_call call = call_of(tool, data);
	yyjson_doc *doc;

	if (!item->is_told) {
		doc = pick(data, tool->input);
		speak_call(p, NULL, &call, yyjson_doc_get_root(doc));
		yyjson_doc_free(doc);
	}
	item->is_told = true;
	if (!is_complete)
		return;
	doc = pick(data, tool->output);
	speak_result(p, NULL, &call, has_worked(data), yyjson_doc_get_root(doc));
	yyjson_doc_free(doc);
}

/* --- lines ----------------------------------------------------------------------- */

static void take_item(struct parse *p, yyjson_val *line, bool is_complete)
{
	yyjson_val *data = yyjson_obj_get(line, "item");
	struct text type = json_text_at(data, "type");
	const struct codex_tool *tool = codex_tool_of(type);

	if (tool)
		codex_take_call(p, tool, data, is_complete);
	else if (text_is(type, "agent_message"))
		codex_take_message(p, data);
	else if (text_is(type, "plan"))
		tell_text(p, "text_delta", data);
	else if (text_is(type, "reasoning"))
		tell_text(p, "thinking", data);
	else
		speak_other(p, NULL, data);
}

static void take_growing_item(struct parse *p, yyjson_val *line)
{
	take_item(p, line, false);
}

static void take_complete_item(struct parse *p, yyjson_val *line)
{
	take_item(p, line, true);
}

static void take_thread(struct parse *p, yyjson_val *line)
{
	parse_set_correlation(p, json_text_at(line, "thread_id"));
}

static void codex_begin_turn(struct parse *p, yyjson_val *line)
{
	speak_state(p, NULL, "idle", "acting", TEXT("turn started"));
}

static void codex_tell_usage(struct parse *p, yyjson_val *line)
{
	yyjson_val *counts = yyjson_obj_get(line, "usage");
	struct speak_usage usage = {
		.input = speak_count(counts, "input_tokens"),
		.output = speak_count(counts, "output_tokens"),
		.cache_read = speak_count(counts, "cached_input_tokens"),
		.reasoning = speak_count(counts, "reasoning_output_tokens"),
		.with_cache = true,
		.cost = -1,
	};

	if (yyjson_is_obj(counts))
		speak_usage(p, NULL, &usage);
}

static void complete_turn(struct parse *p, yyjson_val *line)
{
	struct codex *c = parse_state(p);

	codex_tell_usage(p, line);
	speak_state(p, NULL, "acting", "done", TEXT("turn finished"));
	parse_complete(p, true, text_of(c->words));
}

static void codex_fail_turn(struct parse *p, yyjson_val *line)
{
	struct text words = json_text_at(yyjson_obj_get(line, "error"), "message");

	codex_tell_usage(p, line);
	speak_state(p, NULL, "acting", "error", TEXT("turn failed"));
	parse_fail(p, TEXT("turn_failed"), words.len ? words : TEXT("the turn failed"));
}

static void codex_take_error(struct parse *p, yyjson_val *line)
{
	struct codex *c = parse_state(p);

	codex_set_word(&c->trouble, json_text_at(line, "message"));
	speak_other(p, NULL, line);
}

static const struct {
	const char *name;
	void (*take)(struct parse *p, yyjson_val *line);
} kinds[] = {
	{"thread.started", take_thread},
	{"turn.started", codex_begin_turn},
	{"item.started", take_growing_item},
	{"item.updated", take_growing_item},
	{"item.completed", take_complete_item},
	{"item.plan.delta", take_plan_piece},
	{"turn.completed", complete_turn},
	{"turn.failed", codex_fail_turn},
	{"error", codex_take_error},
};

static void codex_take(struct parse *p, const struct parse_event *event)
{
	yyjson_val *line = parse_json(p, event->data);
	struct text type = json_text_at(line, "type");

	if (line && !yyjson_is_obj(line))
		parse_bad(p, "a line that is not an object");
	if (!yyjson_is_obj(line))
		return;
	if (parse_options(p)->agent.len == 0)
		parse_set_agent(p, TEXT("codex"));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (text_is(type, kinds[i].name)) {
			kinds[i].take(p, line);
			return;
		}
	}
	speak_other(p, NULL, line);
}

static void codex_end(struct parse *p)
{
	struct codex *c = parse_state(p);

	if (c->trouble)
		parse_fail(p, TEXT("error"), text_of(c->trouble));
}

static void codex_destroy(struct parse *p)
{
	struct codex *c = parse_state(p);

	for (unsigned i = 0; i < ITEMS_MAX; i++)
		free(c->items[i].id);
	free(c->words);
	free(c->trouble);
}

const struct parse_kind parse_codex = {
	.name = "codex",
	.summary = "codex exec --json",
	.framing = FRAMING_LINES,
	.is_answer = true,
	.size = sizeof(struct codex),
	.event = codex_take,
	.end = codex_end,
	.finish = codex_destroy,
};
