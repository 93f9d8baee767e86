/* opencode_sync.c - what is made up for when the stream has begun.
 *
 * The newest sessions say who they are and in which projects they work.  Each project is
 * asked who is busy and what is to be allowed; sessions of which something is under way or may
 * have been missed are asked for their newest messages, one after the other.  All of it is fed
 * as the events that it would have been, and the parser tells what is new.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "source/opencode/opencode.h"

#define SESSIONS "/experimental/session?limit=50"
#define SESSIONS_OF_PROJECT "/session?limit=50" /* of a server that does not know the other */
#define SESSIONS_LIMIT 50
#define MESSAGES_LIMIT 50
#define PARTS_LIMIT 256 /* of all messages of an answer: the loop waits for them */
#define BUSY_LIMIT 256
#define RECENT_MS (30.0 * 60 * 1000) /* a session that was at work so lately is shown */
#define SLACK_MS 60000.0             /* between what happened and what is written of it */
#define SHOWN_MAX 256                /* prompts */
#define STATES_MAX 1024

/* Something to ask the server for. */
struct opencode_step {
	struct link in_line; /* opencode_line.steps */
	void (*run)(struct opencode_line *o, const struct opencode_step *step);
	char *session, *directory; /* NULL: none, where the server was started */
};

static void next_step(struct opencode_line *o);

/* ---- steps ---- */

static void free_step(struct opencode_line *o, struct opencode_step *step)
{
	list_remove(&step->in_line);
	assert(o->step_count > 0);
	o->step_count--;
	free(step->session);
	free(step->directory);
	free(step);
}

static void add_step(struct opencode_line *o, struct text session, struct text directory,
                     void (*run)(struct opencode_line *o, const struct opencode_step *step))
{
	struct opencode_step *step;

	if (o->step_count >= OPENCODE_STEPS_MAX)
		return;
	list_each(&o->steps, l) {
		step = list_of(l, struct opencode_step, in_line);
		if (step->run == run && text_equal(text_of(step->session), session) &&
		    text_equal(text_of(step->directory), directory))
			return;
	}
	step = must_zero(1, sizeof(*step));
	step->run = run;
	step->session = session.len ? text_dup(session) : NULL;
	step->directory = directory.len ? text_dup(directory) : NULL;
	list_add(&o->steps, &step->in_line);
	o->step_count++;
}

void opencode_stop_sync(struct opencode_line *o)
{
	while (!list_is_empty(&o->steps))
		free_step(o, list_of(o->steps.next, struct opencode_step, in_line));
}

static void complain(struct opencode_line *o, const char *of, const struct opencode_call *call)
{
	char remark[320];

	snprintf(remark, sizeof(remark), "opencode gives no %s: %s", of, call->why);
	if (!o->is_over)
		source_bad(o->source, remark);
}

/* ---- events that might have been ---- */

/* at_ms: 0, now. */
static void begin_event(struct buf *out, const char *type, double at_ms)
{
	put_object(out, NULL);
	put_word(out, "type", type);
	if (at_ms > 0)
		put_u64(out, "at", (uint64_t)at_ms);
	put_object(out, "properties");
}

/* Ends it; one that did not fit is passed over. */
static void feed_event(struct opencode_line *o, struct buf *event)
{
	put_end(event);
	if (!event->full)
		opencode_feed(o->memory, buf_text(event));
	buf_finish(event);
}

void opencode_feed_value(struct opencode_line *o, const char *type, const char *key,
                         yyjson_val *value)
{
	yyjson_val *time = yyjson_obj_get(value, "time");
	yyjson_val *state_time = yyjson_obj_get(yyjson_obj_get(value, "state"), "time");
	static const char *const names[] = {"end", "completed", "start", "created"};
	double at_ms = 0;
	struct buf event;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !(at_ms > 0); i++)
		if (!json_number(yyjson_obj_get(time, names[i]), &at_ms))
			json_number(yyjson_obj_get(state_time, names[i]), &at_ms);
	buf_init(&event, OPENCODE_EVENT_MAX);
	begin_event(&event, type, at_ms > 0 && at_ms < 1e14 ? at_ms : 0);
	put_key(&event, key);
	if (!json_add(&event, value))
		event.full = true;
	put_end(&event);
	feed_event(o, &event);
}

