/* claude_work.c - todo lists, tasks and edits. */
#include "parse/claude_work.h"

#include "base/put.h"
#include "base/utf8.h"
#include "signal/json.h"

#define ITEMS_MAX 200 /* of a plan; people have some ten */
#define ITEM_MAX 512  /* bytes of one */
#define PATH_LEN_MAX 4096
#define PLAN_MAX (ITEMS_MAX * (ITEM_MAX * 6 + 256))

/* --- plans ------------------------------------------------------------------------ */

static struct text first_of(yyjson_val *object, const char *const *names)
{
	struct text found = {NULL, 0};

	for (; *names && found.len == 0; names++)
		found = json_text_at(object, *names);
	return found;
}

/* An id is a text or a whole number. */
static void put_id(struct buf *out, yyjson_val *id)
{
	if (yyjson_is_uint(id)) {
		char digits[TEXT_U64_MAX];

		put_text(out, "id", text_of_u64(yyjson_get_uint(id), digits));
	} else if (json_text(id).len)
		put_text(out, "id", utf8_cut(json_text(id), ITEM_MAX));
}

static struct text known_status(struct text status)
{
	static const char *const known[] = {"pending", "in_progress", "completed", "deleted", NULL};

	for (const char *const *name = known; *name; name++)
		if (text_is(status, *name))
			return status;
	return (struct text){NULL, 0};
}

struct work_item {
	yyjson_val *id;
	struct text text, status;
};

static void put_item(struct buf *out, const struct work_item *item)
{
	struct text status = known_status(item->status);

	put_object(out, NULL);
	put_id(out, item->id);
	if (item->text.len)
		put_text(out, "text", utf8_cut(item->text, ITEM_MAX));
	if (status.len)
		put_text(out, "status", status);
	put_end(out);
}

static void put_todos(struct buf *out, yyjson_val *todos)
{
	static const char *const names[] = {"content", "subject", "activeForm", NULL};
	yyjson_arr_iter iter = yyjson_arr_iter_with(todos);
	yyjson_val *todo;

	for (unsigned i = 0; i < ITEMS_MAX && (todo = yyjson_arr_iter_next(&iter)); i++) {
		struct text status = known_status(json_text_at(todo, "status"));
		const struct work_item item = {.id = yyjson_obj_get(todo, "id"),
		                               .text = first_of(todo, names),
		                               .status = status.len ? status : TEXT("pending")};

		put_item(out, &item);
	}
}

static yyjson_val *created_id(const struct claude_use *use)
{
	return yyjson_obj_get(yyjson_obj_get(use->result, "task"), "id");
}

static void put_created(struct buf *out, const struct claude_use *use)
{
	put_item(out, &(struct work_item){.id = created_id(use),
	                                  .text = json_text_at(use->input, "subject"),
	                                  .status = TEXT("pending")});
}

static void put_updated(struct buf *out, const struct claude_use *use)
{
	put_item(out, &(struct work_item){.id = yyjson_obj_get(use->input, "taskId"),
	                                  .text = json_text_at(use->input, "subject"),
	                                  .status = json_text_at(use->input, "status")});
}

static bool is_todos(const struct claude_use *use)
{
	return text_is(use->tool, "TodoWrite") &&
	       yyjson_is_arr(yyjson_obj_get(use->input, "todos"));
}

static bool is_created(const struct claude_use *use)
{
	return text_is(use->tool, "TaskCreate") && created_id(use) &&
	       json_text_at(use->input, "subject").len;
}

/* A change of who has a task, or of what it waits for, is none of the plan. */
static bool is_updated(const struct claude_use *use)
{
	if (!text_is(use->tool, "TaskUpdate") || !yyjson_obj_get(use->input, "taskId"))
		return false;
	if (yyjson_is_false(yyjson_obj_get(use->result, "success")))
		return false;
	return known_status(json_text_at(use->input, "status")).len ||
	       json_text_at(use->input, "subject").len;
}

