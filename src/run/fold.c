/* fold.c - what a run looks like, one event after the other.
 *
 * Everything is told by the events: no clock is read, so the same events make the same
 * state, live or years later.  Their times may go back a little.
 */
#include "run/fold.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
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

double invocation_tps(const struct invocation *i)
{
	double elapsed = i->last_ts - i->first_ts;

	if (i->real_tps > 0)
		return i->real_tps;
	if (i->tokens < 2 || elapsed <= 0)
		return 0;
	return (double)i->tokens / ((elapsed > 1 ? elapsed : 1) / 1000);
}

struct text invocation_tail(const struct invocation *i)
{
	struct text tail = buf_text(&i->tail);

	if (tail.len > FOLD_TAIL_MAX)
		tail = (struct text){tail.at + tail.len - FOLD_TAIL_MAX, FOLD_TAIL_MAX};
	while (tail.len > 0 && ((unsigned char)*tail.at & 0xc0) == 0x80)
		tail = (struct text){tail.at + 1, tail.len - 1};
	assert(tail.len <= FOLD_TAIL_MAX);
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

/* Names are kept as strings, so none may have a NUL in it. */
static bool is_name(struct text name)
{
	return name.len <= FOLD_NAME_MAX && !(name.len && memchr(name.at, '\0', name.len));
}

static bool is_nameable(struct text invoke, struct text session)
{
	return invoke.len > 0 && is_name(invoke) && is_name(session);
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
	assert(fold->invocation_count > 0);
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
	assert(fold->invocation_count < FOLD_INVOCATIONS_MAX);
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
	assert(fold->invocation_count <= FOLD_INVOCATIONS_MAX);
	return i;
}

/* ---- values of events ---- */

static struct text cut(struct text name)
{
	return name.len > FOLD_NAME_MAX ? (struct text){name.at, FOLD_NAME_MAX} : name;
}

static void replace(char **held, struct text with)
{
	free(*held);
	*held = with.at ? text_dup(cut(with)) : NULL;
}

/* Counts of others: what no count can be is none. */
static uint64_t count_of(uint64_t said)
{
	return said < 9000000000000000 ? said : 0;
}

static void states_clear(struct states *states)
{
	for (size_t i = 0; i < states->count; i++)
		free(states->at[i]);
	states->count = 0;
}

void states_take(struct states *states, const struct run_states *from)
{
	struct run_states_walk walk = run_states_walk(from);
	struct text name;

	states_clear(states);
	while (states->count < FOLD_CONFIG_MAX && run_states_next(&walk, &name))
		if (name.at)
			states->at[states->count++] = text_dup(cut(name));
	assert(states->count <= FOLD_CONFIG_MAX);
}

static bool states_are(const struct states *states, const struct run_states *others)
{
	struct run_states_walk walk = run_states_walk(others);
	struct text name;

	if (others->count != states->count)
		return false;
	for (size_t i = 0; run_states_next(&walk, &name); i++)
		if (!text_is(name, states->at[i]))
			return false;
	return true;
}

/* An event brings the configuration alone.  What is known of its surroundings comes
 * before it, in an event of its own, and holds as long as the configuration does. */
static void take_config(struct fold *fold, const struct run_states *config)
{
	if ((!config->array && !config->texts) || states_are(&fold->config, config))
		return;
	states_take(&fold->config, config);
	states_clear(&fold->breadcrumb);
	states_clear(&fold->siblings);
}

/* ---- events ---- */

static struct invocation *touch(struct fold *fold, const struct run_event *e)
{
	struct invocation *i = fold_invocation(fold, e->invoke, e->session);

