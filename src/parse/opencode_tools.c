/* opencode_tools.c - calls, what came of them, and the files that they changed. */
#include <stdlib.h>

#include "base/put.h"
#include "base/utf8.h"
#include "parse/opencode_state.h"
#include "parse/patch.h"

#define SHORT_MAX (4 * KIB)
#define OUTPUT_MAX (128 * KIB)

/* ---- calls ---- */

/* Of one that is too long only what is short: its paths, its command. */
static void speak_slim_call(struct parse *p, const struct opencode_told *told,
                            const struct tool_call *call, yyjson_val *input)
{
	yyjson_obj_iter each = yyjson_obj_iter_with(input);
	struct buf slim;
	yyjson_val *key;
	unsigned count = 0;

	buf_init(&slim, 256 * KIB);
	buf_add_char(&slim, '{');
	while ((key = yyjson_obj_iter_next(&each)) && count < 32) {
		struct text value = json_text(yyjson_obj_iter_get_val(key));

		if (!value.len || value.len > SHORT_MAX || json_text(key).len > 64)
			continue;
		if (count++)
			buf_add_char(&slim, ',');
		buf_add_json(&slim, json_text(key));
		buf_add_char(&slim, ':');
		buf_add_json(&slim, value);
	}
	buf_add_char(&slim, '}');
	speak_joined_call(p, &told->who, call, buf_text(&slim));
	buf_finish(&slim);
}

static void tell_call(struct parse *p, const struct opencode_told *told,
                      const struct tool_call *call, yyjson_val *input)
{
	if (opencode_state(p)->is_big)
		speak_slim_call(p, told, call, input);
	else
		speak_call(p, &told->who, call, input);
}

/* ---- results ---- */

/* A command that ends with another code than 0 has failed, and the call is complete. */
static bool is_good(yyjson_val *state)
{
	yyjson_val *exit = yyjson_obj_get(yyjson_obj_get(state, "metadata"), "exit");

	return text_is(json_text_at(state, "status"), "completed") &&
	       (!yyjson_is_int(exit) || yyjson_get_sint(exit) == 0);
}

static void tell_result(struct parse *p, const struct opencode_told *told,
                        const struct tool_call *call, yyjson_val *state)
{
	bool is_error = text_is(json_text_at(state, "status"), "error");
	struct text output = json_text_at(state, is_error ? "error" : "output");
	yyjson_val shown = {0};

	output = utf8_cut(output, OUTPUT_MAX);
	if (output.len)
		yyjson_set_strn(&shown, output.at, output.len);
	speak_result(p, &told->who, call, is_good(state), output.len ? &shown : NULL);
}

/* ---- changes ---- */

struct opencode_change {
	struct text path, call;
	const char *kind;
	uint64_t added, removed;
};

static void tell_change(struct parse *p, const struct speaker *who,
                        const struct opencode_change *change)
{
	if (!change->path.len || change->path.len > SHORT_MAX)
		return;
	speak_begin(p, who, "agent.change");
	make_text(&p->make, "path", change->path);
	make_word(&p->make, "kind", change->kind);
	make_u64(&p->make, "added", change->added);
	make_u64(&p->make, "removed", change->removed);
	make_text(&p->make, "callId", change->call);
	speak_end(p, who);
}

static uint64_t lines_of(struct text content)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < content.len; i++)
		lines += content.at[i] == '\n';
	return lines + (content.len && content.at[content.len - 1] != '\n');
}

static void tell_patch(struct parse *p, const struct speaker *who, struct text call,
                       struct text patch)
{
	char *changes = patch.len ? patch_changes(patch) : NULL;
	yyjson_doc *doc = changes ? yyjson_read(changes, strlen(changes), 0) : NULL;
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_doc_get_root(doc));
	yyjson_val *change;

	while ((change = yyjson_arr_iter_next(&each))) {
		speak_begin(p, who, "agent.change");
		make_members(&p->make, change);
		make_text(&p->make, "callId", call);
		speak_end(p, who);
	}
	yyjson_doc_free(doc);
	free(changes);
}

static void tell_changes(struct parse *p, const struct opencode_told *told,
                         const struct tool_call *call, yyjson_val *state)
{
	yyjson_val *input = yyjson_obj_get(state, "input");
	yyjson_val *metadata = yyjson_obj_get(state, "metadata");
	yyjson_val *diff = yyjson_obj_get(metadata, "filediff");
	struct opencode_change change = {.call = call->id, .kind = "update"};

	if (yyjson_is_obj(diff)) {
		change.path = json_text_at(diff, "file");
		change.added = speak_count(diff, "additions");
		change.removed = speak_count(diff, "deletions");
		tell_change(p, &told->who, &change);
	} else if (text_is(call->name, "write")) {
		change.path = json_text_at(input, "filePath");
		change.kind =
			yyjson_is_false(yyjson_obj_get(metadata, "exists")) ? "create" : "update";
		change.added = lines_of(json_text_at(input, "content"));
		tell_change(p, &told->who, &change);
	} else {
		tell_patch(p, &told->who, call->id, json_text_at(input, "patchText"));
	}
}

/* ---- tools ---- */

/* A task has a session of its own. */
static void note_child(struct parse *p, const struct opencode_told *told, yyjson_val *state)
{
	struct text id = json_text_at(yyjson_obj_get(state, "metadata"), "sessionId");
	struct text call = json_text_at(told->value, "callID");
	struct opencode_session *child;

	if (!opencode_is_id(id) || text_is(id, told->session->id) || !opencode_is_id(call))
		return;
	child = opencode_session(p, id);
	if (!child->parent)
		opencode_set(&child->parent, text_of(told->session->id));
	if (!child->call)
		opencode_set(&child->call, call);
}

void opencode_take_tool(struct parse *p, const struct opencode_told *told)
{
	yyjson_val *state = yyjson_obj_get(told->value, "state");
	struct text status = json_text_at(state, "status");
	struct tool_call call = {.id = utf8_cut(json_text_at(told->value, "callID"), 256),
	                         .name = utf8_cut(json_text_at(told->value, "tool"), 256)};
	bool is_error = text_is(status, "error");
	bool is_over = is_error || text_is(status, "completed");

	/* Of one that is pending the input is not known yet. */
	if (!is_over && !text_is(status, "running"))
		return;
	note_child(p, told, state);
	if (told->part->stage == OPENCODE_UNTOLD) {
		opencode_mark(told->session, told->part, OPENCODE_CALLED);
		tell_call(p, told, &call, yyjson_obj_get(state, "input"));
	}
	if (!is_over || told->part->stage == OPENCODE_TOLD)
		return;
	opencode_mark(told->session, told->part, OPENCODE_TOLD);
	tell_result(p, told, &call, state);
	if (!is_error)
		tell_changes(p, told, &call, state);
}
