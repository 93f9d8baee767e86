/* opencode_back.c - what people say to opencode: asks, stops, and what it may do.
 *
 * A prompt goes to a session of its own unless it names one, and its turn is a run.  A name that
 * is no id of opencode's is that of a session which is begun for it.  What it wants to be
 * allowed, or to know, is a prompt with opencode's own id; whoever answers first, here or on a
 * screen of its own, it tells everybody.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "parse/parse.h"
#include "signal/make.h"
#include "source/opencode/opencode_parts.h"

#define PENDING_MAX 16
#define NAMES_MAX 64
#define OWN_ID "ses_" /* so begin the ids of its sessions */
#define SHORT_WORDS 200

/* Something to ask of a session that is being made. */
struct opencode_pending {
	struct link in_line; /* opencode_line.pending */
	char *run, *prompt, *model;
	char *name; /* of the session, from now on; or empty */
};

bool opencode_is_name(struct text id)
{
	for (size_t i = 0; i < id.len; i++)
		if (!((id.at[i] >= '0' && id.at[i] <= '9') ||
		      (id.at[i] >= 'A' && id.at[i] <= 'Z') ||
		      (id.at[i] >= 'a' && id.at[i] <= 'z') || id.at[i] == '_'))
			return false;
	return id.len > 0 && id.len <= OPENCODE_ID_MAX;
}

void opencode_hear(struct opencode_line *o, struct text type, yyjson_val *properties)
{
	if (text_starts(type, TEXT("permission.")))
		opencode_hear_permission(o, type, properties);
	else if (text_starts(type, TEXT("question.")))
		opencode_hear_question(o, type, properties);
	else if (text_is(type, "session.status") || text_is(type, "session.idle"))
		opencode_hear_state(
			o, json_text_at(properties, "sessionID"),
			text_is(type, "session.status") &&
				!text_is(json_text_at(yyjson_obj_get(properties, "status"), "type"),
		                         "idle"));
}

bool opencode_reply(void *self, const struct back_outcome *reply, struct error *why)
{
	return opencode_is_question(reply->id) ? opencode_answer_question(self, reply, why)
	                                       : opencode_answer_permission(self, reply, why);
}

/* ---- the ends of runs ---- */

static void fail_run(struct opencode_memory *m, struct text run, const char *why)
{
	struct make end;
	struct buf out;

	buf_init(&out, 16 * KIB);
	make_begin(&end, &out,
	           &(struct make_head){.type = "error",
	                               .source = source_id(m->source),
	                               .correlation = run,
	                               .is_new = true});
	make_payload(&end);
	make_word(&end, "agentId", "opencode");
	make_word(&end, "message", why);
	make_word(&end, "severity", "error");
	make_word(&end, "code", "lost");
	if (make_end(&end))
		source_received(m->source, buf_text(&out));
	buf_finish(&out);
}

struct opencode_ended {
	char *runs[64];
	size_t count;
};

static void keep_run(void *of, const struct opencode_seen *seen)
{
	struct opencode_ended *ended = of;

	if (seen->run.len && ended->count < sizeof(ended->runs) / sizeof(*ended->runs))
		ended->runs[ended->count++] = text_dup(seen->run);
}

void opencode_end_runs(struct opencode_memory *m, const char *why)
{
	struct opencode_ended ended = {.count = 0};

	opencode_each(m->parse, keep_run, &ended);
	for (size_t i = 0; i < ended.count; i++) {
		opencode_release(m->parse, text_of(ended.runs[i]));
		fail_run(m, text_of(ended.runs[i]), why);
		free(ended.runs[i]);
	}
}

/* ---- asking ---- */

static void free_pending(struct opencode_line *o, struct opencode_pending *p)
{
	list_remove(&p->in_line);
	assert(o->pending_count > 0);
	o->pending_count--;
	free(p->run);
	free(p->prompt);
	free(p->model);
	free(p->name);
	free(p);
}

void opencode_drop_pending(struct opencode_line *o, const char *why)
{
	while (!list_is_empty(&o->pending)) {
		struct opencode_pending *p =
			list_of(o->pending.next, struct opencode_pending, in_line);

		fail_run(o->memory, text_of(p->run), why);
		free_pending(o, p);
	}
}

