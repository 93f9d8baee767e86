/* said_save.c - what was said as JSON: for whoever asks, and for the checkpoint and back.
 *
 * A message is saved as it is shown, except that the JSON of tools is saved as texts: so it
 * comes back to the byte.
 */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "run/said_parts.h"

/* ---- written ---- */

static void add_flag(struct buf *out, const char *name, bool value)
{
	put_bool(out, name, value);
}

static void add_member(struct buf *out, const char *name, struct text value)
{
	put_text(out, name, value);
}

static void add_if(struct buf *out, const char *name, bool value)
{
	if (value)
		add_flag(out, name, true);
}

static void add_said_json(struct buf *out, const char *name, const struct said_json *json,
                          bool saving)
{
	struct text text = {json->at, json->len};

	if (!json->at)
		return;
	if (saving || json->is_cut) {
		add_member(out, name, text);
	} else {
		put_json(out, name, text);
	}
	if (json->is_cut)
		buf_print(out, ",\"%sCut\":true", name);
}

static void add_tool(struct buf *out, const struct said_tool *tool, bool saving)
{
	put_object(out, NULL);
	put_text(out, "name", text_of(tool->name));
	json_member_text(out, "call", tool->call);
	add_said_json(out, "input", &tool->input, saving);
	add_said_json(out, "output", &tool->output, saving);
	add_flag(out, "done", tool->is_done);
	add_flag(out, "failed", tool->has_failed);
	if (saving) {
		json_member_count(out, "number", tool->number);
		add_if(out, "awaited", !list_is_empty(&tool->in_open));
	}
	buf_add_char(out, '}');
}

static void add_tools(struct buf *out, const struct said_message *m, bool saving)
{
	const char *between = "";

	if (!m->tool_count)
		return;
	put_list(out, "tools");
	list_each(&m->tools, l) {
		buf_add(out, text_of(between));
		add_tool(out, list_of(l, const struct said_tool, in_message), saving);
		between = ",";
	}
	buf_add_char(out, ']');
}

static void add_message(struct buf *out, const struct said_message *m, bool saving)
{
	put_object(out, NULL);
	put_u64(out, "number", m->number);
	json_member_count(out, "seq", m->seq);
	json_member_text(out, "role", said_role_name(m->role));
	json_member_text(out, "agent", m->agent);
	json_member_text(out, "subagent", m->part);
	json_member_text(out, "from", m->from);
	json_member_text(out, "model", m->model);
	add_flag(out, "open", m->is_open);
	json_member_number(out, "firstMs", m->first_ms);
	json_member_number(out, "lastMs", m->last_ms);
	if (m->thought.end)
		add_member(out, "thought", said_text(&m->thought));
	add_if(out, "thoughtCut", m->thought.is_cut);
	add_member(out, "text", said_text(&m->text));
	add_if(out, "textCut", m->text.is_cut);
	add_tools(out, m, saving);
	buf_add_char(out, '}');
}

static void add_agents(struct buf *out, const struct said *said)
{
	const char *between = "";

	put_list(out, "agents");
	list_each(&said->agents, l) {
		const struct said_agent *a = list_of(l, const struct said_agent, in_said);

		buf_print(out, "%s{\"id\":", between);
		buf_add_json(out, text_of(a->id));
		json_member_text(out, "name", a->name);
		json_member_text(out, "parent", a->parent);
		json_member_text(out, "task", a->task);
		json_member_count(out, "seq", a->seq);
		add_flag(out, "done", a->is_done);
		add_flag(out, "failed", a->has_failed);
		buf_add_char(out, '}');
		between = ",";
	}
	buf_add_char(out, ']');
}

/* ---- a page ---- */

static size_t size_of(const struct said_message *m)
{
	size_t size = sizeof(*m) + said_text(&m->thought).len + said_text(&m->text).len;

	list_each(&m->tools, l) {
		const struct said_tool *tool = list_of(l, const struct said_tool, in_message);

		size += sizeof(*tool) + tool->input.len + tool->output.len;
	}
	return size;
}

static const struct said_message *message_at(const struct link *l)
{
	return list_of(l, const struct said_message, in_said);
}

