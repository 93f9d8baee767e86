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
#include "source/opencode/opencode_parts.h"

#define SESSIONS "/experimental/session?limit=50"
#define SESSIONS_OF_PROJECT "/session?limit=50" /* of a server that does not know the other */
#define SESSIONS_LIMIT 50
#define MESSAGES_LIMIT 50
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
	opencode_stop_slices(o);
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

/* ---- messages ---- */

static void take_messages(struct opencode_line *o, const struct opencode_call *call,
                          yyjson_val *list)
{
	if (yyjson_is_arr(list)) {
		opencode_feed_messages(o, call, list);
		return;
	}
	complain(o, "messages", call);
	opencode_next_step(o);
}

static void ask_messages(struct opencode_line *o, const struct opencode_step *step)
{
	char *route = must_print("/session/%s/message?limit=%d", step->session, MESSAGES_LIMIT);

	if (!opencode_call(o, &(struct opencode_asked){.route = route,
	                                               .directory = text_of(step->directory),
	                                               .what = text_of(step->session),
	                                               .take = take_messages}))
		opencode_next_step(o);
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
		opencode_feed_status(o, text_of(step->session), "idle");
	opencode_next_step(o);
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
		opencode_next_step(o);
		return;
	}
	if (yyjson_obj_size(busy) > BUSY_LIMIT) {
		source_bad(o->source, "opencode gives too many states");
		opencode_next_step(o);
		return;
	}
	opencode_each(o->memory->parse, look_at_known, &look);
	while ((key = yyjson_obj_iter_next(&each))) {
		if (!opencode_is_name(json_text(key)))
			continue;
		is_new = is_new_child(o, json_text(key));
		if (!map_get(&o->states, json_text(key))) {
			note_state(o, json_text(key), busy_word);
			opencode_feed_status(o, json_text(key), busy_word);
		}
		if (!is_new)
			want_messages(o, json_text(key), look.directory);
	}
	opencode_next_step(o);
}

static void ask_busy(struct opencode_line *o, const struct opencode_step *step)
{
	if (!opencode_call(o, &(struct opencode_asked){.route = "/session/status",
	                                               .directory = text_of(step->directory),
	                                               .what = text_of(step->directory),
	                                               .take = take_busy}))
		opencode_next_step(o);
}

/* ---- what it asks ---- */

static void keep_shown(void *of, struct text id)
{
	struct map *shown = of;

	if (shown->count < SHOWN_MAX)
		map_set(shown, id, shown);
}

static void look_at_shown(struct opencode_line *o)
{
	map_finish(&o->shown);
	map_init(&o->shown);
	source_each_prompt(o->source, keep_shown, &o->shown);
}

static bool feed_permission(struct opencode_line *o, yyjson_val *asked)
{
	opencode_list_permission(o, asked, &o->shown);
	return false;
}

static bool feed_question(struct opencode_line *o, yyjson_val *asked)
{
	opencode_list_question(o, asked);
	return false;
}

static void take_asked(struct opencode_line *o, const struct opencode_call *call, yyjson_val *list)
{
	struct opencode_slices how = {.each = yyjson_arr_iter_with(list),
	                              .left = OPENCODE_ASKED_MAX,
	                              .done = opencode_next_step};
	const char *of = call->token ? "questions" : "permissions";

	how.feed = call->token ? feed_question : feed_permission;
	if (!yyjson_is_arr(list)) {
		if (!call->token || call->status != 404) /* older ones do not ask */
			complain(o, of, call);
		opencode_next_step(o);
		return;
	}
	if (yyjson_arr_size(list) > OPENCODE_ASKED_MAX)
		source_bad(o->source, "opencode asks for too much at once");
	look_at_shown(o);
	opencode_feed_slices(o, call, &how);
}

static void ask_questions(struct opencode_line *o, const struct opencode_step *step)
{
	if (!opencode_call(o, &(struct opencode_asked){.route = "/question",
	                                               .directory = text_of(step->directory),
	                                               .token = 1,
	                                               .take = take_asked}))
		opencode_next_step(o);
}

static void ask_permissions(struct opencode_line *o, const struct opencode_step *step)
{
	if (!opencode_call(o, &(struct opencode_asked){.route = "/permission",
	                                               .directory = text_of(step->directory),
	                                               .take = take_asked}))
		opencode_next_step(o);
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
		add_step(o, TEXT(""), directory, ask_questions);
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
	add_step(of, TEXT(""), seen->directory, ask_questions);
}

static bool feed_session(struct opencode_line *o, yyjson_val *info)
{
	look_at_session(o, info);
	return false;
}

static void sessions_are_known(struct opencode_line *o)
{
	opencode_each(o->memory->parse, add_directory, o);
	opencode_next_step(o);
}

static void take_sessions(struct opencode_line *o, const struct opencode_call *call,
                          yyjson_val *list)
{
	struct opencode_slices how = {.each = yyjson_arr_iter_with(list),
	                              .left = SESSIONS_LIMIT,
	                              .feed = feed_session,
	                              .done = sessions_are_known};

	if (yyjson_is_arr(list)) {
		opencode_feed_slices(o, call, &how);
		return;
	}
	if (!call->token && opencode_call(o, &(struct opencode_asked){.route = SESSIONS_OF_PROJECT,
	                                                              .token = 1,
	                                                              .take = take_sessions}))
		return;
	complain(o, "sessions", call);
	sessions_are_known(o);
}

/* ---- the whole ---- */

/* What nobody wants to know any more is not asked any more; what was answered meanwhile is
 * said. */
static void opencode_sync_finish(struct opencode_line *o)
{
	struct text id;
	void *value;
	size_t at = 0;

	o->is_synced = true;
	map_finish(&o->states);
	map_init(&o->states);
	o->memory->lost_at_ms = 0;
	look_at_shown(o);
	while (map_next(&o->shown, &at, &id, &value))
		if (opencode_is_question(id) ? !opencode_asks_question(o->memory, id)
		                             : !opencode_asks_permission(o->memory, id))
			source_withdrew(o->source, id, "opencode does not ask for it any more");
	source_asks_again(o->source, TEXT(""));
	opencode_ask_listed(o, &o->shown);
	map_finish(&o->shown);
	map_init(&o->shown);
}

void opencode_next_step(struct opencode_line *o)
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
	opencode_unlist_permissions(o->memory);
	askings_unlist(&o->memory->questions);
	if (!opencode_call(o, &(struct opencode_asked){.route = SESSIONS, .take = take_sessions}))
		opencode_sync_finish(o);
}
