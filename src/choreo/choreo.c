/* choreo.c - all performances: begun, interrupted, played when they are due.
 *
 * A tick plays in the order in which performances began, whichever was due first:
 * so it says the same whether it looks at all of them, as a frame loop does, or at
 * those that are due.
 */
#include "choreo/choreo.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "choreo/deadlines.h"
#include "choreo/performance.h"
#include "choreo/step.h"
#include "signal/json.h"
#include "signal/pointer.h"
#include "signal/when.h"

#define PARAMS_MAX (4 * MIB) /* of one command */

/* What performances keep of signals and where they stand: one, and all together. */
#define WORDS_MAX MIB
#define BYTES_MAX (64 * MIB)

struct choreo_part {
	struct when *when;
	struct score score;
	bool interrupts;
};

/* The performances that one correlationId began. */
struct episode {
	struct link performances; /* performance.in_episode, in the order of their ids */
	struct text correlation;
	char words[];
};

struct choreo {
	struct choreo_options options;
	struct choreo_part *parts;
	size_t part_count;
	struct link performances; /* performance.in_choreo, in the order of their ids */
	size_t active, bytes;
	uint64_t last_id, refused;
	struct map episodes;
	struct deadlines deadlines;
	struct performance **turn; /* those a tick plays */
	size_t turn_room;
	struct buf words, params;
	double now_ms; /* never goes back */
};

/* --- the document ----------------------------------------------------------------- */

static bool choreo_read_part(struct choreo_part *part, yyjson_val *choreography, struct error *why)
{
	yyjson_val *interrupts = yyjson_obj_get(choreography, "interrupts");

	if (!score_init(&part->score, choreography, why))
		return false;
	part->interrupts = yyjson_is_true(interrupts);
	if (interrupts && !yyjson_is_bool(interrupts) && !yyjson_is_null(interrupts))
		return pointer_fault(why, "true or false is wanted") ||
		       pointer_member(why, TEXT("interrupts"));
	part->when = when_create(yyjson_obj_get(choreography, "when"), WHEN_PREFIX_NEEDED, why);
	return part->when || pointer_member(why, TEXT("when"));
}

static bool choreo_read_parts(struct choreo *choreo, yyjson_val *choreographies, struct error *why)
{
	yyjson_arr_iter at = yyjson_arr_iter_with(choreographies);
	yyjson_val *choreography;

	if (choreographies && !yyjson_is_null(choreographies) && !yyjson_is_arr(choreographies))
		return pointer_fault(why, "a list of choreographies is wanted");
	if (yyjson_arr_size(choreographies) > CHOREO_PARTS_MAX)
		return pointer_fault(why, "more than %d choreographies", CHOREO_PARTS_MAX);
	assert(choreo->part_count == 0);
	choreo->parts = must_zero(yyjson_arr_size(choreographies), sizeof(*choreo->parts));
	while ((choreography = yyjson_arr_iter_next(&at)))
		if (!choreo_read_part(&choreo->parts[choreo->part_count++], choreography, why))
			return pointer_item(why, choreo->part_count - 1);
	return true;
}

struct choreo *choreo_create(yyjson_val *choreographies, const struct choreo_options *options,
                             struct error *why)
{
	struct choreo *choreo = must_zero(1, sizeof(*choreo));

	choreo->options = *options;
	choreo->now_ms = -INFINITY;
	list_init(&choreo->performances);
	map_init(&choreo->episodes);
	buf_init(&choreo->words, WORDS_MAX);
	buf_init(&choreo->params, PARAMS_MAX);
	if (choreo_read_parts(choreo, choreographies, why))
		return choreo;
	choreo_destroy(choreo);
	return NULL;
}

/* --- performances ------------------------------------------------------------------ */

static struct performance *in_choreo(struct link *l)
{
	return list_of(l, struct performance, in_choreo);
}

static void join_episode(struct choreo *choreo, struct performance *p, struct text correlation)
{
	struct episode *episode = map_get(&choreo->episodes, correlation);

	if (!episode) {
		episode = must_alloc(sizeof(*episode) + correlation.len);
		memcpy(episode->words, correlation.at, correlation.len);
		episode->correlation = (struct text){episode->words, correlation.len};
		list_init(&episode->performances);
		map_set(&choreo->episodes, correlation, episode);
	}
	p->episode = episode;
	list_add(&episode->performances, &p->in_episode);
}

static void leave_episode(struct choreo *choreo, struct performance *p)
{
	struct episode *episode = p->episode;

	p->episode = NULL;
	list_remove(&p->in_episode);
	if (!episode || !list_is_empty(&episode->performances))
		return;
	map_remove(&choreo->episodes, episode->correlation);
	free(episode);
}

