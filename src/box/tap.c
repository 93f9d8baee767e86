/* tap.c - Claude Code: its hooks to the bus, our hooks to its settings. */
#include "tap/tap.h"

#include <stdlib.h>

#include "base/must.h"
#include "box/parts.h"
#include "config/config.h"
#include "net/work.h"
#include "run/prompts.h"
#include "run/runs.h"
#include "source/claude/approve.h"
#include "source/claude/hook.h"
#include "source/claude/pauses.h"
#include "source/discover/discover.h"
#include "web/web.h"

#define ANSWER_MAX (32 * MIB) /* a whole file as a change, escaped */

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

/* --- settings ------------------------------------------------------------------- */

/* Its config is the caller's to free. */
void box_tap_target(struct box *box, struct tap_target *target)
{
	*target = (struct tap_target){
		.config = tap_config_dir(getenv("CLAUDE_CONFIG_DIR"), getenv("HOME")),
		.home = getenv("HOME"),
		.path = getenv("PATH"),
		.data = box->config->data,
	};
}

/* One request, on its way through a thread: it has copies of all it needs. */
struct tap_errand {
	struct box *box;
	struct web_tap_ask ask;
	struct tap_target target;
	struct tap_report report;
	struct tap_change change; /* of a preview */
	struct error why;
	bool good;
};

static bool is_preview(enum web_tap_verb verb)
{
	return verb == WEB_TAP_PREVIEW_CONNECT || verb == WEB_TAP_PREVIEW_DISCONNECT;
}

static void run_errand(void *self)
{
	static bool (*const steps[])(const struct tap_target *target, struct tap_report *report,
	                             struct error *why) = {
		[WEB_TAP_CONNECT] = tap_install,
		[WEB_TAP_DISCONNECT] = tap_uninstall,
		[WEB_TAP_STATUS] = tap_look,
		[WEB_TAP_PREVIEW_CONNECT] = tap_look,
		[WEB_TAP_PREVIEW_DISCONNECT] = tap_look,
	};
	struct tap_errand *e = self;

	e->good = steps[e->ask.verb](&e->target, &e->report, &e->why);
	if (e->good && is_preview(e->ask.verb))
		e->good = tap_preview(&e->target, e->ask.verb == WEB_TAP_PREVIEW_CONNECT,
		                      &e->change, &e->why);
}

static void ignore(void *of, struct text json)
{
}

static void tell_errand(const struct tap_errand *e)
{
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	buf_add(&out, TEXT("{\"ok\":true,"));
	tap_report_json(&e->report, &out);
	if (is_preview(e->ask.verb)) {
		buf_add(&out, TEXT(",\"change\":{"));
		tap_change_json(&e->change, &out);
		buf_add_char(&out, '}');
	}
	buf_add(&out, TEXT("}\n"));
	e->ask.answered(e->ask.of, buf_text(&out), NULL);
	buf_finish(&out);
}

static void end_errand(void *self)
{
	struct tap_errand *e = self;

	if (e->good)
		tell_errand(e);
	else
		e->ask.answered(e->ask.of, TEXT(""), &e->why);
	if (e->good && (e->ask.verb == WEB_TAP_CONNECT || e->ask.verb == WEB_TAP_DISCONNECT) &&
	    !e->box->stopping)
		discover_ask(e->box->discover, true, ignore, NULL);
}

static void drop_errand(void *self)
{
	struct tap_errand *e = self;

	tap_report_finish(&e->report);
	tap_change_finish(&e->change);
	free((char *)e->target.config);
	free((char *)e->target.project);
	free((char *)e->target.tag);
	free((char *)e->target.data);
	free(e);
}

static void *web_asks_tap(void *self, const struct web_tap_ask *ask)
{
	struct tap_errand *e = must_zero(1, sizeof(*e));

	e->box = self;
	e->ask = *ask;
	box_tap_target(self, &e->target);
	e->target.approves = ask->approves;
	e->target.project = must_dup(ask->project);
	e->target.tag = must_dup(ask->tag);
	e->target.data = must_dup(e->target.data);
	return work_start(e->box->loop,
	                  &(struct work_plan){e, run_errand, end_errand, drop_errand});
}

static void web_forgets_tap(void *self, void *ask)
{
	work_leave(ask);
}

struct web_tap box_tap(struct box *box)
{
	return (struct web_tap){
		.self = box,
		.hook = web_has_hook,
		.hold = web_holds,
		.let_go = web_lets_go,
		.ask = web_asks_tap,
		.forget = web_forgets_tap,
	};
}
