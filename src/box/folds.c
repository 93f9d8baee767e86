/* folds.c - what is folded from the journal, in a box, one row each: on its loop and in its
 * checkpoints.
 */
#include "bus/folds.h"
#include "base/clock.h"

#include "box/deliver.h"
#include "box/parts.h"
#include "bus/bus.h"
#include "crew/limits.h"
#include "crew/toil.h"
#include "deliver/custody.h"
#include "deliver/ends.h"
#include "run/recall.h"
#include "source/resume.h"
#include "source/transcript/living.h"

static void *make_resume(struct box *box)
{
	box->resume = resume_create();
	return box->resume;
}

static void free_resume(void *state)
{
	resume_destroy(state);
}

static void *make_living(struct box *box)
{
	box->living = living_create();
	return box->living;
}

static void free_living(void *state)
{
	living_destroy(state);
}

static void *make_toil(struct box *box)
{
	box->toil = toil_create();
	return box->toil;
}

static void free_toil(void *state)
{
	toil_destroy(state);
}

static void *make_limits(struct box *box)
{
	box->limits = limits_create();
	limits_set_clock(box->limits, clock_wall_ms);
	return box->limits;
}

static void free_limits(void *state)
{
	limits_destroy(state);
}

static void *make_custody(struct box *box)
{
	return box_make_custody(box);
}

static void free_custody(void *state)
{
	custody_destroy(state);
}

static void *make_ends(struct box *box)
{
	return box_make_ends(box);
}

static void free_ends(void *state)
{
	ends_destroy(state);
}

/* clang-format off */
/* States whose rooms do more than fold join by themselves: window, prompts, runs, stage. */
static const struct {
	const struct fold_kind *kind;
	void *(*make)(struct box *box);
	void (*free)(void *state);
} rows[] = {
	{&resume_fold, make_resume, free_resume},
	{&living_fold, make_living, free_living},
	{&toil_fold, make_toil, free_toil},
	{&limits_fold, make_limits, free_limits},
	{&custody_fold, make_custody, free_custody},
	{&ends_fold, make_ends, free_ends},
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(*rows))

_Static_assert(ROWS <= BOX_FOLDS_MAX, "every state fits the list");

void box_make_folds(struct box *box)
{
	for (size_t i = 0; i < ROWS; i++) {
		box->folded[i] = rows[i].make(box);
		folds_add(bus_folds(box->bus), rows[i].kind, box->folded[i]);
	}
}

void box_free_folds(struct box *box)
{
	for (size_t i = 0; i < ROWS; i++)
		if (box->folded[i])
			rows[i].free(box->folded[i]);
}

static void start_tick(struct follower *f)
{
	f->is_ticking = true;
	deadline_set(f->loop, &f->tick, FOLDS_TICK_MS);
}

static void tick(struct deadline *deadline)
{
	struct follower *f = list_of(deadline, struct follower, tick);

	f->is_ticking = false;
	if (folds_tick(f->folds))
		start_tick(f);
}

static bool end_turn(struct turn *turn)
{
	struct follower *f = list_of(turn, struct follower, turn);
	bool more = recall_turn(f->runs, loop_now_ms(f->loop));

	more = folds_save_turn(f->folds) || more;
	if (!folds_are_behind(f->folds))
		return more;
	if (!f->is_ticking)
		start_tick(f);
	return folds_turn(f->folds) || more;
}

static void runs_have_news(void *self)
{
	box_tell(self, &(struct news){NEWS_RUNS});
}

void box_make_runs(struct box *box)
{
	struct runs_options o = {
		.self = box,
		.news = runs_have_news,
		.journal = box->journal,
	};

	box->runs = box->follower.runs = runs_create(&o);
}

void box_open_folds(struct box *box)
{
	struct follower *f = &box->follower;

	f->loop = box->loop;
	f->folds = bus_folds(box->bus);
	runs_join(box->runs, f->folds);
	folds_catch_up(f->folds);
	f->tick.fire = tick;
	f->turn.end = end_turn;
	loop_add_turn(box->loop, &f->turn);
}

void box_close_folds(struct box *box)
{
	struct follower *f = &box->follower;

	if (!f->folds)
		return;
	loop_remove_turn(&f->turn);
	deadline_clear(&f->tick);
	folds_close(f->folds);
	recall_close(f->runs);
}
