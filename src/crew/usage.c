/* usage.c - counts that are read from a signal, and added to a session's. */
#include "crew/usage.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "signal/json.h"

#define HOUR_MS 3600000.0
#define HOURS_MAX 4000000u /* a time after that is nonsense */

static uint64_t count_at(yyjson_val *payload, const char *name)
{
	double n;

	if (!json_number(yyjson_obj_get(payload, name), &n) || !(n > 0))
		return 0;
	return n < (double)USAGE_COUNT_MAX ? (uint64_t)n : USAGE_COUNT_MAX;
}

static uint64_t micros_at(yyjson_val *payload)
{
	double cost;

	if (!json_number(yyjson_obj_get(payload, "cost"), &cost) || !(cost > 0))
		return 0;
	cost *= 1e6;
	return cost < (double)USAGE_COUNT_MAX ? (uint64_t)round(cost) : USAGE_COUNT_MAX;
}

static void read_counts(yyjson_val *payload, struct spent_counts *out)
{
	bool has_input = yyjson_obj_get(payload, "inputTokens") != NULL;

	*out = (struct spent_counts){0};
	out->n[SPENT_INPUT] = count_at(payload, has_input ? "inputTokens" : "promptTokens");
	out->n[SPENT_OUTPUT] = count_at(payload, "completionTokens");
	out->n[SPENT_CACHE_READ] = count_at(payload, "cacheReadTokens");
	out->n[SPENT_CACHE_WRITE] = count_at(payload, "cacheWriteTokens");
	out->n[SPENT_CACHE_WRITE_1H] = count_at(payload, "cacheWrite1hTokens");
	out->n[SPENT_REASONING] = count_at(payload, "reasoningTokens");
	out->n[SPENT_CALLS] = 1;
	out->n[SPENT_MICROS] = micros_at(payload);
}

/* The sum of a turn says nothing of the length of a prompt in it. */
static unsigned size_of(const struct usage_facts *facts)
{
	const uint64_t *n = facts->counts.n;

	if (facts->response.len == 0)
		return 0;
	return prices_size_of(n[SPENT_INPUT] + n[SPENT_CACHE_READ] + n[SPENT_CACHE_WRITE] +
	                      n[SPENT_CACHE_WRITE_1H]);
}

bool usage_read(const struct signal *s, struct usage_facts *out)
{
	return s->kind == KIND_TOKEN_USAGE &&
	       usage_read_payload(yyjson_obj_get(s->envelope, "payload"), s->at_ms, out);
}

bool usage_read_payload(yyjson_val *payload, double at_ms, struct usage_facts *out)
{
	if (!yyjson_is_obj(payload))
		return false;
	*out = (struct usage_facts){
		.response = json_text_at(payload, "responseId"),
		.call = {.model = json_text_at(payload, "model"),
	                 .fast = yyjson_get_bool(yyjson_obj_get(payload, "fast"))},
		.at_ms = at_ms,
		.context = count_at(payload, "contextTokens"),
		.window = count_at(payload, "contextWindow"),
	};
	read_counts(payload, &out->counts);
	out->call.size = size_of(out);
	return true;
}

/* ---- a session ---- */

uint32_t usage_hour(double at_ms)
{
	if (!(at_ms > 0))
		return 0;
	return at_ms / HOUR_MS < HOURS_MAX ? (uint32_t)(at_ms / HOUR_MS) : HOURS_MAX;
}

static bool is_alike(const struct usage_part *a, const struct usage_part *b)
{
	return a->model == b->model && a->size == b->size && a->fast == b->fast;
}

static void join_parts(struct usage *u, unsigned older, unsigned newer)
{
	struct usage_part *a = &u->parts[older], *b = &u->parts[newer];

	for (int i = 0; i < SPENT_COUNTS; i++)
		b->counts.n[i] += a->counts.n[i];
	if (a->from < b->from)
		b->from = a->from;
	if (a->to > b->to)
		b->to = a->to;
	memmove(a, a + 1, (u->part_count - older - 1) * sizeof(*a));
	u->part_count--;
}

/* The one after it of the same calls; part_count: there is none. */
static unsigned next_alike(const struct usage *u, unsigned part)
{
	unsigned found = u->part_count;

	for (unsigned i = 0; i < u->part_count; i++)
		if (i != part && is_alike(&u->parts[i], &u->parts[part]) &&
		    u->parts[i].to >= u->parts[part].to &&
		    (found == u->part_count || u->parts[i].to < u->parts[found].to))
			found = i;
	return found;
}

/* The oldest that has one after it goes into that. */
static bool join_oldest(struct usage *u)
{
	unsigned oldest = u->part_count, into = u->part_count;

	for (unsigned i = 0; i < u->part_count; i++) {
		unsigned next = next_alike(u, i);

		if (next == u->part_count ||
		    (oldest < u->part_count && u->parts[i].to >= u->parts[oldest].to))
			continue;
		oldest = i;
		into = next;
	}
	if (oldest == u->part_count)
		return false;
	join_parts(u, oldest, into);
	return true;
}

static struct usage_part *usage_part_of(struct usage *u, const struct usage_facts *facts,
                                        uint32_t model)
{
	uint32_t hour = usage_hour(facts->at_ms);
	struct usage_part like = {
		.model = model,
		.from = hour,
		.to = hour,
		.size = (uint8_t)facts->call.size,
		.fast = facts->call.fast,
	};

	for (unsigned i = u->part_count; i > 0; i--) {
		struct usage_part *p = &u->parts[i - 1];

		if (is_alike(p, &like) && hour >= p->from && hour <= p->to)
			return p;
	}
	if (u->part_count == USAGE_PARTS_MAX && !join_oldest(u))
		return &u->parts[USAGE_PARTS_MAX - 1];
	u->parts = must_grow(u->parts, (u->part_count + 1) * sizeof(*u->parts));
	u->parts[u->part_count] = like;
	return &u->parts[u->part_count++];
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void usage_add(struct usage *u, const struct usage_facts *facts, uint32_t model,
               struct spent_counts *added)
{
	struct spent_counts *witness = facts->response.len ? &u->keyed : &u->loose;
	struct usage_part *part = usage_part_of(u, facts, model);

	for (int i = 0; i < SPENT_COUNTS; i++) {
		uint64_t before = larger(u->keyed.n[i], u->loose.n[i]);

		witness->n[i] += facts->counts.n[i];
		added->n[i] = larger(u->keyed.n[i], u->loose.n[i]) - before;
		part->counts.n[i] += added->n[i];
	}
	if (facts->context)
		u->context_used = facts->context;
	if (facts->window)
		u->context_window = facts->window;
}

double usage_own_cost(const struct usage *u)
{
	return u->is_copy ? 0 : u->own_cost;
}

void usage_destroy(struct usage *u)
{
	if (!u)
		return;
	free(u->id);
	free(u->parts);
	free(u);
}
