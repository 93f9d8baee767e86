/* budget.h - what was spent within a day, asked again and again; pure.
 *
 * The sums have a row for each hour, project and model of years.  Those of the day are found
 * once, so that a question costs what is new and what is of the day, not what there ever was.
 */
#ifndef CREW_BUDGET_H
#define CREW_BUDGET_H

#include <stdint.h>

struct prices;
struct spending;

struct budget {
	double since_ms, until_ms; /* of the day */
	uint32_t seen;             /* rows that were looked at */
	uint32_t *rows;            /* numbers of those that are of the day */
	uint32_t count, room;
};

/* Dollars by what is known: calls of models without a price add nothing. */
double budget_spent(struct budget *budget, const struct spending *spending,
                    const struct prices *prices);
/* Another day, whose hours begin from since on and before until. */
void budget_set_day(struct budget *budget, double since_ms, double until_ms);
void budget_finish(struct budget *budget);

#endif
