/* hooks.c - Claude Code's hooks: to the bus, and to whoever waits for them. */
#include "box/parts.h"
#include "config/config.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "source/claude/approve.h"
#include "source/claude/hook.h"
#include "source/claude/pauses.h"
#include "web/web.h"

/* By what its run looked like when the box ended. */
static bool was_paused(void *self, struct text run)
{
	const struct box *box = self;
	const struct run *found = box->runs ? runs_find(box->runs, run) : NULL;

	return found && approve_is_ours(text_of(found->source)) && found->fold.debug.paused;
}

void box_make_hook(struct box *box)
{
	struct hook_options o = {
		.bus = box->bus,
		.sources = box->sources,
		.payload_max = box->config->limits.body,
	};

	box->hook = hook_create(&o);
	box->approve = approve_create(&(struct approve_options){
		.loop = box->loop,
		.hook = box->hook,
		.self = box,
		.withdrew = box_withdraw_prompt,
		.settled = box_settle_prompt,
	});
	box->pauses = pauses_create(&(struct pauses_options){
		.bus = box->bus,
		.hook = box->hook,
		.data = box->config->data,
		.self = box,
		.was_paused = was_paused,
	});
	box->hooks_end.approve = box->approve;
	box->hooks_end.pauses = box->pauses;
	/* Those that were held when the box ended are not held any more. */
	prompts_withdraw_all(box->prompts, approve_is_ours, "the box was started again");
}

static bool web_has_hook(void *self, struct text payload, bool is_sure, struct error *why)
{
	struct box *box = self;

	const struct hook_payload whole = {.bytes = payload};

	if (!box->hook || !hook_take(box->hook, &whole, why))
		return false;
	if (!is_sure)
		return true;
	pauses_note(box->pauses, payload, PAUSES_UNSAID);
	approve_note(box->approve, payload);
	return true;
}

static void *web_holds(void *self, struct text payload, web_decided_fn *decided, void *of)
{
	return approve_hold(((struct box *)self)->approve, payload, decided, of);
}

static void web_lets_go(void *self, void *held)
{
	if (((struct box *)self)->approve)
		approve_forget(held);
}

struct web_tap box_tap(struct box *box)
{
	return (struct web_tap){
		.self = box,
		.hook = web_has_hook,
		.hold = web_holds,
		.let_go = web_lets_go,
	};
}
