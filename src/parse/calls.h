/* calls.h - tool calls whose input arrives in fragments.
 *
 * Each fragment is told as a `tool_call_delta`, and a call that is complete as one
 * `tool_call` with the joined input.
 */
#ifndef PARSE_CALLS_H
#define PARSE_CALLS_H

#include "base/buf.h"
#include "base/list.h"
#include "parse/speak.h"

/* Of one answer: calls that are open at the same time, and bytes of their input. */
#define CALLS_MAX 128
#define CALLS_INPUT_MAX (4 * MIB)

/* With its envelope an input must fit into what the bus takes. */
#define CALLS_GIVEN_MAX (960 * KIB)

struct open_call {
	struct link link; /* calls.open, in the order in which they began */
	uint32_t choice;  /* whose it is, where an answer has several */
	uint64_t index;   /* its place among those, or CALLS_NO_INDEX */
	char *key;        /* what later fragments call it; NULL: nothing */
	char *server;     /* whose tool it is, when it is not the agent's own; NULL: it is */
	char *id, *name;  /* NULL: not said yet */
	bool has_made_id; /* id is ours, because the back end named none */
	bool came_whole;  /* the input stood where the call began; pieces replace it */
	struct buf input;
};

#define CALLS_NO_INDEX UINT64_MAX

struct calls {
	struct link open;
	unsigned count;
	size_t input_len;
	unsigned made; /* ids */
	bool is_full;  /* that was told */
};

void calls_init(struct calls *calls);
void calls_finish(struct calls *calls);

/* NULL when too many are open, which is told as bad. */
struct open_call *calls_add(struct calls *calls, struct parse *p, uint32_t choice, uint64_t index);
/* The newest of them; NULL: none. */
struct open_call *calls_at(const struct calls *calls, uint32_t choice, uint64_t index);
struct open_call *calls_with_key(const struct calls *calls, struct text key);
struct open_call *calls_with_id(const struct calls *calls, struct text id);
struct open_call *calls_last(const struct calls *calls, uint32_t choice);

/* An empty text says nothing. */
void call_set(char **word, struct text value);
void call_set_id(struct open_call *call, struct text id);

void calls_grow(struct calls *calls, struct parse *p, const struct speaker *who,
                struct open_call *call, struct text piece);
/* In place of what came before. */
void calls_replace(struct calls *calls, struct parse *p, struct open_call *call, struct text input);

/* It is complete.  An input that is too long to be given is left out, which is told
 * as bad.  Frees it. */
void calls_give(struct calls *calls, struct parse *p, const struct speaker *who,
                struct open_call *call);
void calls_drop(struct calls *calls, struct open_call *call);

#endif
