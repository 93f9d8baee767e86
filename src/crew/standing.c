/* standing.c - moments by their times, open calls, and the state that they make. */
#include "crew/standing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"

#define CLOCKS_DIFFER_MS 60000 /* a report that comes late is not so late */
#define ID_SEED 0x63726577     /* ids are compared with ids of the same session alone */

/* Agents' words: cut at a whole character, and no NUL in them. */
static char *keep_words(struct text words)
{
	const char *nul = words.len ? memchr(words.at, '\0', words.len) : NULL;

	if (nul)
		words.len = (size_t)(nul - words.at);
	words = utf8_cut(words, STANDING_WORDS_MAX);
	return words.len ? text_dup(words) : NULL;
}

static uint64_t id_of(struct text call)
{
	uint64_t id = call.len ? map_hash(ID_SEED, call) : 0;

	return call.len && id == 0 ? 1 : id;
}

/* ---- calls ---- */

static void forget_call(struct standing *s, unsigned i)
{
	assert(i < s->call_count);
	free(s->calls[i].call);
	free(s->calls[i].tool);
	free(s->calls[i].target);
	s->call_count--;
	memmove(&s->calls[i], &s->calls[i + 1], (s->call_count - i) * sizeof(s->calls[0]));
}

static bool has_returned(const struct standing *s, uint64_t id)
{
	for (unsigned i = 0; id && s->returned && i < STANDING_RETURNED_MAX; i++)
		if (s->returned[i] == id)
			return true;
	return false;
}

static void note_returned(struct standing *s, uint64_t id)
{
	if (!s->returned)
		s->returned = must_zero(STANDING_RETURNED_MAX, sizeof(*s->returned));
	s->returned[s->returned_next] = id;
	s->returned_next = (s->returned_next + 1) % STANDING_RETURNED_MAX;
}

static bool is_call(const struct standing_call *open, uint64_t id, struct text tool)
{
	if (id)
		return open->id == id;
	return open->id == 0 && tool.len && open->tool && text_is(tool, open->tool);
}

/* Which one this is about, or call_count. */
static unsigned find_call(const struct standing *s, uint64_t id, struct text tool)
{
	unsigned i = 0;

	while (i < s->call_count && !is_call(&s->calls[i], id, tool))
		i++;
	return i;
}

static void take_call(struct standing *s, const struct standing_news *news)
{
	uint64_t id = id_of(news->call);
	unsigned i = id ? find_call(s, id, news->tool) : s->call_count;

	if (has_returned(s, id))
		return;
	if (i < s->call_count) { /* told again, by another: the first time counts */
		if (news->at_ms < s->calls[i].at_ms)
			s->calls[i].at_ms = news->at_ms;
		if (!s->calls[i].target)
			s->calls[i].target = keep_words(news->target);
		return;
	}
	if (s->call_count == STANDING_CALLS_MAX)
		forget_call(s, 0);
	s->calls = must_grow(s->calls, (s->call_count + 1) * sizeof(*s->calls));
	s->calls[s->call_count++] = (struct standing_call){
		.id = id,
		.call = keep_words(news->call),
		.tool = keep_words(news->tool),
		.target = keep_words(news->target),
		.at_ms = news->at_ms,
	};
}

static void close_call(struct standing *s, const struct standing_news *news)
{
	uint64_t id = id_of(news->call);
	unsigned i = find_call(s, id, news->tool);

	if (i < s->call_count)
		forget_call(s, i);
	if (id && !has_returned(s, id))
		note_returned(s, id);
}

/* A question about a tool does not name its call: the newest of that tool is meant. */
static void ask_about(struct standing *s, const struct standing_news *news)
{
	for (unsigned i = s->call_count; i-- > 0;) {
		struct standing_call *c = &s->calls[i];

		if (!news->tool.len || !c->tool || !text_is(news->tool, c->tool))
			continue;
		if (news->at_ms > c->asked_ms)
			c->asked_ms = news->at_ms;
		return;
	}
}

/* ---- the state ---- */