static void choreo_enter(struct choreo *choreo, struct performance *p)
{
	choreo->active++;
	choreo->bytes += p->bytes;
	list_add(&choreo->performances, &p->in_choreo);
	deadlines_add(&choreo->deadlines, p);
}

/* Its first turn is the next tick. */
static void enter_anew(struct choreo *choreo, struct performance *p)
{
	p->id = ++choreo->last_id;
	p->due_ms = choreo->now_ms;
	choreo_enter(choreo, p);
}

/* It has no deadline any more. */
static void choreo_leave(struct choreo *choreo, struct performance *p)
{
	choreo->active--;
	choreo->bytes -= p->bytes;
	list_remove(&p->in_choreo);
	leave_episode(choreo, p);
}

void choreo_reset(struct choreo *choreo)
{
	list_each(&choreo->performances, l) {
		struct performance *p = in_choreo(l);

		choreo_leave(choreo, p);
		performance_destroy(p);
	}
	choreo->deadlines.count = 0;
}

void choreo_destroy(struct choreo *choreo)
{
	if (!choreo)
		return;
	choreo_reset(choreo);
	for (size_t i = 0; i < choreo->part_count; i++) {
		when_destroy(choreo->parts[i].when);
		score_finish(&choreo->parts[i].score);
	}
	free(choreo->parts);
	map_finish(&choreo->episodes);
	deadlines_finish(&choreo->deadlines);
	free(choreo->turn);
	buf_finish(&choreo->words);
	buf_finish(&choreo->params);
	free(choreo);
}

/* --- signals ----------------------------------------------------------------------- */

static void choreo_set_now(struct choreo *choreo, double now_ms)
{
	if (now_ms > choreo->now_ms)
		choreo->now_ms = now_ms;
}

/* What it has to say about that is a new performance, which nobody interrupts. */
static void choreo_interrupt(struct choreo *choreo, struct performance *p, const struct cue *cue)
{
	const struct stage_command command = {
		.kind = COMMAND_INTERRUPT,
		.at_ms = choreo->now_ms,
		.performance = p->id,
		.correlation = cue->correlation,
		.interrupted_by = cue->type,
	};

	deadlines_remove(&choreo->deadlines, p);
	choreo_leave(choreo, p);
	choreo->options.command(choreo->options.self, &command);
	if (performance_turn(p))
		enter_anew(choreo, p);
	else
		performance_destroy(p);
}

static void interrupt_episode(struct choreo *choreo, const struct cue *cue)
{
	struct episode *episode;

	while ((episode = map_get(&choreo->episodes, cue->correlation))) {
		struct link *first = episode->performances.next;

		choreo_interrupt(choreo, list_of(first, struct performance, in_episode), cue);
	}
}

/* NULL when there is no room for another. */
static struct performance *choreo_begin(struct choreo *choreo, const struct score *score,
                                        const struct cue *cue)
{
	size_t episode = 2 * cue->correlation.len; /* its words, and as a key */
	struct performance *p;

	if (choreo->active == CHOREO_ACTIVE_MAX || choreo->bytes + episode > BYTES_MAX)
		return NULL;
	p = performance_create(score, cue, &choreo->words, BYTES_MAX - choreo->bytes - episode);
	if (!p)
		return NULL;
	p->bytes += episode;
	enter_anew(choreo, p);
	if (cue->correlation.len)
		join_episode(choreo, p, cue->correlation);
	return p;
}

bool choreo_hear(struct choreo *choreo, size_t index, const struct cue *cue, double now_ms)
{
	const struct choreo_part *part = &choreo->parts[index];

	if (!when_holds(part->when, cue))
		return false;
	choreo_set_now(choreo, now_ms);
	if (part->interrupts && cue->correlation.len)
		interrupt_episode(choreo, cue);
	if (choreo_begin(choreo, &part->score, cue))
		return true;
	choreo->refused++;
	return false;
}

/* --- time -------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	const struct performance *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

static void choreo_take(struct choreo *choreo, size_t count, struct performance *p)
{
	if (count == choreo->turn_room) {
		choreo->turn_room = count ? count * 2 : 64;
		choreo->turn = must_grow(choreo->turn, choreo->turn_room * sizeof(*choreo->turn));
	}
	choreo->turn[count] = p;
}

/* Every performance: the next deadlines are those that the turn finds. */
static size_t choreo_take_all(struct choreo *choreo)
{
	size_t count = 0;

	list_each(&choreo->performances, l)
		choreo_take(choreo, count++, in_choreo(l));
	choreo->deadlines.count = 0;
	return count;
}

static size_t take_due(struct choreo *choreo)
{
	size_t count = 0;
	struct performance *p;

	while ((p = deadlines_first(&choreo->deadlines)) && p->due_ms <= choreo->now_ms) {
		deadlines_remove(&choreo->deadlines, p);
		choreo_take(choreo, count++, p);
	}
	if (count > 1)
		qsort(choreo->turn, count, sizeof(*choreo->turn), by_id);
	return count;
}

