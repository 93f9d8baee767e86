/* approve_inside.h - what approve.c and settle.c share: a question from its hook to its end.
 *
 * It is held as long as its hook waits.  Then it has ended for us, and is kept until we know
 * what its agent did: that is what is told as settled.
 */
#ifndef SOURCE_APPROVE_INSIDE_H
#define SOURCE_APPROVE_INSIDE_H

#include "base/buf.h"
#include "base/list.h"
#include "net/loop.h"
#include "signal/json.h"
#include "source/claude/approve.h"
#include "source/claude/approve_ask.h"

#define APPROVE_SOURCE "adapter:tap"
#define APPROVE_WORD_MAX 16 /* bytes of a decision */

enum approve_given { GIVEN_NOTHING, GIVEN_ALLOW, GIVEN_DENY };

struct approve_held {
	struct link in_all; /* approve.held or approve.ended, the oldest first */
	struct approve *approve;
	char *run;
	char *id; /* of its prompt */
	char *tool;
	char *tool_use;   /* the id of the use it is about; NULL: not known */
	char *sessions;   /* Claude Code's registry; NULL: not known */
	uint64_t pid;     /* of its agent; 0: not known */
	struct buf input; /* of the tool, as JSON */
	uint64_t input_hash;
	char *suggestions;           /* rules that `always` makes, as JSON; NULL: none */
	approve_decided_fn *decided; /* NULL: it has ended */
	void *of;
	struct deadline patience;
	enum approve_given given;
	char word[APPROVE_WORD_MAX]; /* of what was given */
	struct text agent;           /* who asks; memory of its own */
	bool is_question;            /* no permission: see question.h */
	size_t question;             /* which of them is asked now */
	bool own_words;              /* and of that, a text of one's own */
	struct buf chosen, answers;
	bool is_inside;     /* a subagent asks: it may go on after the turn */
	bool was_waiting;   /* its agent's own dialog was seen */
	uint64_t ended_ms;  /* on the clock that only goes forward */
	uint64_t denied_ms; /* by then its tool would have been told of; 0: no sign of it */
};

/* A tool that is about to be used. */
struct tool_use {
	struct link in_all; /* approve.uses, the oldest first */
	char *run, *id, *tool;
	char *prompt; /* of the person, that it is a part of; "": not known */
	uint64_t input_hash;
};

struct approve {
	struct approve_options options;
	struct link held, ended, uses;
	size_t held_count, ended_count, use_count;
	size_t input_bytes; /* of all that are held */
	struct json_reader reader, registry;
	struct deadline look;
	bool is_stopped;
};

/* ---- approve.c ---- */

uint64_t approve_hash(yyjson_val *input);
void approve_free(struct approve_held *held);
/* Its hook is told to print this; what it becomes is awaited. */
void approve_let_go(struct approve_held *held, struct text json);
void approve_withdraw(struct approve_held *held, const char *why);

/* ---- settle.c ---- */

void settle_find_use(struct approve_held *held, struct text prompt);
void settle_begin(struct approve *approve); /* looks now and then, while there is something */
void settle_forget(struct approve *approve);

#endif
