/* back.c - the way back from every screen: the back ends of this box, one row each, and what
 * agents ask.
 */
#include "box/back.h"

#include <openssl/crypto.h>

#include "base/clock.h"
#include "box/deliver.h"
#include "box/parts.h"
#include "box/voice.h"
#include "bus/folds.h"
#include "config/config.h"
#include "escapement/escapement.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "source/back.h"
#include "source/source.h"

/* ---- back ends ---- */

static struct back_end *make_hooks_end(struct box *box)
{
	claude_back_init(&box->hooks_end);
	return &box->hooks_end.end;
}

static struct back_end *make_agents_end(struct box *box)
{
	box->agents_end = escapement_back_end(box->escapement);
	return &box->agents_end;
}

static struct back_end *make_sources_end(struct box *box)
{
	box->sources_end = sources_back_end(box->sources);
	return &box->sources_end;
}

/* In the order in which they are tried.  The hooks are first: `signalbox run` listens as an
 * agent of the session whose hooks come to us, and what the hooks can do is theirs. */
static const struct {
	struct back_end *(*make)(struct box *box);
	void (*free)(struct back_end *end); /* NULL: it goes with its room */
	bool is_early; /* before hub and sources: it settles prompts while the past is folded */
} rows[] = {
	{make_hooks_end, .is_early = true},
	{make_agents_end},
	{make_sources_end},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

_Static_assert(ROWS <= BOX_BACKS_MAX, "every back end fits the list");

static void add_ends(struct box *box, bool early)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].is_early != early)
			continue;
		box->ends[i] = rows[i].make(box);
		backs_add(box->backs, box->ends[i]);
	}
}

void box_make_back(struct box *box)
{
	struct backs_options o = {
		.bus = box->bus, .self = box->runs, .is_free = runs_is_free, .missing = runs_miss};

	box->backs = backs_create(&o);
	add_ends(box, true);
}

void box_join_backs(struct box *box)
{
	add_ends(box, false);
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

void box_tell_called(void *self, uint64_t ticket, const struct back_verdict *verdict)
{
	backs_called(((struct box *)self)->backs, ticket, verdict);
}

/* Those that wait for a verdict or an answer. */
static void tick(struct deadline *deadline)
{
	struct box *box = list_of(deadline, struct box, back_tick);

	prompts_tick(box->prompts, clock_wall_ms());
	backs_tick(box->backs);
	deadline_set_beat(box->loop, &box->back_tick);
}

void box_stop_back(struct box *box)
{
	if (!box->prompts)
		return;
	box_stop_voice(box); /* it asks by them */
	backs_stop(box->backs);
	for (size_t i = 0; i < ROWS; i++)
		if (box->ends[i] && rows[i].free)
			rows[i].free(box->ends[i]);
	deadline_clear(&box->back_tick);
}

/* ---- what agents ask ---- */

static void prompt_changed(void *self, const struct prompt *prompt)
{
	box_tell(self, &(struct news){NEWS_PROMPT, .prompt = prompt});
	box_touch_crew(self, prompt);
	box_touch_desk(self);
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
	deadline_set_beat(box->loop, &box->back_tick);
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