/* The first of the page; *end is where it ends. */
static const struct link *find_page(const struct said *said, const struct said_page *page,
                                    const struct link **end)
{
	const struct link *head = &said->messages, *first;
	size_t count = page->count, bytes = page->bytes, size;

	first = head;
	while (page->before && first->prev != head &&
	       message_at(first->prev)->number >= page->before)
		first = first->prev;
	*end = first;
	while (first->prev != head && count-- > 0) {
		size = size_of(message_at(first->prev));
		if (size > bytes && first != *end)
			break;
		bytes -= size < bytes ? size : bytes;
		first = first->prev;
	}
	return first;
}

void said_json(const struct said *said, const struct said_page *page, struct buf *out)
{
	const struct link *end, *first = find_page(said, page, &end);
	const char *between = "";

	add_agents(out, said);
	put_list(out, "messages");
	for (const struct link *l = first; l != end; l = l->next) {
		buf_add(out, text_of(between));
		add_message(out, message_at(l), false);
		between = ",";
	}
	buf_add_char(out, ']');
	json_member_count(out, "count", said->number);
	add_flag(out, "more", first->prev != &said->messages);
	add_flag(out, "lost", said->is_lost);
}

/* ---- saved ---- */

static void add_speaker(struct buf *out, const struct said_speaker *who)
{
	put_object(out, NULL);
	put_text(out, "invoke", who->invoke);
	add_member(out, "session", who->session);
	add_member(out, "part", who->part);
	json_member_count(out, "open", who->open ? who->open->number : 0);
	add_flag(out, "works", who->is_at_work);
	add_flag(out, "streamed", who->has_streamed);
	add_flag(out, "thought", who->has_thought);
	buf_add_char(out, '}');
}

void said_save(const struct said *said, struct buf *out)
{
	const char *between = "";

	buf_add_char(out, '{');
	add_agents(out, said);
	put_list(out, "messages");
	list_each(&said->messages, l) {
		buf_add(out, text_of(between));
		add_message(out, message_at(l), true);
		between = ",";
	}
	put_list_end(out);
	put_list(out, "speakers");
	between = "";
	list_each(&said->speakers, l) {
		buf_add(out, text_of(between));
		add_speaker(out, list_of(l, const struct said_speaker, in_said));
		between = ",";
	}
	buf_add_char(out, ']');
	json_member_count(out, "number", said->number);
	json_member_count(out, "tools", said->tool_number);
	json_member_text(out, "main", said->main);
	add_flag(out, "lost", said->is_lost);
	buf_add_char(out, '}');
}

/* ---- read back ---- */

static uint64_t count_of(yyjson_val *saved, const char *name)
{
	return yyjson_get_uint(yyjson_obj_get(saved, name));
}

static bool is_set(yyjson_val *saved, const char *name)
{
	return yyjson_is_true(yyjson_obj_get(saved, name));
}

static void load_text(struct said *said, struct said_text *t, yyjson_val *saved, const char *name)
{
	said_add_words(said, t, json_text_at(saved, name));
	said_text_settle(t);
}

static void load_json(struct said *said, struct said_json *json, yyjson_val *saved,
                      const char *name)
{
	struct text text = utf8_cut(json_text_at(saved, name), SAID_TOOL_MAX);

	if (!text.at)
		return;
	json->at = text_dup(text);
	json->len = text.len;
	said->size += text.len;
}

/* In the order in which they were called, as they were. */
static void await_again(struct said *said, struct said_tool *tool)
{
	struct link *at = &said->tools;

	while (at->prev != &said->tools &&
	       list_of(at->prev, struct said_tool, in_open)->number > tool->number)
		at = at->prev;
	said_await_tool(said, tool);
	list_remove(&tool->in_open);
	list_add(at, &tool->in_open);
}

static void load_tool(struct said *said, struct said_message *m, yyjson_val *saved)
{
	struct said_tool *tool = said_add_tool(said, m);

	tool->name = said_keep_name(said, json_text_at(saved, "name"));
	tool->call = said_keep_name(said, json_text_at(saved, "call"));
	load_json(said, &tool->input, saved, "input");
	load_json(said, &tool->output, saved, "output");
	tool->input.is_cut = is_set(saved, "inputCut");
	tool->output.is_cut = is_set(saved, "outputCut");
	tool->is_done = is_set(saved, "done");
	tool->has_failed = is_set(saved, "failed");
	tool->number = count_of(saved, "number");
	m->done_count += tool->is_done;
	if (is_set(saved, "awaited") && said->open_count < SAID_OPEN_MAX)
		await_again(said, tool);
}