void choreo_tick(struct choreo *choreo, double now_ms)
{
	struct performance_play play = {
		.updates = choreo->options.updates,
		.command = choreo->options.command,
		.self = choreo->options.self,
		.params = &choreo->params,
	};
	size_t count;

	choreo_set_now(choreo, now_ms);
	play.now_ms = choreo->now_ms;
	count = play.updates ? choreo_take_all(choreo) : take_due(choreo);
	for (size_t i = 0; i < count; i++) {
		struct performance *p = choreo->turn[i];

		if (!performance_play(p, &play)) {
			deadlines_add(&choreo->deadlines, p);
			continue;
		}
		choreo_leave(choreo, p);
		performance_destroy(p);
	}
}

double choreo_next(const struct choreo *choreo)
{
	const struct performance *first = deadlines_first(&choreo->deadlines);

	return first ? first->due_ms : INFINITY;
}

size_t choreo_active(const struct choreo *choreo)
{
	return choreo->active;
}

uint64_t choreo_refused(const struct choreo *choreo)
{
	return choreo->refused;
}

void choreo_running(const struct choreo *choreo, double now_ms,
                    void (*command)(void *self, const struct stage_command *command), void *self)
{
	struct performance_play play = {
		.now_ms = fmax(now_ms, choreo->now_ms), .command = command, .self = self};
	struct buf params;

	buf_init(&params, PARAMS_MAX);
	play.params = &params;
	list_each(&choreo->performances, l)
		performance_running(in_choreo(l), &play);
	buf_finish(&params);
}

/* --- remembering ------------------------------------------------------------------- */

static void save_one(const struct choreo *choreo, const struct performance *p, struct buf *out)
{
	const struct choreo_part *part = list_of(p->score, struct choreo_part, score);

	put_object(out, NULL);
	put_u64(out, "part", (uint64_t)(part - choreo->parts));
	put_u64(out, "id", p->id);
	put_bool(out, "alone", !p->episode);
	performance_save(p, out);
	buf_add_char(out, '}');
}

static void save_head(const struct choreo *choreo, struct buf *out)
{
	put_object(out, NULL);
	put_u64(out, "last", choreo->last_id);
	put_u64(out, "refused", choreo->refused);
	put_key(out, "now");
	json_add_number(out, choreo->now_ms);
	put_list(out, "performances");
}

bool choreo_save_some(const struct choreo *choreo, struct link **next, struct buf *out)
{
	struct link *l = *next ? *next : choreo->performances.next;
	size_t enough = out->len + CHOREO_PIECE;

	if (!*next)
		save_head(choreo, out);
	for (; l != &choreo->performances && out->len < enough && !out->full; l = l->next) {
		if (l != choreo->performances.next)
			buf_add_char(out, ',');
		save_one(choreo, in_choreo(l), out);
	}
	*next = l;
	if (l != &choreo->performances && !out->full)
		return true;
	put_list_end(out);
	put_end(out);
	return false;
}

static bool choreo_load_one(struct choreo *choreo, const struct places *places, yyjson_val *saved)
{
	size_t place = places_of(places, yyjson_get_uint(yyjson_obj_get(saved, "part")));
	struct performance *p;

	if (place >= choreo->part_count || choreo->active == CHOREO_ACTIVE_MAX ||
	    choreo->bytes > BYTES_MAX)
		return false;
	p = performance_load(&choreo->parts[place].score, saved, &choreo->words,
	                     BYTES_MAX - choreo->bytes);
	if (!p)
		return false;
	p->id = yyjson_get_uint(yyjson_obj_get(saved, "id"));
	p->bytes += 2 * p->correlation.len; /* as when it began */
	choreo_enter(choreo, p);
	if (p->correlation.len && !yyjson_is_true(yyjson_obj_get(saved, "alone")))
		join_episode(choreo, p, p->correlation);
	return true;
}

bool choreo_load(struct choreo *choreo, yyjson_val *saved, const struct places *places,
                 choreo_lost_fn *lost, void *self)
{
	yyjson_val *all = yyjson_obj_get(saved, "performances"), *one;
	size_t i, max;

	if (!yyjson_is_arr(all))
		return false;
	choreo_reset(choreo);
	choreo->last_id = yyjson_get_uint(yyjson_obj_get(saved, "last"));
	choreo->refused = yyjson_get_uint(yyjson_obj_get(saved, "refused"));
	if (!json_number(yyjson_obj_get(saved, "now"), &choreo->now_ms))
		choreo->now_ms = -INFINITY;
	yyjson_arr_foreach(all, i, max, one)
	{
		if (!choreo_load_one(choreo, places, one))
			lost(self, yyjson_get_uint(yyjson_obj_get(one, "id")));
	}
	return true;
}
