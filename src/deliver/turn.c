/* turn.c - counts and names, from the signals of a run. */
#include "deliver/turn.h"

#include <stdlib.h>
#include <string.h>

#include "base/put.h"
#include "base/text.h"
#include "signal/json.h"
#include "signal/signal.h"

#define COUNT_MAX 1e15
#define WORD_BYTES 200

void turn_finish(struct chat_turn *t)
{
	free(t->model);
	free(t->provider);
	free(t->response);
}

static void set_name(char **word, struct text value)
{
	if (!value.len || value.len > WORD_BYTES || text_is(value, "unknown") ||
	    (*word && text_is(value, *word)))
		return;
	free(*word);
	*word = text_dup(value);
}

static uint64_t turn_number(yyjson_val *payload, const char *name)
{
	double n;

	return json_number(yyjson_obj_get(payload, name), &n) && n > 0 && n < COUNT_MAX
	               ? (uint64_t)n
	               : 0;
}

/* ---- what was spent ---- */

static void add_last(struct chat_turn *t)
{
	for (unsigned i = 0; i < TURN_COUNTS; i++)
		t->spent[i] += t->last[i];
	memset(t->last, 0, sizeof(t->last));
}

/* inputTokens are those beside the caches; promptTokens are all. */
static void read_counts(struct chat_turn *t, yyjson_val *payload)
{
	t->last[TURN_CACHE_READ] = turn_number(payload, "cacheReadTokens");
	t->last[TURN_CACHE_WRITE] = turn_number(payload, "cacheWriteTokens") +
	                            turn_number(payload, "cacheWrite1hTokens");
	t->last[TURN_INPUT] = turn_number(payload, "promptTokens");
	if (yyjson_obj_get(payload, "inputTokens"))
		t->last[TURN_INPUT] = turn_number(payload, "inputTokens") +
		                      t->last[TURN_CACHE_READ] + t->last[TURN_CACHE_WRITE];
	t->last[TURN_OUTPUT] = turn_number(payload, "completionTokens");
	t->last[TURN_REASONING] = turn_number(payload, "reasoningTokens");
}

/* A response that is told again is told better; a sum beside responses says the same again. */
static void hear_usage(struct chat_turn *t, yyjson_val *payload)
{
	struct text response = json_text_at(payload, "responseId");
	bool is_same = response.len && t->response && text_is(response, t->response);

	if (!response.len && t->has_responses)
		return;
	if (response.len && !t->has_responses) {
		memset(t->spent, 0, sizeof(t->spent));
		memset(t->last, 0, sizeof(t->last));
	}
	t->has_usage = true;
	t->has_responses = response.len > 0;
	if (!is_same)
		add_last(t);
	set_name(&t->response, response);
	read_counts(t, payload);
}

static void hear_model(struct chat_turn *t, yyjson_val *payload)
{
	struct text model = json_text_at(payload, "model"), rest;
	struct text provider = text_cut(model, '/', &rest);

	if (!model.len || model.at[0] == '<')
		return;
	set_name(&t->model, rest.at && rest.len ? rest : model);
	set_name(&t->provider, rest.at && rest.len ? provider : json_text_at(payload, "provider"));
}

static void hear_window(struct chat_turn *t, yyjson_val *payload)
{
	uint64_t window = turn_number(payload, "contextWindow");
	uint64_t context = turn_number(payload, "contextTokens");

	t->window = window ? window : t->window;
	t->context = context ? context : t->context;
}

/* ---- why it ended ---- */

static bool is_among(struct text word, const char *const *all)
{
	for (; *all; all++)
		if (text_equal_nocase(word, text_of(*all)))
			return true;
	return false;
}

static void turn_over(struct chat_turn *t, struct text why)
{
	static const char *const full[] = {"max_tokens", "length", "max_output_tokens",
	                                   "model_length", NULL};
	static const char *const late[] = {"timeout", "timed_out", "deadline_exceeded", NULL};

	t->ran_out = t->ran_out || is_among(why, full);
	t->timed_out = t->timed_out || is_among(why, late);
}

void turn_hear(struct chat_turn *t, const struct signal *s)
{
	yyjson_val *payload = yyjson_obj_get(s->envelope, "payload");
	yyjson_val *metadata = yyjson_obj_get(s->envelope, "metadata");
	bool is_part = json_text_at(metadata, "agent_id").len > 0; /* a subagent's */

	if (yyjson_is_true(yyjson_obj_get(yyjson_obj_get(metadata, "_meta"), "heartbeat")))
		t->is_heartbeat = true;
	if (s->kind == KIND_TOKEN_USAGE) {
		hear_usage(t, payload);
		if (!is_part) {
			hear_model(t, payload);
			hear_window(t, payload);
		}
	} else if (s->kind == KIND_COMPLETION && !is_part) {
		turn_over(t, json_text_at(metadata, "stopReason"));
	} else if (s->kind == KIND_ERROR && !is_part) {
		turn_over(t, json_text_at(payload, "code"));
	}
}

/* ---- JSON ---- */

void turn_put_usage(const struct chat_turn *t, struct buf *out)
{
	static const char *const names[TURN_COUNTS] = {
		[TURN_INPUT] = "input_tokens",           [TURN_OUTPUT] = "output_tokens",
		[TURN_CACHE_READ] = "cache_read_tokens", [TURN_CACHE_WRITE] = "cache_write_tokens",
		[TURN_REASONING] = "reasoning_tokens",
	};

	if (!t->has_usage)
		return;
	put_object(out, NULL);
	for (unsigned i = 0; i < TURN_COUNTS; i++)
		if (i <= TURN_OUTPUT || t->spent[i] + t->last[i])
			put_u64(out, names[i], t->spent[i] + t->last[i]);
	put_u64(out, "total_tokens",
	        t->spent[TURN_INPUT] + t->last[TURN_INPUT] + t->spent[TURN_OUTPUT] +
	                t->last[TURN_OUTPUT]);
	put_end(out);
}

void turn_put_budget(const struct chat_turn *t, struct buf *out)
{
	if (!t->window)
		return;
	put_object(out, NULL);
	put_u64(out, "context_window", t->window);
	if (t->context)
		put_u64(out, "context_used", t->context);
	put_end(out);
}