static enum said_role role_of(struct text name)
{
	for (int role = SAID_USER; role < SAID_ERROR; role++)
		if (text_is(name, said_role_name((enum said_role)role)))
			return (enum said_role)role;
	return SAID_ERROR;
}

static void load_message(struct said *said, yyjson_val *saved)
{
	struct said_message *m = said_add_message(said, role_of(json_text_at(saved, "role")));
	yyjson_arr_iter tools = yyjson_arr_iter_with(yyjson_obj_get(saved, "tools"));
	yyjson_val *tool;

	m->number = count_of(saved, "number");
	m->seq = count_of(saved, "seq");
	m->is_open = is_set(saved, "open");
	m->first_ms = yyjson_get_num(yyjson_obj_get(saved, "firstMs"));
	m->last_ms = yyjson_get_num(yyjson_obj_get(saved, "lastMs"));
	m->agent = said_keep_name(said, json_text_at(saved, "agent"));
	m->part = said_keep_name(said, json_text_at(saved, "subagent"));
	m->from = said_keep_name(said, json_text_at(saved, "from"));
	m->model = said_keep_name(said, json_text_at(saved, "model"));
	load_text(said, &m->thought, saved, "thought");
	load_text(said, &m->text, saved, "text");
	m->thought.is_cut = is_set(saved, "thoughtCut");
	m->text.is_cut = is_set(saved, "textCut");
	while ((tool = yyjson_arr_iter_next(&tools)))
		load_tool(said, m, tool);
}

static void load_agent(struct said *said, yyjson_val *saved)
{
	struct text id = json_text_at(saved, "id");
	struct said_agent *a;

	if (!id.len || said->agent_count == SAID_AGENTS_MAX)
		return;
	a = said_add_agent(said, id);
	a->name = said_keep_name(said, json_text_at(saved, "name"));
	a->parent = said_keep_name(said, json_text_at(saved, "parent"));
	a->task = said_keep_name(said, json_text_at(saved, "task"));
	a->seq = count_of(saved, "seq");
	a->is_done = is_set(saved, "done");
	a->has_failed = is_set(saved, "failed");
}

static struct said_message *find_message(const struct said *said, uint64_t number)
{
	list_each(&said->messages, l) {
		struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->number == number && m->is_open)
			return m;
	}
	return NULL;
}

/* Who spoke last comes first. */
static void load_speaker(struct said *said, yyjson_val *saved)
{
	struct said_speaker *who;

	if (said->speaker_count == SAID_OPEN_MAX)
		return;
	who = said_add_speaker(said, json_text_at(saved, "invoke"), json_text_at(saved, "session"),
	                       json_text_at(saved, "part"));
	list_remove(&who->in_said);
	list_add(&said->speakers, &who->in_said);
	who->open = find_message(said, count_of(saved, "open"));
	who->is_at_work = is_set(saved, "works");
	who->has_streamed = is_set(saved, "streamed");
	who->has_thought = is_set(saved, "thought");
}

static void load_each(struct said *said, yyjson_val *saved, const char *name,
                      void (*load)(struct said *said, yyjson_val *one))
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(saved, name));
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&it)))
		load(said, one);
}

struct said *said_load(yyjson_val *saved)
{
	struct text main = json_text_at(saved, "main");
	struct said *said;

	if (!yyjson_is_arr(yyjson_obj_get(saved, "messages")))
		return NULL;
	said = said_create();
	load_each(said, saved, "agents", load_agent);
	load_each(said, saved, "messages", load_message);
	load_each(said, saved, "speakers", load_speaker);
	said->number = count_of(saved, "number");
	said->tool_number = count_of(saved, "tools");
	said->main = main.len ? text_dup(main) : NULL;
	said->is_lost = is_set(saved, "lost");
	return said;
}