static void feed_status(struct opencode_line *o, struct text session, const char *status)
{
	struct buf event;

	buf_init(&event, 4 * KIB);
	begin_event(&event, "session.status", 0);
	put_text(&event, "sessionID", session);
	put_object(&event, "status");
	put_word(&event, "type", status);
	put_end(&event);
	put_end(&event);
	feed_event(o, &event);
}

/* ---- messages ---- */

/* Where to begin: behind the last that was told, or with what was asked last. */
static size_t first_new(yyjson_val *list, struct text last)
{
	size_t count = yyjson_arr_size(list), asked = count;
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *one;

	for (size_t i = 0; (one = yyjson_arr_iter_next(&each)); i++) {
		yyjson_val *info = yyjson_obj_get(one, "info");

		if (last.len && text_equal(json_text_at(info, "id"), last))
			return i + 1;
		if (text_is(json_text_at(info, "role"), "user"))
			asked = i;
	}
	return last.len ? 0 : asked;
}

/* Spends what is left of the parts. */
static void feed_message(struct opencode_line *o, yyjson_val *message, size_t *left)
{
	yyjson_val *info = yyjson_obj_get(message, "info"), *part;
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(message, "parts"));
	yyjson_val *error = yyjson_obj_get(info, "error");

	/* Its role is known before its parts are, that it is whole after them. */
	if (text_is(json_text_at(info, "role"), "user"))
		opencode_feed_value(o, "message.updated", "info", info);
	for (; *left && (part = yyjson_arr_iter_next(&each)); --*left)
		opencode_feed_value(o, "message.part.updated", "part", part);
	if (!*left && yyjson_arr_iter_has_next(&each))
		source_bad(o->source, "opencode gives too many parts");
	opencode_feed_value(o, "message.updated", "info", info);
	if (yyjson_is_obj(error)) {
		struct buf event;

		buf_init(&event, 256 * KIB);
		begin_event(&event, "session.error", 0);
		put_text(&event, "sessionID", json_text_at(info, "sessionID"));
		put_key(&event, "error");
		if (!json_add(&event, error))
			event.full = true;
		put_end(&event);
		feed_event(o, &event);
	}
}

static void take_messages(struct opencode_line *o, const struct opencode_call *call,
                          yyjson_val *list)
{
	struct opencode_seen seen = {0};
	struct text session = text_of(call->what);
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *one;
	size_t count = yyjson_arr_size(list), first, left = PARTS_LIMIT;

	if (!yyjson_is_arr(list)) {
		complain(o, "messages", call);
		next_step(o);
		return;
	}
	opencode_find(o->memory->parse, session, &seen);
	first = first_new(list, seen.last);
	/* Not every server knows the limit.  The newest come last. */
	if (count > first + MESSAGES_LIMIT)
		first = count - MESSAGES_LIMIT;
	if (first < count && !seen.is_busy)
		feed_status(o, session, "busy");
	for (size_t i = 0; (one = yyjson_arr_iter_next(&each)); i++)
		if (i >= first)
			feed_message(o, one, &left);
	next_step(o);
}

static void ask_messages(struct opencode_line *o, const struct opencode_step *step)
{
	char *route = must_print("/session/%s/message?limit=%d", step->session, MESSAGES_LIMIT);

	if (!opencode_call(o, &(struct opencode_asked){.route = route,
	                                               .directory = text_of(step->directory),
	                                               .what = text_of(step->session),
	                                               .take = take_messages}))
		next_step(o);
	free(route);
}

/* What the stream says is newer than what a route said. */
static const char busy_word[] = "busy", idle_word[] = "idle";

static void note_state(struct opencode_line *o, struct text session, const char *state)
{
	if (session.len && (o->states.count < STATES_MAX || map_get(&o->states, session)))
		map_set(&o->states, session, (void *)state);
}

void opencode_hear_state(struct opencode_line *o, struct text session, bool is_busy)
{
	if (!o->is_synced)
		note_state(o, session, is_busy ? busy_word : idle_word);
}

