/* spending_tell.c - sums as JSON for whoever asks: by day, project, model, and with their
 * price.  Money is made here, of the list that is in force now.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "crew/spending_answer.h"
#include "crew/zone.h"
#include "signal/json.h"

#define HOUR_MS 3600000.0
#define DAY_MIN 1440
#define KEY_ROOM 32
#define TELL_BYTES (64 * KIB) /* a piece of an answer */

const char *const spending_by_names[SPENDING_BYS] = {
	[SPENDING_BY_DAY] = "day",         [SPENDING_BY_HOUR] = "hour",
	[SPENDING_BY_PROJECT] = "project", [SPENDING_BY_MODEL] = "model",
	[SPENDING_BY_HARNESS] = "harness", [SPENDING_BY_SESSION] = "session",
};

static bool is_by_time(const struct spending_question *q)
{
	return q->by == SPENDING_BY_DAY || q->by == SPENDING_BY_HOUR;
}

static void add_counts(struct spent_sum *sum, const struct spent_counts *counts)
{
	for (int i = 0; i < SPENT_COUNTS; i++)
		sum->counts.n[i] += counts->n[i];
}

static void add_cost(struct spent_sum *sum, double cost, bool is_known)
{
	sum->cost += cost;
	sum->has_cost |= is_known;
	sum->unknown |= !is_known;
}

struct spent_sum *spending_new_sum(struct spending_answer *a)
{
	if (a->count == a->room) {
		a->room = a->room ? 2 * a->room : 64;
		a->sums = must_grow(a->sums, a->room * sizeof(*a->sums));
	}
	a->sums[a->count] = (struct spent_sum){0};
	return &a->sums[a->count++];
}

/* ---- rows ---- */

/* Where the sum of each number stands, and one. */
struct sum_index {
	uint32_t from, count;
	uint32_t *at;
};

/* The day of whoever asks, from one on. */
static uint32_t day_of(const struct spending_question *q, uint32_t hour)
{
	return (uint32_t)(((int64_t)hour * 60 + zone_minutes(q->zone, hour) + DAY_MIN) / DAY_MIN);
}

static uint32_t number_of(const struct spending_question *q, const struct spent_row *row)
{
	switch (q->by) {
	case SPENDING_BY_DAY:
		return day_of(q, row->hour);
	case SPENDING_BY_HOUR:
		return row->hour;
	case SPENDING_BY_PROJECT:
		return row->project;
	case SPENDING_BY_HARNESS:
		return row->harness;
	default:
		return row->model;
	}
}

static bool has_hours(const struct spending_question *q, uint32_t from, uint32_t to)
{
	return from * HOUR_MS >= q->since_ms && to * HOUR_MS < q->until_ms;
}

/* An agent's own figure was there, until its calls were told. */
static bool is_empty(const struct spent_row *row)
{
	static const struct spent_counts none;

	return row->own == 0 && memcmp(&row->counts, &none, sizeof(none)) == 0;
}

static struct sum_index make_index(const struct spending *s, const struct spending_question *q)
{
	uint32_t least = UINT32_MAX, most = 0;

	for (uint32_t i = 0; i < s->row_count; i++) {
		uint32_t number = number_of(q, &s->rows[i]);

		if (!has_hours(q, s->rows[i].hour, s->rows[i].hour))
			continue;
		if (number < least)
			least = number;
		if (number > most)
			most = number;
	}
	if (least > most)
		least = most;
	return (struct sum_index){least, most - least + 1,
	                          must_zero(most - least + 1, sizeof(uint32_t))};
}

static void gather_rows(struct spending_answer *a)
{
	const struct spending *s = a->spending;
	const struct spending_question *q = &a->question;
	struct sum_index index = make_index(s, q);

	for (uint32_t i = 0; i < s->row_count; i++) {
		const struct spent_row *row = &s->rows[i];
		struct spent_sum *sum;
		uint32_t *at;
		double cost;
		bool is_known;

		if (!has_hours(q, row->hour, row->hour) || is_empty(row))
			continue;
		at = &index.at[number_of(q, row) - index.from];
		if (*at == 0) {
			spending_new_sum(a)->number = number_of(q, row);
			*at = a->count;
		}
		sum = &a->sums[*at - 1];
		is_known = spending_row_cost(s, row, q->prices, &cost);
		add_counts(sum, &row->counts);
		add_cost(sum, cost, is_known);
		sum->at_least |= row->at_least;
	}
	free(index.at);
}

