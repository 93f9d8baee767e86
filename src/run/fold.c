/* fold.c - what a run looks like, one frame after the other.
 *
 * Everything is told by the frames: no clock is read, so the same frames make the same
 * state, live or years later.  Times of frames may go back a little.
 */
#include "run/fold.h"

#include <stdlib.h>

#include "base/must.h"
#include "run/inside.h"

#define KEY_MAX (2 * FOLD_NAME_MAX + 1)

/* ---- invocations ---- */

const char *invocation_status_name(enum invocation_status status)
{
	static const char *const names[] = {
		[INVOCATION_STREAMING] = "streaming",
		[INVOCATION_WAITING] = "waiting",
		[INVOCATION_ERROR] = "error",
		[INVOCATION_DONE] = "done",
	};

	return names[status];
}

uint64_t invocation_count(const struct invocation *i)
{
	return i->tokens ? i->tokens : i->chunks;
}

double invocation_tps(const struct invocation *i)
{
	double elapsed = i->last_ts - i->first_ts;

	if (i->real_tps > 0)
		return i->real_tps;
	if (invocation_count(i) < 2 || elapsed <= 0)
		return 0;
	return (double)invocation_count(i) / ((elapsed > 1 ? elapsed : 1) / 1000);
}

struct text invocation_tail(const struct invocation *i)
{
	struct text tail = buf_text(&i->tail);

	if (tail.len > FOLD_TAIL_MAX)
		tail = (struct text){tail.at + tail.len - FOLD_TAIL_MAX, FOLD_TAIL_MAX};
	while (tail.len > 0 && ((unsigned char)*tail.at & 0xc0) == 0x80)
		tail = (struct text){tail.at + 1, tail.len - 1};
	return tail;
}

static struct text key_of(char key[KEY_MAX], struct text invoke, struct text session)
{
	if (session.len == 0)
		session = invoke;
	memcpy(key, invoke.at, invoke.len);
	key[invoke.len] = '\0';
	memcpy(key + invoke.len + 1, session.at, session.len);
	return (struct text){key, invoke.len + 1 + session.len};
}

static bool is_nameable(struct text invoke, struct text session)
{
	return invoke.len > 0 && invoke.len <= FOLD_NAME_MAX && session.len <= FOLD_NAME_MAX;
}

struct invocation *fold_find(const struct fold *fold, struct text invoke, struct text session)
{
	char key[KEY_MAX];

	return is_nameable(invoke, session) ? map_get(&fold->by_key, key_of(key, invoke, session))
	                                    : NULL;
}

static void forget_invocation(struct fold *fold, struct invocation *i)
{
	char key[KEY_MAX];

	map_remove(&fold->by_key, key_of(key, text_of(i->invoke), text_of(i->session)));
	fold->invocation_count--;
	list_remove(&i->in_fold);
	buf_finish(&i->tail);
	free(i->invoke);
	free(i->session);
	free(i->model);
	free(i);
}

static void forget_quietest(struct fold *fold)
{
	struct invocation *quietest = NULL;

	list_each(&fold->invocations, l) {
		struct invocation *i = list_of(l, struct invocation, in_fold);

		if (!quietest || i->active_ts < quietest->active_ts)
			quietest = i;
	}
	if (quietest)
		forget_invocation(fold, quietest);
}

struct invocation *fold_invocation(struct fold *fold, struct text invoke, struct text session)
{
	struct invocation *i = fold_find(fold, invoke, session);
	char key[KEY_MAX];

	if (i || !is_nameable(invoke, session))
		return i;
	if (fold->invocation_count == FOLD_INVOCATIONS_MAX)
		forget_quietest(fold);
	i = must_zero(1, sizeof(*i));
	i->invoke = text_dup(invoke);
	i->session = text_dup(session.len ? session : invoke);
	i->status = INVOCATION_WAITING;
	buf_init(&i->tail, 2 * FOLD_TAIL_MAX);
	list_add(&fold->invocations, &i->in_fold);
	map_set(&fold->by_key, key_of(key, invoke, session), i);
	fold->invocation_count++;
	return i;
}

/* ---- values of frames ---- */

static void replace(char **held, struct text with)
{
	free(*held);
	*held = with.at ? text_dup(with.len > FOLD_NAME_MAX ? (struct text){with.at, FOLD_NAME_MAX}
	                                                    : with)
	                : NULL;
}

static double number_in(yyjson_val *object, const char *key)
{
	double number;

	return json_number(yyjson_obj_get(object, key), &number) && number > 0 ? number : 0;
}

/* Counts of others: what no count can be is none. */
static uint64_t count_in(yyjson_val *object, const char *key)
{
	double number = number_in(object, key);

	return number < 9e15 ? (uint64_t)number : 0;
}

static void states_clear(struct states *states)
{
	for (size_t i = 0; i < states->count; i++)
		free(states->at[i]);
	states->count = 0;
}