static void settle_turn(struct opencode_line *o, const struct opencode_step *step)
{
	if (map_get(&o->states, text_of(step->session)) != busy_word)
		feed_status(o, text_of(step->session), "idle");
	next_step(o);
}

static void want_messages(struct opencode_line *o, struct text session, struct text directory)
{
	add_step(o, session, directory, ask_messages);
	add_step(o, session, directory, settle_turn);
}

/* ---- who is busy ---- */

struct opencode_look {
	struct opencode_line *line;
	yyjson_val *busy;
	struct text directory;
};

/* Of one that is not busy any more the rest is told, and then that it is idle. */
static void look_at_known(void *of, const struct opencode_seen *seen)
{
	const struct opencode_look *look = of;

	if (!text_equal(seen->directory, look->directory) || !seen->is_busy ||
	    yyjson_obj_getn(look->busy, seen->id.at, seen->id.len))
		return;
	want_messages(look->line, seen->id, look->directory);
}

/* Of a subagent that is met at work it is not known how much of it was told. */
static bool is_new_child(const struct opencode_line *o, struct text session)
{
	struct opencode_seen seen;

	return opencode_find(o->memory->parse, session, &seen) && seen.is_child && !seen.is_begun;
}

static void take_busy(struct opencode_line *o, const struct opencode_call *call, yyjson_val *busy)
{
	struct opencode_look look = {o, busy, text_of(call->what)};
	yyjson_obj_iter each = yyjson_obj_iter_with(busy);
	yyjson_val *key;
	bool is_new;

	if (!yyjson_is_obj(busy)) {
		complain(o, "states", call);
		next_step(o);
		return;
	}
	if (yyjson_obj_size(busy) > BUSY_LIMIT) {
		source_bad(o->source, "opencode gives too many states");
		next_step(o);
		return;
	}
	opencode_each(o->memory->parse, look_at_known, &look);
	while ((key = yyjson_obj_iter_next(&each))) {
		if (!opencode_is_name(json_text(key)))
			continue;
		is_new = is_new_child(o, json_text(key));
		if (!map_get(&o->states, json_text(key))) {
			note_state(o, json_text(key), busy_word);
			feed_status(o, json_text(key), busy_word);
		}
		if (!is_new)
			want_messages(o, json_text(key), look.directory);
	}
	next_step(o);
}

static void ask_busy(struct opencode_line *o, const struct opencode_step *step)
{
	if (!opencode_call(o, &(struct opencode_asked){.route = "/session/status",
	                                               .directory = text_of(step->directory),
	                                               .what = text_of(step->directory),
	                                               .take = take_busy}))
		next_step(o);
}

/* ---- permissions ---- */

static void keep_shown(void *of, struct text id)
{
	struct map *shown = of;

	if (shown->count < SHOWN_MAX)
		map_set(shown, id, shown);
}

static void feed_permission(struct opencode_line *o, yyjson_val *asked)
{
	struct buf event;

	buf_init(&event, OPENCODE_EVENT_MAX);
	put_object(&event, NULL);
	put_word(&event, "type", "permission.asked");
	put_key(&event, "properties");
	if (!json_add(&event, asked))
		event.full = true;
	feed_event(o, &event);
}

static void take_permissions(struct opencode_line *o, const struct opencode_call *call,
                             yyjson_val *list)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	struct map shown;
	yyjson_val *one;

	if (!yyjson_is_arr(list))
		complain(o, "permissions", call);
	map_init(&shown);
	source_each_prompt(o->source, keep_shown, &shown);
	if (yyjson_arr_size(list) > OPENCODE_ASKED_MAX)
		source_bad(o->source, "opencode gives too many permissions");
	for (size_t i = 0; i < OPENCODE_ASKED_MAX && (one = yyjson_arr_iter_next(&each)); i++) {
		struct opencode_permission *p = opencode_note_permission(o->memory, one);

		if (p && !p->sent[0] && !map_get(&shown, text_of(p->id)))
			feed_permission(o, one);
	}
	map_finish(&shown);
	next_step(o);
}

