/* said_parts.c - what is kept of what was said, made, counted and forgotten. */
#include <stdlib.h>

#include "base/must.h"
#include "run/said_parts.h"

const char *said_role_name(enum said_role role)
{
	static const char *const names[] = {
		[SAID_USER] = "user",
		[SAID_ASSISTANT] = "assistant",
		[SAID_ERROR] = "error",
	};

	return names[role];
}

char *said_keep_name(struct said *said, struct text t)
{
	if (!t.len)
		return NULL;
	t = said_name(t);
	t.len = strnlen(t.at, t.len);
	said->size += t.len;
	return text_dup(t);
}

void said_drop_name(struct said *said, char **name)
{
	if (*name)
		said->size -= strlen(*name);
	free(*name);
	*name = NULL;
}

/* ---- tools ---- */

void said_await_tool(struct said *said, struct said_tool *tool)
{
	list_add(&said->tools, &tool->in_open);
	said->open_count++;
}

void said_stop_awaiting(struct said *said, struct said_tool *tool)
{
	if (list_is_empty(&tool->in_open))
		return;
	list_remove(&tool->in_open);
	said->open_count--;
}

struct said_tool *said_add_tool(struct said *said, struct said_message *m)
{
	struct said_tool *tool = must_zero(1, sizeof(*tool));

	tool->message = m;
	list_init(&tool->in_open);
	list_add(&m->tools, &tool->in_message);
	m->tool_count++;
	said->size += sizeof(*tool);
	return tool;
}

static void forget_tool(struct said *said, struct said_tool *tool)
{
	said_stop_awaiting(said, tool);
	list_remove(&tool->in_message);
	said_drop_name(said, &tool->name);
	said_drop_name(said, &tool->call);
	said->size -= sizeof(*tool) + tool->input.len + tool->output.len;
	free(tool->input.at);
	free(tool->output.at);
	free(tool);
}

/* ---- messages ---- */

struct said_message *said_add_message(struct said *said, enum said_role role)
{
	struct said_message *m = must_zero(1, sizeof(*m));

	m->role = role;
	list_init(&m->tools);
	list_add(&said->messages, &m->in_said);
	said->message_count++;
	said->size += sizeof(*m);
	return m;
}

static void forget_message(struct said *said, struct said_message *m)
{
	list_each(&said->speakers, l) {
		struct said_speaker *who = list_of(l, struct said_speaker, in_said);

		if (who->open == m)
			who->open = NULL;
	}
	list_each(&m->tools, l)
		forget_tool(said, list_of(l, struct said_tool, in_message));
	said_drop_name(said, &m->agent);
	said_drop_name(said, &m->part);
	said_drop_name(said, &m->from);
	said_drop_name(said, &m->model);
	said->size -= sizeof(*m) + said_text(&m->thought).len + said_text(&m->text).len;
	said->message_count--;
	list_remove(&m->in_said);
	free(m->thought.at);
	free(m->text.at);
	free(m);
}

/* Only where a message begins: so it does not matter in how many pieces one came. */
void said_trim(struct said *said)
{
	while (said->message_count &&
	       (said->message_count >= SAID_MESSAGES_MAX || said->size > SAID_RUN_MAX))
		forget_message(said, list_of(said->messages.next, struct said_message, in_said));
}

void said_bound(struct said *said)
{
	while (said->size > SAID_RUN_MOST && said->message_count)
		forget_message(said, list_of(said->messages.next, struct said_message, in_said));
}

static void close_message(struct said_message *m)
{
	m->is_open = false;
	said_text_settle(&m->thought);
	said_text_settle(&m->text);
}

/* ---- who speaks ---- */

void said_close(struct said_speaker *who)
{
	if (who->open)
		close_message(who->open);
	who->open = NULL;
}

static size_t speaker_size(const struct said_speaker *who)
{
	return sizeof(*who) + who->invoke.len + who->session.len + who->part.len;
}

void said_forget_speaker(struct said *said, struct said_speaker *who)
{
	said_close(who);
	list_remove(&who->in_said);
	said->speaker_count--;
	said->size -= speaker_size(who);
	free(who);
}

static struct text copy_name(char **to, struct text name)
{
	struct text copy = {*to, name.len};

	if (name.len)
		memcpy(*to, name.at, name.len);
	*to += name.len;
	return copy;
}

struct said_speaker *said_add_speaker(struct said *said, struct text invoke, struct text session,
                                      struct text part)
{
	const struct text names[] = {said_name(invoke), said_name(session), said_name(part)};
	struct said_speaker *who =
		must_zero(1, sizeof(*who) + names[0].len + names[1].len + names[2].len);
	char *to = who->names;

	if (said->speaker_count == SAID_OPEN_MAX)
		said_forget_speaker(said,
		                    list_of(said->speakers.prev, struct said_speaker, in_said));
	who->invoke = copy_name(&to, names[0]);
	who->session = copy_name(&to, names[1]);
	who->part = copy_name(&to, names[2]);
	list_add(said->speakers.next, &who->in_said);
	said->speaker_count++;
	said->size += speaker_size(who);
	return who;
}

/* ---- subagents ---- */

struct said_agent *said_add_agent(struct said *said, struct text id)
{
	struct said_agent *a = must_zero(1, sizeof(*a));

	a->id = said_keep_name(said, id);
	list_add(&said->agents, &a->in_said);
	said->agent_count++;
	said->size += sizeof(*a);
	return a;
}

/* ---- from start to end ---- */

struct said *said_create(void)
{
	struct said *said = must_zero(1, sizeof(*said));

	list_init(&said->messages);
	list_init(&said->agents);
	list_init(&said->speakers);
	list_init(&said->tools);
	return said;
}

static void free_agent(struct said_agent *a)
{
	list_remove(&a->in_said);
	free(a->id);
	free(a->name);
	free(a->parent);
	free(a->task);
	free(a);
}

void said_destroy(struct said *said)
{
	if (!said)
		return;
	list_each(&said->speakers, l)
		said_forget_speaker(said, list_of(l, struct said_speaker, in_said));
	list_each(&said->messages, l)
		forget_message(said, list_of(l, struct said_message, in_said));
	list_each(&said->agents, l)
		free_agent(list_of(l, struct said_agent, in_said));
	free(said->main);
	free(said);
}
