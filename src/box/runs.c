/* runs.c - the runs of a box: followed along the journal, a piece at the end of each turn.
 *
 * While a screen watches, all that is there is read as it comes.  When nobody does, so
 * many signals a second, so that a flood of them is not slowed down by who looks on.
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
#define PACE 20000        /* signals a second when nobody watches ... */
#define SAVED_UP 5000     /* ... and so many at once after a pause */

struct follower {
	struct box *box;
	struct turn turn;
	struct deadline again; /* the pace allows more by then */
	uint64_t paid_ms;      /* the loop's time up to which the purse was filled */
	size_t purse;          /* signals that may be read */
};

static void fill_purse(struct follower *f)
{
	uint64_t now_ms = loop_now_ms(f->box->loop);
	uint64_t earned = (now_ms - f->paid_ms) * PACE / 1000;

	if (!earned)
		return;
	f->paid_ms = now_ms;
	f->purse = f->purse + earned > SAVED_UP ? SAVED_UP : f->purse + earned;
}

/* Only to have a turn. */
static void again(struct deadline *deadline)
{
}

/* Who is far behind reads much at once: a look at the journal costs, too. */
static bool follow_slowly(struct follower *f)
{
	struct runs *runs = f->box->runs;
	uint64_t before = runs_seq(runs);
	size_t used;
	bool more = true;

	fill_purse(f);
	if (f->purse >= TURN_SIGNALS || f->purse >= journal_last_seq(f->box->journal) - before)
		more = runs_advance(runs, f->purse < TURN_SIGNALS ? f->purse : TURN_SIGNALS);
	used = (size_t)(runs_seq(runs) - before);
	f->purse -= used < f->purse ? used : f->purse;
	if (!more || f->purse >= TURN_SIGNALS)
		return more;
	deadline_set(f->box->loop, &f->again, DEADLINE_TICK_MS);
	return false;
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
	f->purse = SAVED_UP;
	f->paid_ms = loop_now_ms(box->loop);
	f->again.fire = again;
	f->turn.end = end_turn;
	loop_add_turn(box->loop, &f->turn);
}

void box_stop_runs(struct box *box)
{
	if (!box->follower)
		return;
	loop_remove_turn(&box->follower->turn);
	deadline_clear(&box->follower->again);
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