static void ask_permissions(struct opencode_line *o, const struct opencode_step *step)
{
	if (!opencode_call(o, &(struct opencode_asked){.route = "/permission",
	                                               .directory = text_of(step->directory),
	                                               .take = take_permissions}))
		next_step(o);
}

/* ---- sessions ---- */

static double updated_of(yyjson_val *info)
{
	double at_ms = 0;

	json_number(yyjson_obj_get(yyjson_obj_get(info, "time"), "updated"), &at_ms);
	return at_ms;
}

static void look_at_session(struct opencode_line *o, yyjson_val *info)
{
	struct text id = json_text_at(info, "id"), directory = json_text_at(info, "directory");
	double updated_ms = updated_of(info), now_ms = (double)clock_wall_ms();
	int64_t lost_ms = o->memory->lost_at_ms;
	bool is_missed = lost_ms && updated_ms >= (double)lost_ms - SLACK_MS;
	struct opencode_seen seen = {0};
	bool is_known = opencode_find(o->memory->parse, id, &seen);

	if (!opencode_is_name(id))
		return;
	if (is_known || is_missed || updated_ms > now_ms - RECENT_MS) {
		opencode_feed_value(o, "session.updated", "info", info);
		add_step(o, TEXT(""), directory, ask_busy);
		add_step(o, TEXT(""), directory, ask_permissions);
	}
	if (((is_known && (seen.last.len || seen.is_busy)) || is_missed) && !is_new_child(o, id))
		want_messages(o, id, directory);
}

static void add_directory(void *of, const struct opencode_seen *seen)
{
	if (!seen->is_busy)
		return;
	add_step(of, TEXT(""), seen->directory, ask_busy);
	add_step(of, TEXT(""), seen->directory, ask_permissions);
}

static void take_sessions(struct opencode_line *o, const struct opencode_call *call,
                          yyjson_val *list)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *info;

	if (!yyjson_is_arr(list) && !call->token &&
	    opencode_call(o, &(struct opencode_asked){.route = SESSIONS_OF_PROJECT,
	                                              .token = 1,
	                                              .take = take_sessions}))
		return;
	if (!yyjson_is_arr(list))
		complain(o, "sessions", call);
	for (size_t i = 0; i < SESSIONS_LIMIT && (info = yyjson_arr_iter_next(&each)); i++)
		look_at_session(o, info);
	opencode_each(o->memory->parse, add_directory, o);
	next_step(o);
}

/* ---- the whole ---- */

static bool opencode_sync_is_listed(const struct opencode_memory *m, struct text id)
{
	for (size_t i = 0; i < m->asked_count && i < OPENCODE_ASKED_MAX; i++)
		if (text_is(id, m->asked[i].id))
			return m->asked[i].is_listed;
	return false;
}

/* What nobody wants to know any more is not asked any more; what was answered meanwhile is
 * said. */
static void opencode_sync_finish(struct opencode_line *o)
{
	struct map shown;
	struct text id;
	void *value;
	size_t at = 0;

	o->is_synced = true;
	map_finish(&o->states);
	map_init(&o->states);
	o->memory->lost_at_ms = 0;
	map_init(&shown);
	source_each_prompt(o->source, keep_shown, &shown);
	while (map_next(&shown, &at, &id, &value))
		if (!opencode_sync_is_listed(o->memory, id))
			source_withdrew(o->source, id, "opencode does not ask for it any more");
	map_finish(&shown);
	source_asks_again(o->source, TEXT(""));
}

static void next_step(struct opencode_line *o)
{
	struct opencode_step *step;

	if (o->is_over || o->is_synced)
		return;
	if (list_is_empty(&o->steps)) {
		opencode_sync_finish(o);
		return;
	}
	step = list_of(o->steps.next, struct opencode_step, in_line);
	list_remove(&step->in_line);
	step->run(o, step);
	free_step(o, step);
}

void opencode_sync(struct opencode_line *o)
{
	struct opencode_memory *m = o->memory;

	for (size_t i = 0; i < OPENCODE_ASKED_MAX; i++)
		m->asked[i].is_listed = false;
	if (!opencode_call(o, &(struct opencode_asked){.route = SESSIONS, .take = take_sessions}))
		opencode_sync_finish(o);
}
