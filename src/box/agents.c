/* agents.c - agents that connect to us in the run dialect: what they send becomes
 * signals, and what people say goes back to them.
 */
#include <stdlib.h>

#include "base/must.h"
#include "base/scan.h"
#include "box/parts.h"
#include "bus/back.h"
#include "bus/bus.h"
#include "config/config.h"
#include "escapement/escapement.h"
#include "parse/parse.h"
#include "run/prompt_frame.h"
#include "run/prompts.h"
#include "signal/signal.h"

#define FRAME_OUT_MAX (1 * MIB)

struct agent {
	struct box *box;
	struct parse *parse;
	char *source;
	bool has_credential;
	struct error *why; /* of the frame that is being read */
	bool is_bad;
};

static void take_signal(void *self, struct text envelope)
{
	struct agent *agent = self;
	struct bus_emit emit = {.raw = envelope};
	struct bus_verdict verdict;

	emit.from = bus_from(agent->box->bus, text_of(agent->source), agent->has_credential);
	emit.from.keeps_origin = true;
	bus_admit(agent->box->bus, &emit, &verdict);
	if (verdict.answer == BUS_ACCEPTED)
		return;
	agent->is_bad = true;
	error_set(agent->why, "%s", verdict.why.words);
}

static void take_bad(void *self, const char *why)
{
	struct agent *agent = self;

	agent->is_bad = true;
	error_set(agent->why, "%s", why);
}

static void *joined(void *self, struct text session, bool has_credential)
{
	struct agent *agent = must_zero(1, sizeof(*agent));
	struct box *box = self;
	struct parse_options o = {
		.correlation = session,
		.event_max = box->config->limits.message,
		.self = agent,
		.signal = take_signal,
		.bad = take_bad,
	};

	agent->box = box;
	agent->source = must_print("agent:%.*s", TEXT_ARG(session));
	agent->has_credential = has_credential;
	o.source = text_of(agent->source);
	agent->parse = parse_create(parse_find(TEXT("escapement")), &o);
	prompts_untold(box->prompts, session);
	return agent;
}

static bool heard(void *self, void *who, struct text frame, struct error *why)
{
	struct agent *agent = who;

	agent->why = why;
	agent->is_bad = false;
	parse_message(agent->parse, frame);
	agent->why = NULL;
	return !agent->is_bad;
}

static void left(void *self, void *who)
{
	struct agent *agent = who;

	parse_destroy(agent->parse);
	free(agent->source);
	free(agent);
}

struct escapement_agents box_agents(struct box *box)
{
	return (struct escapement_agents){
		.self = box, .joined = joined, .heard = heard, .left = left};
}

/* ---- what people say to them ---- */

enum back_answer box_control_agent(struct box *box, const struct back_control *control,
                                   struct error *why)
{
	enum back_answer answer;
	struct buf frame;

	buf_init(&frame, FRAME_OUT_MAX);
	if (control->frame.len) {
		buf_add(&frame, control->frame);
	} else {
		buf_add(&frame, TEXT("{\"kind\":\"control\",\"op\":"));
		buf_add_json(&frame, control->op);
		if (control->n)
			buf_print(&frame, ",\"n\":%llu", (unsigned long long)control->n);
		buf_add_char(&frame, '}');
	}
	answer = escapement_tell_agent(box->escapement, control->run, buf_text(&frame))
	                 ? BACK_DONE
	                 : BACK_UNKNOWN;
	buf_finish(&frame);
	if (answer != BACK_DONE)
		error_set(why, "there is no such run");
	return answer;
}

bool box_reply_to_agent(struct box *box, const struct prompt *prompt)
{
	struct buf frame;
	bool told;

	if (!box->escapement)
		return false;
	buf_init(&frame, FRAME_OUT_MAX);
	prompt_answer_frame(prompt, &frame);
	told = escapement_tell_agent(box->escapement, text_of(prompt->run), buf_text(&frame));
	buf_finish(&frame);
	return told;
}

bool box_tell_agent(struct box *box, const struct signal *s, struct text run)
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
	buf_add(&frame, TEXT(",\"data\":"));
	buf_add(&frame, payload);
	buf_add_char(&frame, '}');
	told = run.len && !frame.full &&
	       escapement_tell_agent(box->escapement, run, buf_text(&frame));
	buf_finish(&frame);
	return told;
}
