/* tap_errand.c - requests about our hooks in Claude Code's settings, each on its way through a
 * thread: settings are files, and a disk may take its time. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "config/config.h"
#include "net/work.h"
#include "tap/tap.h"
#include "web/inside.h"

#define ANSWER_MAX (32 * MIB) /* a whole file as a change, escaped */

/* One request, on its way through a thread: it has copies of all it needs. */
struct tap_errand {
	struct web *web;
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
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	tap_report_json(&e->report, &out);
	if (is_preview(e->ask.verb)) {
		put_object(&out, "change");
		tap_change_json(&e->change, &out);
		put_end(&out);
	}
	buf_add(&out, TEXT("}\n"));
	e->ask.answered(e->ask.of, buf_text(&out), NULL);
	buf_finish(&out);
}

static void end_errand(void *self)
{
	struct tap_errand *e = self;
	const struct web_discovery *d = &e->web->options.discovery;

	if (e->good)
		tell_errand(e);
	else
		e->ask.answered(e->ask.of, TEXT(""), &e->why);
	if (e->good && (e->ask.verb == WEB_TAP_CONNECT || e->ask.verb == WEB_TAP_DISCONNECT) &&
	    !e->web->is_draining)
		d->ask(d->self, true, ignore, NULL); /* the list of sources follows */
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

void *web_ask_tap(struct web *web, const struct web_tap_ask *ask)
{
	struct tap_errand *e = must_zero(1, sizeof(*e));

	e->web = web;
	e->ask = *ask;
	tap_own_target(&e->target, web->options.config->data);
	e->target.approves = ask->approves;
	e->target.project = must_dup(ask->project);
	e->target.tag = must_dup(ask->tag);
	e->target.data = must_dup(e->target.data);
	return work_start(web->options.loop,
	                  &(struct work_plan){e, run_errand, end_errand, drop_errand});
}
