/* spending_tell.c - sums as JSON for whoever asks: by day, project, model, and with their
 * price.  Money is made here, of the list that is in force now.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/must.h"
#include "base/put.h"
#include "crew/spending_inside.h"
#include "signal/json.h"

#define HOUR_MS 3600000.0
#define KEY_ROOM 32

const char *const spending_by_names[SPENDING_BYS] = {
	[SPENDING_BY_DAY] = "day",         [SPENDING_BY_HOUR] = "hour",
	[SPENDING_BY_PROJECT] = "project", [SPENDING_BY_MODEL] = "model",
	[SPENDING_BY_HARNESS] = "harness", [SPENDING_BY_SESSION] = "session",
};

/* What belongs together in an answer. */
struct spent_sum {
	char *key;
	struct spent_counts counts;
	double cost;
	bool has_cost; /* of some of it */
	bool unknown;  /* of some of it nobody knows the price */
	bool at_least;
};

struct spent_sums {
	struct map by_key;
	struct spent_sum **all;
	size_t count;
};

static void add_money(struct spent_sum *sum, const struct prices *prices,
                      const struct price_call *call, const struct spent_counts *counts)
{
	double told = (double)counts->n[SPENT_MICROS] / 1e6, listed = 0;
	bool is_listed = prices_cost(prices, call, counts, &listed);

	sum->cost += listed > told ? listed : told;
	sum->has_cost |= is_listed || told > 0;
	sum->unknown |= !is_listed && !(told > 0);
}

static void add_counts(struct spent_sum *sum, const struct spent_counts *counts)
{
	for (int i = 0; i < SPENT_COUNTS; i++)
		sum->counts.n[i] += counts->n[i];
}

static struct spent_sum *sum_of(struct spent_sums *sums, struct text key)
{
	struct spent_sum *sum = map_get(&sums->by_key, key);

	if (sum)
		return sum;
	sum = must_zero(1, sizeof(*sum));
	sum->key = text_dup(key);
	map_set(&sums->by_key, key, sum);
	sums->all = must_grow(sums->all, (sums->count + 1) * sizeof(struct spent_sum *));
	sums->all[sums->count++] = sum;
	return sum;
}

static void sums_finish(struct spent_sums *sums)
{
	for (size_t i = 0; i < sums->count; i++) {
		free(sums->all[i]->key);
		free(sums->all[i]);
	}
	free(sums->all);
	map_finish(&sums->by_key);
}

/* ---- what is asked for ---- */

static struct text time_key(char room[KEY_ROOM], bool with_hour, time_t at)
{
	struct tm tm = {0};
	size_t len;

	gmtime_r(&at, &tm);
	len = with_hour ? strftime(room, KEY_ROOM, "%Y-%m-%dT%H:00Z", &tm)
	                : strftime(room, KEY_ROOM, "%Y-%m-%d", &tm);
	return (struct text){room, len};
}

static struct text key_of(const struct spending *s, const struct spending_question *q,
                          const struct spent_row *row, char room[KEY_ROOM])
{
	time_t at = (time_t)row->hour * 3600;

	switch (q->by) {
	case SPENDING_BY_DAY:
		return time_key(room, false, at + (time_t)q->offset_min * 60);
	case SPENDING_BY_HOUR:
		return time_key(room, true, at);
	case SPENDING_BY_PROJECT:
		return text_of(s->names[row->project]);
	case SPENDING_BY_HARNESS:
		return text_of(s->names[row->harness]);
	default:
		return text_of(s->names[row->model]);
	}
}

/* An agent's own figure was there, until its calls were told. */
static bool is_empty(const struct spent_row *row)
{
	static const struct spent_counts none;

	return row->own == 0 && memcmp(&row->counts, &none, sizeof(none)) == 0;
}

/* Rows of one hour mostly follow one another: their day is made once. */
static void gather_rows(const struct spending *s, const struct spending_question *q,
                        struct spent_sums *sums)
{
	bool is_time = q->by == SPENDING_BY_DAY || q->by == SPENDING_BY_HOUR;
	struct spent_sum *sum = NULL;
	uint32_t hour = 0;

	for (uint32_t i = 0; i < s->row_count; i++) {
		const struct spent_row *row = &s->rows[i];
		double cost;
		bool is_known;
		char room[KEY_ROOM];

		if (row->hour * HOUR_MS < q->since_ms || row->hour * HOUR_MS >= q->until_ms ||
		    is_empty(row))
			continue;
		if (!sum || !is_time || row->hour != hour)
			sum = sum_of(sums, key_of(s, q, row, room));
		hour = row->hour;
		is_known = spending_row_cost(s, row, q->prices, &cost);
		add_counts(sum, &row->counts);
		sum->cost += cost;
		sum->has_cost |= is_known;
		sum->unknown |= !is_known;
		sum->at_least |= row->at_least;
	}
}

static void add_usage(const struct spending *s, const struct usage *u, const struct prices *prices,
                      struct spent_sum *sum)
{
	double before = sum->cost;

	for (unsigned i = 0; i < u->model_count; i++) {
		const struct usage_model *m = &u->models[i];
		struct price_call call = {text_of(s->names[m->model]), m->size, m->fast};

		add_counts(sum, &m->counts);
		add_money(sum, prices, &call, &m->counts);
	}
	if (u->own_cost > 0) { /* it knows what we were not told */
		if (sum->cost - before < u->own_cost)
			sum->cost = before + u->own_cost;
		sum->has_cost = true;
		sum->unknown = false;
	}
	sum->at_least |= u->at_least;
}