/* ---- sessions ---- */

void spending_add_part(const struct spending *s, const struct usage_part *part,
                       const struct prices *prices, struct spent_sum *sum)
{
	double cost;
	bool is_known = spending_part_cost(s, part, prices, &cost);

	add_counts(sum, &part->counts);
	add_cost(sum, cost, is_known);
}

static void add_sum(struct spent_sum *to, const struct spent_sum *sum)
{
	add_counts(to, &sum->counts);
	to->cost += sum->cost;
	to->has_cost |= sum->has_cost;
	to->unknown |= sum->unknown;
	to->at_least |= sum->at_least;
}

void spending_add_usage(const struct spending *s, const struct usage *u,
                        const struct prices *prices, struct spent_sum *to)
{
	struct spent_sum sum = {.at_least = u->at_least};
	double own = usage_own_cost(u);

	for (unsigned i = 0; i < u->part_count; i++)
		spending_add_part(s, &u->parts[i], prices, &sum);
	if (own > 0) { /* it knows what we were not told */
		if (sum.cost < own)
			sum.cost = own;
		sum.has_cost = true;
		sum.unknown &= u->is_own_old;
	}
	add_sum(to, &sum);
}

/* Of its own figure, what is known to belong to these hours. */
static void add_own_share(const struct spending *s, const struct usage *u,
                          const struct spending_question *q, struct spent_sum *sum)
{
	const struct spent_row *row = u->own_row ? &s->rows[u->own_row - 1] : NULL;
	int64_t there = row && has_hours(q, row->hour, row->hour) ? u->own_there : 0;

	if (there > 0)
		add_cost(sum, (double)there / 1e6, true);
	sum->at_least |= u->own_more > there;
}

/* Its calls in these hours.  Of hours that were joined, some in it and some not, nothing: then it
 * is at least that.  False: it has none. */
static bool add_some(const struct spending *s, const struct usage *u,
                     const struct spending_question *q, struct spent_sum *sum)
{
	bool any = false;

	for (unsigned i = 0; i < u->part_count; i++) {
		const struct usage_part *p = &u->parts[i];

		if (has_hours(q, p->from, p->to))
			spending_add_part(s, p, q->prices, sum);
		else if (p->to * HOUR_MS >= q->since_ms && p->from * HOUR_MS < q->until_ms)
			sum->at_least = true;
		else
			continue;
		any = true;
	}
	if (any)
		add_own_share(s, u, q, sum);
	sum->at_least |= u->at_least;
	return any;
}

static bool is_whole_in(const struct usage *u, const struct spending_question *q)
{
	for (unsigned i = 0; i < u->part_count; i++)
		if (!has_hours(q, u->parts[i].from, u->parts[i].to))
			return false;
	return u->part_count > 0 ||
	       (usage_own_cost(u) > 0 && u->last_ms >= q->since_ms && u->last_ms < q->until_ms);
}

/* The sum of the session that this run is of. */
static struct spent_sum *sum_of_session(struct spending_answer *a, struct map *known,
                                        struct text run)
{
	const struct spending_question *q = &a->question;
	struct spent_session session = {0};
	bool is_known = q->session && q->session(q->self, run, &session);
	struct text id = is_known ? text_of(session.id) : run;
	uintptr_t at = (uintptr_t)map_get(known, id);

	if (at == 0) {
		struct spent_sum *sum = spending_new_sum(a);

		sum->id = text_dup(id);
		sum->handle = is_known ? must_dup(session.handle) : NULL;
		at = a->count;
		map_set(known, id, (void *)at);
	}
	return &a->sums[at - 1];
}

static void gather_sessions(struct spending_answer *a)
{
	struct map known;

	map_init(&known);
	list_each(&a->spending->all, l) {
		const struct usage *u = list_of(l, struct usage, in_all);
		struct spent_sum sum = {0};

		if (is_whole_in(u, &a->question))
			spending_add_usage(a->spending, u, a->question.prices, &sum);
		else if (!add_some(a->spending, u, &a->question, &sum))
			continue;
		add_sum(sum_of_session(a, &known, text_of(u->id)), &sum);
	}
	map_finish(&known);
}

/* ---- their order and names ---- */

