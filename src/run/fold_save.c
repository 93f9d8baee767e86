/* fold_save.c - a fold as JSON: for people and programs that ask, and for the checkpoint.
 *
 * What is saved is what is shown, and besides that what is only needed to go on.
 */
#include <stdlib.h>

#include "run/inside.h"

#include "base/put.h"

/* ---- written ---- */

static void add_bool(struct buf *out, const char *name, bool value)
{
	put_bool(out, name, value);
}

static void add_states(struct buf *out, const char *name, const struct states *states)
{
	put_list(out, name);
	for (size_t i = 0; i < states->count; i++)
		put_word(out, NULL, states->at[i]);
	buf_add_char(out, ']');
}

static void add_invocation(struct buf *out, const struct invocation *i, bool saving)
{
	struct text said = saving ? buf_text(&i->tail) : invocation_tail(i);

	put_object(out, NULL);
	put_word(out, "invokeid", i->invoke);
	json_member_text(out, "session", i->session);
	json_member_text(out, "model", i->model);
	json_member_text(out, "status", invocation_status_name(i->status));
	add_bool(out, "thinking", i->thinking);
	json_member_count(out, "chunks", i->chunks);
	json_member_count(out, "chars", i->chars);
	json_member_count(out, "tokens", i->tokens);
	if (saving && i->counts_pieces)
		add_bool(out, "countsPieces", true);
	json_member_number(out, "tps", saving ? i->real_tps : invocation_tps(i));
	json_member_number(out, "elapsedMs", i->elapsed_ms);
	json_member_number(out, "firstTs", i->first_ts);
	json_member_number(out, "lastTs", i->last_ts);
	json_member_number(out, "activeTs", i->active_ts);
	put_text(out, "text", said);
	buf_add_char(out, '}');
}

static void add_invocations(struct buf *out, const struct fold *fold, bool saving)
{
	bool is_first = true;

	put_list(out, "invocations");
	list_each(&fold->invocations, l) {
		if (!is_first)
			buf_add_char(out, ',');
		is_first = false;
		add_invocation(out, list_of(l, struct invocation, in_fold), saving);
	}
	buf_add_char(out, ']');
}

static void add_debug(struct buf *out, const struct fold_debug *debug)
{
	if (!debug->is_known) {
		put_word(out, "debug", NULL);
		return;
	}
	put_object(out, "debug");
	put_bool(out, "paused", debug->paused);
	json_member_count(out, "stepBudget", debug->step_budget);
	json_member_text(out, "mode", debug->mode);
	buf_add_char(out, '}');
}

static void add_members(struct buf *out, const struct fold *fold, bool saving)
{
	put_key(out, "session");
	if (fold->session)
		buf_add_json(out, text_of(fold->session));
	else
		buf_add(out, TEXT("null"));
	json_member_text(out, "chart", fold->chart);
	add_states(out, "config", &fold->config);
	add_states(out, "breadcrumb", &fold->breadcrumb);
	add_states(out, "siblings", &fold->siblings);
	add_invocations(out, fold, saving);
	add_debug(out, &fold->debug);
	add_bool(out, "finished", fold->finished);
	json_member_text(out, "finalConfig", fold->final_config);
	json_member_count(out, "events", fold->events);
	json_member_count(out, "errors", fold->errors);
	json_member_count(out, "inputTokens", fold->input_tokens);
	json_member_count(out, "outputTokens", fold->output_tokens);
	json_member_number(out, "firstTs", fold->first_ts);
	json_member_number(out, "lastTs", fold->last_ts);
}

void fold_json(const struct fold *fold, struct buf *out)
{
	add_members(out, fold, false);
}

void fold_save(const struct fold *fold, struct buf *out)
{
	buf_add_char(out, '{');
	add_members(out, fold, true);
	buf_add_char(out, '}');
}

/* ---- read back ---- */

static uint64_t count_of(yyjson_val *object, const char *name)
{
	return yyjson_get_uint(yyjson_obj_get(object, name));
}

static double number_of(yyjson_val *object, const char *name)
{
	return yyjson_get_num(yyjson_obj_get(object, name));
}

static char *text_at(yyjson_val *object, const char *name)
{
	struct text value = json_text_at(object, name);

	return value.at ? text_dup(value) : NULL;
}

static bool load_status(struct invocation *i, struct text name)
{
	for (i->status = INVOCATION_STREAMING; i->status <= INVOCATION_DONE; i->status++)
		if (text_is(name, invocation_status_name(i->status)))
			return true;
	i->status = INVOCATION_DONE;
	return false;
}

static bool load_invocation(struct fold *fold, yyjson_val *saved)
{
	struct invocation *i = fold_invocation(fold, json_text_at(saved, "invokeid"),
	                                       json_text_at(saved, "session"));

	if (!i || i->model || !load_status(i, json_text_at(saved, "status")))
		return false;
	i->model = text_at(saved, "model");
	i->thinking = yyjson_get_bool(yyjson_obj_get(saved, "thinking"));
	i->chunks = count_of(saved, "chunks");
	i->chars = count_of(saved, "chars");
	i->tokens = count_of(saved, "tokens");
	i->counts_pieces = yyjson_get_bool(yyjson_obj_get(saved, "countsPieces"));
	i->real_tps = number_of(saved, "tps");
	i->elapsed_ms = number_of(saved, "elapsedMs");
	i->first_ts = number_of(saved, "firstTs");
	i->last_ts = number_of(saved, "lastTs");
	i->active_ts = number_of(saved, "activeTs");
	return buf_add(&i->tail, json_text_at(saved, "text"));
}

static void load_debug(struct fold_debug *debug, yyjson_val *saved)
{
	debug->is_known = yyjson_is_obj(saved);
	debug->paused = yyjson_get_bool(yyjson_obj_get(saved, "paused"));
	debug->step_budget = count_of(saved, "stepBudget");
	debug->mode = text_at(saved, "mode");
}

static void load_states(struct states *states, yyjson_val *saved, const char *name)
{
	yyjson_val *array = yyjson_obj_get(saved, name);

	states_take(states, &(struct run_states){.array = array, .count = yyjson_arr_size(array)});
}

bool fold_load(struct fold *fold, yyjson_val *saved)
{
	yyjson_val *invocations = yyjson_obj_get(saved, "invocations");
	yyjson_val *one;
	size_t at, count;

	if (!yyjson_is_arr(invocations) || yyjson_arr_size(invocations) > FOLD_INVOCATIONS_MAX)
		return false;
	yyjson_arr_foreach(invocations, at, count, one)
	{
		if (!load_invocation(fold, one))
			return false;
	}
	fold->session = text_at(saved, "session");
	fold->chart = text_at(saved, "chart");
	load_states(&fold->config, saved, "config");
	load_states(&fold->breadcrumb, saved, "breadcrumb");
	load_states(&fold->siblings, saved, "siblings");
	load_debug(&fold->debug, yyjson_obj_get(saved, "debug"));
	fold->finished = yyjson_get_bool(yyjson_obj_get(saved, "finished"));
	fold->final_config = text_at(saved, "finalConfig");
	fold->events = count_of(saved, "events");
	fold->errors = count_of(saved, "errors");
	fold->input_tokens = count_of(saved, "inputTokens");
	fold->output_tokens = count_of(saved, "outputTokens");
	fold->first_ts = number_of(saved, "firstTs");
	fold->last_ts = number_of(saved, "lastTs");
	return true;
}
