/* pauses.c - holding sessions by their files, and telling how they are. */
#include "source/claude/pauses.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

#include "base/brake.h"
#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "bus/bus.h"
#include "signal/json.h"
#include "source/claude/approve_ask.h"
#include "source/claude/hook.h"

#define SOURCE "adapter:tap"
#define WAITING_MAX 1024 /* hooks; one more waits untold */
#define SESSION_MAX 256
#define SESSIONS_MAX 4096 /* that are known; one more, and all are forgotten */
#define PAYLOAD_MAX (64 * MIB)

struct pauses_session {
	enum pauses_decides decides;
	bool is_held; /* as it was told last */
	uint64_t uses;
};

/* A hook that waits. */
struct paused {
	struct link in_all; /* pauses.waiting */
	struct pauses *all;
	char *run, *agent;
};

struct pauses {
	struct pauses_options options;
	struct link waiting;
	size_t waiting_count;
	struct map sessions; /* by their id: those that were heard of */
	struct json_reader reader;
	bool is_installed;
};

/* ---- signals ---- */

static void tell_state(struct paused *h, const char *from, const char *to)
{
	struct buf out;

	hook_begin(&out, "agent_state_change", text_of(h->run));
	put_word(&out, "agentId", h->agent);
	put_word(&out, "from", from);
	put_word(&out, "to", to);
	put_word(&out, "reason", "paused");
	put_end(&out);
	put_end(&out);
	hook_end(h->all->options.hook, &out);
}

/* As an agent of the run dialect would say it, so that its screens show it. */
static void tell_debug(struct pauses *a, struct text run, const struct pauses_session *s)
{
	struct bus_emit emit = {.from = bus_from(a->options.bus, TEXT(SOURCE), true)};
	struct bus_verdict verdict;
	char frame[96];
	struct buf out;

	snprintf(frame, sizeof(frame), "\"paused\":%s,\"step-budget\":%llu}",
	         s->is_held && !s->uses ? "true" : "false", (unsigned long long)s->uses);
	hook_begin(&out, "debug", run);
	put_json(&out, NULL, text_of(frame));
	put_object(&out, "metadata");
	put_object(&out, "origin");
	put_word(&out, "dialect", "run");
	put_object(&out, "frame");
	put_word(&out, "kind", "debug");
	put_json(&out, NULL, text_of(frame));
	put_end(&out);
	put_end(&out);
	put_end(&out);
	emit.raw = buf_text(&out);
	emit.from.keeps_origin = true;
	bus_admit(a->options.bus, &emit, &verdict);
	buf_finish(&out);
}

/* ---- sessions ---- */

static void forget_sessions(struct pauses *a)
{
	struct text run;
	void *session;

	for (size_t at = 0; map_next(&a->sessions, &at, &run, &session);)
		free(session);
	map_finish(&a->sessions);
	map_init(&a->sessions);
}

static struct pauses_session *need_session(struct pauses *a, struct text run)
{
	struct pauses_session *s = map_get(&a->sessions, run);

	if (s)
		return s;
	if (a->sessions.count >= SESSIONS_MAX)
		forget_sessions(a);
	s = must_zero(1, sizeof(*s));
	s->is_held = a->options.was_paused && a->options.was_paused(a->options.self, run);
	map_set(&a->sessions, run, s);
	return s;
}

/* Tells it if it is not as it was told. */
static void look_at_brake(struct pauses *a, struct text run, bool tells_anyway)
{
	struct pauses_session *s = need_session(a, run);
	uint64_t uses = 0;
	bool is_held = brake_look(a->options.data, run, &uses);

	if (!is_held)
		uses = 0;
	if (is_held == s->is_held && uses == s->uses && !tells_anyway)
		return;
	s->is_held = is_held;
	s->uses = uses;
	tell_debug(a, run, s);
}

void pauses_look(struct pauses *a, struct text run)
{
	if (brake_can(run))
		look_at_brake(a, run, false);
}

static void end_session(struct pauses *a, struct text run)
{
	if (brake_can(run))
		brake_release(a->options.data, run, NULL);
	free(map_remove(&a->sessions, run));
}

