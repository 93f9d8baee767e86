/* said.c - messages, one event after the other.
 *
 * What decides where a message begins is who spoke and what came between, never how a text
 * was cut into pieces: so pieces and a whole make the same messages.
 */
#include "run/said.h"

#include "run/said_parts.h"

/* One event, on its way. */
struct said_work {
	struct said *said;
	const struct run_event *e;
	uint64_t seq;
};

/* ---- who speaks ---- */

static bool is_speaker(const struct said_speaker *who, const struct run_event *e)
{
	return text_equal(who->invoke, said_name(e->invoke)) &&
	       text_equal(who->part, said_name(e->part)) &&
	       text_equal(who->session, said_name(e->session));
}

/* Who spoke last is found at once. */
static struct said_speaker *find_speaker(const struct said *said, const struct run_event *e)
{
	list_each(&said->speakers, l) {
		struct said_speaker *who = list_of(l, struct said_speaker, in_said);

		if (is_speaker(who, e))
			return who;
	}
	return NULL;
}

static struct said_speaker *speaker_of(const struct said_work *w)
{
	struct said *said = w->said;
	struct said_speaker *who = find_speaker(said, w->e);

	if (!who) {
		who = said_add_speaker(said, w->e->invoke, w->e->session, w->e->part);
	} else if (said->speakers.next != &who->in_said) {
		list_remove(&who->in_said);
		list_add(said->speakers.next, &who->in_said);
	}
	who->is_at_work = true;
	if (!said->main && w->e->invoke.len)
		said->main = text_dup(said_name(w->e->invoke));
	return who;
}

/* ---- subagents ---- */

static struct said_agent *find_agent(const struct said *said, struct text id)
{
	list_each(&said->agents, l) {
		struct said_agent *a = list_of(l, struct said_agent, in_said);

		if (text_is(said_name(id), a->id))
			return a;
	}
	return NULL;
}

static struct said_agent *find_agent_named(const struct said *said, struct text name)
{
	list_each(&said->agents, l) {
		struct said_agent *a = list_of(l, struct said_agent, in_said);

		if (a->name && text_is(said_name(name), a->name))
			return a;
	}
	return NULL;
}

static struct said_agent *note_agent(const struct said_work *w, struct text id)
{
	struct said_agent *a = find_agent(w->said, id);

	if (!a && w->said->agent_count < SAID_AGENTS_MAX) {
		a = said_add_agent(w->said, id);
		a->seq = w->seq;
		a->name = said_keep_name(w->said, w->e->invoke);
	}
	if (a && !a->parent)
		a->parent = said_keep_name(w->said, w->e->parent);
	return a;
}

static bool is_agent(const struct said *said, struct text name)
{
	return (said->main && text_is(said_name(name), said->main)) || find_agent_named(said, name);
}

static void note_task(const struct said_work *w)
{
	const struct run_event *e = w->e;
	struct text id = e->part.len ? e->part : e->task.len ? e->task : e->invoke;
	struct said_agent *a;

	if (!id.len || !(e->part.len || is_agent(w->said, e->from)))
		return;
	a = note_agent(w, id);
	if (!a)
		return;
	said_drop_name(w->said, &a->task);
	a->task = said_keep_name(w->said, e->text);
	a->is_done = a->has_failed = false;
}

static void end_agent(const struct said_work *w, bool has_failed)
{
	const struct run_event *e = w->e;
	struct said_agent *a =
		e->part.len ? find_agent(w->said, e->part) : find_agent_named(w->said, e->invoke);

	if (!a)
		return;
	a->is_done = true;
	a->has_failed = has_failed;
}

/* ---- what agents say ---- */

static struct said_message *begin_message(const struct said_work *w, enum said_role role)
{
	struct said_message *m;

	said_trim(w->said);
	m = said_add_message(w->said, role);
	m->number = ++w->said->number;
	m->seq = w->seq;
	m->first_ms = m->last_ms = w->e->ts;
	m->agent = said_keep_name(w->said, w->e->invoke);
	m->part = said_keep_name(w->said, w->e->part);
	return m;
}

