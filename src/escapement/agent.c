/* agent.c - the other side of the run dialect: an agent, in any language.
 *
 * What it sends becomes signals of its session, and what people say goes back to it.  A session
 * has one agent at a time.
 */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/scan.h"
#include "bus/bus.h"
#include "escapement/inside.h"
#include "parse/parse.h"
#include "run/prompt_frame.h"
#include "run/prompts.h"
#include "signal/json.h"
#include "signal/signal.h"

#define SAY_MAX (8 * KIB)
#define FRAME_OUT_MAX (1 * MIB)

struct escapement_agent {
	struct bus *bus;
	struct parse *parse;
	char *source;
	bool has_credential;
	struct error *why; /* of the frame that is being read */
	bool is_bad;
};

/* ---- what it says ---- */

static void take_signal(void *self, struct text envelope)
{
	struct escapement_agent *agent = self;
	struct bus_emit emit = {.raw = envelope};
	struct bus_verdict verdict;

	emit.from = bus_from(agent->bus, text_of(agent->source), agent->has_credential);
	emit.from.keeps_origin = true;
	bus_admit(agent->bus, &emit, &verdict);
	if (verdict.answer == BUS_ACCEPTED)
		return;
	agent->is_bad = true;
	error_set(agent->why, "%s", verdict.why.words);
}

static void take_bad(void *self, const char *why)
{
	struct escapement_agent *agent = self;

	agent->is_bad = true;
	error_set(agent->why, "%s", why);
}

static struct escapement_agent *agent_create(const struct escapement_options *options,
                                             struct text session, bool has_credential)
{
	struct escapement_agent *agent = must_zero(1, sizeof(*agent));
	struct parse_options o = {
		.correlation = session,
		.event_max = options->message_max,
		.self = agent,
		.signal = take_signal,
		.bad = take_bad,
	};

	agent->bus = options->bus;
	agent->source = must_print("agent:%.*s", TEXT_ARG(session));
	agent->has_credential = has_credential;
	o.source = text_of(agent->source);
	agent->parse = parse_create(parse_find(TEXT("escapement")), &o);
	return agent;
}

static struct run_view *find_agent(const struct escapement *e, struct text session)
{
	list_each(&e->agents, l) {
		struct run_view *view = list_of(l, struct run_view, in_room);

		if (text_is(session, view->session))
			return view;
	}
	return NULL;
}

bool run_agent_begin(struct run_view *view, bool has_credential)
{
	struct escapement *e = escapement_of(view);
	struct text session = text_of(view->session);

	if (find_agent(e, session))
		return false;
	list_add(&e->agents, &view->in_room);
	view->agent = agent_create(&e->options, session, has_credential);
	prompts_untold(e->options.prompts, session);
	return true;
}

void run_agent_end(struct run_view *view)
{
	list_remove(&view->in_room); /* it hears nothing more */
	parse_destroy(view->agent->parse);
	free(view->agent->source);
	free(view->agent);
	view->agent = NULL;
}

void run_agent_hear(struct run_view *view, struct text frame)
{
	struct escapement_agent *agent = view->agent;
	struct error why;
	struct buf out;

	agent->why = &why;
	agent->is_bad = false;
	parse_message(agent->parse, frame);
	agent->why = NULL;
	if (!agent->is_bad)
		return;
	buf_init(&out, SAY_MAX);
	put_object(&out, NULL);
	put_word(&out, "kind", "refused");
	put_word(&out, "of", "frame");
	put_word(&out, "reason", why.words);
	buf_add_char(&out, '}');
	client_say_frame(view->client, WS_OP_TEXT, buf_text(&out));
	buf_finish(&out);
}

/* ---- what people say to it ---- */

bool escapement_has_agent(const struct escapement *e, struct text session)
{
	return find_agent(e, session) != NULL;
}

/* False: the session has no agent here. */
static bool tell_agent(struct escapement *e, struct text session, struct text frame)
{
	struct run_view *view = find_agent(e, session);

	if (view)
		client_say_frame(view->client, WS_OP_TEXT, frame);
	return view != NULL;
}

enum back_answer escapement_control(struct escapement *e, const struct back_control *control,
                                    struct error *why)
{
	enum back_answer answer;
	struct buf frame;

	buf_init(&frame, FRAME_OUT_MAX);
	if (control->frame.len) {
		buf_add(&frame, control->frame);
	} else {
		put_object(&frame, NULL);
		put_word(&frame, "kind", "control");
		put_text(&frame, "op", back_wire_of(control->op));
		if (control->n)
			put_u64(&frame, "n", control->n);
		buf_add_char(&frame, '}');
	}
	answer = tell_agent(e, control->run, buf_text(&frame)) ? BACK_DONE : BACK_UNKNOWN;
	buf_finish(&frame);
	if (answer != BACK_DONE)
		error_set(why, "there is no such run");
	return answer;
}

bool escapement_reply(struct escapement *e, const struct prompt *prompt)
{
	struct buf frame;
	bool told;

	buf_init(&frame, FRAME_OUT_MAX);
	prompt_answer_frame(prompt, &frame);
	told = tell_agent(e, text_of(prompt->run), buf_text(&frame));
	buf_finish(&frame);
	return told;
}

bool escapement_tell_event(struct escapement *e, const struct signal *s, struct text run)
{
	struct text key, value, payload = TEXT("{}");
	struct scan scan;
	struct buf frame;
	bool told;

	scan_object(&scan, s->line);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, "payload"))
			payload = value;
	buf_init(&frame, FRAME_OUT_MAX);
	buf_print(&frame, "{\"kind\":\"event\",\"ts\":%.0f,\"event\":", s->at_ms);
	buf_add_json(&frame, s->type);
	put_json(&frame, "data", payload);
	buf_add_char(&frame, '}');
	told = run.len && !frame.full && tell_agent(e, run, buf_text(&frame));
	buf_finish(&frame);
	return told;
}
