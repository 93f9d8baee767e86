/* transcript_claude_tools.c - the calls of a session that Claude Code keeps, its subagents, and its
 * words. */
#include <stdlib.h>

#include "base/put.h"
#include "base/utf8.h"
#include "parse/claude_work.h"
#include "parse/inside.h"
#include "parse/transcript_claude.h"
#include "parse/words.h"

/* --- calls --------------------------------------------------------------------------- */

static void free_call(struct entry_call *call)
{
	free(call->id);
	free(call->tool);
	*call = (struct entry_call){NULL, NULL};
}

static void note_call(struct claude_file *t, struct text id, struct text tool)
{
	struct entry_call *slot = &t->calls[t->call_count++ % ENTRY_CALLS];

	free_call(slot);
	*slot = (struct entry_call){text_dup(id), text_dup(tool)};
}

static struct entry_call *find_call(struct claude_file *t, struct text id)
{
	for (unsigned i = 0; i < ENTRY_CALLS; i++)
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

		if (path.len && path.len <= ENTRY_FACT_MAX)
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

void entry_take_use(const struct entry *e, yyjson_val *block)
{
	const struct claude_use use = {.tool = json_text_at(block, "name"),
	                               .agent = entry_agent(e),
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
	if (!words_are_wanted(e->p) || !words_add_input(m, use.input))
		add_target(m, use.input);
	entry_end(e);
	e->t->has_said = false;
	tell_work(e, &use); /* a plan: all of it is in what the tool is given */
}

/* --- subagents ----------------------------------------------------------------------- */

static bool knows_agent(const struct claude_file *t, struct text id)
{
	for (unsigned i = 0; i < ENTRY_AGENTS; i++)
		if (t->agents[i] && text_is(id, t->agents[i]))
			return true;
	return false;
}

/* False: it is none, or known. */
static bool note_agent(struct claude_file *t, struct text id)
{
	char **slot;

	if (id.len == 0 || id.len > ENTRY_FACT_MAX || memchr(id.at, '\0', id.len) ||
	    knows_agent(t, id))
		return false;
	slot = &t->agents[t->agent_count++ % ENTRY_AGENTS];
	free(*slot);
	*slot = text_dup(id);
	return true;
}

void entry_take_subagent(const struct entry *e)
{
	struct make *m = &e->p->make;

	if (!note_agent(e->t, e->subagent))
		return;
	entry_begin(e, "task_dispatch");
	make_text(m, "taskId", e->subagent);
	make_word(m, "from", "claude");
	make_text(m, "to", entry_agent(e));
	entry_end(e);
}

static void tell_agent_end(const struct entry *e, struct text id, bool success)
{
	struct entry of = *e;

	of.subagent = id;
	entry_begin(&of, "completion");
	make_text(&of.p->make, "taskId", id);
	make_bool(&of.p->make, "success", success);
	entry_end(&of);
}

/* One in the background has only begun. */
static void take_agent_result(const struct entry *e, yyjson_val *result)
{
	struct text id = utf8_cut(json_text_at(result, "agentId"), ENTRY_FACT_MAX);

	if (id.len == 0 || memchr(id.at, '\0', id.len))
		return;
	if (yyjson_is_true(yyjson_obj_get(result, "isAsync")) ||
	    text_is(json_text_at(result, "status"), "async_launched"))
		note_agent(e->t, id);
	else
		tell_agent_end(e, id, true);
}

static struct text between(struct text words, struct text open, struct text close)
{
	const char *from = words.len ? memmem(words.at, words.len, open.at, open.len) : NULL;
	const char *end = words.at + words.len, *to;

	if (!from)
		return (struct text){NULL, 0};
	from += open.len;
	to = memmem(from, (size_t)(end - from), close.at, close.len);
	return to ? (struct text){from, (size_t)(to - from)} : (struct text){NULL, 0};
}

/* Commands in the background tell their end likewise, and are nobody here. */
void entry_take_notice(const struct entry *e, struct text words)
{
	struct text id = between(words, TEXT("<task-id>"), TEXT("</task-id>"));
	struct text status = between(words, TEXT("<status>"), TEXT("</status>"));

	if (id.len && status.len && knows_agent(e->t, id))
		tell_agent_end(e, id, text_is(status, "completed"));
}

/* --- results ------------------------------------------------------------------------- */

void entry_take_result(const struct entry *e, yyjson_val *block)
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
	                          .agent = entry_agent(e),
	                          .call = id,
	                          .input = yyjson_obj_get(result, "task"),
	                          .result = result};
	entry_begin(e, "tool_result");
	make_text(m, "toolName", use.tool);
	make_text(m, "agentId", use.agent);
	make_bool(m, "success", !yyjson_is_true(yyjson_obj_get(block, "is_error")));
	make_text(m, "callId", id);
	if (words_are_wanted(e->p))
		words_add_output(m, yyjson_obj_get(block, "content"));
	entry_end(e);
	if (!yyjson_is_true(yyjson_obj_get(block, "is_error")))
		tell_work(e, &use);
	take_agent_result(e, result);
	free_call(call);
}

/* --- words --------------------------------------------------------------------------- */

static bool is_true_of(const struct entry *e, const char *name)
{
	return yyjson_is_true(yyjson_obj_get(e->root, name));
}

/* Not what the program itself, a tool or a subagent's parent says in the name of a user. */
static bool is_asked(const struct entry *e)
{
	struct text kind = json_text_at(yyjson_obj_get(e->root, "origin"), "kind");

	return e->subagent.len == 0 && !is_true_of(e, "isMeta") && !is_true_of(e, "isSidechain") &&
	       !is_true_of(e, "isCompactSummary") && (kind.len == 0 || text_is(kind, "human"));
}

void entry_take_prompt(const struct entry *e)
{
	struct text id = json_text_at(e->root, "promptId");
	struct make *m = &e->p->make;
	struct buf words;

	if (!words_are_wanted(e->p) || !is_asked(e))
		return;
	buf_init(&words, 2 * MIB);
	words_join(&words, yyjson_obj_get(e->message, "content"));
	if (words.len) {
		entry_begin(e, "task_dispatch");
		make_text(m, "taskId", id.len ? id : json_text_at(e->root, "uuid"));
		make_word(m, "from", "user");
		make_word(m, "to", "claude");
		make_text(m, "description", utf8_cut(buf_text(&words), WORDS_SAID_MAX));
		entry_end(e);
		e->t->has_said = false;
	}
	buf_finish(&words);
}

/* Two answers one after the other are two paragraphs. */
void entry_take_words(const struct entry *e, yyjson_val *block)
{
	bool is_thought = text_is(json_text_at(block, "type"), "thinking");
	struct text words = json_text_at(block, is_thought ? "thinking" : "text");
	struct make *m = &e->p->make;
	struct buf said;

	if (!words_are_wanted(e->p) || words.len == 0)
		return;
	buf_init(&said, WORDS_SAID_MAX + KIB);
	if (e->t->has_said && !is_thought)
		buf_add(&said, TEXT("\n\n"));
	buf_add(&said, utf8_cut(words, WORDS_SAID_MAX));
	entry_begin(e, is_thought ? "thinking" : "text_delta");
	make_text(m, "agentId", entry_agent(e));
	make_text(m, "content", buf_text(&said));
	entry_end(e);
	e->t->has_said = e->t->has_said || !is_thought;
	buf_finish(&said);
}

void entry_forget_work(struct claude_file *t)
{
	for (unsigned i = 0; i < ENTRY_CALLS; i++)
		free_call(&t->calls[i]);
	for (unsigned i = 0; i < ENTRY_AGENTS; i++)
		free(t->agents[i]);
}