static struct text time_key(char room[KEY_ROOM], bool with_hour, time_t at)
{
	struct tm tm = {0};
	size_t len;

	gmtime_r(&at, &tm);
	len = with_hour ? strftime(room, KEY_ROOM, "%Y-%m-%dT%H:00Z", &tm)
	                : strftime(room, KEY_ROOM, "%Y-%m-%d", &tm);
	return (struct text){room, len};
}

static struct text key_of(const struct spending_answer *a, const struct spent_sum *sum,
                          char room[KEY_ROOM])
{
	switch (a->question.by) {
	case SPENDING_BY_DAY:
		return time_key(room, false, ((time_t)sum->number - 1) * DAY_MIN * 60);
	case SPENDING_BY_HOUR:
		return time_key(room, true, (time_t)sum->number * 3600);
	case SPENDING_BY_SESSION:
		return text_of(sum->id);
	default:
		return text_of(a->spending->names[sum->number]);
	}
}

/* Times in their order, all else by what it cost, then by tokens, then by when it came. */
static int by_number(const void *a, const void *b)
{
	const struct spent_sum *one = a, *two = b;

	if (one->id && two->id)
		return strcmp(one->id, two->id);
	return one->number < two->number ? -1 : one->number > two->number;
}

static int by_cost(const void *a, const void *b)
{
	const struct spent_sum *one = a, *two = b;
	const uint64_t *m = one->counts.n, *n = two->counts.n;

	if (one->cost != two->cost)
		return one->cost > two->cost ? -1 : 1;
	if (m[SPENT_OUTPUT] != n[SPENT_OUTPUT])
		return m[SPENT_OUTPUT] > n[SPENT_OUTPUT] ? -1 : 1;
	return by_number(a, b);
}

/* Rows come in the order of their hours, mostly. */
static void put_in_order(struct spending_answer *a)
{
	int (*compare)(const void *, const void *) = is_by_time(&a->question) ? by_number : by_cost;

	for (uint32_t i = 1; i < a->count; i++)
		if (compare(&a->sums[i - 1], &a->sums[i]) > 0) {
			qsort(a->sums, a->count, sizeof(*a->sums), compare);
			return;
		}
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

void spending_put_sum(struct buf *out, const char *key, const struct spent_sum *sum)
{
	put_object(out, key);
	put_counts(out, sum);
	put_end(out);
}

void spending_put_row(const struct spending_answer *a, const struct spent_sum *sum, struct buf *out)
{
	char room[KEY_ROOM];

	put_object(out, NULL);
	put_text(out, "key", key_of(a, sum, room));
	if (sum->handle)
		put_word(out, "handle", sum->handle);
	put_counts(out, sum);
	put_end(out);
}

static void sum_up(struct spending_answer *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		add_sum(&a->total, &a->sums[i]);
}

struct spending_answer *spending_ask(const struct spending *s, const struct spending_question *q)
{
	struct spending_answer *a = must_zero(1, sizeof(*a));

	a->spending = s;
	a->question = *q;
	if (q->by == SPENDING_BY_SESSION)
		gather_sessions(a);
	else
		gather_rows(a);
	a->question.zone = NULL; /* it is not ours to keep */
	put_in_order(a);
	sum_up(a);
	return a;
}

bool spending_tell(struct spending_answer *a, struct buf *out)
{
	size_t enough = out->len + TELL_BYTES;

	if (a->told == 0)
		put_list(out, "rows");
	for (; a->told < a->count && out->len < enough; a->told++) {
		/* A piece does not see what the one before ended with. */
		if (a->told && out->len == 0)
			buf_add_char(out, ',');
		spending_put_row(a, &a->sums[a->told], out);
	}
	if (a->told < a->count)
		return true;
	put_list_end(out);
	spending_put_sum(out, "total", &a->total);
	put_object(out, "prices");
	put_word(out, "date", prices_date(a->question.prices));
	put_end(out);
	return false;
}

void spending_answer_destroy(struct spending_answer *a)
{
	if (!a)
		return;
	for (uint32_t i = 0; i < a->count; i++) {
		free(a->sums[i].id);
		free(a->sums[i].handle);
	}
	free(a->sums);
	free(a);
}

void spending_json(const struct spending *s, const struct spending_question *q, struct buf *out)
{
	struct spending_answer *a = spending_ask(s, q);

	while (spending_tell(a, out))
		;
	spending_answer_destroy(a);
}
