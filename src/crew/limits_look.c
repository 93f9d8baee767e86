/* limits_look.c - how fast a window is used, and how long it lasts. */
#include <math.h>

#include "crew/limits.h"

#define HOUR_MS 3600e3
#define NEVER_MS 4102444800000.0 /* the year 2100 */

/* Between two samples it grew evenly. */
static double used_at(const struct limit_sample *samples, size_t count, double at_ms)
{
	for (size_t i = 1; i < count; i++) {
		const struct limit_sample *a = &samples[i - 1], *b = &samples[i];

		if (at_ms < b->at_ms)
			return a->used +
			       (b->used - a->used) * (at_ms - a->at_ms) / (b->at_ms - a->at_ms);
	}
	return samples[count - 1].used;
}

bool limits_rate(const struct limit_sample *samples, size_t count, double now_ms, double *rate)
{
	const struct limit_sample *last;
	double from;

	if (count < 2)
		return false;
	last = &samples[count - 1];
	if (now_ms - last->at_ms >= HOUR_MS)
		return false;
	if (now_ms < last->at_ms)
		now_ms = last->at_ms;
	from = fmax(samples[0].at_ms, now_ms - HOUR_MS);
	if (now_ms - from < LIMITS_SPAN_MS)
		return false;
	*rate = fmax(0, last->used - used_at(samples, count, from)) / (now_ms - from) * HOUR_MS;
	return true;
}

void limits_look(const struct limit_window *w, double now_ms, struct limit_outlook *out)
{
	double empty_ms;

	*out = (struct limit_outlook){.is_reset = w->resets_ms > 0 && w->resets_ms <= now_ms};
	if (out->is_reset || w->count == 0)
		return;
	out->used = w->samples[w->count - 1].used;
	out->has_rate = limits_rate(w->samples, w->count, now_ms, &out->rate);
	if (!out->has_rate || !(out->rate > 0) || out->used >= 100)
		return;
	empty_ms = now_ms + (100 - out->used) / out->rate * HOUR_MS;
	if (empty_ms < (w->resets_ms > 0 ? w->resets_ms : NEVER_MS))
		out->used_up_ms = empty_ms;
}