void pauses_note(struct pauses *a, struct text payload, enum pauses_decides decides)
{
	struct approve_request r;
	struct pauses_session *s;

	if (!approve_read(&r, &a->reader, payload) || r.session.len > SESSION_MAX)
		return;
	if (text_is(r.event, "SessionEnd")) {
		end_session(a, r.session);
		return;
	}
	s = need_session(a, r.session);
	/* Of the others none would decide in any case. */
	if (text_is(r.event, "PreToolUse") && decides != PAUSES_UNSAID)
		s->decides = decides;
	pauses_look(a, r.session);
}

/* ---- hooks that wait ---- */

struct paused *pauses_wait(struct pauses *a, struct text payload)
{
	struct approve_request r;
	struct paused *h;

	if (a->waiting_count == WAITING_MAX || !approve_read(&r, &a->reader, payload) ||
	    r.session.len > SESSION_MAX)
		return NULL;
	h = must_zero(1, sizeof(*h));
	h->all = a;
	h->run = text_dup(r.session);
	h->agent = text_dup(r.agent.len ? r.agent : TEXT("claude"));
	list_add(&a->waiting, &h->in_all);
	assert(a->waiting_count < WAITING_MAX);
	a->waiting_count++;
	tell_state(h, "acting", "waiting");
	return h;
}

static void free_paused(struct paused *h)
{
	list_remove(&h->in_all);
	assert(h->all->waiting_count > 0);
	h->all->waiting_count--;
	free(h->run);
	free(h->agent);
	free(h);
}

void pauses_went(struct paused *h)
{
	if (!h)
		return;
	tell_state(h, "waiting", "acting");
	pauses_look(h->all, text_of(h->run));
	free_paused(h);
}

/* ---- controls ---- */

static bool is_op(struct text op)
{
	return text_is(op, "pause") || text_is(op, "step") || text_is(op, "continue");
}

static bool decides(const struct pauses *a, const struct pauses_session *s)
{
	return s->decides == PAUSES_DECIDE || (s->decides == PAUSES_UNSAID && a->is_installed);
}

bool pauses_can(const struct pauses *a, struct text run, struct text op)
{
	const struct pauses_session *s = map_get(&a->sessions, run);

	return s && is_op(op) && brake_can(run) && decides(a, s);
}

static bool change(struct pauses *a, const struct back_control *c, struct error *why)
{
	if (text_is(c->op, "continue"))
		return brake_release(a->options.data, c->run, why);
	if (text_is(c->op, "step"))
		return brake_add(a->options.data, c->run, c->n ? c->n : 1, why);
	return brake_set(a->options.data, c->run, 0, why);
}

enum back_answer pauses_control(struct pauses *a, const struct back_control *c, struct error *why)
{
	const struct pauses_session *s = map_get(&a->sessions, c->run);
	uint64_t uses;
	bool ends = text_is(c->op, "continue") && brake_look(a->options.data, c->run, &uses);

	if (!s && !ends) {
		error_set(why, "no session '%.*s' of Claude Code", TEXT_ARG(c->run));
		return BACK_UNKNOWN;
	}
	if (!is_op(c->op)) {
		error_set(why, "Claude Code can be paused, stepped and continued, and no more");
		return BACK_NOT_SUPPORTED;
	}
	if (!ends && !decides(a, s)) {
		error_set(why, "its hooks decide nothing: `signalbox tap install --approve`");
		return BACK_NOT_SUPPORTED;
	}
	if (!change(a, c, why))
		return BACK_CONFLICT;
	look_at_brake(a, c->run, true);
	return BACK_DONE;
}

void pauses_set_installed(struct pauses *a, bool is_installed)
{
	a->is_installed = is_installed;
}

/* ---- life ---- */

static void find_held(void *self, struct text run)
{
	pauses_look(self, run);
}

struct pauses *pauses_create(const struct pauses_options *options)
{
	struct pauses *a = must_zero(1, sizeof(*a));

	a->options = *options;
	list_init(&a->waiting);
	map_init(&a->sessions);
	json_reader_init(&a->reader, PAYLOAD_MAX);
	brake_each(options->data, find_held, a);
	return a;
}

void pauses_destroy(struct pauses *a)
{
	if (!a)
		return;
	while (!list_is_empty(&a->waiting))
		free_paused(list_of(a->waiting.next, struct paused, in_all));
	forget_sessions(a);
	map_finish(&a->sessions);
	json_reader_finish(&a->reader);
	free(a);
}
