/* folds.c - what is folded from the journal, in a box: on its loop and in its checkpoints. */
#include "bus/folds.h"

#include "box/parts.h"
#include "bus/bus.h"
#include "run/recall.h"

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
	bool more = recall_turn(f->runs);

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
