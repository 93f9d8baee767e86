/* approve.c - holding hooks, and letting them go. */
#include "source/approve.h"

#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "base/random.h"
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
#define SIGNAL_MAX (256 * KIB)
#define PAYLOAD_MAX (16 * MIB)
#define STEPS_MAX 1000000

struct pause {
	struct link in_all; /* approve.pauses */
	char *run;
	uint64_t budget; /* tool uses that may pass */
};

struct held {
	struct link in_all; /* approve.held, the oldest first */
	struct approve *approve;
	char *run, *agent;
	char *id;          /* of its prompt; NULL: it is held by a pause */
	char *suggestions; /* rules that `always` makes, as JSON; NULL: none */
	approve_decided_fn *decided;
	void *of;
	struct deadline patience;
};

struct approve {
	struct approve_options options;
	struct link held, pauses;
	size_t held_count, pause_count;
	struct map sessions; /* by their id: those that were heard of */
	struct json_reader reader;
	bool is_installed, is_stopped;
};

bool approve_is_ours(struct text source)
{
	return text_is(source, SOURCE);
}

/* ---- signals ---- */

static void begin(struct buf *out, const char *type, struct text run)
{
	char id[RANDOM_UUID_LEN];

	random_uuid(id);
	buf_init(out, SIGNAL_MAX);
	buf_print(out,
	          "{\"id\":\"%.*s\",\"type\":\"%s\",\"timestamp\":%lld,\"source\":\"" SOURCE
	          "\",\"correlationId\":",
	          RANDOM_UUID_LEN, id, type, (long long)clock_wall_ms());
	buf_add_json(out, run);
	buf_add(out, TEXT(",\"payload\":{"));
}

static void give(struct approve *a, struct buf *out)
{
	if (!out->full)
		hook_give(a->options.hook, buf_text(out));
	buf_finish(out);
}

static void tell_state(struct held *h, const char *from, const char *to)
{
	struct buf out;

	begin(&out, "agent_state_change", text_of(h->run));
	buf_add(&out, TEXT("\"agentId\":"));
	buf_add_json(&out, text_of(h->agent));
	buf_print(&out, ",\"from\":\"%s\",\"to\":\"%s\",\"reason\":\"paused\"}}", from, to);
	give(h->approve, &out);
}

