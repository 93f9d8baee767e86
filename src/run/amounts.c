/* amounts.c - how much was said in a run, and how fast.
 *
 * Tokens are what a model says they are.  Pieces are what came: of some sources each is a
 * token, of others a line or a whole message, so that neither is ever told as the other.
 */
#include "run/fold.h"

/* One alone is no measure, and neither is a moment. */
static double a_second(uint64_t count, const struct invocation *i)
{
	double elapsed = i->last_ts - i->first_ts;

	if (count < 2 || elapsed <= 0)
		return 0;
	return (double)count / ((elapsed > 1 ? elapsed : 1) / 1000);
}

/* What only its response told may have been thought or called unheard: that is no measure
 * of what was heard. */
struct amounts invocation_amounts(const struct invocation *i)
{
	struct amounts a = {.tokens = i->tokens, .tps = i->real_tps};

	if (i->tokens == 0)
		a.pieces = i->chunks;
	if (a.tps <= 0 && i->counts_aloud)
		a.tps = a_second(i->tokens, i);
	if (a.tps <= 0)
		a.pps = a_second(i->chunks, i);
	return a;
}

void amounts_add(struct amounts *sum, const struct amounts *more)
{
	sum->tokens += more->tokens;
	sum->pieces += more->pieces;
	sum->tps += more->tps;
	sum->pps += more->pps;
}

struct fold_totals fold_totals(const struct fold *fold)
{
	struct fold_totals totals = {.invocations = fold->invocation_count};

	list_each(&fold->invocations, l) {
		const struct invocation *i = list_of(l, struct invocation, in_fold);

		struct amounts its = invocation_amounts(i);

		if (i->status == INVOCATION_STREAMING || i->status == INVOCATION_WAITING)
			totals.live++;
		else
			its.tps = its.pps = 0;
		amounts_add(&totals.amounts, &its);
	}
	return totals;
}
