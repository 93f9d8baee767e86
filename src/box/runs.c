/* runs.c - the runs of a box: followed along the journal, a piece at the end of each turn.
 *
 * While a screen watches, all that is there is read as it comes.  When nobody does, it
 * depends on how many come from one tick of the loop to the next.  Few are read as they
 * come, too; more are read at the ticks, which is cheaper; and of a flood nothing is read
 * before it is over, so that it is not slowed down by who looks on.  Who asks for a run
 * reads on itself first.
 */
#include "run/runs.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/sections.h"
#include "box/parts.h"
#include "hub/hub.h"
#include "journal/journal.h"

#define SECTION "runs"    /* of a checkpoint */
#define TURN_SIGNALS 2048 /* in one turn; others want the loop, too */
#define FEW 250           /* signals from one tick to the next */
#define FLOOD 5000        /* likewise; and as many are read from one tick to the next */

struct follower {
	struct box *box;
	struct turn turn;
	struct deadline tick; /* set while there is something to read */
	bool is_ticking;
	uint64_t counted; /* the newest signal at the last tick */
	bool few_come;
	size_t purse; /* signals that may be read until the next */
};

static void start_tick(struct follower *f)
{
	f->is_ticking = true;
	deadline_set(f->box->loop, &f->tick, DEADLINE_TICK_MS);
}

static void tick(struct deadline *deadline)
{
	struct follower *f = list_of(deadline, struct follower, tick);
	uint64_t last = journal_last_seq(f->box->journal), came = last - f->counted;

	f->counted = last;
	f->few_come = came <= FEW;
	f->purse = came <= FLOOD ? FLOOD : 0;
	f->is_ticking = false;
	if (came)
		start_tick(f);
}

static bool follow_slowly(struct follower *f)
{
	struct runs *runs = f->box->runs;
	uint64_t before = runs_seq(runs), used;
	bool more;

	if (!f->is_ticking)
		start_tick(f);
	if (!f->purse)
		return false;
	more = runs_advance(runs, f->purse < TURN_SIGNALS ? f->purse : TURN_SIGNALS);
	used = runs_seq(runs) - before;
	f->purse -= used < f->purse ? used : f->purse;
	if (!more && !f->few_come)
		f->purse = 0;
	return more && f->purse;
}

static bool end_turn(struct turn *turn)
{
	struct follower *f = list_of(turn, struct follower, turn);

	if (runs_seq(f->box->runs) >= journal_last_seq(f->box->journal))
		return false;
	if (runs_is_watched(f->box->runs))
		return runs_advance(f->box->runs, TURN_SIGNALS);
	return follow_slowly(f);
}

static void news(void *self)
{
	struct box *box = self;

	if (box->hub)
		hub_tell_runs(box->hub);
}

void box_make_runs(struct box *box)
{
	struct runs_options o = {.journal = box->journal, .self = box, .news = news};
	uint64_t seq;
	struct text saved = section_find(journal_checkpoint(box->journal, &seq), SECTION);
	struct follower *f = must_zero(1, sizeof(*f));

	box->runs = runs_create(&o, saved);
	box->follower = f;
	f->box = box;
	f->purse = FLOOD;
	f->few_come = true;
	f->counted = journal_last_seq(box->journal);
	f->tick.fire = tick;
	f->turn.end = end_turn;
	loop_add_turn(box->loop, &f->turn);
}

void box_stop_runs(struct box *box)
{
	if (!box->follower)
		return;
	loop_remove_turn(&box->follower->turn);
	deadline_clear(&box->follower->tick);
	runs_close(box->runs);
}

void box_destroy_runs(struct box *box)
{
	runs_destroy(box->runs);
	free(box->follower);
}

void box_save_runs(struct box *box, struct buf *out)
{
	size_t begun;

	if (!box->runs)
		return;
	begun = section_begin(out, SECTION);
	runs_save(box->runs, out);
	section_end(out, begun);
}