	if (!i)
		return NULL;
	if (e->model.len > 0 && !(i->model && text_is(e->model, i->model)))
		replace(&i->model, e->model);
	i->active_ts = e->ts;
	return i;
}

static void hear_begin(struct fold *fold, const struct run_event *e)
{
	struct invocation *i = touch(fold, e);

	fold->finished = false;
	if (!i)
		return;
	i->status = INVOCATION_WAITING;
	i->thinking = false;
	i->chunks = i->chars = i->tokens = 0;
	i->counts_pieces = false;
	i->first_ts = i->last_ts = e->ts;
	i->elapsed_ms = i->real_tps = 0;
	buf_finish(&i->tail);
}

/* Up to twice of what is wanted is kept, so that it is moved seldom. */
static void add_tail(struct invocation *i, struct text said)
{
	if (said.len > FOLD_TAIL_MAX)
		said = (struct text){said.at + said.len - FOLD_TAIL_MAX, FOLD_TAIL_MAX};
	if (i->tail.len + said.len > 2 * FOLD_TAIL_MAX)
		buf_drop(&i->tail, i->tail.len - FOLD_TAIL_MAX);
	buf_add(&i->tail, said);
	assert(i->tail.len <= 2 * FOLD_TAIL_MAX);
}

static void hear_piece(struct fold *fold, const struct run_event *e)
{
	struct invocation *i = touch(fold, e);

	if (!i)
		return;
	if (i->chunks == 0)
		i->first_ts = e->ts;
	i->last_ts = e->ts;
	i->chunks += e->pieces ? e->pieces : 1;
	i->chars += utf8_count(e->text);
	if (e->output_tokens) {
		i->tokens = e->output_tokens;
		i->counts_pieces = true;
	}
	i->status = INVOCATION_STREAMING;
	i->thinking = e->is_thought;
	add_tail(i, e->text);
}

static void hear_reply(struct fold *fold, const struct run_event *e)
{
	struct invocation *i = touch(fold, e);
	uint64_t tokens = count_of(e->output_tokens);

	fold->input_tokens += count_of(e->input_tokens);
	fold->output_tokens += tokens;
	if (!i)
		return;
	if (!i->counts_pieces) /* otherwise they are counted */
		i->tokens += tokens;
	i->status = INVOCATION_DONE;
	i->thinking = false;
	i->real_tps = e->tps;
	i->elapsed_ms = isfinite(e->elapsed_ms) ? e->elapsed_ms : 0;
	buf_finish(&i->tail);
}

/* It often comes without a session; then only the one of that very name is meant. */
static void hear_call(struct fold *fold, const struct run_event *e)
{
	if (fold_find(fold, e->invoke, e->session))
		touch(fold, e);
}

static void hear_error(struct fold *fold, const struct run_event *e)
{
	struct invocation *i = touch(fold, e);

	fold->errors++;
	if (!i)
		return;
	i->status = INVOCATION_ERROR;
	i->thinking = false;
	buf_finish(&i->tail);
}

static void hear_exit(struct fold *fold, const struct run_event *e)
{
	struct invocation *i = fold_find(fold, e->invoke, e->session);

	if (!i)
		return;
	i->active_ts = e->ts;
	if (i->status != INVOCATION_ERROR)
		i->status = INVOCATION_DONE;
	i->thinking = false;
	buf_finish(&i->tail);
}

static void hear_started(struct fold *fold, const struct run_event *e)
{
	fold->finished = false;
	replace(&fold->session, e->session);
	replace(&fold->chart, e->chart);
}

static void hear_move(struct fold *fold, const struct run_event *e)
{
	take_config(fold, &e->config);
}

static void hear_phase(struct fold *fold, const struct run_event *e)
{
	states_take(&fold->config, &e->config);
	states_take(&fold->breadcrumb, &e->breadcrumb);
	states_take(&fold->siblings, &e->siblings);
}

static void hear_debug(struct fold *fold, const struct run_event *e)
{
	fold->debug.is_known = true;
	fold->debug.paused = e->debug.is_paused;
	fold->debug.step_budget = e->debug.step_budget;
	replace(&fold->debug.mode, e->debug.mode);
	take_config(fold, &e->config);
}

/* As a person reads it: a text as it is, an array as ["run" "done"]. */
static void hear_end(struct fold *fold, const struct run_event *e)
{
	struct run_states_walk walk = run_states_walk(&e->config);
	const char *between = "[";
	struct text name;
	struct buf words;

	fold->finished = true;
	if (e->text.at)
		replace(&fold->final_config, e->text);
	if (!e->config.array)
		return;
	buf_init(&words, FOLD_NAME_MAX);
	for (; run_states_next(&walk, &name); between = " ") {
		buf_add(&words, text_of(between));
		buf_add_json(&words, name);
	}
	buf_add(&words, e->config.count ? TEXT("]") : TEXT("[]"));
	replace(&fold->final_config, buf_text(&words));
	buf_finish(&words);
}

static void (*const hearers[])(struct fold *fold, const struct run_event *e) = {
	[RUN_BEGAN] = hear_begin,     [RUN_CALLED] = hear_call,  [RUN_SAID] = hear_piece,
	[RUN_REPLIED] = hear_reply,   [RUN_FAILED] = hear_error, [RUN_LEFT] = hear_exit,
	[RUN_STARTED] = hear_started, [RUN_MOVED] = hear_move,   [RUN_PHASE] = hear_phase,
	[RUN_DEBUG] = hear_debug,     [RUN_ENDED] = hear_end,
};

void fold_event(struct fold *fold, const struct run_event *e)
{
	if (e->kind == RUN_UNREAD)
		return;
	if (e->ts > 0) {
		if (fold->first_ts == 0)
			fold->first_ts = e->ts;
		if (e->ts > fold->last_ts)
			fold->last_ts = e->ts;
	}
	fold->events += e->is_counted;
	if (hearers[e->kind])
		hearers[e->kind](fold, e);
}

/* ---- the whole ---- */

struct fold_totals fold_totals(const struct fold *fold)
{
	struct fold_totals totals = {.invocations = fold->invocation_count};

	list_each(&fold->invocations, l) {
		const struct invocation *i = list_of(l, struct invocation, in_fold);

		totals.tokens += i->tokens;
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