void states_read(struct states *states, yyjson_val *array)
{
	size_t at, count;
	yyjson_val *name;

	states_clear(states);
	yyjson_arr_foreach(array, at, count, name)
	{
		if (!yyjson_is_str(name) || states->count == FOLD_CONFIG_MAX)
			continue;
		states->at[states->count] = NULL;
		replace(&states->at[states->count++], json_text(name));
	}
}

static bool states_are(const struct states *states, yyjson_val *array)
{
	if (yyjson_arr_size(array) != states->count)
		return false;
	for (size_t i = 0; i < states->count; i++)
		if (!text_is(json_text(yyjson_arr_get(array, i)), states->at[i]))
			return false;
	return true;
}

/* An event brings the configuration alone.  What is known of its surroundings comes
 * before it, in a frame of its own, and holds as long as the configuration does. */
static void take_config(struct fold *fold, yyjson_val *config)
{
	if (!yyjson_is_arr(config) || states_are(&fold->config, config))
		return;
	states_read(&fold->config, config);
	states_clear(&fold->breadcrumb);
	states_clear(&fold->siblings);
}

/* As a person reads it: a text as it is, an array as ["run" "done"]. */
static void take_end(struct fold *fold, yyjson_val *config)
{
	struct buf words;
	size_t at, count;
	yyjson_val *name;

	fold->finished = true;
	if (yyjson_is_str(config))
		replace(&fold->final_config, json_text(config));
	if (!yyjson_is_arr(config))
		return;
	buf_init(&words, FOLD_NAME_MAX);
	yyjson_arr_foreach(config, at, count, name)
	{
		buf_add(&words, at ? TEXT(" ") : TEXT("["));
		buf_add_json(&words, json_text(name));
	}
	buf_add(&words, count ? TEXT("]") : TEXT("[]"));
	replace(&fold->final_config, buf_text(&words));
	buf_finish(&words);
}

/* ---- events ---- */

static struct invocation *touch(struct fold *fold, const struct frame *frame)
{
	struct invocation *i = fold_invocation(fold, frame->invoke, frame->session);
	struct text model = json_text(yyjson_obj_get(frame->data, "model"));

	if (!i)
		return NULL;
	if (model.len > 0)
		replace(&i->model, model);
	i->active_ts = frame->ts;
	return i;
}

static void hear_start(struct fold *fold, const struct frame *frame)
{
	struct invocation *i = touch(fold, frame);

	fold->finished = false;
	if (!i)
		return;
	i->status = INVOCATION_WAITING;
	i->thinking = false;
	i->chunks = i->chars = i->tokens = 0;
	i->first_ts = i->last_ts = frame->ts;
	i->elapsed_ms = i->real_tps = 0;
	buf_finish(&i->tail);
}

static uint64_t characters(struct text t)
{
	uint64_t count = 0;

	for (size_t i = 0; i < t.len; i++)
		count += ((unsigned char)t.at[i] & 0xc0) != 0x80;
	return count;
}

/* Up to twice of what is wanted is kept, so that it is moved seldom. */
static void add_tail(struct invocation *i, struct text said)
{
	if (said.len > FOLD_TAIL_MAX)
		said = (struct text){said.at + said.len - FOLD_TAIL_MAX, FOLD_TAIL_MAX};
	if (i->tail.len + said.len > 2 * FOLD_TAIL_MAX)
		buf_drop(&i->tail, i->tail.len - FOLD_TAIL_MAX);
	buf_add(&i->tail, said);
}

static void hear_delta(struct fold *fold, const struct frame *frame)
{
	struct invocation *i = touch(fold, frame);
	struct text said = json_text(yyjson_obj_get(frame->data, "text"));
	uint64_t coalesced = count_in(frame->data, "coalesced");
	uint64_t tokens = count_in(yyjson_obj_get(frame->data, "usage"), "output-tokens");

	if (!i)
		return;
	if (i->chunks == 0)
		i->first_ts = frame->ts;
	i->last_ts = frame->ts;
	i->chunks += coalesced ? coalesced : 1;
	i->chars += characters(said);
	if (tokens)
		i->tokens = tokens;
	i->status = INVOCATION_STREAMING;
	i->thinking = text_is(json_text(yyjson_obj_get(frame->data, "type")), "thinking-delta");
	add_tail(i, said);
}

static void hear_response(struct fold *fold, const struct frame *frame)
{
	struct invocation *i = touch(fold, frame);
	yyjson_val *usage = yyjson_obj_get(frame->data, "usage");
	uint64_t tokens = count_in(usage, "output-tokens");

	fold->input_tokens += count_in(usage, "input-tokens");
	fold->output_tokens += tokens;
	if (!i)
		return;
	if (i->chunks == 0) /* nothing was streamed: no other count will come */
		i->tokens += tokens;
	i->status = INVOCATION_DONE;
	i->thinking = false;
	i->real_tps = number_in(frame->data, "output-tps");
	i->elapsed_ms = number_in(frame->data, "elapsed-ms");
	buf_finish(&i->tail);
}

/* It often comes without a session; then only the one of that very name is meant. */
static void hear_request(struct fold *fold, const struct frame *frame)
{
	if (fold_find(fold, frame->invoke, frame->session))
		touch(fold, frame);
}