/* ---- names of sessions ---- */

void opencode_drop_names(struct opencode_memory *m)
{
	size_t at = 0;
	struct text name;
	void *id;

	while (map_next(&m->names, &at, &name, &id))
		free(id);
	map_finish(&m->names);
}

/* Where there are too many, one of them begins anew when it is used again. */
static void name_session(struct opencode_memory *m, struct text name, struct text id)
{
	size_t at = 0;
	struct text other;
	void *old;

	free(map_remove(&m->names, name));
	if (m->names.count >= NAMES_MAX && map_next(&m->names, &at, &other, &old)) {
		char *key = text_dup(other); /* it is the map's own */

		free(map_remove(&m->names, text_of(key)));
		free(key);
	}
	map_set(&m->names, name, text_dup(id));
}

static bool is_being_made(const struct opencode_line *o, struct text name)
{
	list_each(&o->pending, l)
		if (text_is(name, list_of(l, struct opencode_pending, in_line)->name))
			return true;
	return false;
}

/* ---- prompts ---- */

static void prompt_taken(struct opencode_line *o, const struct opencode_call *call,
                         yyjson_val *answer)
{
	struct text run = text_of(call->what);
	struct opencode_seen seen;

	if (answer || !opencode_find(o->memory->parse, run, &seen))
		return;
	opencode_release(o->memory->parse, run);
	fail_run(o->memory, run, call->why);
}

/* `provider/model`, where a model is named. */
static void put_model(struct buf *out, struct text model)
{
	struct text name, provider = text_cut(model, '/', &name);

	if (!provider.len || !name.len)
		return;
	put_object(out, "model");
	put_text(out, "providerID", provider);
	put_text(out, "modelID", name);
	put_end(out);
}

/* The turn belongs to the run before the server hears of it. */
static bool send_prompt(struct opencode_line *o, const struct back_ask *ask, struct text directory)
{
	char *route = must_print("/session/%.*s/prompt_async", TEXT_ARG(ask->session));
	struct buf body, place;
	bool sent;

	buf_init(&body, 6 * ask->prompt.len + 16 * KIB);
	put_object(&body, NULL);
	put_model(&body, ask->model);
	put_list(&body, "parts");
	put_object(&body, NULL);
	put_word(&body, "type", "text");
	put_text(&body, "text", ask->prompt);
	put_end(&body);
	put_list_end(&body);
	put_end(&body);
	sent = opencode_call(o, &(struct opencode_asked){.route = route,
	                                                 .directory = directory,
	                                                 .body = buf_text(&body),
	                                                 .what = ask->run,
	                                                 .take = prompt_taken});
	if (sent) {
		opencode_expect(o->memory->parse, ask->session, ask->run);
		buf_init(&place, OPENCODE_PLACE_MAX);
		opencode_add_place(o->memory->parse, ask->run, clock_wall_ms(), &place);
		source_dispatch(o->source, ask,
		                &(struct source_dispatch){.place = place.full ? TEXT("")
		                                                              : buf_text(&place)});
		buf_finish(&place);
	}
	buf_finish(&body);
	free(route);
	return sent;
}

static void session_made(struct opencode_line *o, const struct opencode_call *call,
                         yyjson_val *answer)
{
	struct text session = json_text_at(answer, "id");
	struct opencode_pending *p = NULL;
	struct back_ask ask = {.source = source_id(o->source), .session = session};

	list_each(&o->pending, l) {
		struct opencode_pending *one = list_of(l, struct opencode_pending, in_line);

		if (strcmp(one->run, call->what) == 0)
			p = one;
	}
	if (!p)
		return;
	if (opencode_is_name(session))
		opencode_feed_value(o, "session.created", "info", answer);
	if (opencode_is_name(session) && p->name[0])
		name_session(o->memory, text_of(p->name), session);
	ask.run = text_of(p->run);
	ask.prompt = text_of(p->prompt);
	ask.model = text_of(p->model);
	if (!opencode_is_name(session) || !send_prompt(o, &ask, json_text_at(answer, "directory")))
		fail_run(o->memory, ask.run, answer ? "opencode made no session" : call->why);
	free_pending(o, p);
}

