/* back.c - the way back from every screen: the back ends of this box, and what agents ask. */
#include "box/back.h"

#include <openssl/crypto.h>

#include "base/clock.h"
#include "box/parts.h"
#include "bus/folds.h"
#include "config/config.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "source/source.h"

#define TICK_MS 1000 /* from one look at the deadlines to the next */

/* ---- back ends ---- */

void box_make_back(struct box *box)
{
	struct backs_options o = {
		.bus = box->bus, .self = box->runs, .is_free = runs_is_free, .missing = runs_miss};

	box->backs = backs_create(&o);
	/* The first: `signalbox run` listens as an agent of the session whose hooks come to us,
	 * and what the hooks can do is theirs. */
	claude_back_init(&box->hooks_end);
	backs_add(box->backs, &box->hooks_end.end);
}

struct back box_back(struct box *box)
{
	struct back_prompts prompts = prompts_back(box->prompts);

	return backs_front(box->backs, &prompts);
}

void box_tell_verdict(void *self, uint64_t ticket, enum back_answer verdict, const char *why)
{
	backs_verdict(((struct box *)self)->backs, ticket, verdict, why);
}

/* Those that wait for a verdict or an answer, once a second. */
static void tick(struct deadline *deadline)
{
	struct box *box = list_of(deadline, struct box, back_tick);

	prompts_tick(box->prompts, clock_wall_ms());
	backs_tick(box->backs);
	deadline_set(box->loop, &box->back_tick, TICK_MS);
}

void box_stop_back(struct box *box)
{
	if (!box->prompts)
		return;
	backs_stop(box->backs);
	deadline_clear(&box->back_tick);
}

/* ---- what agents ask ---- */

static void prompt_changed(void *self, const struct prompt *prompt)
{
	box_tell(self, &(struct news){NEWS_PROMPT, .prompt = prompt});
}

bool box_make_prompts(struct box *box, struct error *why)
{
	struct prompts_options o = {
		.bus = box->bus, .self = box, .changed = prompt_changed, .backs = box->backs};
	char key[PROMPTS_KEY];

	if (!prompts_load_key(box->config->data, key, why))
		return false;
	o.key = key;
	box->prompts = prompts_create(&o);
	OPENSSL_cleanse(key, sizeof(key));
	folds_add(bus_folds(box->bus), &prompts_fold, box->prompts);
	box->back_tick.fire = tick;
	deadline_set(box->loop, &box->back_tick, TICK_MS);
	return true;
}

void box_withdraw_prompt(void *self, struct text source, struct text id, const char *why)
{
	prompts_withdraw(((struct box *)self)->prompts, source, id, why);
}

void box_settle_prompt(void *self, struct text run, struct text id, bool is_agents,
                       const char *decision)
{
	struct prompt_settlement settlement = {.is_agents = is_agents, .decision = decision};

	prompts_settle_own(((struct box *)self)->prompts, run, id, &settlement);
}

void box_decide_prompt(void *self, struct text source, const struct source_decision *d)
{
	struct prompt_settlement settlement = {
		.is_agents = d->is_elsewhere,
		.who = {.user = d->by, .screen = source},
		.decision = d->decision,
	};

	prompts_decide(((struct box *)self)->prompts, source, d->id, &settlement);
}

void box_each_prompt(void *self, struct text source, void (*each)(void *of, struct text id),
                     void *of)
{
	prompts_each_asked(((struct box *)self)->prompts, source, each, of);
}

void box_tell_prompts(void *self, struct text run)
{
	prompts_untold(((struct box *)self)->prompts, run);
}
