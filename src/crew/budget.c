/* budget.c - the sums of one day. */
#include "crew/budget.h"

#include <stdlib.h>

#include "base/must.h"
#include "crew/spending_inside.h"

#define HOUR_MS 3600000.0

static void find_rows(struct budget *b, const struct spending *s)
{
	for (; b->seen < s->row_count; b->seen++) {
		double at = s->rows[b->seen].hour * HOUR_MS;

		if (at < b->since_ms || at >= b->until_ms)
			continue;
		if (b->count == b->room) {
			b->room = b->room ? b->room * 2 : 64;
			b->rows = must_grow(b->rows, b->room * sizeof(*b->rows));
		}
		b->rows[b->count++] = b->seen;
	}
}

double budget_spent(struct budget *b, const struct spending *s, const struct prices *prices)
{
	double sum = 0;

	find_rows(b, s);
	for (uint32_t i = 0; i < b->count; i++) {
		const struct spent_row *row = &s->rows[b->rows[i]];
		double cost;

		spending_row_cost(s, row, prices, &cost);
		sum += cost;
	}
	return sum;
}

void budget_set_day(struct budget *b, double since_ms, double until_ms)
{
	b->since_ms = since_ms;
	b->until_ms = until_ms;
	b->seen = b->count = 0;
}

void budget_finish(struct budget *b)
{
	free(b->rows);
	*b = (struct budget){0};
}
