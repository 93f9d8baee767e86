/* peaks.c - the most of each hour. */
#include "crew/peaks.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "signal/json.h"

#define PEAK_HOUR_MS 3600e3
#define YEAR_HOURS (366 * 24)
#define LAST_MS 4102444800000.0 /* the year 2100: beyond it a clock is wrong */

void peaks_finish(struct peaks *p)
{
	free(p->all);
	*p = (struct peaks){0};
}

static uint32_t peak_hour(double at_ms)
{
	return (uint32_t)(at_ms / PEAK_HOUR_MS);
}

/* Where this hour is, or belongs. */
static size_t place_of(const struct peaks *p, uint32_t hour)
{
	size_t at = p->count;

	while (at > 0 && p->all[at - 1].hour >= hour)
		at--;
	return at;
}

static void raise_peak(struct peaks *p, uint32_t hour, unsigned most)
{
	size_t at = place_of(p, hour);

	if (at < p->count && p->all[at].hour == hour) {
		if (most > p->all[at].most)
			p->all[at].most = most;
		return;
	}
	if (!p->all)
		p->all = must_zero(PEAKS_MAX, sizeof(*p->all));
	/* A clock was wrong: what lies so far ahead would stay for ever, in the room of others. */
	if (p->count == PEAKS_MAX && p->all[p->count - 1].hour > hour + YEAR_HOURS)
		p->count--;
	if (p->count == PEAKS_MAX && at == 0)
		return;
	if (p->count == PEAKS_MAX) {
		p->count--;
		at--;
		memmove(p->all, p->all + 1, p->count * sizeof(*p->all));
	}
	memmove(p->all + at + 1, p->all + at, (p->count - at) * sizeof(*p->all));
	p->all[at] = (struct peak){hour, most};
	p->count++;
}

/* Who was at work when it was heard last, was so in the hours between, if they are few. */
static void fill_silence(struct peaks *p, uint32_t hour, unsigned at_work)
{
	uint32_t last = peak_hour(p->newest_ms);

	if (at_work == 0 || p->newest_ms <= 0 || hour <= last || hour - last > PEAKS_SILENT_HOURS)
		return;
	for (uint32_t h = last + 1; h <= hour; h++)
		raise_peak(p, h, at_work);
}

/* It may be the clock of now that is wrong: no hour is forgotten for it. */
void peaks_cut(struct peaks *p, double now_ms)
{
	if (p->newest_ms > now_ms && now_ms >= 0)
		p->newest_ms = now_ms;
}

size_t peaks_told(const struct peaks *p)
{
	size_t count = p->count;

	while (count && p->all[count - 1].hour > peak_hour(p->newest_ms))
		count--;
	return count;
}

void peaks_note(struct peaks *p, double at_ms, int change)
{
	unsigned before = p->at_work;

	assert(change >= 0 || before > 0);
	p->at_work = change < 0 ? before - 1 : before + (unsigned)change;
	if (!(at_ms > 0 && at_ms < LAST_MS))
		return;
	if (at_ms < p->newest_ms - PEAKS_LATE_MS)
		return;
	fill_silence(p, peak_hour(at_ms), before);
	if (p->at_work > 0)
		raise_peak(p, peak_hour(at_ms), p->at_work);
	p->newest_ms = fmax(p->newest_ms, at_ms);
}

void peaks_save(const struct peaks *p, const char *name, struct buf *out)
{
	put_object(out, name);
	put_key(out, "newest");
	json_add_number(out, p->newest_ms);
	put_list(out, "hours");
	for (size_t i = 0; i < p->count; i++) {
		put_u64(out, NULL, p->all[i].hour);
		put_u64(out, NULL, p->all[i].most);
	}
	put_list_end(out);
	put_end(out);
}

static bool load_peak(struct peaks *p, yyjson_val *hour, yyjson_val *most)
{
	if (!yyjson_is_uint(hour) || !yyjson_is_uint(most) || yyjson_get_uint(hour) > UINT32_MAX ||
	    yyjson_get_uint(most) > UINT32_MAX || p->count == PEAKS_MAX ||
	    (p->count && p->all[p->count - 1].hour >= yyjson_get_uint(hour)))
		return false;
	raise_peak(p, (uint32_t)yyjson_get_uint(hour), (unsigned)yyjson_get_uint(most));
	return true;
}

/* What is no such state, or not from us, is as if nothing had been heard. */
void peaks_load(struct peaks *p, yyjson_val *saved)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(saved, "hours"));
	yyjson_val *hour;
	double newest = 0;
	bool good = json_number(yyjson_obj_get(saved, "newest"), &newest) && newest >= 0 &&
	            newest < LAST_MS;

	while (good && (hour = yyjson_arr_iter_next(&it)))
		good = load_peak(p, hour, yyjson_arr_iter_next(&it));
	if (good)
		p->newest_ms = newest;
	else
		peaks_finish(p);
}