static void gather_sessions(const struct spending *s, const struct spending_question *q,
                            struct spent_sums *sums)
{
	list_each(&s->all, l) {
		const struct usage *u = list_of(l, struct usage, in_all);

		if ((u->model_count > 0 || u->own_cost > 0) && u->last_ms >= q->since_ms &&
		    u->last_ms < q->until_ms)
			add_usage(s, u, q->prices, sum_of(sums, text_of(u->id)));
	}
}

/* Times in their order, all else by what it cost, then by tokens, then by name. */
static int by_time(const void *a, const void *b)
{
	const struct spent_sum *const *one = a, *const *two = b;

	return strcmp((*one)->key, (*two)->key);
}

static int by_cost(const void *a, const void *b)
{
	const struct spent_sum *const *one = a, *const *two = b;
	const uint64_t *m = (*one)->counts.n, *n = (*two)->counts.n;

	if ((*one)->cost != (*two)->cost)
		return (*one)->cost > (*two)->cost ? -1 : 1;
	if (m[SPENT_OUTPUT] != n[SPENT_OUTPUT])
		return m[SPENT_OUTPUT] > n[SPENT_OUTPUT] ? -1 : 1;
	return by_time(a, b);
}

/* ---- told ---- */

static void put_counts(struct buf *out, const struct spent_sum *sum)
{
	for (int i = 0; i < SPENT_MICROS; i++)
		put_u64(out, spent_names[i], sum->counts.n[i]);
	put_key(out, "cost");
	if (sum->has_cost)
		json_add_number(out, sum->cost > 0 ? round(sum->cost * 1e6) / 1e6 : 0);
	else
		buf_add(out, TEXT("null"));
	if (sum->at_least)
		put_bool(out, "atLeast", true);
	put_bool(out, "unknown", sum->unknown);
}

static void put_sum(struct buf *out, const char *key, const struct spent_sum *sum)
{
	put_object(out, key);
	if (sum->key)
		put_word(out, "key", sum->key);
	put_counts(out, sum);
	put_end(out);
}

static void put_row(struct buf *out, const struct spending_question *q, const struct spent_sum *sum)
{
	const char *handle = q->by == SPENDING_BY_SESSION && q->handle
	                             ? q->handle(q->self, text_of(sum->key))
	                             : NULL;

	put_object(out, NULL);
	put_word(out, "key", sum->key);
	json_member_text(out, "handle", handle);
	put_counts(out, sum);
	put_end(out);
}

static void put_total(struct buf *out, const struct spent_sums *sums)
{
	struct spent_sum total = {0};

	for (size_t i = 0; i < sums->count; i++) {
		add_counts(&total, &sums->all[i]->counts);
		total.cost += sums->all[i]->cost;
		total.has_cost |= sums->all[i]->has_cost;
		total.unknown |= sums->all[i]->unknown;
		total.at_least |= sums->all[i]->at_least;
	}
	put_sum(out, "total", &total);
}

void spending_json(const struct spending *s, const struct spending_question *q, struct buf *out)
{
	bool is_time = q->by == SPENDING_BY_DAY || q->by == SPENDING_BY_HOUR;
	struct spent_sums sums = {0};

	map_init(&sums.by_key);
	if (q->by == SPENDING_BY_SESSION)
		gather_sessions(s, q, &sums);
	else
		gather_rows(s, q, &sums);
	if (sums.count)
		qsort(sums.all, sums.count, sizeof(struct spent_sum *),
		      is_time ? by_time : by_cost);
	put_list(out, "rows");
	for (size_t i = 0; i < sums.count; i++)
		put_row(out, q, sums.all[i]);
	put_list_end(out);
	put_total(out, &sums);
	put_object(out, "prices");
	put_word(out, "date", prices_date(q->prices));
	put_end(out);
	sums_finish(&sums);
}

static void put_models(const struct spending *s, const struct usage *u, const struct prices *prices,
                       struct buf *out)
{
	struct spent_sums sums = {0};

	map_init(&sums.by_key);
	for (unsigned i = 0; i < u->model_count; i++) {
		const struct usage_model *m = &u->models[i];
		struct price_call call = {text_of(s->names[m->model]), m->size, m->fast};
		struct spent_sum *sum = sum_of(&sums, call.model);

		add_counts(sum, &m->counts);
		add_money(sum, prices, &call, &m->counts);
	}
	put_list(out, "models");
	for (size_t i = 0; i < sums.count; i++)
		put_sum(out, NULL, sums.all[i]);
	put_list_end(out);
	sums_finish(&sums);
}

/* The window that the agent told, or else that of the model it asked last. */
static uint64_t window_of(const struct spending *s, const struct usage *u,
                          const struct prices *prices)
{
	if (u->context_window || u->model_count == 0)
		return u->context_window;
	return prices_window(prices, text_of(s->names[u->models[u->model_count - 1].model]));
}

void spending_usage_json(const struct spending *s, const struct usage *u,
                         const struct prices *prices, bool whole, struct buf *out)
{
	struct spent_sum sum = {0};

	add_usage(s, u, prices, &sum);
	if (u->model_count > 0 || u->own_cost > 0)
		put_sum(out, "usage", &sum);
	if (u->context_used) {
		put_object(out, "context");
		put_u64(out, "used", u->context_used);
		if (window_of(s, u, prices))
			put_u64(out, "window", window_of(s, u, prices));
		put_end(out);
	}
	if (whole)
		put_models(s, u, prices, out);
}
