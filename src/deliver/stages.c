/* stages.c - the eight stages of a request, as a table; here are those before the agent. */
#include "deliver/stages.h"
#include "base/list.h"
#include "config/config.h"
#include "deliver/desk_crowd.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"

#define TOO_MANY \
	"Too many messages wait here. This one is not answered, nor is what follows until some " \
	"of them are. /stop ends yours."
#define IN_A_ROW \
	"That were too many answers in a row: this one is not answered, nor is what follows. It " \
	"goes on after some silence, or when a person who is known writes here."
#define RATE_MS 60000
#define RATES_MAX 10000 /* senders; then all are forgotten */

/* ---- receive ---- */

/* It is on the disk, and nothing followed it quickly. */
static enum stage_step stage_receive(struct nexus *x, int64_t now_ms)
{
	const struct custody *custody = x->desk->options.custody;
	const struct received *r = custody_request(custody, text_of(x->request.id));

	if (!r || r->seq > custody_durable(custody))
		return STAGE_WAITS;
	if (x->ear.told) {
		struct back_ear ear = x->ear;

		x->ear.told = NULL;
		ear.told(ear.of, &(struct back_verdict){.answer = BACK_DONE, .seq = r->seq});
	}
	if (now_ms < x->burst.until_ms && !x->stopped_by && !x->account->is_gone)
		return STAGE_WAITS;
	nexus_set(&x->request, NEXUS_CONTENT, received_word(r, RECEIVED_TEXT));
	return stages_ends(x) ? STAGE_EXITS : STAGE_DONE;
}

bool stages_ends(struct nexus *x)
{
	const char *why = x->stopped_by         ? "it was cancelled"
	                  : x->account->is_gone ? "the configuration has its chat no more"
	                                        : NULL;

	if (!why)
		return false;
	nexus_set(&x->request, NEXUS_ERROR, text_of(why));
	nexus_set(&x->request, NEXUS_STOP, x->stopped_by ? TEXT("aborted") : TEXT("error"));
	stages_exit(x, NEXUS_FAILED, why);
	return true;
}

/* ---- access ---- */

/* Names are those of the configuration: others can be chosen by strangers. */
static bool concerns_who(const struct nexus *x, struct text who)
{
	const struct nexus_request *r = &x->request;

	return text_is(who, "any") || text_equal(who, nexus_word(r, NEXUS_PRINCIPAL)) ||
	       (r->words[NEXUS_PERSON] && !x->paired &&
	        text_equal(who, nexus_word(r, NEXUS_PERSON)));
}

static bool concerns(const struct nexus *x, const struct config_policy *p)
{
	static const enum channel_peer peers[] = {[CONFIG_PEER_DM] = CHANNEL_DM,
	                                          [CONFIG_PEER_GROUP] = CHANNEL_GROUP,
	                                          [CONFIG_PEER_CHANNEL] = CHANNEL_BROADCAST};
	const struct nexus_request *r = &x->request;
	struct text channel = text_of(p->channel);

	if (!concerns_who(x, text_of(p->who)))
		return false;
	if (channel.len && !text_equal(channel, nexus_word(r, NEXUS_CHANNEL)) &&
	    !text_equal(channel, nexus_word(r, NEXUS_ACCOUNT)))
		return false;
	if (p->peer != CONFIG_PEER_ANY && peers[p->peer] != r->peer_kind)
		return false;
	return !p->mention || r->peer_kind == CHANNEL_DM || r->is_mentioned;
}

static void forget_rates(struct desk *d)
{
	struct text key;
	size_t at = 0;
	void *rate;

	while (map_next(&d->rates, &at, &key, &rate))
		free(rate);
	map_finish(&d->rates);
	map_init(&d->rates);
}

/* Names that anybody can have count as where they write from, or all together: a new one is no new
 * sender. */
static void put_sender(const struct nexus *x, struct buf *out)
{
	bool is_nobody = stages_is_nobody(x);

	buf_add(out, nexus_word(&x->request, NEXUS_ACCOUNT));
	buf_add(out, is_nobody ? TEXT("\n\n") : TEXT("\n"));
	buf_add(out, nexus_word(&x->request, is_nobody ? NEXUS_ORIGIN : NEXUS_SENDER));
}

