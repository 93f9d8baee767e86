/* stages.c - the eight stages of a request, as a table; here are those before the agent. */
#include "deliver/stages.h"
#include "base/list.h"
#include "config/config.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"

#define RATE_MS 60000
#define PLACES_MAX 32   /* of a list of them; more are not told */
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
	if (now_ms < x->gather_until_ms)
		return STAGE_WAITS;
	nexus_set(&x->request, NEXUS_CONTENT, received_word(r, RECEIVED_TEXT));
	return STAGE_DONE;
}

/* ---- identity ---- */

static bool is_of(const struct config_person *person, struct text identity)
{
	for (size_t i = 0; i < person->identity_count; i++)
		if (text_is(identity, person->identities[i]))
			return true;
	return false;
}

/* Where the person can be met, and where the box can speak at all. */
static void note_places(struct nexus *x, const struct config_person *person)
{
	unsigned room = PLACES_MAX;
	struct buf list;

	buf_init(&list, MIB);
	put_list(&list, NULL);
	list_each(&x->desk->accounts, l) {
		const struct desk_account *a = list_of(l, struct desk_account, in_desk);

		if (!a->is_gone && room && room--)
			put_word(&list, NULL, a->line.account);
	}
	put_list_end(&list);
	nexus_set(&x->request, NEXUS_CHANNELS, buf_text(&list));
	buf_clear(&list);
	put_list(&list, NULL);
	for (size_t i = 0; person && i < person->identity_count && i < PLACES_MAX; i++)
		put_word(&list, NULL, person->identities[i]);
	put_list_end(&list);
	if (person)
		nexus_set(&x->request, NEXUS_IDENTITIES, buf_text(&list));
	buf_finish(&list);
}

static enum stage_step stage_identity(struct nexus *x, int64_t now_ms)
{
	const struct config *config = x->desk->config;
	const struct config_person *whose = NULL;
	struct nexus_request *r = &x->request;
	struct buf identity;

	nexus_set(r, NEXUS_PRINCIPAL, r->is_owner ? TEXT("owner") : TEXT("unknown"));
	if (r->is_owner)
		nexus_set(r, NEXUS_KNOWN_BY, TEXT("credential"));
	buf_init(&identity, 2 * KIB);
	nexus_put_identity(r, &identity);
	for (size_t i = 0; i < config->person_count && !r->is_owner; i++) {
		const struct config_person *person = &config->people[i];
		bool is_owner = text_is(text_of(person->relationship), "owner");

		if (!is_of(person, buf_text(&identity)))
			continue;
		nexus_set(r, NEXUS_PRINCIPAL, is_owner ? TEXT("owner") : TEXT("known"));
		whose = person;
		nexus_set(r, NEXUS_PERSON, text_of(person->name));
		nexus_set(r, NEXUS_RELATIONSHIP, text_of(person->relationship));
		nexus_set(r, NEXUS_KNOWN_BY, TEXT("people"));
		break;
	}
	if (!r->is_owner && !r->words[NEXUS_PERSON])
		x->paired = known_find(&x->desk->known, buf_text(&identity));
	if (x->paired) {
		nexus_set(r, NEXUS_PRINCIPAL, TEXT("known"));
		nexus_set(r, NEXUS_PERSON, known_word(x->paired, KNOWN_NAME));
		nexus_set(r, NEXUS_RELATIONSHIP, TEXT("known"));
		nexus_set(r, NEXUS_KNOWN_BY, TEXT("pairing"));
	}
	note_places(x, whose);
	buf_finish(&identity);
	return STAGE_DONE;
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

static bool is_too_quick(const struct nexus *x, unsigned limit, int64_t now_ms)
{
	struct desk *d = x->desk;
	struct desk_rate *rate;
	struct buf key;

	buf_init(&key, 2 * KIB);
	buf_add(&key, nexus_word(&x->request, NEXUS_ACCOUNT));
	buf_add_char(&key, '\n');
	buf_add(&key, nexus_word(&x->request, NEXUS_SENDER));
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

/* Who is not let in may get a code. */
static enum stage_step stage_door(struct nexus *x, int64_t now_ms)
{
	enum stage_step step = stage_access(x, now_ms);

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
