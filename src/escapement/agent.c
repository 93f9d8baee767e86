/* agent.c - the other side of the run dialect: an agent, in any language.
 *
 * What it sends becomes signals of its session, by way of box.c; what people say to it
 * comes by escapement_tell_agent().  A session has one agent at a time.
 */
#include "escapement/inside.h"
#include "signal/json.h"

#define SAY_MAX (8 * KIB)

static bool is_taken(const struct run_view *view)
{
	list_each(&escapement_of(view)->agents, l)
		if (strcmp(list_of(l, struct run_view, in_room)->session, view->session) == 0)
			return true;
	return false;
}

bool run_agent_begin(struct run_view *view, bool has_credential)
{
	struct escapement *e = escapement_of(view);
	const struct escapement_agents *agents = &e->options.agents;

	if (is_taken(view))
		return false;
	list_add(&e->agents, &view->in_room);
	view->agent = agents->joined(agents->self, text_of(view->session), has_credential);
	return true;
}

void run_agent_end(struct run_view *view)
{
	const struct escapement_agents *agents = &escapement_of(view)->options.agents;

	list_remove(&view->in_room); /* it hears nothing more */
	agents->left(agents->self, view->agent);
}

void run_agent_hear(struct run_view *view, struct text frame)
{
	const struct escapement_agents *agents = &escapement_of(view)->options.agents;
	struct error why;
	struct buf out;

	if (agents->heard(agents->self, view->agent, frame, &why))
		return;
	buf_init(&out, SAY_MAX);
	buf_add(&out, TEXT("{\"kind\":\"refused\",\"of\":\"frame\",\"reason\":"));
	buf_add_json(&out, text_of(why.words));
	buf_add_char(&out, '}');
	client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}