static struct said_message *open_message(const struct said_work *w, struct said_speaker *who)
{
	said_close(who);
	who->open = begin_message(w, SAID_ASSISTANT);
	who->open->is_open = true;
	return who->open;
}

/* Thoughts come before words, words before tools: whatever comes later begins anew. */
static void add_text(const struct said_work *w, struct said_speaker *who, struct text words,
                     bool is_thought)
{
	struct said_message *m = who->open;

	if (!words.len)
		return;
	if (!m || m->tool_count || (is_thought && m->text.end) || (w->e->begins && m->text.end))
		m = open_message(w, who);
	m->last_ms = w->e->ts;
	said_add_words(w->said, is_thought ? &m->thought : &m->text, words);
}

static void hear_piece(const struct said_work *w)
{
	struct said_speaker *who = speaker_of(w);

	if (w->e->is_thought)
		who->has_thought = true;
	else
		who->has_streamed = true;
	add_text(w, who, w->e->text, w->e->is_thought);
}

/* Calls at the same time are one message; a call after a result is another. */
static void add_call(const struct said_work *w, struct said_speaker *who,
                     const struct run_event *call)
{
	struct said_message *m = who->open;
	struct said *said = w->said;
	struct said_tool *tool;

	if (!m || m->done_count || m->tool_count == SAID_TOOLS_MAX)
		m = open_message(w, who);
	if (said->open_count == SAID_OPEN_MAX)
		said_stop_awaiting(said, list_of(said->tools.next, struct said_tool, in_open));
	tool = said_add_tool(said, m);
	tool->number = ++said->tool_number;
	tool->name = said_keep_name(said, call->tool);
	tool->call = said_keep_name(said, call->call);
	said_json_take(&tool->input, call->input);
	said->size += tool->input.len;
	said_await_tool(said, tool);
	m->last_ms = w->e->ts;
}

/* Of a model's own reply: what was streamed before is not said again. */
static bool take_block(const struct said_work *w, struct said_speaker *who, yyjson_val *block)
{
	struct text type = json_text_at(block, "type");
	const struct run_event call = {
		.tool = json_text_at(block, "name"),
		.call = json_text_at(block, "id"),
		.input = yyjson_obj_get(block, "input"),
	};

	if (text_is(type, "tool_use"))
		add_call(w, who, &call);
	else if (text_is(type, "text") && !who->has_streamed)
		add_text(w, who, json_text_at(block, "text"), false);
	else if (text_is(type, "thinking") && !who->has_thought)
		add_text(w, who, json_text_at(block, "thinking"), true);
	return text_is(type, "tool_use");
}

static bool take_reply(const struct said_work *w, struct said_speaker *who)
{
	yyjson_arr_iter blocks = yyjson_arr_iter_with(w->e->blocks);
	bool has_call = w->e->has_call;
	yyjson_val *block;

	while ((block = yyjson_arr_iter_next(&blocks)))
		has_call = take_block(w, who, block) || has_call;
	if (!w->e->blocks && !who->has_streamed && !w->e->is_note)
		add_text(w, who, w->e->text, false);
	if (w->e->has_call)
		add_call(w, who, w->e);
	return has_call;
}

static void hear_reply(const struct said_work *w)
{
	struct said_speaker *who = speaker_of(w);
	bool has_call = take_reply(w, who);

	who->has_streamed = who->has_thought = false;
	if (who->open && !who->open->model)
		who->open->model = said_keep_name(w->said, w->e->model);
	if (!has_call)
		said_close(who);
}

static struct said_tool *find_tool(const struct said_work *w)
{
	const struct run_event *e = w->e;

	list_each(&w->said->tools, l) {
		struct said_tool *tool = list_of(l, struct said_tool, in_open);
		struct text call = text_of(tool->call), name = text_of(tool->name);
		struct text agent = text_of(tool->message->agent);

		if (e->call.len ? text_equal(said_name(e->call), call)
		                : text_equal(said_name(e->tool), name) &&
		                          text_equal(said_name(e->invoke), agent))
			return tool;
	}
	return NULL;
}