/* As an agent of the run dialect would say it, so that its screens show it. */
static void tell_debug(struct approve *a, struct text run, const struct pause *pause)
{
	bool is_paused = pause && pause->budget == 0;
	unsigned long long budget = pause ? pause->budget : 0;
	struct bus_emit emit = {.from = bus_from(a->options.bus, TEXT(SOURCE), true)};
	struct bus_verdict verdict;
	char frame[96];
	struct buf out;

	snprintf(frame, sizeof(frame), "\"paused\":%s,\"step-budget\":%llu}",
	         is_paused ? "true" : "false", budget);
	begin(&out, "debug", run);
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

static void free_held(struct held *h)
{
	list_remove(&h->in_all);
	h->approve->held_count--;
	deadline_clear(&h->patience);
	free(h->run);
	free(h->agent);
	free(h->id);
	free(h->suggestions);
	free(h);
}

static void let_go(struct held *h, struct text json)
{
	approve_decided_fn *decided = h->decided;
	void *of = h->of;

	if (!h->id)
		tell_state(h, "waiting", "acting");
	free_held(h);
	decided(of, json);
}

static void withdraw(struct held *h, const char *why)
{
	struct approve *a = h->approve;

	if (h->id)
		a->options.withdrew(a->options.self, TEXT(SOURCE), text_of(h->id), why);
}

static void ran_out(struct deadline *deadline)
{
	struct held *h = list_of(deadline, struct held, patience);

	withdraw(h, "nobody answered in time");
	let_go(h, TEXT(""));
}

void approve_forget(struct held *h)
{
	if (!h)
		return;
	withdraw(h, "Claude Code does not wait any more");
	if (!h->id)
		tell_state(h, "waiting", "acting");
	free_held(h);
}

static struct held *hold(struct approve *a, const struct approve_request *r)
{
	struct held *h = must_zero(1, sizeof(*h));

	h->approve = a;
	h->run = text_dup(r->session);
	h->agent = text_dup(r->agent.len ? r->agent : TEXT("claude"));
	h->patience.fire = ran_out;
	deadline_set(a->options.loop, &h->patience, HELD_MS);
	list_add(&a->held, &h->in_all);
	a->held_count++;
	return h;
}

/* ---- asking ---- */

static void ask(struct held *h, const struct approve_request *r)
{
	char id[RANDOM_UUID_LEN + 1] = "";
	struct buf out;

	random_uuid(id);
	h->id = must_dup(id);
	if (yyjson_arr_size(r->suggestions))
		h->suggestions = yyjson_val_write(r->suggestions, YYJSON_WRITE_NOFLAG, NULL);
	begin(&out, "prompt", r->session);
	buf_print(&out, "\"id\":\"%s\",\"type\":\"select\",\"prompt\":", id);
	approve_ask(&out, r);
	buf_print(&out, ",\"deadline\":%lld,\"invokeid\":", (long long)clock_wall_ms() + HELD_MS);
	buf_add_json(&out, text_of(h->agent));
	buf_add(&out, TEXT("}}"));
	give(h->approve, &out);
}

/* ---- pauses ---- */

static struct pause *find_pause(const struct approve *a, struct text run)
{
	list_each(&a->pauses, l) {
		struct pause *p = list_of(l, struct pause, in_all);

		if (text_is(run, p->run))
			return p;
	}
	return NULL;
}

static void end_pause(struct approve *a, struct pause *p)
{
	list_remove(&p->in_all);
	a->pause_count--;
	free(p->run);
	free(p);
}

static struct held *first_paused(const struct approve *a, struct text run)
{
	list_each(&a->held, l) {
		struct held *h = list_of(l, struct held, in_all);

		if (!h->id && text_is(run, h->run))
			return h;
	}
	return NULL;
}

/* Sessions end without a word; the oldest that holds nobody was left paused by one. */
static bool make_room(struct approve *a)
{
	if (a->pause_count < PAUSES_MAX)
		return true;
	list_each(&a->pauses, l) {
		struct pause *p = list_of(l, struct pause, in_all);

		if (!first_paused(a, text_of(p->run))) {
			end_pause(a, p);
			return true;
		}
	}
	return false;
}

/* NULL: there are too many. */
static struct pause *need_pause(struct approve *a, struct text run)
{
	struct pause *p = find_pause(a, run);

	if (p || !make_room(a))
		return p;
	p = must_zero(1, sizeof(*p));
	p->run = text_dup(run);
	list_add(&a->pauses, &p->in_all);
	a->pause_count++;
	return p;
}

/* True: the tool is used; it costs one step of a session that is paused. */
static bool may_pass(struct approve *a, struct text run)
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

static void release_paused(struct approve *a, struct text run)
{
	struct held *h;

	while ((h = first_paused(a, run)) && may_pass(a, run))
		let_go(h, TEXT(""));
}

static enum source_answer change_pause(struct approve *a, const struct source_control *c,
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

bool approve_can(const struct approve *a, struct text run, struct text op)
{
	return a->is_installed && map_get(&a->sessions, run) && is_op(op);
}

enum source_answer approve_control(struct approve *a, const struct source_control *c,
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

void approve_set_installed(struct approve *a, bool is_installed)
{
	a->is_installed = is_installed;
}

/* ---- answers ---- */

static struct held *find_asked(const struct approve *a, struct text id)
{
	list_each(&a->held, l) {
		struct held *h = list_of(l, struct held, in_all);

		if (h->id && text_is(id, h->id))
			return h;
	}
	return NULL;
}

bool approve_reply(struct approve *a, const struct source_reply *reply)
{
	struct held *h = find_asked(a, reply->id);
	struct buf out;
	yyjson_doc *doc;

	if (!h)
		return false;
	buf_init(&out, PAYLOAD_MAX);
	doc = reply->value.len ? json_read(&a->reader, reply->value, NULL) : NULL;
	approve_decide(&out, yyjson_doc_get_root(doc), h->suggestions);
	let_go(h, out.full ? TEXT("") : buf_text(&out));
	buf_finish(&out);
	return true;
}

/* ---- payloads ---- */

static void note_session(struct approve *a, const struct approve_request *r)
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

void approve_note(struct approve *a, struct text payload)
{
	struct approve_request r;

	if (approve_read(&r, &a->reader, payload))
		note_session(a, &r);
}

struct held *approve_hold(struct approve *a, struct text payload, approve_decided_fn *decided,
                          void *of)
{
	struct held *h = NULL;
	struct approve_request r;

	if (a->is_stopped || a->held_count == HELD_MAX || !approve_read(&r, &a->reader, payload) ||
	    r.session.len > SESSION_MAX)
		return NULL;
	a->is_installed = true;
	note_session(a, &r);
	if (text_is(r.event, "PermissionRequest")) {
		h = hold(a, &r);
		ask(h, &r);
	} else if (text_is(r.event, "PreToolUse") && !may_pass(a, r.session)) {
		h = hold(a, &r);
		tell_state(h, "acting", "waiting");
	}
	if (h) {
		h->decided = decided;
		h->of = of;
	}
	return h;
}

/* ---- life ---- */

struct approve *approve_create(const struct approve_options *options)
{
	struct approve *a = must_zero(1, sizeof(*a));

	a->options = *options;
	list_init(&a->held);
	list_init(&a->pauses);
	map_init(&a->sessions);
	json_reader_init(&a->reader, PAYLOAD_MAX);
	return a;
}

void approve_stop(struct approve *a)
{
	a->is_stopped = true;
	while (!list_is_empty(&a->held)) {
		struct held *h = list_of(a->held.next, struct held, in_all);

		withdraw(h, "the box stopped");
		let_go(h, TEXT(""));
	}
}

void approve_destroy(struct approve *a)
{
	if (!a)
		return;
	while (!list_is_empty(&a->held))
		free_held(list_of(a->held.next, struct held, in_all));
	while (!list_is_empty(&a->pauses))
		end_pause(a, list_of(a->pauses.next, struct pause, in_all));
	map_finish(&a->sessions);
	json_reader_finish(&a->reader);
	free(a);
}