/* What ends a turn ends its calls. */
static double cleared_at(const struct standing *s)
{
	static const enum crew_moment ends[] = {MOMENT_BEGAN,  MOMENT_TOLD,  MOMENT_OVER,
	                                        MOMENT_FAILED, MOMENT_ENDED, MOMENT_VANISHED};
	double at = 0;

	for (unsigned i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		at = fmax(at, s->at_ms[ends[i]]);
	return at;
}

static bool is_asked_about(const struct standing *s, const struct standing_call *c)
{
	return c->asked_ms > 0 && c->asked_ms > s->at_ms[MOMENT_ANSWERED] &&
	       c->asked_ms > s->at_ms[MOMENT_BUSY];
}

/* The newest call that is open, one that a person is asked about before all others. */
static int current_call(const struct standing *s)
{
	double cleared = cleared_at(s);
	int found = -1;

	for (unsigned i = 0; i < s->call_count; i++) {
		const struct standing_call *c = &s->calls[i];

		if (c->at_ms < cleared)
			continue;
		if (found < 0 || is_asked_about(s, c) ||
		    (!is_asked_about(s, &s->calls[found]) && c->at_ms >= s->calls[found].at_ms))
			found = (int)i;
	}
	return found;
}

/* The moments in the order of their times; of one time, in that of the enum. */
static unsigned sort_moments(const struct standing *s, unsigned char order[MOMENTS])
{
	unsigned count = 0;

	for (unsigned m = 1; m < MOMENTS; m++) {
		unsigned at = count;

		if (s->at_ms[m] <= 0)
			continue;
		for (; at > 0 && s->at_ms[order[at - 1]] > s->at_ms[m]; at--)
			order[at] = order[at - 1];
		order[at] = (unsigned char)m;
		count++;
	}
	return count;
}

/* How the moments lead to a state: the one that it began with, and when what was before it was
 * told last. */
struct standing_path {
	enum crew_state state;
	enum crew_moment entered;
	double entered_ms, before_ms;
};

static struct standing_path path_of(const struct standing *s)
{
	struct standing_path path = {.state = CREW_IDLE};
	unsigned char order[MOMENTS];
	unsigned count = sort_moments(s, order);

	for (unsigned i = 0; i < count; i++) {
		enum crew_state next = state_after(path.state, (enum crew_moment)order[i]);

		if (next == path.state)
			continue;
		path = (struct standing_path){
			.state = next,
			.entered = (enum crew_moment)order[i],
			.entered_ms = s->at_ms[order[i]],
			.before_ms = i ? s->at_ms[order[i - 1]] : 0,
		};
	}
	return path;
}

/* Several tell of the same, each at its own time: the first counts, whichever came first. */
static double begun_at(const struct standing *s, const struct standing_path *path,
                       const struct standing_news *news)
{
	double at_ms = s->since_ms;

	if (at_ms < path->before_ms || at_ms > path->entered_ms)
		at_ms = path->entered_ms;
	if (news->moment == path->entered && news->at_ms > path->before_ms && news->at_ms < at_ms)
		at_ms = news->at_ms;
	return at_ms;
}

static void settle_state(struct standing *s, const struct standing_news *news)
{
	enum crew_state before = s->state;
	struct standing_path path = path_of(s);
	enum crew_state state = path.state;
	int call = current_call(s);

	if (state == CREW_TOOL && call < 0)
		state = CREW_THINKING;
	else if (call >= 0 && (state_is_work(state) || state == CREW_ASKS))
		state = is_asked_about(s, &s->calls[call]) || state == CREW_ASKS ? CREW_ASKS
		                                                                 : CREW_TOOL;
	s->state = state;
	s->call = state == CREW_TOOL || state == CREW_ASKS ? call : -1;
	if (state == CREW_TOOL)
		s->since_ms = s->calls[call].at_ms;
	else if (state == CREW_ASKS && call >= 0 && s->calls[call].asked_ms > 0)
		s->since_ms = s->calls[call].asked_ms;
	else if (state == path.state && path.entered_ms > 0)
		s->since_ms = state == before ? begun_at(s, &path, news) : path.entered_ms;
	else if (state != before || s->since_ms == 0)
		s->since_ms = news->at_ms;
}

/* An end is behind all that was told: a clock that is ahead keeps nobody alive. */
static double time_of(const struct standing *s, const struct standing_news *news)
{
	double at_ms = news->at_ms;

	if (news->moment == MOMENT_ENDED || news->moment == MOMENT_VANISHED)
		for (unsigned m = 0; m < MOMENTS; m++)
			if (s->at_ms[m] > at_ms + CLOCKS_DIFFER_MS)
				at_ms = s->at_ms[m];
	return at_ms;
}

void standing_hear(struct standing *s, const struct standing_news *told)
{
	struct standing_news timed = *told;
	const struct standing_news *news = &timed;
	enum crew_moment moment = news->moment;

	if (moment == MOMENT_NONE || !isfinite(news->at_ms) || news->at_ms <= 0)
		return;
	timed.at_ms = time_of(s, told);
	if (moment == MOMENT_CALLED)
		take_call(s, news);
	else if (moment == MOMENT_RETURNED)
		close_call(s, news);
	else if (moment == MOMENT_ASKED)
		ask_about(s, news);
	if (news->at_ms >= s->at_ms[moment]) {
		s->at_ms[moment] = news->at_ms;
		free(s->why[moment]);
		s->why[moment] = keep_words(news->why);
		if (moment == MOMENT_FAILED || moment == MOMENT_ENDED)
			s->exit = news->exit;
	}
	settle_state(s, news);
}

const char *standing_why(const struct standing *s)
{
	static const enum crew_moment of[CREW_STATES] = {
		[CREW_ASKS] = MOMENT_ASKED,     [CREW_WAITS] = MOMENT_HELD,
		[CREW_FINISHED] = MOMENT_ENDED, [CREW_FAILED] = MOMENT_FAILED,
		[CREW_GONE] = MOMENT_VANISHED,
	};

	return s->why[of[s->state]];
}

/* ---- life ---- */

void standing_init(struct standing *s)
{
	*s = (struct standing){.exit = -1, .call = -1};
}

void standing_finish(struct standing *s)
{
	while (s->call_count)
		forget_call(s, s->call_count - 1);
	for (unsigned m = 0; m < MOMENTS; m++)
		free(s->why[m]);
	free(s->calls);
	free(s->returned);
	standing_init(s);
}

/* ---- as JSON ---- */

void standing_json(const struct standing *s, const char *name, struct buf *out)
{
	const char *why = standing_why(s);

	put_object(out, name);
	put_word(out, "name", state_name(s->state));
	json_member_number(out, "since", s->since_ms);
	if (s->call >= 0) {
		json_member_text(out, "tool", s->calls[s->call].tool);
		json_member_text(out, "target", s->calls[s->call].target);
		json_member_text(out, "call", s->calls[s->call].call);
	}
	json_member_text(out, "why", why);
	if (s->exit >= 0 && (s->state == CREW_FAILED || s->state == CREW_FINISHED))
		put_i64(out, "exit", s->exit);
	put_end(out);
}

static void save_call(const struct standing_call *c, struct buf *out)
{
	put_object(out, NULL);
	put_u64(out, "id", c->id);
	json_member_number(out, "at", c->at_ms);
	if (c->asked_ms > 0)
		json_member_number(out, "asked", c->asked_ms);
	json_member_text(out, "call", c->call);
	json_member_text(out, "tool", c->tool);
	json_member_text(out, "target", c->target);
	put_end(out);
}

void standing_save(const struct standing *s, const char *name, struct buf *out)
{
	put_object(out, name);
	put_list(out, "at");
	for (unsigned m = 0; m < MOMENTS; m++) {
		put_key(out, NULL);
		json_add_number(out, s->at_ms[m]);
	}
	put_list_end(out);
	put_list(out, "why");
	for (unsigned m = 0; m < MOMENTS; m++)
		put_word(out, NULL, s->why[m]);
	put_list_end(out);
	put_i64(out, "exit", s->exit);
	json_member_number(out, "since", s->since_ms);
	put_list(out, "calls");
	for (unsigned i = 0; i < s->call_count; i++)
		save_call(&s->calls[i], out);
	put_list_end(out);
	put_list(out, "returned");
	for (unsigned i = 0; s->returned && i < STANDING_RETURNED_MAX; i++) {
		uint64_t id = s->returned[(s->returned_next + i) % STANDING_RETURNED_MAX];

		if (id)
			put_u64(out, NULL, id);
	}
	put_list_end(out);
	put_end(out);
}

static double number_of(yyjson_val *value)
{
	double number = 0;

	return json_number(value, &number) && isfinite(number) ? number : 0;
}

static void load_calls(struct standing *s, yyjson_val *calls)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(calls);
	yyjson_val *call;

	if (yyjson_arr_size(calls))
		s->calls = must_grow(s->calls, STANDING_CALLS_MAX * sizeof(*s->calls));
	while (s->call_count < STANDING_CALLS_MAX && (call = yyjson_arr_iter_next(&it)))
		s->calls[s->call_count++] = (struct standing_call){
			.id = yyjson_get_uint(yyjson_obj_get(call, "id")),
			.call = keep_words(json_text_at(call, "call")),
			.tool = keep_words(json_text_at(call, "tool")),
			.target = keep_words(json_text_at(call, "target")),
			.at_ms = number_of(yyjson_obj_get(call, "at")),
			.asked_ms = number_of(yyjson_obj_get(call, "asked")),
		};
}

bool standing_load(struct standing *s, yyjson_val *saved)
{
	yyjson_val *at = yyjson_obj_get(saved, "at"), *why = yyjson_obj_get(saved, "why");
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(saved, "returned"));
	yyjson_val *id;

	if (yyjson_arr_size(at) != MOMENTS || yyjson_arr_size(why) != MOMENTS)
		return false;
	for (unsigned m = 0; m < MOMENTS; m++) {
		s->at_ms[m] = number_of(yyjson_arr_get(at, m));
		s->why[m] = keep_words(json_text(yyjson_arr_get(why, m)));
	}
	s->exit = yyjson_get_sint(yyjson_obj_get(saved, "exit"));
	load_calls(s, yyjson_obj_get(saved, "calls"));
	while ((id = yyjson_arr_iter_next(&it)))
		note_returned(s, yyjson_get_uint(id));
	settle_state(s, &(struct standing_news){.moment = MOMENT_NONE});
	s->since_ms = number_of(yyjson_obj_get(saved, "since"));
	return true;
}