static bool is_too_quick(const struct nexus *x, unsigned limit, int64_t now_ms)
{
	struct desk *d = x->desk;
	struct desk_rate *rate;
	struct buf key;

	buf_init(&key, 2 * KIB);
	put_sender(x, &key);
	rate = map_get(&d->rates, buf_text(&key));
	if (!rate) {
		if (d->rates.count >= RATES_MAX)
			forget_rates(d);
		rate = must_zero(1, sizeof(*rate));
		rate->since_ms = now_ms;
		map_set(&d->rates, buf_text(&key), rate);
	}
	buf_finish(&key);
	if (now_ms - rate->since_ms >= RATE_MS)
		*rate = (struct desk_rate){.since_ms = now_ms};
	return ++rate->count > limit;
}

static enum stage_step decide_access(struct nexus *x, bool allows, const char *reason)
{
	nexus_set(&x->request, NEXUS_DECISION, allows ? TEXT("allow") : TEXT("deny"));
	x->request.may_answer = allows && x->answers;
	if (allows && x->paired)
		nexus_set(&x->request, NEXUS_AGENT, known_word(x->paired, KNOWN_AGENT));
	if (allows)
		return STAGE_DONE;
	stages_exit(x, NEXUS_DENIED, reason);
	return STAGE_EXITS;
}

/* Owners may, and who else the configuration knows and lets; never somebody that it does not. */
static bool may_answer(const struct nexus *x, enum config_switch answer)
{
	const struct nexus_request *r = &x->request;

	if (r->is_owner)
		return x->may != ANSWERS_NOTHING && answer != CONFIG_FALSE;
	if (!r->words[NEXUS_PERSON] || x->paired)
		return false;
	return answer == CONFIG_TRUE ||
	       (answer == CONFIG_AUTO && text_is(nexus_word(r, NEXUS_PRINCIPAL), "owner"));
}

static enum stage_step stage_access(struct nexus *x, int64_t now_ms)
{
	const struct config *config = x->desk->config;
	struct nexus_request *r = &x->request;
	char name[32];

	if (x->account && x->account->line.kind->traits.knows_nobody && !r->is_owner)
		return decide_access(x, false, "nobody is known there, so nobody may ask");

	for (size_t i = 0; i < config->policy_count; i++) {
		const struct config_policy *p = &config->access[i];

		if (!concerns(x, p))
			continue;
		snprintf(name, sizeof(name), "access[%zu]", i);
		nexus_set(r, NEXUS_POLICY, text_of(name));
		if (p->decision == CONFIG_DENY)
			return decide_access(x, false, "a policy denies it");
		r->is_rate_limited = p->rate && is_too_quick(x, p->rate, now_ms);
		if (r->is_rate_limited)
			return decide_access(x, false, "too many messages a minute");
		if (p->agent)
			nexus_set(r, NEXUS_AGENT, text_of(p->agent));
		if (p->session)
			nexus_set(r, NEXUS_SESSION, text_of(p->session));
		x->answers = may_answer(x, p->answer);
		x->interrupts = p->queue == CONFIG_QUEUE_INTERRUPT;
		x->collects = p->queue == CONFIG_QUEUE_COLLECT;
		nexus_set(r, NEXUS_QUEUE,
		          x->interrupts ? TEXT("interrupt")
		          : x->collects ? TEXT("collect")
		                        : TEXT("followup"));
		return decide_access(x, true, NULL);
	}
	if (x->paired && r->peer_kind == CHANNEL_DM) {
		nexus_set(r, NEXUS_POLICY, TEXT("pairing"));
		nexus_set(r, NEXUS_QUEUE, TEXT("followup"));
		return decide_access(x, true, NULL);
	}
	nexus_set(r, NEXUS_POLICY, TEXT("default"));
	nexus_set(r, NEXUS_QUEUE, TEXT("followup"));
	x->answers = may_answer(x, CONFIG_AUTO);
	return decide_access(x, text_is(nexus_word(r, NEXUS_PRINCIPAL), "owner"),
	                     "nobody lets them in");
}

/* They may ask, but not so much at once: they are told of the first that is too many. */
static enum stage_step turn_away(struct nexus *x, int64_t now_ms)
{
	decide_access(x, false, x->excess);
	if (!desk_crowd_tells(x, now_ms))
		return STAGE_EXITS;
	x->notice = must_dup(TOO_MANY);
	return STAGE_SKIPS;
}

/* Is it a program that answers us, and we it, for ever?  Where nothing says where a name that
 * anybody can have is from, it is the name. */
