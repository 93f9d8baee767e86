/* spending_own.c - an agent's own figure for its session, where it is more than its calls cost.
 *
 * The difference stands in a row besides what the row's calls cost: in that of the newest call
 * when the figure grew.  Calls that are told later shrink it there.
 */
#include <math.h>

#include "crew/spending_inside.h"

#define DIFFERENCE_MAX 1e9 /* dollars */

/* Millionths that its own figure is more. */
static int64_t difference(const struct spending *s, const struct usage *u)
{
	double more = usage_own_cost(u), cost;

	for (unsigned i = 0; i < u->part_count; i++) {
		spending_part_cost(s, &u->parts[i], s->prices, &cost);
		more -= cost;
	}
	if (!(more > 0))
		return 0;
	return llround((more < DIFFERENCE_MAX ? more : DIFFERENCE_MAX) * 1e6);
}

static void add_own(struct spending *s, uint32_t number, int64_t more)
{
	int64_t *own = &s->rows[number - 1].own;

	spending_touch_row(s, &s->rows[number - 1]);
	*own += more;
	if (*own > SPENDING_OWN_MAX || *own < -SPENDING_OWN_MAX)
		*own = *own > 0 ? SPENDING_OWN_MAX : -SPENDING_OWN_MAX;
	s->changes++;
}

/* The number of its newest row and one; before the first call, of one without a model. */
static uint32_t place_of(struct spending *s, const struct usage *u)
{
	const struct usage_part *m = u->part_count ? &u->parts[u->part_count - 1] : NULL;
	struct spent_row like = {
		.hour = usage_hour(u->last_ms),
		.project = u->project,
		.harness = u->harness,
		.model = m ? m->model : 0,
		.size = m ? m->size : 0,
		.fast = m ? m->fast : 0,
	};

	if (u->row)
		return u->row;
	return (uint32_t)(spending_row(s, &like) - s->rows) + 1;
}

static bool lacks_model(const struct spending *s, const struct usage *u)
{
	return u->own_row && u->row && s->rows[u->own_row - 1].model == 0 &&
	       s->rows[u->row - 1].model != 0;
}

/* As much of it as the last row has. */
static int64_t take_back(struct spending *s, struct usage *u, int64_t most)
{
	int64_t some = u->own_there < most ? u->own_there : most;

	if (some <= 0)
		return 0;
	add_own(s, u->own_row, -some);
	u->own_there -= some;
	return some;
}

void spending_weigh(struct spending *s, struct usage *u)
{
	int64_t more, change;
	uint32_t place;

	if (!s->prices || !u->id || !(u->own_cost > 0))
		return;
	spending_touch_session(s, u);
	more = difference(s, u);
	change = more - u->own_more;
	u->own_more = more;
	if (lacks_model(s, u))
		change += take_back(s, u, u->own_there);
	else if (change < 0)
		change += take_back(s, u, -change);
	if (change == 0)
		return;
	place = place_of(s, u);
	if (u->own_row != place)
		u->own_there = 0;
	u->own_row = place;
	u->own_there += change;
	add_own(s, place, change);
}

void spending_weigh_all(struct spending *s)
{
	list_each(&s->all, l)
		spending_weigh(s, list_of(l, struct usage, in_all));
}

void spending_price(struct spending *s, const struct prices *prices)
{
	s->prices = prices;
	spent_rates_forget(s->rates);
	spending_weigh_all(s);
}