static void hear_result(const struct said_work *w)
{
	struct said_speaker *who = speaker_of(w);
	struct said_tool *tool = find_tool(w);

	if (!tool) { /* its call was before our time */
		tool = said_add_tool(w->said, open_message(w, who));
		tool->number = ++w->said->tool_number;
		tool->name = said_keep_name(w->said, w->e->tool);
		tool->call = said_keep_name(w->said, w->e->call);
	}
	said_stop_awaiting(w->said, tool);
	said_json_take(&tool->output, w->e->output);
	w->said->size += tool->output.len;
	tool->is_done = true;
	tool->has_failed = w->e->has_failed;
	tool->message->done_count++;
	tool->message->last_ms = w->e->ts;
}

/* ---- all else ---- */

static void hear_told(const struct said_work *w)
{
	struct said_message *m = begin_message(w, SAID_USER);

	m->from = said_keep_name(w->said, w->e->from);
	said_add_words(w->said, &m->text, w->e->text);
	said_text_settle(&m->text);
	note_task(w);
}

static void hear_begin(const struct said_work *w)
{
	struct said_speaker *who = speaker_of(w);

	said_close(who);
	who->has_streamed = who->has_thought = false;
}

static void hear_error(const struct said_work *w)
{
	struct said_message *m = begin_message(w, SAID_ERROR);

	said_add_words(w->said, &m->text, w->e->text);
	said_text_settle(&m->text);
}

static void hear_exit(const struct said_work *w)
{
	struct said_speaker *who = find_speaker(w->said, w->e);

	if (who)
		said_forget_speaker(w->said, who);
	end_agent(w, w->e->has_failed);
}

/* Whoever is idle, done or in error says no more for now. */
static void hear_move(const struct said_work *w)
{
	struct run_states_walk walk = run_states_walk(&w->e->config);
	struct said_speaker *who = find_speaker(w->said, w->e);
	struct text agent, state;
	bool has_failed;

	if (!w->e->invoke.len || !run_states_next(&walk, &agent) || !run_states_next(&walk, &state))
		return;
	has_failed = text_is(state, "error");
	if (!has_failed && !text_is(state, "idle") && !text_is(state, "done"))
		return;
	if (who) {
		said_close(who);
		who->is_at_work = false;
	}
	end_agent(w, has_failed);
}

static void hear_end(const struct said_work *w)
{
	list_each(&w->said->speakers, l)
		said_forget_speaker(w->said, list_of(l, struct said_speaker, in_said));
}

static void (*const hearers[])(const struct said_work *w) = {
	[RUN_TOLD] = hear_told,     [RUN_BEGAN] = hear_begin,     [RUN_SAID] = hear_piece,
	[RUN_REPLIED] = hear_reply, [RUN_RETURNED] = hear_result, [RUN_FAILED] = hear_error,
	[RUN_LEFT] = hear_exit,     [RUN_MOVED] = hear_move,      [RUN_ENDED] = hear_end,
};

void said_event(struct said *said, const struct run_event *e, uint64_t seq)
{
	const struct said_work w = {said, e, seq};

	if (e->kind > RUN_ENDED || !hearers[e->kind])
		return;
	if (e->part.len)
		note_agent(&w, e->part);
	hearers[e->kind](&w);
	said_bound(said);
}

bool said_is_finished(const struct said *said)
{
	list_each(&said->speakers, l)
		if (list_of(l, const struct said_speaker, in_said)->is_at_work)
			return false;
	return true;
}

const struct said_message *said_open(const struct said *said)
{
	for (const struct link *l = said->messages.prev; l != &said->messages; l = l->prev) {
		const struct said_message *m = list_of(l, const struct said_message, in_said);

		if (m->is_open)
			return m;
	}
	return NULL;
}
