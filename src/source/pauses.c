/* pauses.c - sessions that are paused, and the hooks that wait in them. */
#include "source/pauses.h"

#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "bus/bus.h"
#include "net/loop.h"
#include "signal/json.h"
#include "source/approve_ask.h"
#include "source/hook.h"

#define SOURCE "adapter:tap"
#define HELD_MAX 256   /* hooks; one more is not held */
#define PAUSES_MAX 256 /* sessions; one more is refused */
#define SESSION_MAX 256
#define SESSIONS_MAX 4096         /* that are known; one more, and all are forgotten */
#define HELD_MS (55 * 60 * 1000u) /* Claude Code's own patience is an hour */
#define PAYLOAD_MAX (16 * MIB)
#define STEPS_MAX 1000000

struct pause {
	struct link in_all; /* pauses.all */
	char *run;
	uint64_t budget; /* tool uses that may pass */
};

/* A hook that waits. */
struct paused {
	struct link in_held; /* pauses.held, the oldest first */
	struct pauses *all;
	char *run, *agent;
	pauses_passed_fn *passed;
	void *of;
	struct deadline patience;
};

struct pauses {
	struct pauses_options options;
	struct link all, held;
	size_t count, held_count;
	struct map sessions; /* by their id: those that were heard of */
	struct json_reader reader;
	bool is_installed, is_stopped;
};

/* ---- signals ---- */

static void tell_state(struct paused *h, const char *from, const char *to)
{
	struct buf out;

	hook_begin(&out, "agent_state_change", text_of(h->run));
	buf_add(&out, TEXT("\"agentId\":"));
	buf_add_json(&out, text_of(h->agent));
	buf_print(&out, ",\"from\":\"%s\",\"to\":\"%s\",\"reason\":\"paused\"}}", from, to);
	hook_end(h->all->options.hook, &out);
}

/* As an agent of the run dialect would say it, so that its screens show it. */
static void tell_debug(struct pauses *a, struct text run, const struct pause *pause)
{
	bool is_paused = pause && pause->budget == 0;
	unsigned long long budget = pause ? pause->budget : 0;
	struct bus_emit emit = {.from = bus_from(a->options.bus, TEXT(SOURCE), true)};
	struct bus_verdict verdict;
	char frame[96];
	struct buf out;

	snprintf(frame, sizeof(frame), "\"paused\":%s,\"step-budget\":%llu}",
	         is_paused ? "true" : "false", budget);
	hook_begin(&out, "debug", run);
	buf_print(&out,
	          "%s,\"metadata\":{\"origin\":{\"dialect\":\"run\",\"frame\":{"
	          "\"kind\":\"debug\",%s}}}",
	          frame, frame);
	emit.raw = buf_text(&out);
	emit.from.keeps_origin = true;
	bus_admit(a->options.bus, &emit, &verdict);
	buf_finish(&out);
}

/* ---- held hooks ---- */

static void free_held(struct paused *h)
{
	list_remove(&h->in_held);
	h->all->held_count--;
	deadline_clear(&h->patience);
	free(h->run);
	free(h->agent);
	free(h);
}

static void let_go(struct paused *h)
{
	pauses_passed_fn *passed = h->passed;
	void *of = h->of;

	tell_state(h, "waiting", "acting");
	free_held(h);
	passed(of, TEXT(""));
}

static void ran_out(struct deadline *deadline)
{
	let_go(list_of(deadline, struct paused, patience));
}

bool pauses_forget(struct pauses *a, const void *held)
{
	list_each(&a->held, l) {
		struct paused *h = list_of(l, struct paused, in_held);

		if (h != held)
			continue;
		tell_state(h, "waiting", "acting");
		free_held(h);
		return true;
	}
	return false;
}

/* ---- pauses ---- */

static struct pause *find_pause(const struct pauses *a, struct text run)
{
	list_each(&a->all, l) {
		struct pause *p = list_of(l, struct pause, in_all);

		if (text_is(run, p->run))
			return p;
	}
	return NULL;
}

static void end_pause(struct pauses *a, struct pause *p)
{
	list_remove(&p->in_all);
	a->count--;
	free(p->run);
	free(p);
}

static struct paused *first_paused(const struct pauses *a, struct text run)
{
	list_each(&a->held, l) {
		struct paused *h = list_of(l, struct paused, in_held);

		if (text_is(run, h->run))
			return h;
	}
	return NULL;
}

/* Sessions end without a word; the oldest that holds nobody was left paused by one. */
static bool make_room(struct pauses *a)
{
	if (a->count < PAUSES_MAX)
		return true;
	list_each(&a->all, l) {
		struct pause *p = list_of(l, struct pause, in_all);

		if (!first_paused(a, text_of(p->run))) {
			end_pause(a, p);
			return true;
		}
	}
	return false;
}

/* NULL: there are too many. */
static struct pause *need_pause(struct pauses *a, struct text run)
{
	struct pause *p = find_pause(a, run);

	if (p || !make_room(a))
		return p;
	p = must_zero(1, sizeof(*p));
	p->run = text_dup(run);
	list_add(&a->all, &p->in_all);
	a->count++;
	return p;
}