static void hear_error(struct fold *fold, const struct frame *frame)
{
	struct invocation *i = touch(fold, frame);

	fold->errors++;
	if (!i)
		return;
	i->status = INVOCATION_ERROR;
	i->thinking = false;
	buf_finish(&i->tail);
}

static void hear_exit(struct fold *fold, const struct frame *frame)
{
	struct invocation *i = fold_find(fold, frame->invoke, frame->session);

	if (!i)
		return;
	i->active_ts = frame->ts;
	if (i->status != INVOCATION_ERROR)
		i->status = INVOCATION_DONE;
	i->thinking = false;
	buf_finish(&i->tail);
}

static void hear_started(struct fold *fold, const struct frame *frame)
{
	fold->finished = false;
	replace(&fold->session, frame->session);
	replace(&fold->chart, json_text(yyjson_obj_get(frame->data, "chart-id")));
}

static void hear_config(struct fold *fold, const struct frame *frame)
{
	take_config(fold, yyjson_obj_get(frame->data, "config"));
}

static void hear_processed(struct fold *fold, const struct frame *frame)
{
	take_config(fold, yyjson_obj_get(frame->data, "config-after"));
}

static void hear_done(struct fold *fold, const struct frame *frame)
{
	take_end(fold, yyjson_obj_get(frame->data, "final-config"));
}

static const struct {
	const char *event;
	void (*hear)(struct fold *fold, const struct frame *frame);
} events[] = {
	{"llm/delta", hear_delta},
	{"llm/start", hear_start},
	{"llm/request", hear_request},
	{"llm/response", hear_response},
	{"llm/error", hear_error},
	{"llm/model-down", hear_error},
	{"llm/worker-exit", hear_exit},
	{"human-input/error", hear_error},
	{"runner/started", hear_started},
	{"runner/start-config", hear_config},
	{"runner/event-processed", hear_processed},
	{"runner/error", hear_error},
	{"runner/aborted", hear_done},
	{"runner/done", hear_done},
};

static void hear_event(struct fold *fold, const struct frame *frame)
{
	fold->events++;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (text_is(frame->event, events[i].event)) {
			events[i].hear(fold, frame);
			return;
		}
	}
}

/* ---- other frames ---- */

static void hear_phase(struct fold *fold, const struct frame *frame)
{
	states_read(&fold->config, yyjson_obj_get(frame->root, "config"));
	states_read(&fold->breadcrumb, yyjson_obj_get(frame->root, "breadcrumb"));
	states_read(&fold->siblings, yyjson_obj_get(frame->root, "siblings"));
}

static void hear_debug(struct fold *fold, const struct frame *frame)
{
	fold->debug.is_known = true;
	fold->debug.paused = yyjson_get_bool(yyjson_obj_get(frame->root, "paused"));
	fold->debug.step_budget = count_in(frame->root, "step-budget");
	replace(&fold->debug.mode, json_text(yyjson_obj_get(frame->root, "mode")));
	take_config(fold, yyjson_obj_get(frame->root, "config"));
}

static void hear_control(struct fold *fold, const struct frame *frame)
{
	if (text_is(json_text(yyjson_obj_get(frame->root, "op")), "run-finished"))
		take_end(fold, yyjson_obj_get(frame->root, "final-config"));
}

void fold_frame(struct fold *fold, const struct frame *frame)
{
	if (frame->ts > 0) {
		if (fold->first_ts == 0)
			fold->first_ts = frame->ts;
		if (frame->ts > fold->last_ts)
			fold->last_ts = frame->ts;
	}
	switch (frame->kind) {
	case FRAME_EVENT:
		hear_event(fold, frame);
		break;
	case FRAME_PHASE:
		hear_phase(fold, frame);
		break;
	case FRAME_DEBUG:
		hear_debug(fold, frame);
		break;
	case FRAME_CONTROL:
		hear_control(fold, frame);
		break;
	default:
		break;
	}
}

/* ---- the whole ---- */

struct fold_totals fold_totals(const struct fold *fold)
{
	struct fold_totals totals = {.invocations = fold->invocation_count};

	list_each(&fold->invocations, l) {
		const struct invocation *i = list_of(l, struct invocation, in_fold);

		totals.tokens += invocation_count(i);
		if (i->status == INVOCATION_STREAMING || i->status == INVOCATION_WAITING) {
			totals.live++;
			totals.tps += invocation_tps(i);
		}
	}
	return totals;
}

void fold_init(struct fold *fold)
{
	*fold = (struct fold){0};
	list_init(&fold->invocations);
	map_init(&fold->by_key);
}

void fold_finish(struct fold *fold)
{
	list_each(&fold->invocations, l)
		forget_invocation(fold, list_of(l, struct invocation, in_fold));
	map_finish(&fold->by_key);
	states_clear(&fold->config);
	states_clear(&fold->breadcrumb);
	states_clear(&fold->siblings);
	free(fold->debug.mode);
	free(fold->session);
	free(fold->chart);
	free(fold->final_config);
	fold_init(fold);
}
