/* calls.c - joining what belongs to one call. */
#include "parse/calls.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

/* Some proxies keep a signature in the id. */
#define WORD_MAX (16 * KIB)

void calls_init(struct calls *calls)
{
	*calls = (struct calls){0};
	list_init(&calls->open);
}

void calls_drop(struct calls *calls, struct open_call *call)
{
	assert(calls->count > 0);
	list_remove(&call->link);
	calls->count--;
	calls->input_len -= call->input.len;
	buf_finish(&call->input);
	free(call->key);
	free(call->id);
	free(call->name);
	free(call->server);
	free(call);
}

void calls_finish(struct calls *calls)
{
	list_each(&calls->open, l)
		calls_drop(calls, list_of(l, struct open_call, link));
	assert(calls->count == 0);
}

static void tell_full(struct calls *calls, struct parse *p, const char *what)
{
	if (!calls->is_full)
		parse_bad(p, "too many %s of tool calls at the same time", what);
	calls->is_full = true;
}

struct open_call *calls_add(struct calls *calls, struct parse *p, uint32_t choice, uint64_t index)
{
	struct open_call *call;

	if (calls->count == CALLS_MAX) {
		tell_full(calls, p, "fragments");
		return NULL;
	}
	call = must_zero(1, sizeof(*call));
	call->choice = choice;
	call->index = index;
	buf_init(&call->input, CALLS_INPUT_MAX);
	list_add(&calls->open, &call->link);
	calls->count++;
	return call;
}

/* --- finding ----------------------------------------------------------------------- */

struct open_call *calls_at(const struct calls *calls, uint32_t choice, uint64_t index)
{
	struct open_call *found = NULL;

	list_each(&calls->open, l) {
		struct open_call *call = list_of(l, struct open_call, link);

		if (call->choice == choice && call->index == index)
			found = call;
	}
	return found;
}

struct open_call *calls_with_key(const struct calls *calls, struct text key)
{
	list_each(&calls->open, l) {
		struct open_call *call = list_of(l, struct open_call, link);

		if (call->key && text_is(key, call->key))
			return call;
	}
	return NULL;
}

struct open_call *calls_with_id(const struct calls *calls, struct text id)
{
	list_each(&calls->open, l) {
		struct open_call *call = list_of(l, struct open_call, link);

		if (call->id && text_is(id, call->id))
			return call;
	}
	return NULL;
}

struct open_call *calls_last(const struct calls *calls, uint32_t choice)
{
	struct open_call *last = NULL;

	list_each(&calls->open, l) {
		struct open_call *call = list_of(l, struct open_call, link);

		if (call->choice == choice)
			last = call;
	}
	return last;
}

/* --- growing ----------------------------------------------------------------------- */

void call_set(char **word, struct text value)
{
	if (value.len == 0 || value.len > WORD_MAX || (*word && text_is(value, *word)))
		return;
	free(*word);
	*word = text_dup(value);
}

void call_set_id(struct open_call *call, struct text id)
{
	call_set(&call->id, id);
	if (id.len)
		call->has_made_id = false;
}

/* A call without an id gets one that is the same whenever the stream is read. */
static struct tool_call named(struct calls *calls, struct parse *p, struct open_call *call)
{
	if (!call->id) {
		struct text run = parse_options(p)->correlation;

		call->id = must_print("%.*s-%u", TEXT_ARG(run), calls->made++);
		call->has_made_id = true;
	}
	return (struct tool_call){text_of(call->id), text_of(call->name), text_of(call->server)};
}

static bool fits(struct calls *calls, struct parse *p, struct text piece)
{
	if (piece.len <= CALLS_INPUT_MAX - calls->input_len)
		return true;
	tell_full(calls, p, "bytes");
	return false;
}

void calls_grow(struct calls *calls, struct parse *p, const struct speaker *who,
                struct open_call *call, struct text piece)
{
	struct tool_call name = named(calls, p, call);

	if (piece.len == 0 || !fits(calls, p, piece))
		return;
	buf_add(&call->input, piece);
	calls->input_len += piece.len;
	speak_call_piece(p, who, &name, piece);
}

void calls_replace(struct calls *calls, struct parse *p, struct open_call *call, struct text input)
{
	calls->input_len -= call->input.len;
	buf_clear(&call->input);
	if (!fits(calls, p, input))
		return;
	buf_add(&call->input, input);
	calls->input_len += input.len;
}

void calls_give(struct calls *calls, struct parse *p, const struct speaker *who,
                struct open_call *call)
{
	struct tool_call name = named(calls, p, call);

	if (call->input.len > CALLS_GIVEN_MAX) {
		parse_bad(p, "the input of a call is longer than %zu bytes", CALLS_GIVEN_MAX);
		speak_call(p, who, &name, NULL);
	} else {
		speak_joined_call(p, who, &name, buf_text(&call->input));
	}
	calls_drop(calls, call);
}
