/* spread.c - which step a duration is in, and how long the durations of a step are. */
#include "cli/spread.h"

#define STEP_BITS 5 /* 2^5 steps */

static unsigned step_of(uint64_t ns)
{
	unsigned doubling;

	if (ns < SPREAD_STEPS)
		return (unsigned)ns;
	doubling = 63 - (unsigned)__builtin_clzll(ns) - STEP_BITS;
	return (doubling + 1) * SPREAD_STEPS + (unsigned)((ns >> doubling) - SPREAD_STEPS);
}

/* The longest that is in it. */
static uint64_t end_of(unsigned step)
{
	unsigned doubling = step / SPREAD_STEPS;

	if (doubling == 0)
		return step;
	return ((UINT64_C(1) * SPREAD_STEPS + step % SPREAD_STEPS + 1) << (doubling - 1)) - 1;
}

void spread_add(struct spread *s, uint64_t ns)
{
	s->counts[step_of(ns)]++;
	s->count++;
	if (ns > s->max)
		s->max = ns;
}

uint64_t spread_at(const struct spread *s, double percent)
{
	double wanted = (double)s->count * percent / 100;
	uint64_t seen = 0;

	for (unsigned i = 0; i < SPREAD_ROOM && s->count; i++) {
		seen += s->counts[i];
		if (seen && (double)seen >= wanted)
			return end_of(i) < s->max ? end_of(i) : s->max;
	}
	return s->max;
}
