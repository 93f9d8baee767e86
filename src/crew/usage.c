/* usage.c - counts that are read from a signal, and added to a session's. */
#include "crew/usage.h"

#include <math.h>
#include <stdlib.h>

#include "base/must.h"
#include "signal/json.h"

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

static struct usage_model *model_of(struct usage *u, const struct usage_facts *facts,
                                    uint32_t model)
{
	struct usage_model *m;

	for (unsigned i = 0; i < u->model_count; i++) {
		m = &u->models[i];
		if (m->model == model && m->size == facts->call.size && m->fast == facts->call.fast)
			return m;
	}
	if (u->model_count == USAGE_MODELS_MAX)
		return &u->models[USAGE_MODELS_MAX - 1];
	u->models = must_grow(u->models, (u->model_count + 1) * sizeof(*u->models));
	m = &u->models[u->model_count++];
	*m = (struct usage_model){
		.model = model, .size = (uint8_t)facts->call.size, .fast = facts->call.fast};
	return m;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void usage_add(struct usage *u, const struct usage_facts *facts, uint32_t model,
               struct spent_counts *added)
{
	struct spent_counts *witness = facts->response.len ? &u->keyed : &u->loose;
	struct usage_model *m = model_of(u, facts, model);

	for (int i = 0; i < SPENT_COUNTS; i++) {
		uint64_t before = larger(u->keyed.n[i], u->loose.n[i]);

		witness->n[i] += facts->counts.n[i];
		added->n[i] = larger(u->keyed.n[i], u->loose.n[i]) - before;
		m->counts.n[i] += added->n[i];
	}
	if (facts->context)
		u->context_used = facts->context;
	if (facts->window)
		u->context_window = facts->window;
}

void usage_destroy(struct usage *u)
{
	if (!u)
		return;
	free(u->id);
	free(u->models);
	free(u);
}
