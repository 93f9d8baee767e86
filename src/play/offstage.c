/* offstage.c - names, each with a state and the time until which they count. */
#include "play/offstage.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"

#define PARAMS_MAX MIB
#define STATE_MAX 64 /* bytes; of a longer one the beginning */

struct someone {
	struct link in_names; /* offstage.names */
	char *name, *state;
	uint64_t by;     /* the last performance that put them into a state */
	bool is_there;   /* was brought in, and did not go */
	double until_ms; /* at work */
};

static struct someone *in_names(const struct link *l)
{
	return list_of(l, struct someone, in_names);
}

/* ---- birth and death ---- */

void offstage_init(struct offstage *o)
{
	*o = (struct offstage){0};
	list_init(&o->names);
	json_reader_init(&o->params, PARAMS_MAX);
}

static void forget_someone(struct offstage *o, struct someone *one)
{
	list_remove(&one->in_names);
	free(one->name);
	free(one->state);
	free(one);
	assert(o->count > 0);
	o->count--;
}

void offstage_clear(struct offstage *o)
{
	list_each(&o->names, l)
		forget_someone(o, in_names(l));
}

void offstage_finish(struct offstage *o)
{
	offstage_clear(o);
	json_reader_finish(&o->params);
}

static struct someone *find_someone(const struct offstage *o, struct text name)
{
	list_each(&o->names, l)
		if (text_is(name, in_names(l)->name))
			return in_names(l);
	return NULL;
}

static struct someone *add(struct offstage *o, struct text name)
{
	struct someone *one = must_zero(1, sizeof(*one));

	if (o->count == OFFSTAGE_MAX)
		forget_someone(o, in_names(o->names.next));
	list_init(&one->in_names);
	list_add(&o->names, &one->in_names);
	one->name = text_dup(name);
	one->state = text_dup(TEXT("idle"));
	one->until_ms = -INFINITY;
	assert(o->count < OFFSTAGE_MAX);
	o->count++;
	return one;
}

/* ---- folding ---- */

static void set_state(struct someone *one, struct text state)
{
	char *kept = text_dup(utf8_cut(state, STATE_MAX));

	free(one->state);
	one->state = kept;
}

/* What state this command leads to; empty: none.  Where nobody walks it does not matter how,
 * and who arrives at home after a task is not at rest when another has begun meanwhile. */
static struct text state_of(const struct someone *one, const struct stage_command *command,
                            yyjson_val *params)
{
	struct text action = command->action;

	if (command->kind == COMMAND_START || command->performance < one->by)
		return TEXT("");
	if (text_is(action, "setAnimation"))
		return json_text_at(params, "state");
	return json_text_at(params, "animationOnArrival");
}

static void fold(struct offstage *o, struct someone *one, const struct stage_command *command)
{
	yyjson_val *params = yyjson_doc_get_root(json_read(&o->params, command->params, NULL));
	struct text state = state_of(one, command, params);
	bool is_done = command->kind == COMMAND_EXECUTE;

	if (is_done && text_is(command->action, "spawn"))
		one->is_there = true;
	else if (is_done && text_is(command->action, "destroy"))
		one->is_there = false;
	if (state.len) {
		set_state(one, state);
		one->by = command->performance;
	}
	if (!stage_rests(text_of(one->state)))
		one->until_ms = command->at_ms + STAGE_AWAY_MS;
	else if (state.len)
		one->until_ms = command->at_ms;
	else if (is_done)
		one->until_ms = command->at_ms + OFFSTAGE_MOMENT_MS;
}

void offstage_command(struct offstage *o, const struct stage_command *command, bool is_missed)
{
	struct someone *one;

	if (command->kind == COMMAND_INTERRUPT || command->kind == COMMAND_UPDATE)
		return;
	one = find_someone(o, command->entity);
	if (!one && is_missed)
		one = add(o, command->entity);
	if (!one)
		return;
	if (text_is(command->action, "cast")) {
		forget_someone(o, one);
		return;
	}
	fold(o, one, command);
	list_remove(&one->in_names);
	list_add(&o->names, &one->in_names);
}

/* ---- looking on ---- */

static bool is_at_work(const struct someone *one, double now_ms)
{
	return one->is_there && now_ms < one->until_ms;
}

size_t offstage_count(const struct offstage *o, double now_ms)
{
	size_t count = 0;

	list_each(&o->names, l)
		count += is_at_work(in_names(l), now_ms);
	return count;
}

double offstage_next(const struct offstage *o, double now_ms)
{
	double next = INFINITY;

	list_each(&o->names, l)
		if (is_at_work(in_names(l), now_ms))
			next = fmin(next, in_names(l)->until_ms);
	return next;
}

struct text offstage_state(const struct offstage *o, struct text name)
{
	const struct someone *one = find_someone(o, name);

	return one && one->is_there ? text_of(one->state) : TEXT("");
}

/* ---- remembering ---- */

void offstage_save(const struct offstage *o, struct buf *out)
{
	put_list(out, NULL);
	list_each(&o->names, l) {
		const struct someone *one = in_names(l);

		put_object(out, NULL);
		put_text(out, "name", text_of(one->name));
		put_text(out, "state", text_of(one->state));
		put_bool(out, "there", one->is_there);
		put_key(out, "until");
		json_add_number(out, one->until_ms);
		put_end(out);
	}
	put_list_end(out);
}

void offstage_load(struct offstage *o, yyjson_val *saved, const struct stage *stage)
{
	yyjson_val *each;
	size_t i, max;

	offstage_clear(o);
	yyjson_arr_foreach(saved, i, max, each)
	{
		struct text name = json_text_at(each, "name");
		struct someone *one;

		if (name.len == 0 || find_someone(o, name) || stage_knows(stage, name))
			continue;
		one = add(o, name);
		set_state(one, json_text_at(each, "state"));
		one->is_there = show_flag(each, "there", false);
		json_number(yyjson_obj_get(each, "until"), &one->until_ms);
	}
}