static void claude_work_add_plan(const struct claude_use *use, struct make *m)
{
	struct buf items;

	buf_init(&items, PLAN_MAX);
	put_list(&items, NULL);
	if (is_todos(use))
		put_todos(&items, yyjson_obj_get(use->input, "todos"));
	else if (is_created(use))
		put_created(&items, use);
	else
		put_updated(&items, use);
	put_list_end(&items);
	make_text(m, "agentId", use->agent);
	make_bool(m, "whole", is_todos(use));
	make_raw(m, "items", buf_text(&items));
	buf_finish(&items);
}

/* --- changes ---------------------------------------------------------------------- */

struct change {
	uint64_t added, removed;
};

static uint64_t lines_of(struct text words)
{
	uint64_t count = 0;

	for (size_t i = 0; i < words.len; i++)
		count += words.at[i] == '\n';
	return count + (words.len && words.at[words.len - 1] != '\n' ? 1 : 0);
}

static void count_patch(struct change *change, yyjson_val *patch)
{
	yyjson_arr_iter hunks = yyjson_arr_iter_with(patch), lines;
	yyjson_val *hunk, *line;

	while ((hunk = yyjson_arr_iter_next(&hunks))) {
		lines = yyjson_arr_iter_with(yyjson_obj_get(hunk, "lines"));
		while ((line = yyjson_arr_iter_next(&lines))) {
			change->added += text_starts(json_text(line), TEXT("+")) ? 1 : 0;
			change->removed += text_starts(json_text(line), TEXT("-")) ? 1 : 0;
		}
	}
}

static bool is_new_file(const struct claude_use *use)
{
	return text_is(json_text_at(use->result, "type"), "create");
}

static struct change change_of(const struct claude_use *use)
{
	yyjson_val *patch = yyjson_obj_get(use->result, "structuredPatch");
	struct text content = json_text_at(use->result, "content");
	struct change change = {0, 0};

	if (yyjson_arr_size(patch))
		count_patch(&change, patch);
	else if (is_new_file(use))
		change.added =
			lines_of(content.len ? content : json_text_at(use->input, "content"));
	else if (text_is(use->tool, "NotebookEdit")) {
		bool removes = text_is(json_text_at(use->input, "edit_mode"), "delete");

		change.added = removes ? 0 : lines_of(json_text_at(use->input, "new_source"));
		change.removed = lines_of(json_text_at(use->result, "old_source"));
	}
	return change;
}

static struct text changed_path(const struct claude_use *use)
{
	static const char *const told[] = {"filePath", "notebook_path", NULL};
	static const char *const given[] = {"file_path", "notebook_path", NULL};
	struct text path = first_of(use->result, told);

	return path.len ? path : first_of(use->input, given);
}

static bool is_change(const struct claude_use *use)
{
	static const char *const tools[] = {"Edit", "Write", "MultiEdit", "NotebookEdit", NULL};
	struct text path = changed_path(use);

	if (!yyjson_is_obj(use->result) || path.len == 0 || path.len > PATH_LEN_MAX)
		return false;
	for (const char *const *name = tools; *name; name++)
		if (text_is(use->tool, *name))
			return true;
	return false;
}

static void claude_work_add_change(const struct claude_use *use, struct make *m)
{
	struct change change = change_of(use);

	make_text(m, "agentId", use->agent);
	make_text(m, "path", changed_path(use));
	make_word(m, "kind", is_new_file(use) ? "create" : "update");
	make_u64(m, "added", change.added);
	make_u64(m, "removed", change.removed);
	make_given(m, "callId", use->call);
}

/* ---------------------------------------------------------------------------------- */

const char *claude_work_type(const struct claude_use *use)
{
	if (is_todos(use) || is_created(use) || is_updated(use))
		return "agent.plan";
	return is_change(use) ? "agent.change" : NULL;
}

void claude_work_add(const struct claude_use *use, struct make *m)
{
	if (is_change(use))
		claude_work_add_change(use, m);
	else
		claude_work_add_plan(use, m);
}