/* True: the tool is used; it costs one step of a session that is paused. */
static bool may_pass(struct pauses *a, struct text run)
{
	struct pause *p = find_pause(a, run);

	if (!p)
		return true;
	if (p->budget == 0)
		return false;
	p->budget--;
	tell_debug(a, run, p);
	return true;
}

static void release_paused(struct pauses *a, struct text run)
{
	struct paused *h;

	while ((h = first_paused(a, run)) && may_pass(a, run))
		let_go(h);
}

static enum source_answer change_pause(struct pauses *a, const struct source_control *c,
                                       struct error *why)
{
	struct pause *p =
		text_is(c->op, "continue") ? find_pause(a, c->run) : need_pause(a, c->run);
	uint64_t n = c->n ? c->n : 1;

	if (text_is(c->op, "continue")) {
		if (p)
			end_pause(a, p);
		p = NULL;
	} else if (!p) {
		error_set(why, "%d sessions are paused already", PAUSES_MAX);
		return SOURCE_CONFLICT;
	} else if (text_is(c->op, "step")) {
		p->budget = n < STEPS_MAX - p->budget ? p->budget + n : STEPS_MAX;
	} else {
		p->budget = 0;
	}
	tell_debug(a, c->run, p);
	release_paused(a, c->run);
	return SOURCE_DONE;
}

static bool is_op(struct text op)
{
	return text_is(op, "pause") || text_is(op, "step") || text_is(op, "continue");
}

bool pauses_can(const struct pauses *a, struct text run, struct text op)
{
	return a->is_installed && map_get(&a->sessions, run) && is_op(op);
}

enum source_answer pauses_control(struct pauses *a, const struct source_control *c,
                                  struct error *why)
{
	if (!map_get(&a->sessions, c->run)) {
		error_set(why, "no session '%.*s' of Claude Code", TEXT_ARG(c->run));
		return SOURCE_UNKNOWN;
	}
	if (!is_op(c->op)) {
		error_set(why, "Claude Code can be paused, stepped and continued, and no more");
		return SOURCE_NOT_SUPPORTED;
	}
	if (!a->is_installed) {
		error_set(why, "its hooks decide nothing: `signalbox tap install --approve`");
		return SOURCE_NOT_SUPPORTED;
	}
	return change_pause(a, c, why);
}

void pauses_set_installed(struct pauses *a, bool is_installed)
{
	a->is_installed = is_installed;
}

/* ---- payloads ---- */

static void note_session(struct pauses *a, const struct approve_request *r)
{
	struct pause *p;

	if (r->session.len > SESSION_MAX)
		return;
	if (text_is(r->event, "SessionEnd")) {
		map_remove(&a->sessions, r->session);
		if ((p = find_pause(a, r->session)))
			end_pause(a, p);
		return;
	}
	if (map_get(&a->sessions, r->session))
		return;
	if (a->sessions.count >= SESSIONS_MAX) {
		map_finish(&a->sessions);
		map_init(&a->sessions);
	}
	map_set(&a->sessions, r->session, a);
	if (a->options.was_paused && a->options.was_paused(a->options.self, r->session))
		need_pause(a, r->session);
}

void pauses_note(struct pauses *a, struct text payload)
{
	struct approve_request r;

	if (approve_read(&r, &a->reader, payload))
		note_session(a, &r);
}

struct paused *pauses_hold(struct pauses *a, struct text payload, pauses_passed_fn *passed,
                           void *of)
{
	struct approve_request r;
	struct paused *h;

	if (a->is_stopped || a->held_count == HELD_MAX || !approve_read(&r, &a->reader, payload) ||
	    r.session.len > SESSION_MAX)
		return NULL;
	a->is_installed = true;
	note_session(a, &r);
	if (!text_is(r.event, "PreToolUse") || may_pass(a, r.session))
		return NULL;
	h = must_zero(1, sizeof(*h));
	h->all = a;
	h->run = text_dup(r.session);
	h->agent = text_dup(r.agent.len ? r.agent : TEXT("claude"));
	h->passed = passed;
	h->of = of;
	h->patience.fire = ran_out;
	deadline_set(a->options.loop, &h->patience, HELD_MS);
	list_add(&a->held, &h->in_held);
	a->held_count++;
	tell_state(h, "acting", "waiting");
	return h;
}

/* ---- life ---- */

struct pauses *pauses_create(const struct pauses_options *options)
{
	struct pauses *a = must_zero(1, sizeof(*a));

	a->options = *options;
	list_init(&a->all);
	list_init(&a->held);
	map_init(&a->sessions);
	json_reader_init(&a->reader, PAYLOAD_MAX);
	return a;
}

void pauses_stop(struct pauses *a)
{
	a->is_stopped = true;
	while (!list_is_empty(&a->held))
		let_go(list_of(a->held.next, struct paused, in_held));
}

void pauses_destroy(struct pauses *a)
{
	if (!a)
		return;
	while (!list_is_empty(&a->held))
		free_held(list_of(a->held.next, struct paused, in_held));
	while (!list_is_empty(&a->all))
		end_pause(a, list_of(a->all.next, struct pause, in_all));
	map_finish(&a->sessions);
	json_reader_finish(&a->reader);
	free(a);
}