static bool make_session(struct opencode_line *o, const struct back_ask *ask, struct error *why)
{
	struct opencode_pending *p;

	if (o->pending_count >= PENDING_MAX ||
	    !opencode_call(o, &(struct opencode_asked){.route = "/session",
	                                               .body = TEXT("{}"),
	                                               .what = ask->run,
	                                               .take = session_made}))
		return error_set(why, "it is more than opencode takes now");
	p = must_zero(1, sizeof(*p));
	p->run = text_dup(ask->run);
	p->prompt = text_dup(ask->prompt);
	p->model = text_dup(ask->model);
	p->name = text_dup(ask->session);
	list_add(&o->pending, &p->in_line);
	o->pending_count++;
	return true;
}

static bool ask_session(struct opencode_line *o, const struct back_ask *ask, struct error *why)
{
	const char *known = map_get(&o->memory->names, ask->session);
	struct back_ask to = *ask;
	struct opencode_seen seen = {0};

	if (known)
		to.session = text_of(known);
	if (!opencode_is_name(to.session) || !opencode_find(o->memory->parse, to.session, &seen)) {
		if (text_starts(ask->session, TEXT(OWN_ID)) || ask->session.len > OPENCODE_ID_MAX ||
		    memchr(ask->session.at, '\0', ask->session.len))
			return error_set(why, "opencode has no such session that is known here");
		if (!is_being_made(o, ask->session))
			return make_session(o, ask, why);
		seen.is_busy = true;
	}
	if (seen.is_busy)
		return error_set(why, "the session is at work");
	return send_prompt(o, &to, seen.directory) ||
	       error_set(why, "it is more than opencode takes now");
}

bool opencode_ask(void *self, const struct back_ask *ask, struct error *why)
{
	struct opencode_line *o = self;

	if (o->is_over || !o->is_live)
		return error_set(why, "opencode is not connected");
	if (!o->is_synced)
		return error_set(why, "opencode is still telling what it does: try again");
	if (ask->model.len && text_find(ask->model, '/') < 0)
		return error_set(why, "a model of opencode is named as PROVIDER/MODEL");
	if (ask->prompt.len > BACK_PROMPT_MAX || memchr(ask->prompt.at, '\0', ask->prompt.len))
		return error_set(why, "the prompt is too long");
	return ask->session.len ? ask_session(o, ask, why) : make_session(o, ask, why);
}

/* ---- stopping ---- */

bool opencode_can(void *self, struct text run, struct text op)
{
	struct opencode_line *o = self;
	struct opencode_seen seen;

	return back_is_cancel(op) && o->is_live && !o->is_over &&
	       opencode_find(o->memory->parse, run, &seen) && seen.is_busy;
}

/* Its end comes by the stream. */
static void abort_taken(struct opencode_line *o, const struct opencode_call *call,
                        yyjson_val *answer)
{
	char why[SHORT_WORDS + 32];

	snprintf(why, sizeof(why), "opencode refused: %.*s", SHORT_WORDS, call->why);
	source_verdict(o->source, call->token,
	               answer         ? BACK_DONE
	               : call->status ? BACK_REFUSED
	                              : BACK_SILENT,
	               why);
}

enum back_answer opencode_cancel(void *self, const struct back_control *control, struct error *why)
{
	struct opencode_line *o = self;
	struct opencode_seen seen;
	char route[OPENCODE_ID_MAX + 32];

	if (!opencode_find(o->memory->parse, control->run, &seen) || !seen.is_busy ||
	    !opencode_is_name(seen.id))
		return BACK_UNKNOWN;
	snprintf(route, sizeof(route), "/session/%.*s/abort", TEXT_ARG(seen.id));
	if (opencode_call(o, &(struct opencode_asked){.method = "POST",
	                                              .route = route,
	                                              .directory = seen.directory,
	                                              .token = control->ticket,
	                                              .take = abort_taken}))
		return BACK_TAKEN;
	error_set(why, "opencode is not connected");
	return BACK_CONFLICT;
}