static enum echo_step step_of_echo(struct nexus *x, int64_t now_ms)
{
	const struct nexus_request *r = &x->request;
	struct text principal = nexus_word(r, NEXUS_PRINCIPAL);
	struct buf chat;
	struct echo_turn turn = {
		.sender =
			nexus_word(r, stages_is_nobody(x) && r->words[NEXUS_ORIGIN] ? NEXUS_ORIGIN
	                                                                            : NEXUS_SENDER),
		.who = text_is(principal, "owner")   ? ECHO_OWNER
	               : text_is(principal, "known") ? ECHO_KNOWN
	                                             : ECHO_UNKNOWN,
	};
	enum echo_step step;

	buf_init(&chat, 2 * KIB);
	buf_add(&chat, nexus_word(r, NEXUS_ACCOUNT));
	buf_add_char(&chat, '\n');
	buf_add(&chat, nexus_word(r, NEXUS_PEER));
	turn.chat = buf_text(&chat);
	step = echoes_step(&x->desk->echoes, &turn, now_ms);
	buf_finish(&chat);
	return step;
}

/* What is under way can be ended all the same. */
static enum stage_step end_echo(struct nexus *x, int64_t now_ms)
{
	enum echo_step step = stages_asks_to_stop(x) ? ECHO_ANSWER : step_of_echo(x, now_ms);

	if (step == ECHO_ANSWER)
		return STAGE_DONE;
	decide_access(x, false, "too many answers in a row without a person");
	if (step == ECHO_SILENCE)
		return STAGE_EXITS;
	x->notice = must_dup(IN_A_ROW);
	return STAGE_SKIPS;
}

/* Who is not let in may get a code. */
static enum stage_step stage_door(struct nexus *x, int64_t now_ms)
{
	enum stage_step step = stage_access(x, now_ms);

	if (step == STAGE_DONE && x->excess)
		return turn_away(x, now_ms);
	if (step == STAGE_DONE)
		return end_echo(x, now_ms);
	if (step != STAGE_EXITS || !desk_pairs(x))
		return step;
	x->request.trace[NEXUS_ACCESS].exit_reason = "they got a pairing code";
	return STAGE_SKIPS;
}

bool stages_admit(struct nexus *x, int64_t now_ms)
{
	x->request.stage = NEXUS_IDENTITY;
	if (stage_identity(x, now_ms) != STAGE_DONE)
		return false;
	x->request.stage = NEXUS_ACCESS;
	return stage_access(x, now_ms) == STAGE_DONE;
}

/* ---- the table ---- */

static stage_fn *const stages[NEXUS_STAGES] = {
	[NEXUS_RECEIVE] = stage_receive,   [NEXUS_IDENTITY] = stage_identity,
	[NEXUS_ACCESS] = stage_door,       [NEXUS_TRIGGERS] = stage_triggers,
	[NEXUS_ASSEMBLE] = stage_assemble, [NEXUS_RUN] = stage_run,
	[NEXUS_DELIVER] = stage_deliver,   [NEXUS_FINALIZE] = stage_finalize,
};

void stages_exit(struct nexus *x, enum nexus_status status, const char *reason)
{
	x->request.status = status;
	x->request.trace[x->request.stage].exit_reason = reason;
}

static void enter(struct nexus *x, enum nexus_stage stage, int64_t now_ms)
{
	struct nexus_trace *trace = &x->request.trace[stage];

	x->request.stage = stage;
	if (trace->was)
		return;
	trace->was = true;
	trace->began_ms = now_ms;
	trace->started_at = x->desk->options.wall_ms();
}

static enum nexus_stage next_of(enum nexus_stage stage, enum stage_step step)
{
	return step == STAGE_EXITS   ? NEXUS_FINALIZE
	       : step == STAGE_SKIPS ? NEXUS_DELIVER
	       : step == STAGE_AGAIN ? NEXUS_RECEIVE
	                             : stage + 1;
}

bool stages_go_on(struct nexus *x, int64_t now_ms)
{
	struct nexus_request *r = &x->request;

	for (;;) {
		enum nexus_stage stage = r->stage;
		enum stage_step step;

		enter(x, stage, now_ms);
		step = stages[stage](x, now_ms);
		r->trace[stage].duration_ms = now_ms - r->trace[stage].began_ms;
		if (step == STAGE_WAITS)
			return false;
		if (stage == NEXUS_FINALIZE)
			return true;
		r->stage = next_of(stage, step);
	}
}
