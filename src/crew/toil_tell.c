/* toil_tell.c - what tools took, as JSON for whoever asks. */
#include <stdlib.h>
#include <time.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/peaks.h"
#include "crew/toil_inside.h"
#include "crew/zone.h"

#define DAY_ROOM 16

struct toil_sum {
	char *key;
	uint64_t calls, failures, at_once;
	double ms;
};

struct toil_sums {
	struct map by_key;
	struct toil_sum **all;
	size_t count;
};

static struct toil_sum *toil_sum_of(struct toil_sums *sums, struct text key)
{
	struct toil_sum *sum = map_get(&sums->by_key, key);

	if (sum)
		return sum;
	sum = must_zero(1, sizeof(*sum));
	sum->key = text_dup(key);
	map_set(&sums->by_key, key, sum);
	sums->all = must_grow(sums->all, (sums->count + 1) * sizeof(struct toil_sum *));
	sums->all[sums->count++] = sum;
	return sum;
}

static void add_row(struct toil_sum *sum, const struct toil_row *row)
{
	sum->calls += row->calls;
	sum->failures += row->failures;
	sum->ms += row->ms;
}

static int by_day(const void *a, const void *b)
{
	return strcmp((*(struct toil_sum *const *)a)->key, (*(struct toil_sum *const *)b)->key);
}

static int by_ms(const void *a, const void *b)
{
	const struct toil_sum *const *one = a, *const *two = b;

	if ((*one)->ms != (*two)->ms)
		return (*one)->ms > (*two)->ms ? -1 : 1;
	return by_day(a, b);
}

static void put_sums(struct buf *out, const char *name, struct toil_sums *sums, bool is_days)
{
	if (sums->count)
		qsort(sums->all, sums->count, sizeof(struct toil_sum *), is_days ? by_day : by_ms);
	put_list(out, name);
	for (size_t i = 0; i < sums->count; i++) {
		struct toil_sum *sum = sums->all[i];

		put_object(out, NULL);
		put_word(out, "key", sum->key);
		put_u64(out, "calls", sum->calls);
		put_u64(out, "failures", sum->failures);
		put_u64(out, "ms", (uint64_t)sum->ms);
		if (is_days)
			put_u64(out, "atOnce", sum->at_once);
		put_end(out);
		free(sum->key);
		free(sum);
	}
	put_list_end(out);
	free(sums->all);
	map_finish(&sums->by_key);
}

static struct toil_sum *day_of(struct toil_sums *days, uint32_t hour, const struct zone *zone)
{
	time_t at = (time_t)hour * 3600 + (time_t)zone_minutes(zone, hour) * 60;
	char room[DAY_ROOM];
	struct tm tm = {0};

	gmtime_r(&at, &tm);
	strftime(room, sizeof(room), "%Y-%m-%d", &tm);
	return toil_sum_of(days, text_of(room));
}

static bool is_asked_for(const struct toil_question *q, uint32_t hour)
{
	return hour * TOIL_HOUR_MS >= q->since_ms && hour * TOIL_HOUR_MS < q->until_ms;
}

static void add_peaks(struct toil_sums *days, const struct toil_question *q)
{
	size_t count = q->peaks ? peaks_told(q->peaks) : 0;

	for (size_t i = 0; i < count; i++) {
		const struct peak *peak = &q->peaks->all[i];
		struct toil_sum *day;

		if (!is_asked_for(q, peak->hour))
			continue;
		day = day_of(days, peak->hour, q->zone);
		if (peak->most > day->at_once)
			day->at_once = peak->most;
	}
}

void toil_json(const struct toil *t, const struct toil_question *q, struct buf *out)
{
	struct toil_sums tools = {0}, days = {0};

	map_init(&tools.by_key);
	map_init(&days.by_key);
	list_each(&t->rows.all, l) {
		const struct toil_row *row = list_of(l, struct toil_row, in_list);

		if (!is_asked_for(q, row->hour))
			continue;
		add_row(day_of(&days, row->hour, q->zone), row);
		add_row(toil_sum_of(&tools, text_of(row->tool)), row);
	}
	add_peaks(&days, q);
	put_sums(out, "tools", &tools, false);
	put_sums(out, "days", &days, true);
}
